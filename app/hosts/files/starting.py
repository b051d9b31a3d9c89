"""A configured server as it would be started or reached: its variables filled, and a digest of it.

Consent to a start is bound to the digest: another program, argument, folder, variable, header or
address is another start, and so is another entry or, in a project, another file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ...content.frozen import frozen
from ...content.json.jsonio import canonical
from ...content.text import visible
from ...schemas.secrets.masks import SecretScrubber
from ..entries.transports import OWN_HEADERS, header_problem
from ..entries.variables import Filler, Need, folder_words, need_words
from .discovery import find_files, plugin_words, read_bytes
from .masking import mask_url
from .problems import ConfigProblem, listed, named
from .servers import ConfiguredServer, FileReport, ServerEntry
from .start_words import question_url, shown_variables, shown_words

if TYPE_CHECKING:
    from .servers import Machine

OWN: Final = "signoff"
"""The id of the kind of Signoff's own file."""
_HINT: Final = re.compile(r"<([^<>]{1,60})>")
_REGISTRY_VARIABLE: Final = re.compile(r"\{([A-Za-z_][\w-]{0,60})\}")
_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$")
_ENV_LINES: Final = 1_000


class CannotStart(Exception):
    """An entry that cannot be started here; the message is safe to show."""

    def __init__(self, words: str, needs: Sequence[Need] = ()) -> None:
        super().__init__(words)
        self.needs = tuple(needs)
        """The values that would be enough, if only these are missing."""


DRIVER: Final = "driver"
"""The transport, and the host, of the programs of a driver."""
AGENT: Final = "agent"
"""The host of the command of an agent, whose transport is that of a driver."""


