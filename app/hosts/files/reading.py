"""One configuration file, from its bytes to servers, problems and switches; never an exception.

Nothing is started or expanded, and no file named in a value is opened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ..approvals.algorithms import File
from ..approvals.auto_approved import with_approval_problems
from ..approvals.reported import file_switches
from ..entries.containers import Container, at_path, find_containers, look_alikes
from ..entries.descriptions import is_bundle, is_registry, read_description
from ..entries.entries import MOST_SERVERS, read_entries
from ..entries.switches import entry_switches
from ..rules import rules_of
from ..table import ANY, Host, HostPlace, family, hosts, place_of
from .checks import check_entry, check_together, secrets_elsewhere
from .documents import Document, read_document
from .masking import mask_arguments, mask_plain, mask_url
from .problems import ERROR, NOTE, WARNING, ConfigProblem, ProblemList, listed, named
from .servers import THROUGH, ConfiguredServer, FileReport, ServerEntry, as_read_by_all

FORMATS: Final = {".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}
BY_CONTAINER: Final = {
    "mcp_servers": "codex",
    "context_servers": "zed",
    "servers": "vscode",
    "mcp.servers": "vscode-settings",
}
"""Hosts by containers that no other host has."""
TOP_KEYS: Final = frozenset({"$schema", "$version", "//", "comment", "_comment", "inputs"})


def read_file(
    data: bytes,
    file: str,
    host: Host | None = None,
    *,
    environ: Mapping[str, str],
    platform: str,
    scope: str = "",
) -> FileReport:
    """Read a file. Without a host it is guessed: by the path, then by the container."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    found = place_of(file, home)
    place = found[1] if found and (host is None or found[0].host == host.host) else None
    if host is None:
        host = found[0] if found else hosts()[ANY]
    elif found and found[0].host == host.host and not host.of:
        host = found[0]
    scope = scope or (place.scope if place else "file")
    problems = ProblemList()
    if place is not None and place.runs:
        words = f"the file is a program of {host.title}: it cannot be read without running it"
        problems.add("cannot-read-without-running", WARNING, words, SourceLocation(1, 1))
        return FileReport(file, host.host, host.title, scope, (), problems.found, {})
    document = read_document(data, _format(file, host))
    host = _kind(document, host, place)
    if document.tree is not None and _format(file, host) != document.format:
        # The format may be another one for the kind of file that it turned out to be.
        document = read_document(data, _format(file, host))
    reader = _FileReader(file, host, place, scope, environ, platform)
    report, sha256 = reader.report(document), hashlib.sha256(data).hexdigest()
    report = replace(report, sha256=sha256, tree=document.tree)
    return judged_together([report], platform=platform, folder="")[0]


def judged_together(files: Sequence[FileReport], *, platform: str, folder: str) -> list[FileReport]:
    """The files, with the errors on approval that hold once a host has read all of them."""
    names = dict.fromkeys(one.host for one in as_read_by_all(files))
    known = [one for one in map(rules_of, names) if one is not None]
    return with_approval_problems(files, known, platform=platform, folder=folder)


def format_of(file: str) -> str:
    """The format of a file at its path: json, comments, jsonc, toml or yaml."""
    found = place_of(file)
    return _format(file, found[0] if found else hosts()[ANY])


def format_as_read(file: FileReport) -> str:
    """The format in which a file was read."""
    return _format(file.file, hosts()[file.id])


def unreadable(file: str, host: Host, scope: str, problem: ConfigProblem) -> FileReport:
    """The report of a file that cannot be opened."""
    return FileReport(file, host.host, host.title, scope, (), (problem,), {})


def _format(file: str, host: Host) -> str:
    ending = PurePath(file).suffix.lower()
    if ending in FORMATS:
        return FORMATS[ending]
    if ending in (".json", ".jsonc", ".json5") and host.format in ("toml", "yaml"):
        return "json"
    return "jsonc" if ending == ".jsonc" else host.format


