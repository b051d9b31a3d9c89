"""A server of a configuration file as the target of a command: found, filled, agreed to.

Files are only read; nothing is started before a person has consented to exactly that start.
"""

from __future__ import annotations

import os
import shlex
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...content.files.tree import SourceLocation
from ...content.text import count, shortened, visible
from ...engine.session_config import Target
from ...hosts.files.choosing import Found, NoSuchServer, choose_server
from ...hosts.files.discovery import find_files, is_kept, read_found, read_given, with_plugins
from ...hosts.files.problems import ERROR
from ...hosts.files.reading import judged_together, read_file
from ...hosts.files.servers import Machine
from ...hosts.files.sharing import with_shadowed
from ...hosts.files.starting import CannotStart, ServerStart, prepare_start
from ...hosts.table import Host, UnknownHost, family, host_named
from ...presentation.openings import PASTED
from ...presentation.starts import AskStart, name_of
from ..approving.start_consent import is_person_there, require_consent
from ..options.arguments import ask_on_terminal, read_given_value
from ..options.session import SessionOptions, misplaced
from ..output.printing import tell
from .credentials import SignInWay, read_sign_in
from .targets import UsageError, capture_into, read_variables

if TYPE_CHECKING:
    from ...hosts.files.servers import FileReport


def this_machine() -> Machine:
    """The system that configuration files are looked for on."""
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    return Machine(home, os.getcwd(), os.environ, sys.platform)


def read_files(config: Sequence[str], host_name: str, machine: Machine) -> list[FileReport]:
    """Read these files, or those of the usual places, of one host or of all. Raises UsageError."""
    host = _host(host_name)
    if not config:
        found = find_files(machine, () if host is None else family(host))
        files = [read_found(one, machine) for one in found]
        kept = [one for one, at in zip(files, found, strict=True) if is_kept(one, at.place)]
        files = with_shadowed(with_plugins(kept, machine.folder))
        return judged_together(files, platform=machine.platform, folder=machine.folder)
    missing = next((one for one in config if not os.path.lexists(one)), None)
    if missing is not None:
        raise UsageError(f"{visible(missing)}: no such file")
    files = [read_given(one, host, machine) for one in config]
    return judged_together(files, platform=machine.platform, folder=machine.folder)


def count_servers(config: Sequence[str], host_name: str) -> int:
    """The number of servers in these files. Raises UsageError."""
    return sum(len(one.servers) for one in read_files(config, host_name, this_machine()))


def _host(name: str) -> Host | None:
    if not name:
        return None
    try:
        return host_named(name)
    except UnknownHost as problem:
        raise UsageError(str(problem)) from None


def configured_target(
    given: SessionOptions,
    argv: tuple[str, ...],
    headers: tuple[tuple[str, str], ...],
    ask: AskStart | None = None,
) -> Target:
    """Find the server, ask for missing values and for consent. Raises UsageError, NotStarted.

    With `ask` nothing is asked on the terminal: it asks for consent, and missing values are an
    error.
    """
    check_targets(given, argv)
    machine = this_machine()
    if given.pasted:
        data = given.pasted.encode()
        files = [read_file(data, PASTED, environ=machine.environ, platform=machine.platform)]
    elif given.described is not None:
        files = [read_description(given, machine)]
    else:
        files = read_files(given.config, given.config_host or "", machine)
    try:
        spot = SourceLocation(*given.spot) if given.spot else None
        wanted = given.server or ""
        if given.described is not None and not wanted:
            wanted = _first_described(files[0])
        found = choose_server(files, wanted, spot, machine.folder)
    except NoSuchServer as problem:
        raise UsageError(not_found(problem, files)) from None
    start = filled_start(found, machine, given.values, headers, is_asked=ask is None)
    if why := misplaced(given, has_url=bool(start.url), url="an address"):
        raise UsageError(why)
    require_consent(start, given.start, keeps_memory=not given.no_memory, ask=ask)
    return target_of(start, given)


def not_found(problem: NoSuchServer, files: Sequence[FileReport]) -> str:
    """Why no server was found, with the number of files that could not be read."""
    broken = sum(any(each.level is ERROR for each in one.problems) for one in files)
    if not broken:
        return str(problem)
    return f"{problem} ({count(broken, 'file')} with errors: signoff servers --check)"


