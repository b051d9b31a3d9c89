"""`signoff compat --run-clients`: runs the installed libraries against a replay of a session."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ...content.frozen import frozen
from ...platforms.files import why
from ...protocol.clients.session import ClientReading, SessionSeen
from . import client_drivers

FOLDER: Final = Path(client_drivers.__file__).parent
MARK: Final = "signoff-client-report "
_SECONDS: Final = 10.0
_ENDED: Final = 60.0
"""Seconds that a client may take beside its steps."""


@frozen
class Differing:
    """A client's behaviour that differs from the table; `words` are safe to show."""

    client: str
    version: str
    words: tuple[str, ...]
    is_tried: bool = True
    is_wrong: bool = False


def check_clients(
    readings: Sequence[ClientReading], seen: SessionSeen, capture: Path, folders: Sequence[str]
) -> list[Differing]:
    """Run each client that is found; the versions of the others are listed as not installed."""
    found = []
    for reading in readings:
        client = reading.client
        command, version = driver_of(client.registry, client.package, client.version, folders)
        if not command:
            words = (
                f"not installed ({client.registry}: {client.package}); "
                "add its folder with --client-env DIR"
            )
            found.append(Differing(client.words, "", (words,), is_tried=False))
            continue
        report = _run(command, seen, capture)
        if isinstance(report, str):
            found.append(Differing(client.words, version, (report,), is_tried=False))
            continue
        wrong = tuple(differences(reading, seen, report))
        found.append(Differing(client.words, version, wrong, is_wrong=bool(wrong)))
    return found


def driver_of(
    registry: str, package: str, version: str, folders: Sequence[str]
) -> tuple[list[str], str]:
    """The command of a client's driver, and its installed version; empty if it is not there."""
    major = version.split(".", 1)[0]
    if registry == "npm":
        node = shutil.which("node")
        for folder in folders:
            about = Path(folder, "node_modules", package, "package.json")
            if node and about.is_file():
                installed = str(json.loads(about.read_text(encoding="utf-8")).get("version", ""))
                if installed.split(".", 1)[0] == major:
                    driver = str(FOLDER / "npm_client.mjs")
                    return [node, driver, str(Path(folder).resolve()), package], installed
        return [], ""
    own = [str(Path(one, part)) for one in folders for part in ("bin/python", "Scripts/python.exe")]
    for python in (sys.executable, *own):
        if (installed := _version_in(python, package)).split(".", 1)[0] == major:
            return [python, str(FOLDER / "python_sdk.py")], installed
    return [], ""


def _version_in(python: str, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    try:
        done = subprocess.run(
            [python, "-c", code], capture_output=True, text=True, timeout=_ENDED, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _run(command: list[str], seen: SessionSeen, capture: Path) -> dict[str, Any] | str:
    """The report of a client, or why there is none."""
    given = {
        "command": [sys.executable, "-m", "signoff.app", "replay", str(capture)],
        "calls": [{"name": one.tool, "arguments": one.arguments} for one in seen.calls],
        "seconds": _SECONDS,
    }
    limit = _ENDED + _SECONDS * (len(seen.calls) + 2)
    try:
        done = subprocess.run(
            command,
            input=json.dumps([given]) + "\n",
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the client did not end within {limit:g} s"
    except OSError as problem:
        return f"the client could not be started: {why(problem)}"
    for line in done.stdout.splitlines():
        if line.startswith(MARK):
            report: dict[str, Any] = json.loads(line.removeprefix(MARK))
            return report
    return f"the client ended with {done.returncode} and no report"


def differences(reading: ClientReading, seen: SessionSeen, report: dict[str, Any]) -> Iterator[str]:
    """Yield differences between the client's behaviour and the table."""
    if (report["connect"] == "") != reading.connects:
        yield _words("connection", reading.connects)
        return
    if report["connect"]:
        return
    if (report["list"] == "") != reading.lists:
        yield _words("the list", reading.lists)
    if not reading.lists or report["list"]:
        return
    for call, outcome in zip(seen.calls, report["calls"], strict=True):
        takes = reading.takes_result(call)
        if outcome is not None and (outcome == "") != takes:
            yield _words(call.about, takes)


def _words(what: str, is_taken: bool) -> str:
    table, client = ("ok", "refused") if is_taken else ("refused", "ok")
    return f"{what}: {table} in the table, {client} in the client"
