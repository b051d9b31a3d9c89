"""Checks of one entry: its program, address, environment, paths, name, and secrets.

Secrets are reported by their names, never by their values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from ...content.files.tree import SourceLocation, Tree
from ...content.text import hidden
from ..entries.commands import base_name, docker_names, examine
from ..entries.variables import check_variables
from ..table import Host
from .masking import is_secret, mask_arguments, mask_plain, mask_url, placeholder_in
from .problems import ERROR, NOTE, WARNING, ProblemList, listed, named
from .servers import ServerEntry

MOST_SEARCHED: Final = 20_000
"""Values beside the servers that are searched for secrets."""


def check_secrets(entry: ServerEntry, problems: ProblemList) -> None:
    """Note secrets in clear, and values that a person has to replace."""
    _check_placeholders(entry, problems)
    _check_url(entry, problems)
    _check_arguments(entry, problems)
    _check_values(entry, problems)
    if entry.keyring:
        words = f"the values of {listed(entry.keyring)} are in the keyring of {entry.host.title}"
        spot = entry.spot_of("env_keys")
        problems.add("secret-in-keyring", WARNING, words, spot, server=entry.name)
    if "bearer_token" in entry.tree.members:
        words = f"bearer_token in clear is refused by {entry.host.title}"
        fix = "use bearer_token_env_var"
        spot = entry.spot_of("bearer_token")
        problems.add("literal-secret", ERROR, words, spot, fix=fix, server=entry.name)


def secrets_elsewhere(
    tree: Tree, host: Host, containers: Collection[str], problems: ProblemList
) -> None:
    """Note secrets of other settings in the same file: the names of their keys."""
    heads = {path.partition(".")[0] for path in containers}
    found: dict[str, SourceLocation] = {}
    level = [("", one) for name, one in tree.members.items() if name not in heads]
    level += [(name, one) for name, one in tree.members.items() if not one.members]
    searched = 0
    for _ in range(12):
        below: list[tuple[str, Tree]] = []
        for name, one in level:
            searched += 1
            if searched > MOST_SEARCHED:
                break
            if isinstance(one.value, str):
                if is_secret(name, one.value):
                    found.setdefault(name, one.spot)
            else:
                below += [(key, inner) for key, inner in one.members.items()]
                below += [(name, inner) for inner in one.items]
        level = below
    if found:
        words = f"{listed(list(found))} beside the servers: a secret in clear"
        problems.add("literal-secret", WARNING, words, next(iter(found.values())))


def _values(entry: ServerEntry) -> Iterator[tuple[str, str, SourceLocation]]:
    """Names, values and places of the environment and the headers."""
    for trees in (entry.env, entry.headers):
        for name, one in trees.items():
            if isinstance(one.value, str):
                yield name, one.value, one.spot


def _check_placeholders(entry: ServerEntry, problems: ProblemList) -> None:
    found: dict[str, SourceLocation] = {}
    if entry.url and placeholder_in(entry.url):
        found[entry.url_key] = entry.url_spot
    for text, spot in entry.args:
        if placeholder_in(text):
            found.setdefault("args", spot)
    for name, text, spot in _values(entry):
        if placeholder_in(text):
            found.setdefault(name, spot)
    if found:
        verb = "holds" if len(found) == 1 else "hold"
        words = f"{listed(list(found))} {verb} a placeholder, not a value"
        fix = "put the real value in its place"
        spot = next(iter(found.values()))
        problems.add("placeholder", ERROR, words, spot, fix=fix, server=entry.name)


def _check_url(entry: ServerEntry, problems: ProblemList) -> None:
    if entry.url and mask_url(entry.url).has_secret:
        words = "the address has a secret in it"
        fix = "put it into a header, from a variable"
        problems.add("secret-in-url", WARNING, words, entry.url_spot, fix=fix, server=entry.name)


def _check_arguments(entry: ServerEntry, problems: ProblemList) -> None:
    shown = mask_arguments(entry.words)
    spots: dict[bool, SourceLocation] = {}
    for (text, spot), one in zip(entry.args, shown[1:], strict=True):
        if one.has_secret:
            is_in_url = "://" in text and mask_url(text.partition("=")[2] or text).has_secret
            spots.setdefault(is_in_url, spot)
    if True in spots:
        words = "an address in the arguments has a secret in it"
        problems.add("secret-in-url", WARNING, words, spots[True], server=entry.name)
    if False in spots:
        words = "a secret is on the command line, which every program here can read"
        fix = "pass it in env"
        problems.add("secret-in-args", WARNING, words, spots[False], fix=fix, server=entry.name)
    if shown and shown[0].has_secret:
        words = "the command has a secret in it"
        spot = entry.command_spot
        problems.add("secret-in-args", WARNING, words, spot, server=entry.name)


def _check_values(entry: ServerEntry, problems: ProblemList) -> None:
    literal: dict[str, SourceLocation] = {}
    empty: dict[str, SourceLocation] = {}
    for name, text, spot in _values(entry):
        if not text:
            if name in entry.env and entry.env[name].value == "":
                empty[name] = spot
        elif is_secret(name, text):
            literal[name] = spot
    if literal:
        verb = "is" if len(literal) == 1 else "are"
        words = f"{listed(list(literal))} {verb} in clear in the file"
        fix = "use a variable of the environment"
        spot = next(iter(literal.values()))
        problems.add("literal-secret", WARNING, words, spot, fix=fix, server=entry.name)
    if empty:
        verb = "is" if len(empty) == 1 else "are"
        words = f"{listed(list(empty))} {verb} empty"
        if entry.host.host == "inspector":
            words = f"{words}: the value may be in the keychain"
        spot = next(iter(empty.values()))
        problems.add("empty-value", WARNING, words, spot, server=entry.name)


LOADERS: Final = re.compile(
    r"LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_\w+|PYTHONSTARTUP|PYTHONHOME|BASH_ENV|PERL5OPT|PERL5LIB"
    r"|RUBYOPT|RUBYLIB|_?JAVA_(?:TOOL_)?OPTIONS|GIT_SSH_COMMAND|NODE_OPTIONS|PROMPT_COMMAND"
)
_NODE_CODE: Final = re.compile(
    r"(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)\b"
)
WRAPPERS: Final = re.compile(r"(?:^|/)(?:mcp-remote|supergateway|mcp-proxy)(?:@|$)")
_BUILDS: Final = frozenset({"dev", "build", "test", "lint", "watch", "serve", "preview", "format"})
_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\[\w.]+\\")
_PERSON: Final = re.compile(
    r"(?:^|=|:)(?:/Users|/home|/c/Users|[A-Za-z]:[\\/]Users)[\\/][^\\/${<]+[\\/]"
)
_SCRIPT: Final = re.compile(r"\.(?:py|js|mjs|cjs|ts|sh|rb|php|jar|dll|exe|pl|lua|ps1)$")
_LOCAL: Final = re.compile(
    r"localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1|host\.docker\.internal"
)
UNSAFE: Final = frozenset(
    ("__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty")
)
LONGEST_NAME: Final = 128


def check_entry(
    entry: ServerEntry, scope: str, environ: Mapping[str, str], platform: str, problems: ProblemList
) -> None:
    """Note the problems of one entry."""
    _check_characters(entry, problems)
    _check_name(entry, problems)
    if entry.is_broken:
        return
    check_variables(entry, environ, platform, problems)
    check_secrets(entry, problems)
    if entry.command is not None:
        _check_command(entry, problems)
        _check_paths(entry, scope, platform, problems)
    _check_address(entry, entry.url, problems)
    _check_environment(entry, problems)
    if entry.env_file:
        words = "values are in a file, which Signoff does not read"
        spot = entry.spot_of("envFile")
        problems.add("env-file", WARNING, words, spot, server=entry.name)
    if entry.has_headers_helper:
        words = "the host runs a command to get the headers; Signoff does not run it"
        spot = entry.spot_of("headersHelper")
        problems.add("runs-command-for-headers", WARNING, words, spot, server=entry.name)


def check_together(entries: Sequence[ServerEntry], problems: ProblemList) -> None:
    """Note namesakes and equal targets among the entries of one scope."""
    names: dict[tuple[str, str], str] = {}
    targets: dict[tuple[str, str], str] = {}
    for entry in entries:
        scope = f"{entry.container.scope} {entry.container.project} {entry.container.path}"
        plain = re.sub(r"[\W_]+", "_", entry.name).casefold()
        first = names.setdefault((scope, plain), entry.name)
        if first != entry.name and entry.name.strip():
            words = f"with case and signs levelled, the name is the same as {named(first)}"
            fix = "rename one of them"
            problems.add("name-collision", WARNING, words, entry.spot, fix=fix, server=entry.name)
        # An address counts without its secret: two tokens for the same server are one target.
        target = mask_url(entry.url).text if entry.url else "\0".join(entry.words)
        if entry.is_local:
            values = sorted((name, str(one.value)) for name, one in entry.env.items())
            target = f"{target}\0{values}"
        if not (entry.url or entry.command):
            continue
        first = targets.setdefault((scope, target), entry.name)
        if first != entry.name:
            words = f"the same target as {named(first)}"
            problems.add("duplicate-target", NOTE, words, entry.spot, server=entry.name)


def _check_characters(entry: ServerEntry, problems: ProblemList) -> None:
    texts = (entry.name, *entry.words, entry.url or "", *entry.env, *entry.header_names)
    for text in texts:
        if found := hidden(text[:1_000]):
            words = f"characters that are not visible: {', '.join(found[:3])}"
            problems.add("control-character", WARNING, words, entry.spot, server=entry.name)
            return


def _check_name(entry: ServerEntry, problems: ProblemList) -> None:
    name, how, spot = entry.name, entry.host.names, entry.spot
    if name in UNSAFE or ".." in name.split("/") or len(name) > LONGEST_NAME:
        words = "the name is risky: programs may take it for something else"
        problems.add("name-unsafe", WARNING, words, spot, fix="rename it", server=name)
        return
    if how in ("claude", "changed") and re.search(r"[^A-Za-z0-9_-]", name):
        made = re.sub(r"[^A-Za-z0-9_-]", "_", name)
        words = f"in tool names it becomes {named(made)}; rules need that name"
        problems.add("name-changed-by-host", NOTE, words, spot, server=name)
    if how == "claude" and "__" in name:
        words = f"mcp__{named(name)}__tool can be split in two ways"
        problems.add("name-ambiguous", WARNING, words, spot, fix="use one _", server=name)
    if how == "underscore" and "_" in name:
        words = f"mcp_{named(name)}_tool can be split in two ways"
        problems.add("name-ambiguous", WARNING, words, spot, fix="use - for _", server=name)


def _check_command(entry: ServerEntry, problems: ProblemList) -> None:
    words = entry.words
    program = base_name(words[0])
    run = examine(words) if entry.is_whole_command else examine(["sh", "-c", words[0]])
    arguments = words[1:]
    if program in ("docker", "podman"):
        entry.docker_env = docker_names(arguments)
    if run.shell and entry.is_whole_command:
        is_plain = run.shell == "cmd" and not re.search(r"&&|\|\||[;|<>]", run.line)
        level = NOTE if is_plain else WARNING
        text = f"{run.shell} runs a line for a shell"
        text += ", on Windows only" if run.shell == "cmd" else ""
        problems.add("runs-shell", level, text, entry.command_spot, server=entry.name)
    for code, about in run.found:
        _add_found(entry, code, about, run.is_pulled_anew, problems)
    _check_wrapper(entry, arguments, problems)
    is_build = program in ("npm", "pnpm", "yarn", "bun") and bool(_BUILDS & {*arguments[:2]})
    if is_build and (arguments[:1] == ["run"] or program != "npm"):
        text = "a script for development, which is unlikely to be a server"
        problems.add("not-a-server", WARNING, text, entry.command_spot, server=entry.name)


def _add_found(
    entry: ServerEntry, code: str, about: str, is_pulled: bool, problems: ProblemList
) -> None:
    shown = named(mask_plain(about))
    level, fix = WARNING, ""
    match code:
        case "unpinned-package":
            level, fix = NOTE, "add a version"
            words = f"{shown}: the newest version is fetched at each start"
        case "unpinned-image":
            level = WARNING if is_pulled else NOTE
            words = f"{shown}: the image has no fixed version"
            words += ", and is fetched at each start" if is_pulled else ""
            fix = "add a tag or a digest"
        case "package-from-git":
            level = NOTE if about else WARNING
            words = "the code of a Git repository is run"
            words += ", at a fixed commit" if about else ", without a fixed commit"
            fix = "" if about else "add a commit"
        case "package-from-url":
            words = "a package is fetched from an address and run"
        case _:
            words = "it downloads code and runs it"
    problems.add(code, level, words, entry.command_spot, fix=fix, server=entry.name)


def _check_wrapper(entry: ServerEntry, arguments: Sequence[str], problems: ProblemList) -> None:
    if not any(map(WRAPPERS.search, (base_name(entry.command or ""), *arguments))):
        return
    address = next((one for one in arguments if re.match(r"https?://", one)), "")
    if not address:
        return
    entry.wraps = address
    words = "a wrapper: the real server is remote and could be reached directly"
    problems.add("wrapper", NOTE, words, entry.command_spot, server=entry.name)
    _check_address(entry, address, problems)


def _check_address(entry: ServerEntry, url: str | None, problems: ProblemList) -> None:
    if not url:
        return
    try:
        place = urlsplit(url)
        netloc, host = place.netloc, place.hostname or ""
    except ValueError:
        netloc = url.partition("://")[2].partition("/")[0]
        host = netloc
    spot = entry.url_spot if entry.url else entry.command_spot
    if "${input:" in netloc:
        words = "an input decides the host: look at the address before a token is sent"
        problems.add("host-from-input", WARNING, words, spot, server=entry.name)
        return
    if not url.lower().startswith("http://") or re.search(r"[${<]", netloc):
        return
    if not _LOCAL.fullmatch(host):
        words = "plain http to another machine: everyone on the way can read it"
        words = f"{words}, credentials included" if entry.header_names else words
        problems.add("insecure-http", WARNING, words, spot, fix="use https", server=entry.name)


def _check_environment(entry: ServerEntry, problems: ProblemList) -> None:
    found = []
    for name, one in entry.env.items():
        value = one.value if isinstance(one.value, str) else ""
        if name == "NODE_OPTIONS" and not _NODE_CODE.search(value):
            continue
        if LOADERS.fullmatch(name) or (name == "PATH" and entry.host.host == "goose"):
            found.append(name)
    if found:
        level = ERROR if entry.host.host == "goose" else WARNING
        words = f"{listed(found)} can load other code into the server"
        words += f"; {entry.host.title} refuses it" if level is ERROR else ""
        spot = entry.env[found[0]].spot
        problems.add("env-loads-code", level, words, spot, server=entry.name)


def _texts(entry: ServerEntry) -> Iterator[tuple[str, SourceLocation]]:
    yield entry.command or "", entry.command_spot
    yield from entry.args
    yield entry.cwd or "", entry.spot_of("cwd")
    for one in entry.env.values():
        if isinstance(one.value, str):
            yield one.value, one.spot


def _check_paths(entry: ServerEntry, scope: str, platform: str, problems: ProblemList) -> None:
    name = entry.name
    texts = [(text[:1_000], spot) for text, spot in _texts(entry) if text]
    foreign = next((spot for text, spot in texts if _WINDOWS.match(text)), None)
    if platform != "win32" and foreign is not None:
        words = "a path of Windows, which this system does not have"
        problems.add("other-platform", NOTE, words, foreign, server=name)
    elif platform == "win32" and (entry.command or "").startswith("/"):
        words = "a path of another system than Windows"
        problems.add("other-platform", NOTE, words, entry.command_spot, server=name)
    elif scope in ("project", "file", "") and entry.is_whole_command:
        own = next((spot for text, spot in texts if _PERSON.search(text)), None)
        if own is not None:
            words = "a path on the machine of one person, in a shared file"
            fix = "use a variable, or a path below the project"
            problems.add("absolute-path-of-a-person", NOTE, words, own, fix=fix, server=name)
    if entry.cwd and not re.match(r"\.|[\w-]+/", entry.cwd):
        return
    relative = _relative(entry)
    if relative is not None:
        words = "a relative path: it depends on the folder that the server starts in"
        problems.add("relative-path", NOTE, words, relative, server=name)


def _relative(entry: ServerEntry) -> SourceLocation | None:
    command = entry.command or ""
    if entry.is_whole_command and _is_relative(command, is_program=True):
        return entry.command_spot
    for text, spot in entry.args:
        if not text.startswith("-") and _is_relative(text, is_program=False):
            return spot
    return None


def _is_relative(text: str, *, is_program: bool) -> bool:
    if "://" in text or text.startswith(("/", "~", "$", "{", "<", "%", "@", "\\")):
        return False
    if _WINDOWS.match(text) or "=" in text or " " in text:
        return False
    if re.match(r"\.{1,2}[\\/]", text):
        return True
    return ("/" in text or "\\" in text) and (is_program or bool(_SCRIPT.search(text)))
