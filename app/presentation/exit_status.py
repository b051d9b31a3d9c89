"""The exit statuses of `signoff`: one register, which the manual's table repeats."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """Exit status of a command; 128 + N is the end by signal N, as shells have it."""

    OK = 0
    TOOL_ERROR = 1
    """The tool set `isError`, or the server answered with a protocol error."""
    USAGE = 2
    """Wrong usage, or arguments that are not what the schema wants."""
    NOT_APPROVED = 3
    BROKEN = 4
    """The answer breaks its contract."""
    LOST = 5
    """The server was not reached, was lost or did not take the call; or nothing was sent."""
    TIME_LIMIT = 6
    UNFINISHED = 10
    """The server requests input that was not given, or started a task that was not requested."""
    FAULT = 70
    """A fault of Signoff: `EX_SOFTWARE` of sysexits.h."""
    HUNG_UP = 129
    INTERRUPTED = 130
    BROKEN_PIPE = 141

    DIFF_HARMLESS = 7
    DIFF_NOTEWORTHY = 8
    DIFF_BREAKING = 9
    STORE_UNUSABLE = 7
    """`grants`, `tokens`, `sign-out`: the store cannot be used."""
    DOUBTFUL = 1
    """`doctor --strict`: there are warnings, and no errors; `hosts check`: a host is not measured
    in the version that is here.
    """
    FLOW_FAILED = 1
    """`test`: a step of a flow failed."""
    LOG_CHANGED = 1
    """`audit verify`: the log was changed."""
    LOG_NOT_WHOLE = 7
    """`audit verify`: in order, but its beginning, its newest file or all of it is missing."""
