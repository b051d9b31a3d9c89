"""`signoff servers wrap` and `unwrap`: `signoff proxy` before a server in the file of a host."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.output.printing import print_error, say, tell
from ...cli.targets.configured import read_files, this_machine
from ...cli.targets.live import print_json
from ...cli.targets.own_program import is_kept_for_some_time, own_program
from ...cli.targets.policies import chosen_policy
from ...cli.targets.targets import UsageError
from ...content.text import PRINTED_BLANKS, count, visible
from ...hosts.entries.proxied import PROXY
from ...hosts.files.choosing import NoSuchServer, choose_server
from ...hosts.files.problems import named
from ...hosts.files.servers import FileReport, Machine
from ...hosts.table import UnknownHost, host_named, hosts
from ...hosts.wrapping.difference import masked_difference
from ...hosts.wrapping.wrapping import CannotWrap, EntryText, check_can_wrap, has_url, wrapped
from ...presentation.exit_status import ExitStatus
from ...presentation.openings import shown_path
from ...storage.state_dir import StoreError
from ...storage.wrapped_files import (
    backup_of,
    check_can_write,
    keep_backup,
    remove_backup,
    write_back,
)
from .changes import (
    FileChange,
    content_of,
    entry_of,
    file_changes,
    left_backups,
    person_agrees,
    wrapped_files,
)
from .starts import AS_LISTED, CONFIG

_YES: Final[Any] = opt("--yes", "write without asking")
_DIFF: Final[Any] = opt("--diff", "print the difference and write nothing", rivals="what")


@options
class WrapOptions(NamedTuple):
    """Options of `servers wrap`."""

    host: str = opt("HOST", "the host whose file is changed, such as cursor")
    name: str = opt("NAME", AS_LISTED)
    policy: str = opt("--policy NAME|FILE", "let the proxy decide by this policy")
    rules: str = opt("--as HOST[:MODE]", "let the proxy decide by the rules of a host")
    """What `--as` names."""
    trust: bool = opt("--trust", "let the server's hints count, so that read-only tools can run")
    config: tuple[str, ...] = CONFIG
    yes: bool = _YES
    diff: bool = _DIFF
    json: bool = AS_JSON


@options
class UnwrapOptions(NamedTuple):
    """Options of `servers unwrap`."""

    host: str | None = opt("HOST", "the host whose file is changed", nargs="?")
    name: str | None = opt("NAME", AS_LISTED, nargs="?")
    all: bool = opt("--all", "every server of this machine")
    config: tuple[str, ...] = CONFIG
    yes: bool = _YES
    diff: bool = _DIFF
    json: bool = AS_JSON


def add_wrap(parser: Parser) -> None:
    """Add the options of `signoff servers wrap`."""
    without_server(parser, WrapOptions, run_wrap)


def add_unwrap(parser: Parser) -> None:
    """Add the options of `signoff servers unwrap`."""
    parser.usage = f"{parser.prog} (HOST NAME | --all) [OPTIONS]"
    without_server(parser, UnwrapOptions, run_unwrap)


def run_wrap(wanted: WrapOptions) -> int:
    """Show the change, ask, keep a backup, and write the file. Raises UsageError."""
    machine = this_machine()
    files = read_files(wanted.config, _host(wanted.host), machine)
    passed = _passed_on(wanted)
    one = _chosen(files, wanted.host, wanted.name, machine)
    program = own_program()
    try:
        check_can_wrap(one)
        check_can_write(one.file.file)
        ends = () if has_url(one.server) else ("--",)
        data = wrapped(one, (*program, PROXY, *passed, *ends))
    except (CannotWrap, StoreError) as problem:
        raise UsageError(str(problem)) from None
    change = FileChange(one.file, one.data, data, (entry_of(one.server),))
    if wanted.diff or not _may_write([change], wanted, "wrap"):
        return _not_written([change], wanted)
    try:
        backup = keep_backup(change.entries[0], change.before)
        _write(change, on_failure=change.entries)
    except StoreError as problem:
        raise UsageError(f"nothing was changed: {problem}") from None
    if wanted.json:
        print_json(_json([change], is_written=True) | {"backup": visible(str(backup))})
        return ExitStatus.OK
    title = hosts()[one.server.host].title
    say(f"{named(wanted.name)} is wrapped in {_place(change, machine)}")
    say(f"backup: {visible(str(backup))}")
    say(f"Restart {title}. It may ask again whether to start the server.")
    host = one.server.host
    back = f"signoff servers unwrap {host} {named(wanted.name)}"
    say(f"signoff watch shows the questions; {back} takes it back.")
    if has_url(one.server):
        tell(f"note: {title} no longer signs in to this server; signoff sign-in URL does")
    if one.file.root:
        tell("note: the file belongs to a project; the path of signoff is of this machine")
    if is_kept_for_some_time(program[0]):
        path = visible(program[0])
        tell(f"note: {path} is in a cache, which can be emptied; install signoff, then wrap again")
    return ExitStatus.OK


def run_unwrap(wanted: UnwrapOptions) -> int:
    """Show the changes, ask, write the files, and remove the backups. Raises UsageError."""
    if wanted.all is bool(wanted.name):
        raise UsageError("give HOST and NAME, or --all")
    machine = this_machine()
    problems: list[str] = []
    if wanted.all:
        files = wrapped_files(wanted.config, _host(wanted.host) if wanted.host else "", machine)
        only = None
    else:
        files = read_files(wanted.config, _host(wanted.host or ""), machine)
        one = _chosen(_only_wrapped(files), wanted.host or "", wanted.name or "", machine, files)
        files, only = [one.file], one.server
    changes = file_changes(files, only, machine, problems)
    if not changes:
        if wanted.all and not wanted.diff:
            _tell_left_backups(machine)
        return _nothing(problems, wanted)
    if wanted.diff or not _may_write(changes, wanted, "unwrap"):
        return _not_written(changes, wanted)
    written = []
    for change in changes:
        try:
            _write(change)
        except StoreError as problem:
            problems.append(str(problem))
            continue
        written.append(change)
        if not wanted.json:
            _tell_unwrapped(change, machine)
        else:
            _without_backups(change)
    if wanted.json:
        print_json(_json(written, is_written=True) | {"problems": problems})
    if wanted.all:
        _tell_left_backups(machine)
    for words in problems:
        print_error(words)
    return ExitStatus.BROKEN if problems else ExitStatus.OK


def _tell_unwrapped(change: FileChange, machine: Machine) -> None:
    names = ", ".join(dict.fromkeys(named(one.name) for one in change.entries))
    verb = "is" if len(change.entries) == 1 else "are"
    say(f"{names} {verb} unwrapped in {_place(change, machine)}")
    if removed := _without_backups(change):
        say(f"{count(removed, 'backup')} removed")
    say(f"Restart {hosts()[change.file.host].title}.")


def _tell_left_backups(machine: Machine) -> None:
    """Remove the backups of what was unwrapped by hand; those of files that are gone stay."""
    by_hand, gone = left_backups(machine)
    if removed := sum(map(remove_backup, by_hand)):
        tell(f"note: {count(removed, 'backup')} of servers that were unwrapped by hand removed")
    for one in gone:
        tell(f"note: {visible(one.file)} is gone; its backup is {visible(str(backup_of(one)))}")


def _without_backups(change: FileChange) -> int:
    return sum(map(remove_backup, change.entries))


def _nothing(problems: Sequence[str], wanted: UnwrapOptions) -> int:
    if wanted.json:
        print_json(_json([], is_written=False) | {"problems": list(problems)})
    elif not problems:
        say("no server of this machine is wrapped")
    for words in problems:
        print_error(words)
    return ExitStatus.BROKEN if problems else ExitStatus.OK


def _chosen(
    files: Sequence[FileReport],
    host: str,
    name: str,
    machine: Machine,
    all_files: Sequence[FileReport] | None = None,
) -> EntryText:
    """The one entry of a host with a name; `all_files` have those that are not wrapped, too."""
    wanted = f"{host_named(_host(host)).host}/{name}"
    try:
        server, file = choose_server(files, wanted, folder=machine.folder)
    except NoSuchServer as problem:
        known = [one.name for file in all_files or () for one in file.servers]
        words = f"{named(name)} is not wrapped; signoff servers marks those that are"
        raise UsageError(words if name in known else str(problem)) from None
    try:
        return EntryText(content_of(file), file, server)
    except StoreError as problem:
        raise UsageError(str(problem)) from None


def _only_wrapped(files: Sequence[FileReport]) -> list[FileReport]:
    return [
        replace(one, servers=tuple(each for each in one.servers if each.entry.proxy))
        for one in files
    ]


def _host(name: str) -> str:
    """The host by any of its names. Raises UsageError."""
    try:
        return host_named(name).host
    except UnknownHost as problem:
        raise UsageError(str(problem)) from None


def _passed_on(wanted: WrapOptions) -> list[str]:
    """The options of the proxy; a file of a policy with its whole path. Raises UsageError."""
    chosen_policy(wanted.policy, wanted.rules)
    trust = ["--trust"] if wanted.trust else []
    if wanted.rules:
        return ["--as", wanted.rules, *trust]
    if not wanted.policy:
        return trust
    is_file = os.path.isfile(wanted.policy)
    return ["--policy", os.path.abspath(wanted.policy) if is_file else wanted.policy, *trust]


def _may_write(
    changes: Sequence[FileChange], wanted: WrapOptions | UnwrapOptions, verb: str
) -> bool:
    """Show the changes unless the report is JSON, and ask."""
    if not wanted.json:
        for line in _differences(changes):
            say(line)
    if wanted.yes:
        return True
    files = list(dict.fromkeys(shown_path(one.file.file, "", "") for one in changes))
    what = files[0] if len(files) == 1 else count(len(files), "file")
    return person_agrees(verb, what)


def _not_written(changes: Sequence[FileChange], wanted: WrapOptions | UnwrapOptions) -> int:
    """Print the changes of `--diff`, or that the person did not agree."""
    if not wanted.diff:
        print_error("nothing was written")
        return ExitStatus.NOT_APPROVED
    if wanted.json:
        print_json(_json(changes, is_written=False))
        return ExitStatus.OK
    for line in _differences(changes):
        say(line)
    return ExitStatus.OK


def _write(change: FileChange, on_failure: Sequence[Any] = ()) -> None:
    """Write a file; if that fails, the backups that were made for it go. Raises StoreError."""
    try:
        write_back(change.file.file, change.before, change.after)
    except StoreError:
        for one in on_failure:
            remove_backup(one)
        raise


def _differences(changes: Sequence[FileChange]) -> list[str]:
    return [line for one in changes for line in masked_difference(one.file, one.before, one.after)]


def _place(change: FileChange, machine: Machine) -> str:
    return shown_path(change.file.file, machine.home, machine.folder)


def _json(changes: Sequence[FileChange], *, is_written: bool) -> dict[str, Any]:
    return {
        "written": is_written,
        "files": [
            {
                "file": visible(one.file.file),
                "host": one.file.host,
                "servers": [visible(each.name, max_blanks=PRINTED_BLANKS) for each in one.entries],
                "difference": masked_difference(one.file, one.before, one.after),
            }
            for one in changes
        ],
    }
