"""The error of a command line that makes no sense."""


class UsageError(Exception):
    """The command line makes no sense; the message suggests a correction."""
