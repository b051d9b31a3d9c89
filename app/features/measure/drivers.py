"""Drivers: how each host is configured, started and answered, as one TOML file each.

A new host is a new folder of a host, of Signoff or of the person; the manual has the keys.
Placeholders in braces are filled when a run begins: see `PlaceholderValues`.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple, TypeAlias

from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...hosts.folders import NAME, FactError, hosts_with, known_fact, own_fact, own_text
from ...platforms.extras import install_line

SURFACES: Final = ("headless", "acp", "screen")
"""How a host is used: in a pipe, by the Agent Client Protocol, on its own screen."""
TRANSPORTS: Final = ("stdio", "http")
"""How a host reaches the probe server; by HTTP it is started before the host."""
UNATTENDED: Final = "unattended"
_FILE: Final = "driver.toml"


class DriverError(ValueError):
    """A driver file that cannot be used; the text has the key and the reason."""


class HostFile(NamedTuple):
    """A file that is written before the start."""

    path: str
    """Relative to the scratch home, or, if it begins with `{folder}/`, to the folder."""
    text: str


Strokes: TypeAlias = tuple[str, ...]
"""Keys, with a pause between two texts."""


@frozen
class Keys:
    """Patterns of a host's own screen, and the keys that answer it."""

    ready: str
    """A regular expression of the screen on which a prompt can be typed."""
    submit: Strokes
    question: str
    """A regular expression of the screen on which the host asks about a call."""
    question_end: str
    """A regular expression of the last line of a question; empty for the end of the screen."""
    approve: Strokes
    deny: Strokes
    always: Strokes
    first: Strokes
    """Keys before the prompt, such as the answer to a question about trust."""
    first_question: str


@frozen
class HostMode:
    """One mode of a host: how it is started on each surface."""

    name: str
    title: str
    commands: Mapping[str, tuple[str, ...]]
    """Surface to command."""
    values: Mapping[str, str]
    """Placeholders of this mode."""
    acp_mode: str
    """The mode that is set in an ACP session; empty for the default."""
    transport: str
    """One of `TRANSPORTS`."""
    models: Mapping[str, str]
    """Surface to the model in `approval/hosts` that it is compared with: HOST or HOST:MODE."""


@frozen
class Driver:
    """One host."""

    name: str
    title: str
    program: str
    """The name of the program in PATH."""
    version: tuple[str, ...]
    """The command that prints the version."""
    package: str
    """Registry and package: `npm:@openai/codex`."""
    get: str
    """The command that installs it."""
    licence: str
    tool_name: str
    """How its model knows a tool: `mcp__{server}__{tool}`."""
    tool_group: str
    is_tried: bool
    """False for a driver that was written from documents."""
    files: tuple[HostFile, ...]
    environment: Mapping[str, str]
    setup: tuple[tuple[str, ...], ...]
    """Commands that are run once in the scratch home before the start."""
    modes: tuple[HostMode, ...]
    keys: Keys | None
    notes: str
    seconds: float
    """The time limit of one run."""
    varying: tuple[str, ...]
    """Regular expressions of what differs from run to run in what the model is given."""
    quiet_seconds: float
    """Seconds without a request of its model after which a run is given up."""
    patience: Mapping[str, str]
    """Placeholders for a slow tool: without a time limit of the driver's own in its files."""
    file: str = ""
    """The file of the person's that it is from; empty if it comes with Signoff."""
    digest: str = ""
    """The SHA-256 of that file."""

    @property
    def is_library(self) -> bool:
        """True for a Python library: its program is the Python in which it is installed."""
        return self.package.startswith("pypi:") and self.program.startswith("python")

    def mode(self, name: str) -> HostMode:
        """A mode by its name, `unattended` for the first one that runs in a pipe; empty for the
        default. Raises DriverError.
        """
        if not name:
            return self.modes[0]
        if name == UNATTENDED:
            for one in self.modes:
                if "headless" in one.commands:
                    return one
        for one in self.modes:
            if one.name == name:
                return one
        known = ", ".join(one.name for one in self.modes)
        raise DriverError(f"{self.name} has no mode {name}; it has {known}")