def _kind(document: Document, host: Host, place: HostPlace | None) -> Host:
    """The kind of file, by its keys."""
    tree = document.tree
    if tree is None:
        return host
    if host.id == ANY:
        host = _guess(tree, document.format)
    # At a place of its own the file is of the kind that belongs there.
    for container, kind in host.instead.items() if place is None else ():
        if container in tree.members and not any(at_path(tree, one) for one in host.containers):
            return hosts()[kind]
    if host.id == "continue" and document.format == "json":
        return hosts()["continue-json"]
    for one in family(host):
        has_own = any(at_path(tree, path) for path in host.containers if path != "mcpServers")
        is_it = one.detect and {*one.detect} & tree.members.keys() and not has_own
        if is_it and (place is None or one.id == "claude-user") and host.id != one.id:
            return host if one.rules_only and "mcpServers" in tree.members else one
    is_plain = host.id == "claude-code" and "mcpServers" not in tree.members
    if is_plain and tree.members and "CLAUDE_PLUGIN_ROOT" in str(tree.plain())[:100_000]:
        return hosts()["claude-plugin"]
    if host.id == "vscode" and not at_path(tree, "servers"):
        settings = hosts()["vscode-settings"]
        if any(at_path(tree, one) for one in settings.containers) and "mcpServers" not in (
            tree.members
        ):
            return settings
    return host


def _guess(tree: Tree, format: str) -> Host:
    if is_bundle(tree):
        return hosts()["mcpb"]
    if is_registry(tree):
        return hosts()["mcp-registry"]
    for path, kind in BY_CONTAINER.items():
        found = at_path(tree, path)
        if found is not None and found[0].members:
            return hosts()[kind]
    if format == "yaml":
        return hosts()["goose" if "extensions" in tree.members else "continue"]
    entries = tree.members.get("mcp", Tree({})).members.values()
    kinds = {one.members["type"].value for one in entries if "type" in one.members}
    if {"local", "remote"} & kinds:
        return hosts()["opencode"]
    if {"stdio", "http", "sse"} & kinds:
        return hosts()["crush"]
    return hosts()[ANY]


