"""One entry of a host's file with `signoff proxy` before its command or URL, and without it again.

Each result is read again: it differs from the file in this entry alone, or there is none. Of an
entry with a command nothing but its command and arguments changes; one with a URL is written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ...content.files.tree import Tree
from ...content.frozen import frozen
from ...content.text import visible
from ..files.documents import read_document
from ..files.problems import named
from ..files.reading import format_as_read
from ..files.servers import ConfiguredServer, FileReport, ServerEntry
from ..table import hosts
from .editing import (
    TextEdit,
    add_behind,
    apply_edits,
    list_literal,
    literal,
    put_first,
    take_first,
    take_out,
)
from .layout import CannotEdit, EntryLayout, Range, layout_of
from .region import EntryRegion, region_of
from .remote import direct_values, proxied_values, url_problem

ARGS: Final = "args"
BY_HAND: Final = "has a form that Signoff does not edit; change it by hand"
_BOM: Final = b"\xef\xbb\xbf"
_ABSENT: Final[Any] = object()
"""The value of a key that is not there."""


class CannotWrap(Exception):
    """The entry is not wrapped or unwrapped; the message is safe to show, and has the advice."""


@frozen
class EntryText:
    """The bytes of a file, and one entry in it."""

    data: bytes
    file: FileReport
    server: ConfiguredServer


@frozen
class _Written:
    """The command and the arguments of an entry, and where they are written."""

    key: str
    """The key of the command."""
    command: Any
    args: Any
    """The plain value of the arguments; `_ABSENT` without any."""
    layout: EntryLayout

    def raw(self, name: str, item: int | None = None) -> list[str]:
        """How a value is written: one way, or none that is known."""
        member = self.layout.members.get(name)
        if member is None or (member.is_block and item is None):
            return []
        found: Range = (member.start, member.end) if item is None else member.items[item]
        return [self.layout.raw(found)]


def check_can_wrap(one: EntryText) -> None:
    """Return if the entry can be wrapped. Raises CannotWrap."""
    server, entry = one.server, one.server.entry
    if entry.proxy:
        back = f"signoff servers unwrap {server.host} {named(server.name)}"
        raise CannotWrap(_said(server, f"is wrapped already; take it back first: {back}"))
    _check_place(one)
    if has_url(server):
        if problem := url_problem(entry):
            raise CannotWrap(_said(server, problem))
    elif server.command is None or server.transport != "stdio":
        raise CannotWrap(_said(server, f"has no command: {server.reason or server.transport}"))
    elif not entry.is_whole_command:
        why = "has a line for a shell as its command; make a shell the program, with -c"
        raise CannotWrap(_said(server, why))
    if not server.is_effective:
        title = hosts()[server.host].title
        why = f"is not loaded by {title}; signoff servers --check has the reason"
        raise CannotWrap(_said(server, why))


def has_url(server: ConfiguredServer) -> bool:
    """True for a server that is reached at a URL."""
    return server.url is not None or server.transport in ("http", "sse")


def _check_place(one: EntryText) -> None:
    server, entry = one.server, one.server.entry
    if server.host == "signoff":
        raise CannotWrap(_said(server, "is in Signoff's own file; Signoff asks by itself"))
    if server.scope == "managed":
        why = "is in a file that an administrator manages; ask there"
        raise CannotWrap(_said(server, why))
    if server.scope == "plugin":
        why = "belongs to a plugin, whose file an update replaces; add it to a file of your own"
        raise CannotWrap(_said(server, why))
    if entry.is_derived or entry.host.described or one.file.tree is None:
        raise CannotWrap(_said(server, "is in a description of a server, which no host runs"))
    if any(each.code == "duplicate-key" for each in server.problems):
        raise CannotWrap(_said(server, "is given twice, or has a key twice; remove one"))


def wrapped(one: EntryText, proxy: Sequence[str]) -> bytes:
    """The file with these words before the command or the URL. Raises CannotWrap.

    Before a command they end in `--`. The command moves as it is written, if it can.
    """
    check_can_wrap(one)
    try:
        if has_url(one.server):
            values = proxied_values(one.server.entry, proxy)
            return _with_entry(one, values, [_region(one).with_values(values)])
        return _made(one, _Wrapping(one, proxy).ways())
    except CannotEdit:
        raise CannotWrap(_said(one.server, BY_HAND)) from None


def unwrapped(one: EntryText, before: EntryText | None) -> bytes:
    """The file with the real command in its place. Raises CannotWrap.

    `before` is the file before it was wrapped: if that gives the file as it is now, it comes back
    to the byte; else the form of its entry does.
    """
    server = one.server
    if not server.entry.proxy:
        raise CannotWrap(_said(server, "is not wrapped"))
    if before is not None:
        try:
            if wrapped(before, server.entry.proxy) == one.data:
                return before.data
        except CannotWrap:
            before = None
    try:
        if server.entry.relayed:
            return _with_url(one, before)
        return _made(one, _Unwrapping(one, before).ways())
    except CannotEdit:
        raise CannotWrap(_said(server, BY_HAND)) from None


@frozen
class _TextWay:
    """One way to edit a text, and the values that have to come out."""

    edits: tuple[TextEdit, ...]
    command: Any
    args: Any


class _Wrapping:
    def __init__(self, one: EntryText, proxy: Sequence[str]) -> None:
        self.now = _written(one)
        self.entry = one.server.entry
        self.proxy = list(proxy)

    def ways(self) -> list[_TextWay]:
        now, proxy = self.now, self.proxy
        member = now.layout.members[now.key]
        if isinstance(now.command, list):
            edit = put_first(now.layout, member, list(map(literal, proxy)))
            return [_TextWay((edit,), [*proxy, *now.command], now.args)]
        count = len(now.args) if isinstance(now.args, list) else 0
        words = self.entry.words
        own = words[: len(words) - count]
        quoted = [list(map(literal, own))]
        spellings = [now.raw(now.key), *quoted] if own == [now.command] else quoted
        first = TextEdit(member.start, member.end, literal(proxy[0]))
        args = [*proxy[1:], *own, *(now.args or [] if count else [])]
        return [
            _TextWay((first, self._args([*map(literal, proxy[1:]), *one])), proxy[0], args)
            for one in spellings
        ]

    def _args(self, values: list[str]) -> TextEdit:
        now = self.now
        member = now.layout.members.get(ARGS)
        if member is None:
            command = now.layout.members[now.key]
            return add_behind(now.layout, command, ARGS, list_literal(values))
        if now.args is None:
            return TextEdit(member.start, member.end, list_literal(values))
        if isinstance(now.args, list):
            return put_first(now.layout, member, values)
        raise CannotEdit


class _Unwrapping:
    def __init__(self, one: EntryText, before: EntryText | None) -> None:
        self.now = _written(one)
        self.count = len(one.server.entry.proxy)
        is_same = before is not None and before.server.entry.words == one.server.entry.words
        self.before = _written(before) if before is not None and is_same else None

    def ways(self) -> list[_TextWay]:
        now, count = self.now, self.count
        member = now.layout.members[now.key]
        if isinstance(now.command, list):
            edit = take_first(now.layout, member, count)
            return [_TextWay((edit,), now.command[count:], now.args)]
        if not isinstance(now.args, list) or len(now.args) < count:
            raise CannotEdit
        command, args = now.args[count - 1], now.args[count:]
        spellings = [*now.raw(ARGS, count - 1), literal(str(command))]
        before = self.before
        if before is not None and isinstance(before.command, str):
            command, args = before.command, before.args
            spellings = [*before.raw(before.key), literal(command)]
        edit = self._args(args)
        return [
            _TextWay((TextEdit(member.start, member.end, one), edit), command, args)
            for one in spellings
        ]

    def _args(self, wanted: Any) -> TextEdit:
        now, member = self.now, self.now.layout.members[ARGS]
        if wanted is _ABSENT:
            return take_out(now.layout, member)
        if wanted is None:
            return TextEdit(member.start, member.end, "null")
        count = len(now.args) - len(wanted)
        if now.args[count:] != wanted:
            raise CannotEdit
        return take_first(now.layout, member, count)


def _written(one: EntryText) -> _Written:
    """The written command and arguments of an entry. Raises CannotEdit."""
    assert one.file.tree is not None
    holder, key = _holder(one.server.entry)
    format = format_as_read(one.file)
    layout = layout_of(_text(one.data), format, one.file.tree, holder, (key, ARGS))
    command, args = holder.members.get(key), holder.members.get(ARGS)
    if command is None:
        raise CannotEdit
    has_other = any(not isinstance(each.value, str) for each in command.items)
    is_text = isinstance(command.value, (str, list)) and not has_other
    is_list = args is None or args.value is None or isinstance(args.value, list)
    if not (is_text and is_list):
        raise CannotEdit
    return _Written(key, command.plain(), _ABSENT if args is None else args.plain(), layout)


def _holder(entry: ServerEntry) -> tuple[Tree, str]:
    """The table with the command and its arguments, and the key of the command."""
    members = entry.tree.members
    key = next((one for one in (entry.host.command_key, "command", "cmd") if one in members), "")
    inner = members.get(key)
    if inner is not None and entry.host.id == "zed" and "path" in inner.members:
        # The oldest form of Zed.
        if ARGS in members and ARGS not in inner.members:
            raise CannotEdit
        return inner, "path"
    return entry.tree, key


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig")


def _made(one: EntryText, ways: Sequence[_TextWay]) -> bytes:
    """The first way whose result has the wanted values, and no other change."""
    wanted = [((each.edits), _expected(one, each)) for each in ways]
    return _first_right(one, wanted)


def _first_right(one: EntryText, ways: Iterable[tuple[Sequence[TextEdit], Any]]) -> bytes:
    """The first edits whose result has the values beside them."""
    format = format_as_read(one.file)
    text = _text(one.data)
    bom = _BOM if one.data.startswith(_BOM) else b""
    before = read_document(one.data, format)
    for edits, expected in ways:
        try:
            data = bom + apply_edits(text, edits).encode()
        except UnicodeEncodeError:
            continue
        after = read_document(data, format)
        if after.tree is None or after.is_refused > before.is_refused:
            continue
        if _canonical(after.tree.plain()) == _canonical(expected):
            return data
    raise CannotEdit


def _expected(one: EntryText, way: _TextWay) -> Any:
    """The values of the whole file after the change of this entry."""
    holder, key = _holder(one.server.entry)
    found = {name: each.plain() for name, each in holder.members.items() if name != ARGS}
    found[key] = way.command
    return _whole_with(one, holder, found if way.args is _ABSENT else found | {ARGS: way.args})


def _with_url(one: EntryText, before: EntryText | None) -> bytes:
    """The entry with its URL again, as the backup has it if that has the same values."""
    values = direct_values(one.server.entry, before.server.entry if before is not None else None)
    region = _region(one)
    edits = [region.with_values(values)]
    if before is not None and format_as_read(before.file) == format_as_read(one.file):
        edits.insert(0, region.with_text(_region(before).raw))
    return _with_entry(one, values, edits)


def _with_entry(one: EntryText, values: Any, edits: Sequence[TextEdit]) -> bytes:
    expected = _whole_with(one, one.server.entry.tree, values)
    return _first_right(one, [((each,), expected) for each in edits])


def _region(one: EntryText) -> EntryRegion:
    assert one.file.tree is not None
    return region_of(
        _text(one.data), format_as_read(one.file), one.file.tree, one.server.entry.tree
    )


def _whole_with(one: EntryText, changed: Tree, values: Any) -> Any:
    """The values of the whole file, with those of one table changed."""

    def plain(tree: Tree) -> Any:
        if tree is changed:
            return values
        if isinstance(tree.value, dict):
            return {name: plain(each) for name, each in tree.members.items()}
        return list(map(plain, tree.items)) if isinstance(tree.value, list) else tree.value

    assert one.file.tree is not None
    return plain(one.file.tree)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def _said(server: ConfiguredServer, why: str) -> str:
    return f"{named(server.name)} ({visible(server.file)}:{server.spot.line}) {why}"
