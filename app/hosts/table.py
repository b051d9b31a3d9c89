"""Where hosts keep servers, and how they write an entry: `files.toml` in the folder of each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from ..content.frozen import frozen
from ..content.suggest import did_you_mean, shown_name
from ..content.text import shortened
from .folders import (
    LAST,
    FactError,
    Stamp,
    host_fact,
    host_tables,
    known_fact,
    known_with,
    own_stamp,
    own_with,
)
from .settings import BadSettings, made_of, settings_of_host

_ROOT: Final = re.compile(r"~/|\{(?P<name>\w+)\|(?P<other>[^}]*)\}/?|/|[A-Za-z]:/")
USUAL_NAMES: Final = frozenset(
    (
        *("mcp.json", "settings.json", "config.json", "config.toml", "config.yaml", "server.json"),
        *("manifest.json", "cli.json"),
    )
)
"""Names of files that several hosts use."""
ANY: Final = "any"
"""The id of the host of a file that nothing tells."""


@frozen
class HostPlace:
    """One place at which a host keeps a file."""

    scope: str
    path: str
    on: str = ""
    """The platform, as `sys.platform` names it; empty for all."""
    up: bool = False
    """Whether the folders above are looked into, too."""
    wrong: bool = False
    """Whether people keep files there that no host is known to read."""
    trusted: bool = False
    """Whether the file counts only in a folder that the person trusts."""
    runs: bool = False
    """Whether the file is a program, which is not read."""
    silent: bool = False
    """Whether the place is only looked into if the file is named."""
    unsure: bool = False
    """Whether it is not confirmed that the host reads the place."""
    may_lack: bool = False
    """Whether most files there have no servers, and are then left out."""

    @property
    def tail(self) -> str:
        """The path below its root, with `/` between the names."""
        found = _ROOT.match(self.path)
        if found is None:
            return self.path
        if found["other"] is not None and found.end() == len(self.path):
            return _ROOT.sub("", found["other"], count=1)
        below = (found["other"] or "").removeprefix("~").strip("/")
        return "/".join(filter(None, (below, self.path[found.end() :])))

    @property
    def is_of_project(self) -> bool:
        return _ROOT.match(self.path) is None


@frozen
class Host:
    """A kind of file of a host; see `known/README.md`."""

    id: str
    title: str
    format: str = "json"
    of: str = ""
    aliases: tuple[str, ...] = ()
    place: tuple[HostPlace, ...] = ()
    containers: tuple[str, ...] = ()
    flat: bool = False
    """Whether entries may be at the top, without a container."""
    as_list: bool = False
    """Whether the container is a list, of entries with a name each."""
    detect: tuple[str, ...] = ()
    """Keys at the top by which the kind of file is known."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Containers that make it a file of another kind."""
    described: str = ""
    """The kind of description that servers are derived from: registry or bundle."""
    rules_only: bool = False
    """Whether the file holds rules of approval and no servers."""
    settings: bool = False
    """Whether other settings than servers are in the file."""
    only_servers: bool = False
    """Whether nothing else belongs into the file."""
    old: str = ""
    """Why the place is outdated."""
    types: Mapping[str, str] = field(default_factory=dict)
    """The transport behind each word of `type`."""
    old_types: Mapping[str, str] = field(default_factory=dict)
    """The same for `transportType`."""
    strict_types: bool = False
    type_required: bool = False
    url_without_type: str = "http"
    """The transport of a url without a type: http, sse, or missing for an error."""
    remote: bool = True
    mixed: bool = False
    """Whether an entry may have a command and a url."""
    whole_file: bool = False
    """Whether one bad entry makes the host refuse the whole file."""
    overlays: bool = False
    """Whether an entry may change one of another file, without a command of its own."""
    command_key: str = "command"
    command_list: bool = False
    env_key: str = "env"
    url_keys: tuple[str, ...] = ("url",)
    stream_key: str = ""
    """The key whose url is Streamable HTTP in any case."""
    lenient_env: bool = False
    forms: tuple[str, ...] = ()
    """The forms of variables that the host fills; see `variables.py`."""
    words: tuple[str, ...] = ()
    """Names of folders and signs that the host fills."""
    host_words: tuple[str, ...] = ()
    """Names whose values only the host knows."""
    keys: tuple[str, ...] = ()
    not_keys: tuple[str, ...] = ()
    """Keys that most hosts have and this one does not."""
    top_keys: tuple[str, ...] = ()
    unset: str = ""
    """What the host does with a variable that is not set."""
    unknown_key: str = "note"
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Keys without effect in this kind of file, and their names in a report."""
    names: str = ""
    """How tool names are made of a server's name: claude, changed, underscore, or not known."""
    personal: tuple[str, ...] = ()
    """Keys at the top with data about the person."""
    project_ignores: tuple[str, ...] = ()
    """Keys at the top that have no effect in a project."""
    unsure: tuple[str, ...] = ()
    """Facts of the table that are not confirmed."""

    @property
    def host(self) -> str:
        """The id of the host whose file it is."""
        return self.of or self.id

    @property
    def switches(self) -> Mapping[str, str]:
        """Approval switches of an entry: the key, and the name in a report."""
        rows = settings_of_host(self.host).of_entries(self.id)
        return {key: row.name for key, row in rows.items() if key == row.entry}

    def is_unsure(self, what: str) -> bool:
        return what in self.unsure


