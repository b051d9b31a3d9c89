"""The cases of `cases/`, with a drawn secret for each run of x; and files written in a test."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from signoff.app.hosts.files.problems import ConfigProblem
from signoff.app.hosts.files.reading import read_file
from signoff.app.hosts.files.servers import FileReport
from signoff.app.hosts.table import host_named

FOLDER: Final = Path(__file__).with_name("cases")
HOME: Final = "/home/ada"
ENVIRON: Final = {"HOME": HOME, "PATH": "/usr/bin"}
LEVELS: Final = {"error": "error", "warn": "warning", "info": "note"}


@dataclass
class Case:
    """One file, what is expected of it, and the secrets that were put into it."""

    expected: dict[str, Any]
    data: bytes
    secrets: tuple[str, ...]

    @property
    def path(self) -> str:
        path = str(self.expected["path"]).replace("~", HOME).replace("<plugin>", f"{HOME}/plugin")
        return path if path.startswith("/") else f"{HOME}/project/{path}"

    @property
    def host(self) -> str:
        named = str(self.expected["host"])
        return "" if named == "any" else named

    def read(self) -> FileReport:
        host = host_named(self.host) if self.host else None
        return read_file(self.data, self.path, host, environ=ENVIRON, platform="linux")


def cases() -> dict[str, Case]:
    """All cases by the names of their files."""
    table = json.loads(FOLDER.joinpath("expected.json").read_text("utf-8"))
    return {one["file"]: _case(one) for one in table["cases"]}


def _case(expected: dict[str, Any]) -> Case:
    drawn = random.Random(expected["file"])
    secrets: list[str] = []

    def secret(match: re.Match[str]) -> str:
        made = "".join(drawn.choice("0123456789abcdef") for _ in match.group())
        secrets.append(made)
        return made

    text = FOLDER.joinpath(expected["file"]).read_bytes().decode()
    return Case(expected, re.sub("x{16,}", secret, text).encode(), tuple(secrets))


def read(
    text: str | bytes,
    host: str = "claude-code",
    path: str = "/home/ada/project/file.json",
    platform: str = "linux",
    **environ: str,
) -> FileReport:
    """Read a text as a file of a host; an empty host is guessed."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    of = host_named(host) if host else None
    return read_file(data, path, of, environ={**ENVIRON, **environ}, platform=platform)


def entry(host: str = "claude-code", platform: str = "linux", **keys: Any) -> FileReport:
    """Read one entry of the name `a`, in the JSON of a host."""
    container = {"vscode": "servers", "opencode": "mcp", "crush": "mcp", "zed": "context_servers"}
    whole = {container.get(host, "mcpServers"): {"a": keys}}
    return read(json.dumps(whole), host, platform=platform)


def found(report: FileReport) -> dict[tuple[str, str | None], ConfigProblem]:
    """All problems by their codes and servers."""
    of_servers = {
        (one.code, server.name): one for server in report.servers for one in server.problems
    }
    return {(one.code, one.server): one for one in report.problems} | of_servers


def codes(report: FileReport) -> set[str]:
    return {code for code, _ in found(report)}


def switches(report: FileReport) -> dict[str, Mapping[str, Any]]:
    """The switches of all servers, and those of the file as `_file`."""
    made = {one.name: one.switches for one in report.servers if one.switches}
    return {**made, "_file": report.switches} if report.switches else made
