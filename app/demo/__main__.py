"""`python -m signoff.app.demo`: serve the demo over standard input and output until the input ends.

It reads two variables: `SIGNOFF_DEMO_DIR` names a sandbox folder to use and keep, and
`SIGNOFF_DEMO_STEP_SECONDS` sets the length of one step of a long job.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

# A start makes many objects and no garbage: looking for it takes a sixth of the time.
gc.disable()

from .sandbox import Sandbox  # noqa: E402
from .server import STEP_SECONDS, build_server  # noqa: E402


def main() -> None:
    """Run the server."""
    # The SDK diverts descriptor 1 to standard error while it serves, so a tool that wants to
    # print among the protocol messages needs the pipe from before.
    stdout = os.dup(sys.stdout.fileno())
    folder = os.environ.get("SIGNOFF_DEMO_DIR")
    sandbox = Sandbox(folder)
    if folder:
        # Its files are there before the first call, which makes none of them then.
        _ = sandbox.root

    def stop(number: int, _frame: object) -> None:
        # A thread blocked on standard input would keep an orderly exit waiting, so clean up
        # and then die of the signal itself, as its sender expects.
        sandbox.close()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        step_seconds = _step_seconds(os.environ.get("SIGNOFF_DEMO_STEP_SECONDS", ""))
        server = build_server(
            sandbox, lambda noise: _write_all(stdout, noise), step_seconds=step_seconds
        )
        gc.freeze()
        gc.enable()
        server.run()
    finally:
        sandbox.close()


def _step_seconds(said: str) -> float:
    """A number of seconds from 0 to 60; the default if it is not set."""
    try:
        return min(60.0, max(0.0, float(said)))
    except ValueError:
        return STEP_SECONDS


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    main()
    # The client waits for the end of this process, and taking down the interpreter takes a while.
    sys.stderr.flush()
    os._exit(0)