class UnknownHost(ValueError):
    """No host has this name; the message is safe to show."""


_FILE: Final = "files.toml"


def hosts() -> Mapping[str, Host]:
    """All kinds of files by their ids: Signoff's, and those in folders of the person's, which
    replace one of the same id. A broken file of the person's is left out.
    """
    return _read(own_stamp()).hosts


def problems_of_files() -> tuple[str, ...]:
    """The problems of `files.toml` in folders of the person's."""
    return _read(own_stamp()).problems


class _Read(NamedTuple):
    hosts: Mapping[str, Host]
    problems: tuple[str, ...]


@lru_cache(maxsize=2)
def _read(stamp: Stamp) -> _Read:
    known = {
        one["id"]: one
        for name in known_with(_FILE)
        for one in tomllib.loads(known_fact(name, _FILE))["host"]
    }
    tables, problems = dict(known), []
    for name in own_with(_FILE):
        try:
            found = {one["id"]: one for one in _own_tables(name, known)}
        except (FactError, BadSettings) as problem:
            problems.append(str(problem))
        else:
            tables |= found
    # A file that several may have is read as the first of them.
    ranked = sorted(tables, key=lambda name: (tables[name].get("rank", LAST), name))
    return _Read({name: _host(_whole(name, tables)) for name in ranked}, tuple(problems))


