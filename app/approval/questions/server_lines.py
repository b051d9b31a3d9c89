"""Lines that every request has: the server, the program that runs as it, and the reason.

Also words on the binding of an approval to the program, and on its changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len, chop_cells

from ...content.labels import all_named, fitted_command
from ...content.text import spans, visible
from ...content.texts.sheet_line import GLUE, Piece, SheetLine, labelled
from ..fingerprint import Role, RunFile, ServerFingerprint
from ..grants import Lapsed
from .question_words import ANSWER_TOO, policy_words, shortened
from .questions import Question
from .sheet import Room, has_gaps, pieces_of, quoted

CUT = "  v: all"
"""Behind a row of which the rest is in full view."""


def server_lines(question: Question, room: Room) -> Iterator[SheetLine]:
    """Its name and command, its own name, and the running program.

    Paths of the command are cut in the middle if they would take further rows.
    """
    itself, command = question.server_calls_itself, question.server_command
    own = _dim((("its own name: ", ""), *quoted(itself))) if itself else ()
    if not room.in_full:
        left = room.columns - room.indent - cell_len(question.server_name) - 2
        beside = left - sum(cell_len(text) for text, _ in own) - _BESIDE
        if room.is_roomy:
            left += room.columns - room.indent
        elif own and beside >= _COMMAND_LEAST:
            # Its own name shares the row.
            left = beside
        command = fitted_command(command, left)
    yield labelled(
        "server",
        room.indent,
        *pieces_of(spans(question.server_name), "strong"),
        ("  ", ""),
        *pieces_of(spans(command)),
        (CUT if command != question.server_command else "", "dim"),
        aside=own,
        exact=has_gaps(question.server_name, command),
    )
    runs = question.snapshot.runs
    yield from run_lines(
        runs, room.indent, room.columns, is_roomy=room.is_roomy, whole=room.in_full
    )


def asked_line(question: Question, reasons: Sequence[str], room: Room) -> SheetLine:
    """Give the reason, and the rule."""
    verdict = question.verdict
    later = [ANSWER_TOO] if verdict.reviews_result else []
    words = visible("; ".join([*reasons, *later]))
    policy = policy_words(verdict, is_short=not room.is_roomy)
    if room.is_roomy:
        return labelled("why", room.indent, (words, ""), aside=((policy, "dim"),))
    return labelled("why", room.indent, (words, ""), (f" ({policy.replace(' ', GLUE)})", "dim"))


_COMMAND_LEAST: Final = 24
"""Cells of a command that is cut for a name beside it, at least."""
_BESIDE: Final = 3 + len(CUT)


def _dim(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return tuple((text, role or "dim") for text, role in pieces)


_LABEL, _HEADERS = "program", "headers"
_LEADS, _WITH, _ALL = " → ", " · with ", "  v: all"
_INTERPRETER = f" · {Role.INTERPRETER.value} "
_PATH_LEAST = 8
_NAMES_SHARE = 3
_Part: TypeAlias = Piece
"""Words of Signoff's own, and a path or names that are safe to show."""


def run_lines(
    runs: ServerFingerprint | None, indent: int, columns: int, *, is_roomy: bool, whole: bool
) -> Iterator[SheetLine]:
    """One row, or if there is room one for the files and one for the variables; all if `whole`.

    `/usr/bin/python3 → /usr/bin/python3.11 · script /x/server.py · with API_KEY, REGION`
    """
    if runs is None:
        return
    files, names = _files(runs), [visible(name) for name, _ in runs.values]
    # A server that Signoff does not start has no files, and its values are those of headers.
    label = _LABEL if files else _HEADERS
    room = max(columns - (indent or len(label) + 1), 1)
    given = [(_WITH if files else "", ", ".join(names))] if names else []
    rows = [[*files, *given]]
    if not whole and _cells(rows[0]) > room:
        rows = _cut(files, names, room - len(_ALL), is_split=is_roomy and bool(files and names))
    for number, parts in enumerate(filter(None, rows)):
        pieces = [piece for words, text in parts for piece in ((words, "dim"), (text, ""))]
        yield labelled(
            "" if number else label, indent, *pieces, exact=has_gaps(*(text for _, text in parts))
        )