@frozen
class ServerStart:
    """All that starts or reaches one server; it has secrets, and `facts` has none.

    The programs of a driver of the person's are one, too, with the same question.
    """

    name: str
    host: str
    title: str
    """The host, for people."""
    scope: str
    file: str
    line: int
    transport: str
    """stdio, http or sse; `DRIVER` for the programs of a host that is measured."""
    argv: tuple[str, ...] = field(default=(), repr=False)
    folder: str = ""
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    url: str = field(default="", repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    bound_to: str = ""
    """SHA-256 of the file of a project, or of the entry of any other file."""
    trusted: bool = False
    """Whether the person's own entry trusts its hints; of Signoff's own file alone."""
    policy: str = ""
    """The policy of that entry; empty for none."""
    roots: tuple[str, ...] = ()
    """The roots of that entry."""
    is_sse_declared: bool = False
    """Whether the entry names HTTP+SSE itself, rather than its host by default."""
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    """Values that were filled in and are not shown."""
    defaults: frozenset[str] = field(default=frozenset(), repr=False)
    """Defaults of the file that may be secret: only a question shows them, since they could run."""
    variables: tuple[str, ...] = ()
    """The variables of the environment that were filled in."""
    commands: tuple[tuple[str, ...], ...] = ()
    """Every command of a driver."""
    writes: tuple[str, ...] = ()
    """The files that a driver writes before the start."""

    @property
    def digest(self) -> str:
        """The SHA-256 of exactly this start, in hexadecimal digits."""
        of_all: Any = {
            "transport": self.transport,
            "argv": list(self.argv),
            "folder": self.folder,
            "env": sorted(name for name, _ in self.env),
            "url": self.url,
            "headers": sorted(name.lower() for name, _ in self.headers),
            "file": self.file,
            "name": self.name,
            "bound_to": self.bound_to,
        }
        return hashlib.sha256(canonical(of_all).encode()).hexdigest()

    def facts(self, *, is_for_question: bool = False) -> dict[str, list[str]]:
        """Facts about the start, by the labels of the question; masked, not sanitised.

        Those of the question have all that could run, whatever it looks like.
        """
        more = frozenset[str]() if is_for_question else self.defaults
        hide = SecretScrubber(self.secrets | more).text
        if self.transport == DRIVER:
            shown = (shown_words(one, is_for_question=is_for_question) for one in self.commands)
            return {
                "commands": [shlex.join(words) for words in shown],
                "writes": list(self.writes),
                "with": sorted(name for name, _ in self.env),
            }
        if self.transport == "stdio":
            env = dict(self.env)
            words = shown_words(self.argv, is_for_question=is_for_question)
            loads = shown_variables(self.argv, env, is_for_question=is_for_question)
            return {
                "runs": [hide(one) for one in words],
                "in": [hide(self.folder)],
                "loads": [hide(one) for one in loads],
                "with": sorted(env),
                "uses": sorted(self.variables),
            }
        url = question_url(self.url) if is_for_question else mask_url(self.url).text
        return {
            "opens": [hide(url)],
            "headers": sorted(name for name, _ in self.headers),
            "uses": sorted(self.variables),
        }


def prepare_start(
    server: ConfiguredServer,
    file: FileReport,
    machine: Machine,
    given: Mapping[str, str],
    headers: Sequence[tuple[str, str]] = (),
) -> ServerStart:
    """Fill the variables of a server, and make its start.

    `given` are values by the names of needs; `headers` are added, and go before those of the file.
    Raises CannotStart.
    """
    entry = server.entry
    if server.transport not in ("stdio", "http", "sse"):
        raise CannotStart(server.reason or f"its transport is {server.transport}")
    if not entry.is_whole_command:
        raise CannotStart("its command is a line for a shell; hosts start a program without one")
    folder = entry.container.project or file.root or machine.folder
    folders = folder_words(folder, machine.home) | plugin_words(server.file, server.scope)
    if entry.host.described == "bundle":
        folders["__dirname"] = os.path.dirname(os.path.abspath(server.file))
    filler = Filler(entry, machine.environ, folders, given)
    bound_to = file.sha256 if file.root else _digest_of(entry)
    env_data = _env_file(entry, filler, folder) if entry.env_file else b""
    if env_data:
        bound_to = hashlib.sha256(bound_to.encode() + env_data).hexdigest()
    common = (server.name, server.host, entry.host.title, server.scope, server.file)
    if server.transport == "stdio":
        start = ServerStart(
            *common,
            server.spot.line,
            "stdio",
            argv=_argv(entry, filler),
            folder=_folder(entry, filler, folder),
            env=tuple(_environment(entry, filler, env_data).items()),
            bound_to=bound_to,
        )
    else:
        start = ServerStart(
            *common,
            server.spot.line,
            server.transport,
            url=_url(entry, filler),
            headers=tuple(_headers(entry, filler, dict(headers)).items()),
            bound_to=bound_to,
            is_sse_declared=server.transport == "sse" and bool(entry.type_word),
        )
    _complain(entry, filler)
    secrets = frozenset(filler.secrets - {""})
    used = tuple(dict.fromkeys(filler.used))
    defaults = frozenset(filler.defaults)
    start = replace(start, secrets=secrets, defaults=defaults, variables=used)
    # A file elsewhere that only looks like it may come with a repository.
    is_own = entry.host.id == OWN and any(
        one.path == server.file for one in find_files(machine, (entry.host,))
    )
    return _with_own(start, entry) if is_own else start


def _with_own(start: ServerStart, entry: ServerEntry) -> ServerStart:
    """Add trust, policy and roots of Signoff's own file. Raises CannotStart."""
    members = entry.tree.members
    trusted, policy, roots = (members.get(key) for key in ("trusted", "policy", "roots"))
    texts = [one.value for one in roots.items] if roots is not None else []
    is_right = (
        (trusted is None or isinstance(trusted.value, bool))
        and (policy is None or isinstance(policy.value, str))
        and (roots is None or isinstance(roots.value, list))
    )
    if not is_right or not all(isinstance(one, str) for one in texts):
        raise CannotStart("trusted is true or false, policy is a text, roots is a list of texts")
    return replace(
        start,
        trusted=trusted is not None and trusted.value is True,
        policy=str(policy.value) if policy is not None else "",
        roots=tuple(map(str, texts)),
    )


def _complain(entry: ServerEntry, filler: Filler) -> None:
    """Raise CannotStart for unset variables and needs."""
    words = []
    if filler.unset:
        verb = "is" if len(filler.unset) == 1 else "are"
        words.append(f"{listed(filler.unset)} {verb} not set here")
    if filler.needs:
        words.append(f"it needs {need_words(filler.needs)}")
    if words:
        raise CannotStart("; ".join(words), () if filler.unset else filler.needs)


def _digest_of(entry: ServerEntry) -> str:
    plain = json.dumps(entry.tree.plain(), sort_keys=True, default=str)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def _argv(entry: ServerEntry, filler: Filler) -> tuple[str, ...]:
    command = filler.text(entry.command or "", "command")
    args = []
    for text, _ in entry.args:
        hint = _HINT.fullmatch(text) if entry.host.described == "registry" else None
        args.append(filler.needed(hint[1], "an argument") if hint else filler.text(text, "args"))
    return (command, *args)


def _folder(entry: ServerEntry, filler: Filler, base: str) -> str:
    """The working folder as it is on the disk: a link may lead elsewhere the next time."""
    folder = os.path.join(base, filler.text(entry.cwd, "cwd")) if entry.cwd else base
    return os.path.realpath(folder)


def _environment(entry: ServerEntry, filler: Filler, env_data: bytes) -> dict[str, str]:
    found = dict(_env_lines(env_data))
    for name in entry.env_vars:
        found[name] = filler.variable(name)
    for name, tree in entry.env.items():
        if name in entry.keyring:
            found[name] = filler.needed(name, f"it is in the keyring of {entry.host.title}")
        elif isinstance(tree.value, str):
            found[name] = filler.text(tree.value, "env")
        elif entry.is_derived:
            found[name] = filler.needed(name, "a variable")
    wrong = [name for name, value in found.items() if not _is_variable(name, value)]
    if wrong:
        raise CannotStart(f"{listed(wrong)} cannot be a variable of a process")
    return found


def _is_variable(name: str, value: str) -> bool:
    return bool(name) and "=" not in name and "\0" not in name and "\0" not in value


def _env_file(entry: ServerEntry, filler: Filler, folder: str) -> bytes:
    """The content of `envFile`, in the folder of the project alone. Raises CannotStart."""
    path = os.path.join(folder, filler.text(entry.env_file or "", "envFile"))
    data = read_bytes(path, folder)
    if isinstance(data, ConfigProblem):
        raise CannotStart(f"envFile {named(path)}: {data.message}")
    return data


def _env_lines(data: bytes) -> list[tuple[str, str]]:
    """The variables in lines of `NAME=value`."""
    found = []
    for line in data.decode("utf-8-sig", "replace").splitlines()[:_ENV_LINES]:
        one = _LINE.match(line)
        if one is not None and not line.lstrip().startswith("#"):
            value = one[2]
            is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found.append((one[1], value[1:-1] if is_quoted else value))
    return found


def _url(entry: ServerEntry, filler: Filler) -> str:
    url = _registry_text(entry.url or "", entry, filler)
    url = filler.text(url, "url")
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable and not (filler.unset or filler.needs):
        raise CannotStart(f"its address is not http or https: {visible(mask_url(url).text)}")
    return url


def _headers(entry: ServerEntry, filler: Filler, given: Mapping[str, str]) -> dict[str, str]:
    if entry.has_headers_helper and not given:
        raise CannotStart(
            "headersHelper is a command, which Signoff does not run; "
            "give its headers with --header NAME=@FILE"
        )
    found: dict[str, str] = {}
    lowered = {name.lower() for name in given}
    for name, tree in entry.headers.items():
        if name.lower() in lowered:
            continue
        if isinstance(tree.value, str):
            text = _registry_text(tree.value, entry, filler)
            found[name] = filler.text(text, "headers")
        elif entry.is_derived:
            found[name] = filler.needed(name, "a header")
    for name, (scheme, variable) in entry.header_variables.items():
        if name.lower() not in lowered:
            found[name] = f"{scheme}{filler.variable(variable)}"
    found |= dict(given)
    for name, value in found.items():
        problem = "" if filler.unset or filler.needs else header_problem(name, value)
        if problem and name.lower() not in OWN_HEADERS:
            raise CannotStart(f"header {named(name)}: {problem}")
    return {name: value for name, value in found.items() if name.lower() not in OWN_HEADERS}


def _registry_text(text: str, entry: ServerEntry, filler: Filler) -> str:
    """Fill `{name}`, which a file of the registry asks a person for."""
    if entry.host.described != "registry":
        return text
    return _REGISTRY_VARIABLE.sub(lambda found: filler.needed(found[1], "a variable"), text)
