"""Where the measured programs run: a private home, and the servers by name."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers import raw

ROOT = Path(__file__).resolve().parents[2]
EVERYTHING = "SIGNOFF_EVERYTHING"
"""Environment variable: the command line of server-everything."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that is home and working directory, and the environment to go with it."""

    home: Path
    env: dict[str, str]

    def signoff(self, argv: list[str]) -> list[str]:
        """The command line of Signoff on a server."""
        return [sys.executable, "-m", "signoff.app", "--", *argv]


@contextlib.contextmanager
def private_place() -> Iterator[Place]:
    """A home that remembers the era of a server from one run to the next, and is then removed."""
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as folder:
        env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": folder,
            "XDG_CACHE_HOME": f"{folder}/cache",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "TEXTUAL_ANIMATIONS": "none",
            "SIGNOFF_DEMO_DIR": f"{folder}/sandbox",
        }
        env |= {key: value for key, value in os.environ.items() if key.startswith("npm_config_")}
        yield Place(Path(folder), env)


def server(name: str) -> list[str]:
    """The command line of a server: `everything`, `demo` or `raw`."""
    if name == "demo":
        return [sys.executable, "-P", "-m", "signoff.app.demo"]
    if name == "raw":
        return raw()
    given = os.environ.get(EVERYTHING, "")
    return shlex.split(given) or ["node", _installed("@modelcontextprotocol/server-everything")]


def _installed(package: str) -> str:
    """The script of a package, which npm fetches if it is not there: npx itself takes 0.5 s."""
    run = ["npm", "exec", "--yes", f"--package={package}", "--", "which", "mcp-server-everything"]
    found = subprocess.run(run, capture_output=True, text=True, check=True)
    return str(Path(found.stdout.strip()).resolve())