def _own_tables(name: str, known: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tables of a file of the person's, checked. Raises FactError, BadSettings."""
    where = f"{name}/{_FILE}"
    try:
        raw = tomllib.loads(host_fact(name, _FILE))
    except tomllib.TOMLDecodeError as problem:
        raise FactError(f"{where}: {problem}") from None
    listed = host_tables(raw, where)
    for number, table in enumerate(listed, start=1):
        _check_own(name, table, f"{where}: host {number}", known)
    return listed


def _check_own(name: str, table: Any, where: str, known: Mapping[str, Any]) -> None:
    if not isinstance(table, dict):
        raise FactError(f"{where}: it is not a table")
    table = dict(table)
    places, like, rank = table.pop("place", ()), table.pop("like", ""), table.pop("rank", LAST)
    if not isinstance(places, list | tuple) or not isinstance(rank, int):
        raise FactError(f"{where}: place is a list of tables, and rank a number")
    if like and (not isinstance(like, str) or like not in known or like == table.get("id")):
        raise FactError(f"{where}: like names no host of Signoff")
    if not like and not places:
        raise FactError(f"{where}: place is missing")
    for place in places:
        made_of(HostPlace, place, f"{where}: place")
    for key in ("id", "title"):
        if not isinstance(table.get(key), str) and not (like and key == "title"):
            raise FactError(f"{where}: {key} is missing")
    if (table.get("of") or table["id"]) != name:
        raise FactError(f"{where}: its id is {table['id']}, and it is of no host {name}")
    taken = known.get(table["id"])
    if name == ANY or (taken is not None and (taken.get("of") or taken["id"]) != name):
        raise FactError(f"{where}: another host has a file with the id {table['id']}")
    made_of(Host, {"title": "", **table}, where)
    for key, words in _words_of(known.values()).items():
        if not {*_each(table.get(key, ()))} <= words:
            listed = ", ".join(sorted(filter(None, words)))
            raise FactError(f"{where}: {key} has an unknown word; known: {listed}")


_CHOSEN: Final = ("format", "url_without_type", "unknown_key", "unset", "names", "forms", "words")
"""Keys whose words the reader of files knows."""


def _words_of(tables: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """The words that the hosts of Signoff have for each of these keys, and the usual ones."""
    usual = {one.name: one.default for one in fields(Host)}
    found = {key: {*_each(usual[key])} for key in _CHOSEN}
    for table in tables:
        for key in _CHOSEN:
            found[key] |= {*_each(table.get(key, ()))}
    found["unknown_key"].add("warning")
    return found


def _each(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def host_named(name: str) -> Host:
    """The kind of file with an id, an alias, or the title of a host. Raises UnknownHost."""
    wanted = _plain(name)
    for one in hosts().values():
        if wanted in map(_plain, (one.id, *one.aliases)):
            return one
    known = [one.id for one in hosts().values() if not one.of]
    hint = did_you_mean(name, known) or f"; known: {', '.join(known)}"
    raise UnknownHost(f"unknown host {shown_name(shortened(name, 60))}{hint}")


def family(host: Host) -> tuple[Host, ...]:
    """All kinds of files of the same host."""
    return tuple(one for one in hosts().values() if one.host == host.host)


def place_of(path: str, home: str = "") -> tuple[Host, HostPlace] | None:
    """The host, and the place, whose path a file's path ends with: the longest one.

    A place below `home` is preferred for a file there, and the same place of a project elsewhere.
    """
    names = _names(path)
    best: tuple[tuple[int, bool], Host, HostPlace] | None = None
    for one, place in _places(hosts()):
        wanted = place.tail.split("/")
        if not _ends_with(names, wanted):
            continue
        is_at_home = bool(home) and _names(home) == names[: -len(wanted)]
        exact = 2 * len(wanted) - ("*" in place.tail), is_at_home != place.is_of_project
        if best is None or exact > best[0]:
            best = exact, one, place
    if best is None:
        return _by_name(names[-1] if names else "")
    return best[1], best[2]


def _by_name(name: str) -> tuple[Host, HostPlace] | None:
    """The place of a file with a name that only one host uses."""
    if name in USUAL_NAMES:
        return None
    found = [(one, place) for one, place in _places(hosts()) if place.tail.endswith(f"/{name}")]
    return found[0] if len({one.host for one, _ in found}) == 1 else None


def _names(path: str) -> tuple[str, ...]:
    return PurePosixPath(path.replace("\\", "/")).parts


def _ends_with(names: Sequence[str], wanted: Sequence[str]) -> bool:
    if len(wanted) > len(names):
        return False
    pairs = zip(names[-len(wanted) :], wanted, strict=True)
    return all(fnmatchcase(name, pattern) for name, pattern in pairs)


def _places(among: Mapping[str, Host]) -> Iterator[tuple[Host, HostPlace]]:
    for one in among.values():
        for place in one.place:
            yield one, place


def _whole(name: str, tables: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """A table with what it takes from the one that it is like."""
    own = tables[name]
    if "like" not in own:
        return own
    taken = _whole(own["like"], tables)
    inherited = {key: one for key, one in taken.items() if key not in ("of", "aliases", "detect")}
    return {**inherited, **own}


def _host(table: Mapping[str, Any]) -> Host:
    made: dict[str, Any] = {}
    for one in fields(Host):
        if one.name == "place":
            made["place"] = tuple(HostPlace(**place) for place in table["place"])
        elif one.name in table:
            value = table[one.name]
            made[one.name] = tuple(value) if isinstance(value, list) else value
        else:
            assert one.default is not MISSING or one.default_factory is not MISSING, one.name
    return Host(**made)


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]+", "", name).casefold()
