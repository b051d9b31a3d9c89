"""Runs `signoff` with the inputs of the action, and ends with its exit status."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

COMMANDS = ("lint", "test", "doctor", "evidence", "diff", "matrix", "report")


def command(inputs: Mapping[str, str]) -> list[str]:
    """The words of the command; raises ValueError for inputs that make none."""
    run = inputs.get("SIGNOFF_RUN", "")
    if run not in COMMANDS:
        raise ValueError(f"run: {run!r} is none of {', '.join(COMMANDS)}")
    words = ["signoff", run, *shlex.split(inputs.get("SIGNOFF_ARGS", ""))]
    server = shlex.split(inputs.get("SIGNOFF_SERVER", ""))
    return [*words, "--", *server] if server else words


def main() -> int:
    """Run it; what is printed goes into the file that was asked for as well as into the log."""
    try:
        words = command(os.environ)
    except ValueError as problem:
        print(f"::error title=Signoff::{problem}")
        return 2
    print(f"+ {shlex.join(words[:2])} ...", flush=True)
    output = os.environ.get("SIGNOFF_OUTPUT", "")
    if not output:
        return subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    Path(output).write_bytes(done.stdout)
    print(f"{output}: {len(done.stdout):,} bytes; exit status {done.returncode}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