class _FileReader:
    def __init__(
        self,
        file: str,
        host: Host,
        place: HostPlace | None,
        scope: str,
        environ: Mapping[str, str],
        platform: str,
    ) -> None:
        self.file = file
        self.host = host
        self.place = place
        self.scope = scope
        self.environ = environ
        self.platform = platform
        self.problems = ProblemList()

    def report(self, document: Document) -> FileReport:
        for one in document.problems:
            self._note(one)
        if document.tree is None:
            return self._made((), {}, {})
        if not isinstance(document.tree.value, dict):
            kind = "a list" if document.tree.items else "not an object"
            code = "container-is-list" if document.tree.items else "container-not-object"
            words = f"the file is {kind}; hosts read an object"
            self.problems.add(code, ERROR, words, document.tree.spot)
            return self._made((), {}, {})
        switches: dict[str, dict[str, Any]] = {}
        if self.host.described:
            entries, switches = self._described(document.tree)
        else:
            entries = self._entries(document)
        for entry in entries:
            found = entry_switches(entry, self.problems)
            if found:
                switches.setdefault(_key(entry), {}).update(found)
            scope = entry.container.scope or self.scope
            check_entry(entry, scope, self.environ, self.platform, self.problems)
        check_together(entries, self.problems)
        of_file = file_switches(
            File(document.tree, self.host, self.scope, entries, self.problems, {}, switches)
        )
        self._check_inputs(document.tree, entries)
        return self._made(entries, switches, of_file)

    def _described(self, tree: Tree) -> tuple[list[ServerEntry], dict[str, dict[str, Any]]]:
        is_one = (
            is_registry(tree) if self.host.described == "registry" else "server" in tree.members
        )
        if is_one:
            return read_description(tree, self.host, self.problems)
        words = f"the file does not look like that of {self.host.title}"
        self.problems.add("no-servers", NOTE, words, tree.spot)
        return [], {}

    def _entries(self, document: Document) -> list[ServerEntry]:
        tree, host, problems = document.tree, self.host, self.problems
        assert tree is not None
        if host.rules_only:
            words = "rules of approval only: servers are kept in other files"
            problems.add("not-a-server-file", NOTE, words, tree.spot)
            look_alikes(tree, problems)
            return []
        containers = find_containers(tree, host, problems)
        entries: list[ServerEntry] = []
        for one in containers:
            for entry in read_entries(one, host, problems)[: MOST_SERVERS - len(entries)]:
                is_wrong = self.place is not None and self.place.wrong
                entry.is_effective = one.is_own and not is_wrong and not document.is_refused
                if not one.is_own and one.path:
                    words = f"under {named(one.path)}, which {host.title} does not read"
                    code = "wrong-container"
                    problems.add(code, ERROR, words, entry.spot, server=entry.name)
                entries.append(entry)
        self._check_doubled(document, containers)
        self._check_place(tree, containers)
        has_container = any(one.code == "container-not-object" for one in problems.found)
        if not entries and not has_container:
            words = "the file holds no servers"
            problems.add("no-servers", NOTE, words, tree.spot)
        look_alikes(tree, problems)
        paths = [one.path for one in containers if one.path]
        if paths or not containers:
            secrets_elsewhere(tree, host, [*paths, "projects"], problems)
        self._check_lines(tree.spot, containers)
        return entries

    def _note(self, one: ConfigProblem) -> None:
        spot, fix = one.spot, one.suggestion
        self.problems.add(one.code, one.level, one.message, spot, fix=fix, server=one.server)

    def _check_doubled(self, document: Document, containers: Sequence[Container]) -> None:
        paths = [tuple(one.path.split(".")) if one.path else () for one in containers]
        for one in document.doubled:
            of = next((path for path in paths if one.path[: len(path)] == path), None)
            first = f"first in line {one.first.line}"
            shown = named(one.name)
            if of is not None and one.path == of:
                words = f"the name is given twice, {first}; the last one counts, or the file fails"
                fix = "rename or remove one"
                self.problems.add("duplicate-key", ERROR, words, one.spot, fix=fix, server=one.name)
                continue
            server = one.path[len(of)] if of is not None and len(one.path) > len(of) else None
            words = f"the key {shown} is given twice, {first}; the last one counts"
            self.problems.add("duplicate-key", WARNING, words, one.spot, server=server)

    def _check_place(self, tree: Tree, containers: Sequence[Container]) -> None:
        host, place, problems = self.host, self.place, self.problems
        top = SourceLocation(1, 1)
        if place is not None and place.wrong:
            words = f"{host.title} is not known to read this path"
            fix = f"move the servers to {host.place[0].path}"
            problems.add("wrong-place", WARNING, words, top, fix=fix)
        if host.old and any(one.is_own for one in containers):
            problems.add("old-place", WARNING, f"an old place: {host.old}", top)
        is_of_project = self.scope == "project"
        if place is not None and place.trusted:
            words = f"the file counts only if {host.title} trusts the folder"
            problems.add("trusted-project-only", NOTE, words, top)
        ignored = [one for one in host.project_ignores if one in tree.members]
        if ignored and is_of_project:
            words = f"{listed(ignored)} has no effect in the file of a project"
            spot = tree.keys.get(ignored[0], tree.spot)
            problems.add("ignored-in-project", NOTE, words, spot)
        personal = [one for one in host.personal if one in tree.members]
        if personal:
            words = f"the file also holds {listed(personal)}: only its servers and rules are read"
            problems.add("personal-data", NOTE, words, tree.keys.get(personal[0], tree.spot))
        heads = {path.partition(".")[0] for path in host.containers}
        heads |= {one.path.partition(".")[0] for one in containers}
        if host.only_servers and all(one.path for one in containers):
            unknown = [one for one in tree.members if one not in {*TOP_KEYS, *heads}]
            if unknown:
                words = f"{host.title} does not know {listed(unknown)}"
                spot = tree.keys.get(unknown[0], NOWHERE)
                problems.add("unknown-key", NOTE, words, spot)

    def _check_lines(self, top: SourceLocation, containers: Sequence[Container]) -> None:
        """Note a file with several keys on its first line."""
        for one in containers:
            first = next(iter(one.tree.keys.values()), None)
            is_on_first = one.spot.line == top.line and one.spot.column > 0
            if one.path and first is not None and first.line == top.line and is_on_first:
                words = "several keys are on one line: places need the column, too"
                self.problems.add("one-line-file", NOTE, words, one.spot)
                return

    def _check_inputs(self, tree: Tree, entries: Sequence[ServerEntry]) -> None:
        """Note the inputs of VS Code that a person has to give, or that only it can fill."""
        if "input" not in self.host.forms:
            return
        found = at_path(tree, "inputs") or at_path(tree, "mcp.inputs")
        known = {}
        for one in found[0].items if found else ():
            name = one.members.get("id")
            if name is not None and isinstance(name.value, str):
                known[name.value] = one
        for entry in entries:
            self._check_inputs_of(entry, known)

    def _check_inputs_of(self, entry: ServerEntry, known: Mapping[str, Tree]) -> None:
        needed, undefined, by_host = [], [], []
        for name in entry.inputs:
            one = known.get(name)
            if one is None:
                undefined.append(name)
                continue
            kind = one.members.get("type", Tree(None)).value
            if kind == "command":
                by_host.append(name)
            elif "default" not in one.members:
                needed.append(name)
        add = self.problems.add
        if needed:
            words = f"a person is asked for {listed(needed)}"
            add("input-needed", WARNING, words, entry.spot, server=entry.name)
        if undefined:
            words = f"${{input:}} names {listed(undefined)}, which inputs does not have"
            add("input-undefined", ERROR, words, entry.spot, server=entry.name)
        if by_host:
            words = f"input {listed(by_host)} runs a command of the editor: only it has the value"
            add("input-needs-host", ERROR, words, entry.spot, server=entry.name)

    def _made(
        self,
        entries: Sequence[ServerEntry],
        switches: Mapping[str, Mapping[str, Any]],
        of_file: Mapping[str, Any],
    ) -> FileReport:
        names = {one.name for one in entries}
        found = self.problems.found
        last = {entry.name: at for at, entry in enumerate(entries)}
        servers = []
        for at, entry in enumerate(entries):
            spots = [one.spot for one in entries if one.name == entry.name]
            own = tuple(
                one
                for one in found
                if one.server == entry.name and _is_of(one, entry, spots, at == last[entry.name])
            )
            servers.append(self._server(entry, own, switches.get(_key(entry), {})))
        rest = tuple(one for one in found if one.server not in names)
        return FileReport(
            *(
                self.file,
                self.host.host,
                self.host.title,
                self.scope,
                tuple(servers),
                rest,
                of_file,
            ),
            id=self.host.id,
        )

    def _server(
        self, entry: ServerEntry, problems: tuple[ConfigProblem, ...], switches: Mapping[str, Any]
    ) -> ConfiguredServer:
        shown = mask_arguments(entry.words) if entry.command is not None else []
        return ConfiguredServer(
            entry.name,
            self.host.host,
            entry.container.scope or self.scope,
            self.file,
            entry.spot,
            entry.transport,
            entry.reason,
            shown[0].text if shown else None,
            tuple(one.text for one in shown[1:]),
            None if entry.url is None else mask_url(entry.url).text,
            tuple(entry.env),
            tuple(entry.header_names),
            tuple(entry.variables),
            entry.is_enabled,
            entry.is_effective,
            problems,
            switches,
            _details(entry),
            entry,
        )