def not_known_lines(runs: ServerFingerprint | None, indent: int) -> Iterator[SheetLine]:
    """The reason why the running program is unknown, if it is."""
    if runs is not None and runs.problem:
        yield labelled("", indent, ("▲ ", "warning"), (visible(runs.problem), "noticed"))


def _files(runs: ServerFingerprint) -> list[_Part]:
    parts = []
    for file in runs.files:
        is_program = file.role is Role.PROGRAM
        parts.append(("" if is_program else f" · {file.role.value} ", visible(file.path)))
        if is_program and file.real != file.path:
            parts.append((_LEADS, visible(file.real)))
    return parts


def _cut(
    files: list[_Part], names: Sequence[str], room: int, *, is_split: bool
) -> list[list[_Part]]:
    """Files and variables on a row each, or together on one; `v` is named where anything is cut."""
    words = _WITH if files and not is_split else "with " if files else ""
    share = room if is_split or not files else room // _NAMES_SHARE
    given = [(words, _some(names, share - len(words)))] if names else []
    shown = _fitted(files, room if is_split else room - _cells(given))
    is_whole = shown == files and [text for _, text in given] == [", ".join(names)]
    end = [] if is_split and is_whole else [(_ALL, "")]
    return [[*shown, *end], given] if is_split else [[*shown, *given, *end]]


def _fitted(files: list[_Part], room: int) -> list[_Part]:
    """Without where the program leads to, then with the ends of paths only, then with fewer."""
    if _cells(files) <= room:
        return files
    kept = [part for part in files if part[0] != _LEADS]
    if _cells([(words, text[:_PATH_LEAST]) for words, text in kept]) > room:
        kept = [part for part in kept if part[0] != _INTERPRETER]
    lengths = [cell_len(text) for _, text in kept]
    over = _cells(kept) - room
    while over > 0 and max(lengths, default=0) > _PATH_LEAST:
        lengths[lengths.index(max(lengths))] -= 1
        over -= 1
    fitting = zip(kept, lengths, strict=True)
    return [(words, _end_of(text, length)) for (words, text), length in fitting]


def _some(names: Sequence[str], room: int) -> str:
    """The first names, as many as fit, and how many more there are: `API_KEY +2`."""
    for shown in range(len(names), 0, -1):
        rest = f" +{len(names) - shown}" if shown < len(names) else ""
        words = ", ".join(names[:shown]) + rest
        if cell_len(words) <= room:
            return words
    return f"{len(names):,} variable{'' if len(names) == 1 else 's'}"


def _end_of(text: str, cells: int) -> str:
    """The end of a path, which is more telling than its beginning."""
    if cell_len(text) <= cells:
        return text
    kept = chop_cells(text[::-1], max(cells - 1, 1))[0][::-1]
    return f"…{kept}"


def _cells(parts: Sequence[_Part]) -> int:
    return sum(cell_len(words) + cell_len(text) for words, text in parts)


NOT_LOADED = "changes to other files are not detected"
"""Not checked: modules, packages that npx or uvx fetch, files that a program reads."""
_OTHER_TARGET = "the command or the key of its digest changed"
_SHOWN_DIGITS = 8
_NAME_SHOWN = 60
_NAMED_MAX = 5


def changed_words(before: ServerFingerprint | None, now: ServerFingerprint | None) -> str:
    """Name the changes: `the program /usr/bin/python3 changed`. Safe to show."""
    return (
        " and ".join(_changes(before or ServerFingerprint(), now or ServerFingerprint()))
        or "what runs changed"
    )


