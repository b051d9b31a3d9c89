"""Values of this room: an entry as it is read, and the server that is reported of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ...content.frozen import frozen
from ..entries.containers import Container
from ..table import Host
from .problems import ConfigProblem

THROUGH: Final = "signoff proxy"
"""What a host starts in the place of a server, as a report names it."""


@frozen
class Machine:
    """The system that is looked at."""

    home: str
    folder: str
    """The working folder."""
    environ: Mapping[str, str]
    platform: str
    """As `sys.platform` names it."""


@dataclass(slots=True)
class ServerEntry:
    """One entry while it is read and checked; its values are raw, so it stays in this room."""

    name: str
    tree: Tree
    spot: SourceLocation
    host: Host
    container: Container
    transport: str = "unknown"
    reason: str = ""
    """Why the transport is none, builtin, extension or unknown."""
    type_word: str = ""
    command: str | None = None
    command_spot: SourceLocation = NOWHERE
    is_whole_command: bool = True
    """Whether the command is one program, and no line for a shell."""
    args: list[tuple[str, SourceLocation]] = field(default_factory=list)
    proxy: tuple[str, ...] = ()
    """The words of `signoff proxy` before the command or URL; empty for a server without it."""
    relayed: tuple[str, ...] = ()
    """The words from the URL on, if `signoff proxy` is before a URL."""
    relayed_env: tuple[str, ...] = ()
    """The variables of the entry that have this URL and its headers."""
    url: str | None = None
    url_key: str = ""
    url_spot: SourceLocation = NOWHERE
    env: dict[str, Tree] = field(default_factory=dict)
    headers: dict[str, Tree] = field(default_factory=dict)
    header_variables: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Headers with their values in the environment: the text before a value, and its variable."""
    header_names: list[str] = field(default_factory=list)
    """All of them, with those whose values come from elsewhere."""
    cwd: str | None = None
    env_file: str | None = None
    env_vars: list[str] = field(default_factory=list)
    """Variables that the host copies from its environment."""
    keyring: list[str] = field(default_factory=list)
    """Variables whose values are in a store of the host."""
    variables: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    wraps: str | None = None
    """The address behind a program that only passes messages on."""
    docker_env: list[str] = field(default_factory=list)
    display_name: str = ""
    is_enabled: bool = True
    is_effective: bool = True
    is_derived: bool = False
    has_headers_helper: bool = False
    is_broken: bool = False
    """Whether the entry is not worth further checks."""

    @property
    def is_local(self) -> bool:
        return self.transport == "stdio"

    @property
    def words(self) -> list[str]:
        """The command with its arguments."""
        return [self.command or "", *(text for text, _ in self.args)]

    def spot_of(self, key: str) -> SourceLocation:
        """The place of a key; of the entry if it has none."""
        return self.tree.keys.get(key, self.spot)


@frozen
class ConfiguredServer:
    """A server of a configuration file: masked, with the problems of its entry.

    Texts are as the file has them; they are made safe when they are printed.
    """

    name: str
    host: str
    scope: str
    file: str
    spot: SourceLocation
    transport: str
    """stdio, http, sse; or none, builtin, extension, unknown, with a reason."""
    reason: str
    command: str | None
    args: tuple[str, ...]
    url: str | None
    env: tuple[str, ...]
    """The names of its variables; no values."""
    headers: tuple[str, ...]
    """The names of its headers; no values."""
    variables: tuple[str, ...]
    """Variables of the environment that it uses in its host's form."""
    is_enabled: bool
    is_effective: bool
    """False if the host itself would not load the entry."""
    problems: tuple[ConfigProblem, ...]
    switches: Mapping[str, Any]
    details: Mapping[str, Any]
    """Further facts that few entries have, by their names in a report."""
    entry: ServerEntry = field(repr=False, compare=False)
    """The raw entry, with its secrets: for `starting.py` alone."""


def through_words(server: ConfiguredServer) -> str:
    """The note, behind a blank, on a server that its host starts as `signoff proxy`."""
    return f" (through {THROUGH})" if server.entry.proxy else ""


def tool_prefix(server: ConfiguredServer) -> str:
    """The name of a server in the rules of Claude Code, where a plugin's has its name before it."""
    plugin = str(server.details.get("plugin") or "").partition("@")[0]
    return f"plugin_{plugin}_{server.name}" if plugin else server.name


@frozen
class FileReport:
    """All that is found in one configuration file."""

    file: str
    host: str
    """The id of the host whose file it is."""
    kind: str
    """The title of the kind of file."""
    scope: str
    servers: tuple[ConfiguredServer, ...]
    problems: tuple[ConfigProblem, ...]
    """Those of the whole file."""
    switches: Mapping[str, Any]
    """The approval switches of the whole file."""
    id: str = ""
    """The id of the kind of file; empty if it was not read."""
    root: str = ""
    """The folder of the project that the file belongs to; empty for a file of no project."""
    sha256: str = ""
    """Of its content; empty if it was not read."""
    tree: Tree | None = field(default=None, repr=False, compare=False)
    """All of it, with its secrets: for the modules that read switches alone."""
    is_confirmed: bool = True
    """Whether it is confirmed that the host reads a file at this path."""
    others: tuple[FileReport, ...] = field(default=(), repr=False)
    """The same file as further hosts read it."""

    def has_changed(self, data: bytes) -> bool:
        """True if this is not the content that was read."""
        return hashlib.sha256(data).hexdigest() != self.sha256


def as_read_by_all(files: Iterable[FileReport]) -> list[FileReport]:
    """The files, and after each one the same file as further hosts read it, as far as confirmed."""
    return [
        one
        for file in files
        for one in (file, *(other for other in file.others if other.is_confirmed))
    ]