class PlaceholderValues(NamedTuple):
    """The values of placeholders in one run."""

    home: str
    folder: str
    model_url: str
    token: str
    prompt: str
    server: Sequence[str]
    """The command that starts the probe server."""
    server_name: str
    mcp_config: str
    """A file `{"mcpServers": {...}}` with the probe server."""
    program: str
    more: Mapping[str, str]
    server_url: str = ""
    """The address of the probe server, if it is reached by HTTP."""

    def fill(self, text: str) -> str:
        """The text with every known placeholder filled; other braces stay as they are."""
        command, *args = self.server
        values = {
            "home": self.home,
            "folder": self.folder,
            "model_url": self.model_url,
            "token": self.token,
            "prompt": self.prompt,
            "server": self.server_name,
            "command_json": json.dumps(command),
            "args_json": json.dumps(args),
            "server_json": json.dumps(list(self.server)),
            "server_shell": shlex.join(self.server),
            "server_url": self.server_url,
            "python": sys.executable,
            "mcp_config": self.mcp_config,
            "program": self.program,
        }
        for name, value in {**self.more, **values}.items():
            text = text.replace(f"{{{name}}}", value)
        return text


def driver_names() -> tuple[str, ...]:
    """The drivers that come with the program and the person's, by name."""
    return tuple(sorted(hosts_with(_FILE)))


def read_driver(name: str) -> Driver:
    """One of `driver_names()`. Raises DriverError."""
    if name not in driver_names():
        known = ", ".join(driver_names())
        raise DriverError(f"unknown host {name}; known: {known}")
    path = own_fact(name, _FILE)
    if path is not None:
        return read_driver_file(path, name)
    return parse_driver(name, known_fact(name, _FILE))


def read_driver_file(path: Path, name: str = "") -> Driver:
    """The driver in a file of the person's. Raises DriverError.

    Without a name it has that of its file, or of its folder if the file is a `driver.toml`.
    """
    path = path.absolute()
    name = name or (path.parent.name if path.name == _FILE else path.stem)
    if not NAME.fullmatch(name):
        raise DriverError(f"{path}: a host has a name such as my-agent, not {name}")
    try:
        text = own_text(path)
    except FactError as problem:
        raise DriverError(str(problem)) from None
    made = parse_driver(name, text)
    return replace(made, file=str(path), digest=hashlib.sha256(text.encode()).hexdigest())


_KNOWN: Final = frozenset(
    (
        *("title", "program", "version", "package", "get", "licence", "tool_name", "tool_group"),
        *("tried", "file", "environment", "setup", "mode", "keys", "notes", "seconds"),
        *("quiet_seconds", "values", "varying", "patience"),
    )
)


def parse_driver(name: str, text: str) -> Driver:
    """Read a driver. Raises DriverError for one that is not whole."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DriverError(f"{name}.toml: {error}") from None
    except RecursionError:
        raise DriverError(f"{name}.toml: nested too deeply") from None
    try:
        _known_keys(raw, _KNOWN, "")
        made = _driver(name, raw)
        _check(made)
        return made
    except DriverError as error:
        raise DriverError(f"{name}.toml: {error}") from None
    except re.error as error:
        raise DriverError(f"{name}.toml: invalid pattern {error.pattern!r}: {error}") from None
    except KeyError as error:
        raise DriverError(f"{name}.toml: {error.args[0]}: missing") from None
    except (TypeError, AttributeError, ValueError) as error:
        raise DriverError(f"{name}.toml: {error}") from None


def _driver(name: str, raw: Mapping[str, Any]) -> Driver:
    shared = {key: str(value) for key, value in raw.get("values", {}).items()}
    modes = tuple(_mode(one, shared) for one in raw["mode"])
    if not modes:
        raise DriverError("mode: none")
    return Driver(
        name=name,
        title=str(raw["title"]),
        program=str(raw["program"]),
        version=_words(raw["version"]),
        package=str(raw["package"]),
        get=str(raw["get"]).replace("{measure}", install_line("measure")),
        licence=str(raw["licence"]),
        tool_name=str(raw["tool_name"]),
        tool_group=str(raw.get("tool_group", "")),
        is_tried=bool(raw.get("tried", False)),
        files=tuple(map(_file, raw.get("file", ()))),
        environment={key: str(value) for key, value in raw.get("environment", {}).items()},
        setup=tuple(_words(one) for one in raw.get("setup", ())),
        modes=modes,
        keys=_keys(raw["keys"]) if "keys" in raw else None,
        notes=str(raw.get("notes", "")).strip(),
        varying=tuple(map(str, raw.get("varying", ()))),
        seconds=float(raw.get("seconds", 180.0)),
        quiet_seconds=float(raw.get("quiet_seconds", 45.0)),
        patience={key: str(value) for key, value in raw.get("patience", {}).items()},
    )


def _known_keys(raw: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Raises DriverError for a key that is none of these."""
    for key in sorted(set(raw) - set(known)):
        raise DriverError(f"{where}{key}: unknown key{did_you_mean(key, known)}")