def lapsed_words(lapsed: Lapsed, now: ServerFingerprint | None) -> str:
    """The reason why approval is needed again, in words for a verdict."""
    if now is not None and now.problem:
        return f"{now.problem}, so no remembered approval counts"
    changed = changed_words(lapsed.runs, now)
    if lapsed.was_remembered:
        return f"your remembered approval does not count: {changed} since you gave it"
    return f"{changed} since you approved it last"


def covered_words(runs: ServerFingerprint | None) -> str:
    """Name the binding of an approval besides command, tool and definition; empty: none.

    `as it runs now: python3 1a2b3c4d, server.py 9f8e7d6c; changes to other
    files are not detected`
    """
    if runs is None:
        return ""
    covered = [f"{_base(file.path)} {digest_words(file)}" for file in runs.files]
    if runs.values:
        covered.append(values_words([name for name, _ in runs.values], most=2))
    if not runs.files and (runs.target or not covered):
        covered.insert(0, "its whole URL")
    if not runs.files:
        return " and ".join(covered)
    return f"as it runs now: {', '.join(covered)}; {NOT_LOADED}"


def bound_lines(runs: ServerFingerprint | None) -> Iterator[tuple[str, str]]:
    """List the whole binding of an approval: labels and words that are safe to show."""
    if runs is None:
        return
    for file in runs.files:
        yield file.role.value, f"{place_words(file)}, {digest_words(file, whole=True)}"
    if runs.values:
        label = "variables" if runs.files else "headers"
        yield label, values_words([name for name, _ in runs.values])


def place_words(file: RunFile) -> str:
    """`/usr/bin/python3 → /usr/bin/python3.11`: the path as found, and the target of its links."""
    return visible(file.path if file.real == file.path else f"{file.path} → {file.real}")


def digest_words(file: RunFile, *, whole: bool = False) -> str:
    """`1a2b3c4d`, or `by size and time` where the content was not looked at."""
    if file.sha256 is None:
        return f"{file.size:,} bytes, by size and time" if whole else "(size and time)"
    return f"sha256 {file.sha256[:16]}" if whole else file.sha256[:_SHOWN_DIGITS]


def _changes(before: ServerFingerprint, now: ServerFingerprint) -> Iterator[str]:
    if problem := now.problem or before.problem:
        yield problem
        return
    old = {file.role: file for file in before.files}
    new = {file.role: file for file in now.files}
    for role in Role:
        if role in old and role in new:
            yield from _file_changes(old[role], new[role])
        elif role in old or role in new:
            verb = "is there" if role in new else "is gone"
            yield f"the {role.value} {visible((new.get(role) or old[role]).path)} {verb}"
    if before.target != now.target:
        # With another key nothing is known of the values.
        is_url = not (old or new)
        yield "the query or the credentials of its URL changed" if is_url else _OTHER_TARGET
    else:
        known, given = dict(before.values), dict(now.values)
        names = sorted(
            name for name in known.keys() | given.keys() if known.get(name) != given.get(name)
        )
        if names:
            yield f"{values_words(names, _NAMED_MAX)} changed"


def _file_changes(old: RunFile, new: RunFile) -> Iterator[str]:
    what = f"the {new.role.value} {visible(new.path)}"
    if old.path != new.path:
        yield f"another {new.role.value} runs, {visible(new.path)},"
    elif old.real != new.real:
        yield f"{what} leads to another file"
    elif old != new:
        yield f"{what} changed"


def values_words(names: Sequence[str], most: int | None = None) -> str:
    """Safe to show: `the value of API_KEY`, `the values of API_KEY and REGION`.

    More than `most` are counted: `the values of 7 variables`.
    """
    shown = [shortened(visible(name), _NAME_SHOWN) for name in names]
    if most is not None and len(shown) > most:
        return f"the values of {len(shown):,} variables"
    if len(shown) == 1:
        return f"the value of {shown[0]}"
    return f"the values of {all_named(shown)}"


def _base(path: str) -> str:
    return shortened(visible(path.rpartition("/")[2] or path), _NAME_SHOWN)
