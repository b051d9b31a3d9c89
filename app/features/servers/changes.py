"""Changes of hosts' files that `wrap` and `unwrap` are about to write, and the question before."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace

from ...cli.approving.start_consent import is_person_there, typed_answer
from ...cli.output.printing import print_error
from ...cli.targets.configured import read_files
from ...cli.targets.targets import UsageError
from ...content.frozen import frozen
from ...hosts.files.discovery import read_given
from ...hosts.files.reading import read_file
from ...hosts.files.servers import ConfiguredServer, FileReport, Machine
from ...hosts.table import hosts
from ...hosts.wrapping.wrapping import CannotWrap, EntryText, unwrapped
from ...platforms.files import read_bounded, why
from ...platforms.output import GONE
from ...storage.state_dir import StoreError, shown
from ...storage.wrapped_files import (
    LONGEST,
    WrappedEntry,
    check_can_write,
    find_backup,
    wrapped_entries,
)


@frozen
class FileChange:
    """A file before and after, and the entries that differ."""

    file: FileReport
    before: bytes
    after: bytes
    entries: tuple[WrappedEntry, ...]


def content_of(file: FileReport) -> bytes:
    """The bytes that a report was made of. Raises StoreError."""
    try:
        data = read_bounded(os.path.realpath(file.file), LONGEST)
    except OSError as problem:
        raise StoreError(f"{shown(file.file)} cannot be read: {why(problem)}") from None
    if file.has_changed(data):
        raise StoreError(f"{shown(file.file)} has other content now; try again")
    return data


def entry_of(server: ConfiguredServer) -> WrappedEntry:
    """The entry of a server, by what does not change if its host writes the file again."""
    container = server.entry.container
    return WrappedEntry(
        os.path.realpath(server.file), server.host, container.path, container.project, server.name
    )


def wrapped_files(config: Sequence[str], host: str, machine: Machine) -> list[FileReport]:
    """The files of this machine with a wrapped server: those of usual places, and of projects."""
    files = read_files(config, host, machine)
    known = {os.path.realpath(one.file) for one in files}
    for entry in () if config else wrapped_entries():
        if entry.file in known:
            continue
        known.add(entry.file)
        if os.path.lexists(entry.file) and host in ("", entry.host):
            files.append(read_given(entry.file, hosts().get(entry.host), machine))
    found: dict[str, FileReport] = {}
    for one in files:
        if any(each.entry.proxy for each in one.servers):
            found.setdefault(os.path.realpath(one.file), one)
    return list(found.values())


def left_backups(machine: Machine) -> tuple[list[WrappedEntry], list[WrappedEntry]]:
    """The backups of entries that were unwrapped by hand, and those of files that are gone."""
    unwrapped_by_hand, gone = [], []
    for entry in wrapped_entries():
        if not os.path.lexists(entry.file):
            gone.append(entry)
            continue
        report = read_given(entry.file, hosts().get(entry.host), machine)
        server = _same(report, entry)
        if report.tree is not None and (server is None or not server.entry.proxy):
            unwrapped_by_hand.append(entry)
    return unwrapped_by_hand, gone


def file_changes(
    files: Sequence[FileReport],
    only: ConfiguredServer | None,
    machine: Machine,
    problems: list[str],
) -> list[FileChange]:
    """The changes that unwrap one server, or all in these files; what cannot be is a problem.

    Raises UsageError for the one server.
    """
    changes = []
    for file in files:
        try:
            check_can_write(file.file)
            change = _unwrapped(file, only, machine, problems)
        except (StoreError, CannotWrap) as problem:
            if only is not None:
                raise UsageError(str(problem)) from None
            problems.append(str(problem))
            continue
        if change.entries:
            changes.append(change)
    return changes


def _unwrapped(
    file: FileReport, only: ConfiguredServer | None, machine: Machine, problems: list[str]
) -> FileChange:
    """Unwrap one entry after another: each changes the places of the others."""
    first = data = content_of(file)
    wanted = [only] if only is not None else [one for one in file.servers if one.entry.proxy]
    done = []
    for one in wanted:
        entry = entry_of(one)
        now = _read_again(file, data, machine)
        server = _same(now, entry)
        try:
            if server is None:
                raise CannotWrap(f"{shown(file.file)} cannot be read again")
            text = EntryText(data, now, server)
            data = unwrapped(text, _before(file, entry, machine))
        except CannotWrap as problem:
            if only is not None:
                raise
            problems.append(str(problem))
            continue
        done.append(entry)
    return FileChange(file, first, data, tuple(done))


def _before(file: FileReport, entry: WrappedEntry, machine: Machine) -> EntryText | None:
    """The entry in the backup."""
    data = find_backup(entry)
    if data is None:
        return None
    report = _read_again(file, data, machine)
    server = _same(report, entry)
    return None if server is None else EntryText(data, report, server)


def _read_again(file: FileReport, data: bytes, machine: Machine) -> FileReport:
    """Read other bytes as this file."""
    kind = hosts()[file.id] if file.id else None
    platform, environ = machine.platform, machine.environ
    report = read_file(data, file.file, kind, environ=environ, platform=platform, scope=file.scope)
    return replace(report, root=file.root)


def _same(report: FileReport, entry: WrappedEntry) -> ConfiguredServer | None:
    found = [one for one in report.servers if entry_of(one).key == entry.key]
    return found[-1] if found else None


def person_agrees(verb: str, what: str) -> bool:
    """Ask on the terminal whether a file may be written; False without a person."""
    if not is_person_there():
        print_error(f"no person was there to ask; --yes writes {what}")
        return False
    question = f"Type {verb} to write {what}; anything else writes nothing:"
    try:
        return asyncio.run(typed_answer(question)) == verb
    except OSError as problem:
        if problem.errno not in GONE:
            raise
        return False