def _check(made: Driver) -> None:
    """Raises DriverError for what would fail only in the middle of a measurement."""
    names = [one.name for one in made.modes]
    if len(set(names)) != len(names):
        raise DriverError("mode: two have the same name")
    if made.keys is None and any("screen" in one.commands for one in made.modes):
        raise DriverError("keys: missing, and a mode has a command for a screen")
    keys = () if made.keys is None else (made.keys.ready, made.keys.question)
    for pattern in (*made.varying, *keys):
        re.compile(pattern)
    if not 0 < made.seconds < _SECONDS_MAX or not 0 < made.quiet_seconds < _SECONDS_MAX:
        raise DriverError("seconds and quiet_seconds are numbers above 0")


_SECONDS_MAX: Final = 86_400.0


def _file(raw: Mapping[str, Any]) -> HostFile:
    _known_keys(raw, ("path", "text"), "file: ")
    path = str(raw["path"])
    below = PurePosixPath(path.removeprefix("{folder}/").removeprefix("{home}/"))
    if not below.parts or below.is_absolute() or ".." in below.parts or "\\" in path:
        raise DriverError(f"file: {path} is not below the home or {{folder}}/")
    return HostFile(path, str(raw["text"]))


_OF_MODES: Final = ("name", "title", "values", "acp_mode", "transport", "model", *SURFACES)
_OF_KEYS: Final = (
    *("ready", "submit", "question", "question_end", "approve", "deny", "always", "first"),
    "first_question",
)


def _mode(raw: Mapping[str, Any], shared: Mapping[str, str]) -> HostMode:
    _known_keys(raw, _OF_MODES, f"mode {raw['name']}: ")
    commands = {surface: _words(raw[surface]) for surface in SURFACES if surface in raw}
    if not commands:
        raise DriverError(f"mode {raw['name']}: no command for any of {', '.join(SURFACES)}")
    own = {key: str(value) for key, value in raw.get("values", {}).items()}
    return HostMode(
        name=str(raw["name"]),
        title=str(raw.get("title", raw["name"])),
        commands=commands,
        values={**shared, **own},
        acp_mode=str(raw.get("acp_mode", "")),
        transport=_transport(raw.get("transport", TRANSPORTS[0]), commands),
        models=_models(raw.get("model", {}), commands),
    )


def _transport(raw: Any, commands: Mapping[str, Any]) -> str:
    if raw not in TRANSPORTS:
        raise ValueError(f"transport: none of {', '.join(TRANSPORTS)}")
    if raw != TRANSPORTS[0] and "acp" in commands:
        raise ValueError("transport: an ACP session is given its server on stdio")
    return str(raw)


def _models(raw: Any, commands: Mapping[str, Any]) -> dict[str, str]:
    """One model for all surfaces, or one for each."""
    if isinstance(raw, str):
        return dict.fromkeys(commands, raw)
    return {str(surface): str(model) for surface, model in raw.items()}


def _keys(raw: Mapping[str, Any]) -> Keys:
    _known_keys(raw, _OF_KEYS, "keys: ")
    return Keys(
        ready=str(raw["ready"]),
        submit=_strokes(raw.get("submit", "\r")),
        question=str(raw["question"]),
        question_end=str(raw.get("question_end", "")),
        approve=_strokes(raw["approve"]),
        deny=_strokes(raw["deny"]),
        always=_strokes(raw.get("always", "")),
        first=_strokes(raw.get("first", "")),
        first_question=str(raw.get("first_question", "")),
    )


def _strokes(raw: Any) -> Strokes:
    """Keys: a text, or several with pauses between."""
    if isinstance(raw, str):
        return (raw,) if raw else ()
    return _words(raw)


def _words(raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not raw or not all(isinstance(one, str) for one in raw):
        raise TypeError("a command is a list of texts")
    return tuple(raw)