def _key(entry: ServerEntry) -> str:
    folder = entry.container.project
    return f"{folder}\0{entry.name}" if folder else entry.name


def _is_of(
    one: ConfigProblem, entry: ServerEntry, spots: Sequence[SourceLocation], is_last: bool
) -> bool:
    """True if a problem is about this entry, rather than a namesake in the file."""
    if len(spots) == 1:
        return True
    begins = [spot for spot in spots if spot <= one.spot]
    return max(begins) == entry.spot if begins else is_last


def _details(entry: ServerEntry) -> dict[str, Any]:
    """Facts that few entries have."""
    found: dict[str, Any] = {
        "cwd": mask_plain(entry.cwd) if entry.cwd else None,
        "env_file": mask_plain(entry.env_file) if entry.env_file else None,
        "env_vars": entry.env_vars,
        "from_keyring": entry.keyring,
        "inputs": entry.inputs,
        "through": THROUGH if entry.proxy else None,
        "wraps": mask_url(entry.wraps).text if entry.wraps else None,
        "docker_env": entry.docker_env,
        "display_name": entry.display_name,
        "headers_helper": entry.has_headers_helper,
        "derived": entry.is_derived,
        "project": entry.container.project,
    }
    container = entry.container
    if container.path and not (container.is_own and container.path in entry.host.containers[:1]):
        found["container"] = container.path
    return {name: one for name, one in found.items() if one}
