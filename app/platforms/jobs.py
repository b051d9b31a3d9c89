"""Suspends Signoff as the shell's ctrl+z does, until the shell continues it.

Windows has nothing of the kind: there nothing is suspended.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

if sys.platform == "win32":

    def why_not_suspended(terminal: int) -> str:
        """The reason why no shell could continue this process, in words for the screen."""
        return "Windows has no shell that could continue it"

    def stop_until_continued(terminal: int) -> None:
        """Do nothing on Windows."""

    @contextlib.contextmanager
    def telling_of_stops(
        give_back: Callable[[], None], take_again: Callable[[], None], tell: Callable[[float], None]
    ) -> Iterator[None]:
        """Do nothing on Windows."""
        yield

else:
    import os
    import signal
    import time

    _SLICE = 0.01
    _STOPPING_SECONDS = 1.0
    """How long a stop may take to arrive before it is taken for one that does not come."""

    def why_not_suspended(terminal: int) -> str:
        """The reason why no shell could continue this process, for the screen; empty if one can.

        POSIX, 11.1.4: a process group is orphaned if none of its members has a parent in another
        group of the same session; the system does not stop such a group, which has no shell.
        """
        try:
            if os.tcgetpgrp(terminal) != os.getpgrp():
                return "another program has the terminal"
        except OSError:
            return "no shell has this terminal, so nothing could continue it"
        if _is_orphaned():
            return "it was not started from a shell that could continue it"
        return ""

    def stop_until_continued(terminal: int) -> None:
        """Stop this process and those of its job; returns in the foreground, when continued.

        Blocks the whole program, which is what stopping means. The terminal must be given back
        before.
        """
        _stop(signal.SIGTSTP)
        while _is_in_background(terminal):
            # `bg`: a program that continues without the terminal stops again, as any does that
            # needs it.
            if not _stop(signal.SIGTTOU):
                return

    @contextlib.contextmanager
    def telling_of_stops(
        give_back: Callable[[], None], take_again: Callable[[], None], tell: Callable[[float], None]
    ) -> Iterator[None]:
        """Within it, `tell` is called with how many seconds the program was stopped.

        The terminal is given back as it was found before, and taken again after. The length of a
        stop that programs cannot notice (SIGSTOP) is unknown: `tell` gets 0. All are called in the
        handler of a signal.
        """
        is_stopping = has_continued = False

        def stop(number: int, _: object) -> None:
            nonlocal is_stopping, has_continued
            is_stopping, has_continued = True, False
            give_back()
            signal.signal(number, signal.SIG_DFL)
            since = time.monotonic()
            os.kill(os.getpid(), number)
            # Here the program is stopped. Of several threads this one may run on for a moment, and
            # without a shell nothing stops at all.
            while not has_continued and time.monotonic() < since + _STOPPING_SECONDS:
                time.sleep(_SLICE)
            is_stopping = False
            signal.signal(number, stop)
            take_again()
            tell(time.monotonic() - since)

        def continued(number: int, _: object) -> None:
            nonlocal has_continued
            has_continued = True
            if not is_stopping:
                take_again()
                tell(0.0)

        before = {
            signal.SIGTSTP: signal.signal(signal.SIGTSTP, stop),
            signal.SIGCONT: signal.signal(signal.SIGCONT, continued),
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(number: signal.Signals) -> bool:
        """True if the job was stopped, and continued since."""
        if _is_orphaned():
            return False
        with _handled(number) as continued:
            # The whole job: `uv run signoff` is two processes, and the shell waits for the first.
            os.killpg(0, number)
            deadline = time.monotonic() + _STOPPING_SECONDS
            # Of several threads this one may run on for a moment before the stop reaches it.
            while not continued and time.monotonic() < deadline:
                time.sleep(_SLICE)
            return bool(continued)

    @contextlib.contextmanager
    def _handled(number: signal.Signals) -> Iterator[list[int]]:
        """The signal does what the system does with it; what continues the process is listed."""
        continued: list[int] = []
        before = {
            number: signal.signal(number, signal.SIG_DFL),
            signal.SIGCONT: signal.signal(signal.SIGCONT, lambda got, _: continued.append(got)),
        }
        try:
            yield continued
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def _is_orphaned() -> bool:
        """True if no shell is there that could continue this job.

        Looked at from this process upwards, which is where the job's first process is.
        """
        import psutil

        group, session = os.getpgrp(), os.getsid(0)
        with contextlib.suppress(psutil.Error, OSError):
            parent = psutil.Process().parent()
            while parent is not None and os.getsid(parent.pid) == session:
                if os.getpgid(parent.pid) != group:
                    return False
                parent = parent.parent()
        return True

    def _is_in_background(terminal: int) -> bool:
        try:
            return os.tcgetpgrp(terminal) != os.getpgrp()
        except OSError:
            return False