def check_targets(given: SessionOptions, argv: tuple[str, ...]) -> None:
    """Raises UsageError if a configured server and another target were given, or only a host."""
    if given.described is not None and (given.config or given.config_host is not None):
        raise UsageError("--from names the file: leave --config and --host out")
    if not (given.servers or given.is_all or given.config or given.described is not None):
        host = visible(given.config_host or "")
        raise UsageError(f"--host is for --server NAME; the rules of a host are --as {host}")
    if given.is_bundled or given.url is not None or argv:
        raise UsageError("give one target only: demo, --url URL, --server NAME or -- COMMAND")


def read_description(given: SessionOptions, machine: Machine) -> FileReport:
    """Read the file of `--from`. Raises UsageError if it describes no server."""
    path = given.described or ""
    shown = visible(path)
    if zipfile.is_zipfile(path):
        raise UsageError(
            f"{shown} is a bundle: unpack it (unzip FILE -d FOLDER), then give "
            "--from FOLDER/manifest.json"
        )
    file = read_files((path,), "", machine)[0]
    if host_named(file.host).described not in ("registry", "bundle"):
        raise UsageError(
            f"{shown} is neither a server.json of the MCP registry nor a bundle's manifest: for a "
            "configuration file give --config"
        )
    if not file.servers:
        errors = [one.message for one in file.problems if one.level is ERROR]
        why = "; ".join(errors) or "it names no package and no URL"
        raise UsageError(f"{shown}: {why}")
    return file


def _first_described(file: FileReport) -> str:
    """The first package or URL of a description, and a note of the others."""
    first, *others = [one.name for one in file.servers]
    if others:
        names = ", ".join(visible(one) for one in others)
        tell(f"signoff: taken is {visible(first)}; --server takes another: {names}")
    return first


def filled_start(
    found: Found,
    machine: Machine,
    inputs: Sequence[str] = (),
    headers: Sequence[tuple[str, str]] = (),
    *,
    is_asked: bool = True,
) -> ServerStart:
    """The start of a server; what it needs is asked for on the terminal. Raises UsageError.

    `is_asked`: whether it is asked for if there is a terminal, or is an error.
    """
    server, file = found
    values = {}
    for one in inputs:
        read = read_given_value("--value", one, os.environ, ask_on_terminal)
        values[read.name] = read.value
    while True:
        try:
            return prepare_start(server, file, machine, values, headers)
        except CannotStart as problem:
            place = f"{visible(server.file)}:{server.spot.line}"
            if not (problem.needs and is_asked and is_person_there()):
                how = "".join(
                    f"; give --value {shlex.quote(f'{visible(one.name)}=@FILE')}"
                    for one in problem.needs
                )
                words = f"{visible(server.name)} ({place}) cannot be started: {problem}{how}"
                raise UsageError(words) from None
            tell(f"{visible(server.name)} ({place}) needs values. It is not started yet; it is")
            target = server.url or " ".join((server.command or "", *server.args))
            tell(f"  {shortened(target, 300)}")
            for need in problem.needs:
                values[need.name] = ask_on_terminal(f"{need.name} ({need.why})")


def target_of(start: ServerStart, given: SessionOptions) -> Target:
    """The target that a start becomes. Raises UsageError."""
    way = read_sign_in(given, start.headers) if start.url else SignInWay()
    target = Target(
        given.name or name_of(start),
        argv=start.argv,
        url=start.url,
        folder=start.folder,
        env=(*start.env, *read_variables(given.env)),
        headers=start.headers,
        credentials=way.credentials,
        browser=way.browser,
        transport=given.transport or ("sse" if start.is_sse_declared else "auto"),
        ca=given.ca or "",
        is_insecure=given.insecure,
        is_trusted=start.trusted,
        policy=start.policy,
        roots=start.roots,
        protocol=given.protocol or "auto",
        without=frozenset(given.without),
        experimental=frozenset(given.experimental),
    )
    if given.capture:
        capture_into(target, given.capture)
    facts = start.facts()
    shown = tuple(facts["runs"] if start.argv else facts["opens"])
    configured = () if given.pasted else (start.file, start.name)
    return replace(target, shown=shown, configured=configured)
