"""Notices that the terminal is gone: the system only signals the session that owned it."""

from __future__ import annotations

import sys

if sys.platform == "win32":

    def hang_up_with_terminal() -> None:
        """Do nothing: Windows itself signals a closed console, as SIGBREAK."""

    def is_gone(terminal: int) -> bool:
        """True if a descriptor of a terminal leads nowhere any more; never known on Windows."""
        return False

    def outlives_hang_up() -> bool:
        """True if SIGHUP is to be ignored; there is none on Windows."""
        return False

else:
    import os
    import select
    import signal
    import threading
    import time

    PROBE_SECONDS = 0.25
    """Between two looks at a terminal that the system cannot be asked to watch."""
    _GONE = 0x18
    """POLLERR and POLLHUP, always reported; the same numbers on all systems with poll(2)."""

    def hang_up_with_terminal() -> None:
        """Raise SIGHUP in this process once a terminal among its standard streams is gone.

        A process that has the terminal without being its session - under `nohup`, `setsid`, in a
        container - gets no signal, and reads and writes nothing for ever. Pipes and files are not
        watched. Call it once there is a handler for the signal.
        """
        terminals = [descriptor for descriptor in (0, 1, 2) if _is_terminal(descriptor)]
        if terminals:
            watch = threading.Thread(target=_watch, args=(terminals,), name="terminal", daemon=True)
            watch.start()

    def outlives_hang_up() -> bool:
        """True if SIGHUP is ignored, as by `nohup`, and no terminal can go away.

        Ask before there is a handler for the signal.
        """
        is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        return is_ignored and not any(_is_terminal(descriptor) for descriptor in (0, 1, 2))

    def _watch(terminals: list[int]) -> None:
        wait_until_gone(terminals)
        # To the main thread, so that what it waits for is interrupted.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGHUP)

    def wait_until_gone(terminals: list[int]) -> None:
        """Return once one of these terminals is gone."""
        probed = terminals
        if hasattr(select, "poll"):
            poll = select.poll()
            for descriptor in terminals:
                poll.register(descriptor, 0)
            probed = []
            while len(probed) < len(terminals):
                for descriptor, what in poll.poll():
                    if what & _GONE:
                        return
                    # POLLNVAL: there are systems that cannot poll a terminal.
                    poll.unregister(descriptor)
                    probed.append(descriptor)
        probe_until_gone(probed)

    def probe_until_gone(terminals: list[int]) -> None:
        """Return once one of these terminals is gone, by looking at them now and again."""
        while not any(is_gone(descriptor) for descriptor in terminals):
            time.sleep(PROBE_SECONDS)

    def is_gone(terminal: int) -> bool:
        """True if a descriptor of a terminal leads nowhere any more."""
        import termios

        try:
            termios.tcgetattr(terminal)
        except termios.error:
            return True
        return False

    def _is_terminal(descriptor: int) -> bool:
        try:
            return os.isatty(descriptor)
        except OSError:
            return False
