"""The entry point: opens the terminal interface, or runs without a screen.

Nothing heavy is imported before the server process has been started.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from ..platforms.output import (
    FULL,
    GONE,
    as_typed,
    close_stdio,
    prepare_output,
    reopen_closed_streams,
)
from ..presentation.exit_status import ExitStatus
from ..storage.fault_log import tell_fault, watch
from ..transport import NoLink
from .command_line import command_of, read_options, split_words
from .process import end_process
from .targets.targets import NotStarted, UsageError

if TYPE_CHECKING:
    from .command import Command


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run Signoff; ends the process with the exit status."""
    reopen_closed_streams()
    prepare_output()
    words = as_typed(sys.argv[1:]) if argv is None else list(argv)
    words, behind = split_words(words)
    command = read_options(words, behind)
    watch()
    status = _status(command, command_of(behind))
    close_stdio()
    if argv is None:
        end_process(status)
    sys.exit(status)


def _status(command: Command, argv: tuple[str, ...]) -> int:
    """Run the command; failures are reported and have an exit status."""
    try:
        status = command.run(argv)
        _flush()
        return status
    except (UsageError, NoLink, NotStarted) as problem:
        from .output.printing import print_error

        print_error(str(problem))
        if isinstance(problem, NotStarted):
            return ExitStatus.NOT_APPROVED
        return ExitStatus.USAGE if isinstance(problem, UsageError) else ExitStatus.LOST
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except SystemExit as early:
        return early.code if isinstance(early.code, int) else ExitStatus.FAULT
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in FULL and not problem.filename:
            from .output.printing import print_error

            print_error(f"standard output was not written to its end: {os.strerror(problem.errno)}")
            return ExitStatus.USAGE
        if isinstance(problem, OSError) and problem.errno in GONE:
            # The reader of the output has closed it, or the terminal is gone.
            return ExitStatus.BROKEN_PIPE if problem.errno == errno.EPIPE else ExitStatus.HUNG_UP
        # Python's own traceback would print the message of the exception, which may hold a secret.
        tell_fault(problem, "while it ran a command")
        return ExitStatus.FAULT


def _flush() -> None:
    """Flush the output. Raises OSError if the disk is full."""
    try:
        sys.stdout.flush()
    except OSError as problem:
        # The reader of a pipe may leave before the end of the output.
        if problem.errno in FULL:
            raise
