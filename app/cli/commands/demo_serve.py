"""`signoff demo serve`: the bundled server over HTTP behind a sign-in, for tests of clients."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from ...presentation.exit_status import ExitStatus
from ..command import without_server
from ..options.declared import opt, options
from ..options.parser import Parser

_FAULTS: Final = Path(__file__).parents[2] / "demo" / "auth_faults.toml"
"""Data of the bundled server, which is a program of its own."""
CARD_KINDS: Final = ("honest", "lies", "first-cut", "stale", "elsewhere", "none")
"""Those of the bundled server."""
_PORT_MAX: Final = 65_534


def faults() -> dict[str, str]:
    """The faults of the sign-in by name, with their words."""
    found: dict[str, str] = tomllib.loads(_FAULTS.read_text(encoding="utf-8"))
    return found


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text[:6]) <= _PORT_MAX:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to {_PORT_MAX}")


@options
class ServeOptions(NamedTuple):
    """Options of `demo serve`."""

    port: int = opt(
        "--port N",
        "listen on this port, and on the next one for the sign-in (default: free ports)",
        type=_port,
    )
    auth_fault: str = opt("--auth-fault FAULT", "let the sign-in have a fault of those below")
    is_open: bool = opt("--open", "require no sign-in")
    card: str = opt(
        "--card KIND",
        f"serve this server card, a draft: {', '.join(CARD_KINDS)} (default: honest)",
        default="honest",
        choices=CARD_KINDS,
    )


def add(serve: Parser) -> None:
    """Add the options of `signoff demo serve`."""
    known = faults()
    page = "signoff manual sign-in-faults"
    serve.epilog = f"The faults are {', '.join(known)}. `{page}` explains them."
    without_server(serve, ServeOptions, run_serve)
    for action in serve._actions:
        if action.dest == "auth_fault":
            action.choices = list(known)


def run_serve(wanted: ServeOptions) -> int:
    """Serve until Ctrl+C, or until standard input of the server ends with this process."""
    program = [sys.executable, "-P", "-m", "signoff.app.demo.serve"]
    words = [str(wanted.port), "open" if wanted.is_open else "signed-in", wanted.auth_fault]
    words.append(wanted.card)
    with subprocess.Popen([*program, *words], stdin=subprocess.PIPE) as server:
        try:
            status = server.wait()
        except KeyboardInterrupt:
            return ExitStatus.INTERRUPTED
    return ExitStatus.OK if status == 0 else ExitStatus.USAGE
