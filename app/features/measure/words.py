"""Measurements of hosts in words: lines for a terminal, and tables in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.text import count, shortened, visible
from ...content.texts.sheet_line import SheetLine
from ...hosts.measured.values import (
    ALONE,
    CAME,
    EARLIER,
    PATIENCE,
    UNASKED,
    WITHOUT_QUESTION,
    CellChange,
    Did,
    MeasuredCell,
    Measurement,
    is_cut,
)
from ...presentation.escapes import markdown_head, markdown_row
from ...presentation.report_pages import ReportRow, ReportSection
from . import whole_words
from .beside_results import without_words, words_beside
from .lasting_words import lasting_rows, mode_name
from .patience_words import cell_words as slow_cell_words

CANARY: Final = "SIGNOFF_CANARY_TOKEN"
"""A variable of the host with the name of a secret."""
_GOT: Final = 90
_WORD: Final = 9
"""Characters of the longest word for a cell."""
_ROLES: Final = {
    Did.RAN: "",
    Did.ASKED: "strong",
    Did.UNRELATED: "warning",
    Did.ONCE: "warning",
    Did.JUDGED: "warning",
    Did.REFUSED: "strong",
    Did.HIDDEN: "dim",
    Did.UNKNOWN: "warning",
}


MEANING: Final = {
    Did.RAN: "the call came to the server without an approval",
    Did.ASKED: "a person was asked, and without an approval the call did not come",
    Did.UNRELATED: "a person was asked, but not for this call: the question named another, or none",
    Did.ONCE: "a person was asked once; after a yes, the call came without a question",
    Did.JUDGED: "the call came without an approval where the host's model allowed it",
    Did.REFUSED: "the call did not come, and no person was asked",
    Did.HIDDEN: "the model was not offered the tool and could not call it",
    Did.UNKNOWN: "proof is missing",
}


BROKE: Final = {
    Did.RAN: "it ran",
    Did.UNRELATED: "the question was about something else",
    Did.ONCE: "one yes let it run",
    Did.JUDGED: "its model let it run",
}
"""How a call ran without an approval of exactly this call."""


_SURFACES: Final = {"screen": "its screen", "acp": "over ACP"}


def surface_words(found: Measurement) -> str:
    """Name the surface that was measured within a sentence, safe to show."""
    return _SURFACES.get(found.surface, visible(found.surface))


def head_line(found: Measurement) -> SheetLine:
    """Host, version, mode, surface, system and date."""
    mode = f" {visible(found.mode)}" if found.mode else ""
    words = f"{visible(found.title)} {visible(found.version)}".rstrip()
    more = f"{mode}, {surface_words(found)}, {visible(found.system)}, {visible(found.date)}"
    return SheetLine(((words, "strong"), (more, "dim")))


def cell_line(cell: MeasuredCell, width: int, beside: str = "") -> SheetLine:
    """One cell: what the host did, the probe, and what its model was given or why.

    `beside` are the host's words before every result, which the line leaves out.
    """
    family, _, name = cell.probe.partition("/")
    is_usual = cell.did is not Did.UNKNOWN and cell.did not in UNASKED
    words = "" if is_usual or cell.why == WITHOUT_QUESTION else visible(cell.why)
    if cell.probe.startswith(PATIENCE):
        words = slow_cell_words(cell) or words
    elif cell.facts:
        words = "; ".join(filter(None, (words, facts_of_cell(cell))))
    if family == "answers" and cell.did in CAME:
        words = got_words(without_words(cell.model_got, beside))
    return SheetLine(
        (
            (f"  {cell.did.value:<{_WORD}} ", _ROLES[cell.did]),
            (f"{_name(family, name):<{width}}  ", ""),
            (words, "dim"),
        )
    )


def facts_of_cell(cell: MeasuredCell) -> str:
    """The facts of a cell, in the words of its family if that has some."""
    words = whole_words.WORDS.get(cell.probe.partition("/")[0], fact_words)
    return words(cell.facts or {})


def fact_words(facts: Mapping[str, JsonValue]) -> str:
    """`calls: 1; answer: {"action": "cancel"}`."""
    shown = (f"{visible(name)}: {_fact(value)}" for name, value in facts.items())
    return "; ".join(shown)


def _fact(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shortened(visible(text), 70)


def _name(family: str, name: str) -> str:
    return "no hints" if family == "hints" and name == "none" else visible(name)


def got_words(value: JsonValue, room: int = _GOT) -> str:
    """What a model was given, as one short line."""
    if isinstance(value, dict) and is_cut(value):
        begins = shortened(visible(str(value.get("begins", ""))), 30)
        size = value.get("characters")
        return f"{size:,} characters: {begins}" if isinstance(size, int) else begins
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shortened(visible(text), room) if text else "nothing"


def measurement_lines(found: Measurement) -> Iterator[SheetLine]:
    """All of a measurement, by family."""
    yield head_line(found)
    beside = words_beside(found.cells)
    for family, cells in families(found.cells):
        yield SheetLine()
        yield SheetLine(((visible(family), "strong"),))
        width = min(max(len(one.probe) for one in cells) - len(family) - 1, 44)
        for same in _together(cells):
            if len(same) > 1:
                words = f"{count(len(same), 'probe')}: {visible(same[0].why)}"
                yield SheetLine(((f"  {same[0].did.value:<{_WORD}} ", "warning"), (words, "")))
            else:
                yield cell_line(same[0], width, beside)
        if family == "answers" and beside:
            words = f"  left out: {got_words(beside)}, which its model is given before the results"
            yield SheetLine(((words, "dim"),))
    yield SheetLine()
    yield from _shown_lines(found.cells)
    for did in Did:
        if any(one.did is did for one in found.cells):
            yield SheetLine(((f"{did.value:<{_WORD}} ", _ROLES[did]), (MEANING[did], "dim")))
    yield from facts_lines(found)
    yield SheetLine(((summary(found), "strong"),))


def _together(cells: Sequence[MeasuredCell]) -> list[list[MeasuredCell]]:
    """Cells one by one, but those without proof for the same reason together."""
    grouped: list[list[MeasuredCell]] = []
    for cell in cells:
        last = grouped[-1][0] if grouped else None
        is_same = last is not None and last.did is cell.did and last.why == cell.why
        if is_same and cell.did is Did.UNKNOWN:
            grouped[-1].append(cell)
        else:
            grouped.append([cell])
    return grouped


def families(cells: Iterable[MeasuredCell]) -> list[tuple[str, list[MeasuredCell]]]:
    """The cells by the first word of their probes, in order."""
    grouped: dict[str, list[MeasuredCell]] = {}
    for cell in cells:
        grouped.setdefault(cell.probe.partition("/")[0], []).append(cell)
    return list(grouped.items())


def _shown_lines(cells: Sequence[MeasuredCell]) -> Iterator[SheetLine]:
    """What the questions showed and what they left out, in a line each."""
    asked = [one for one in cells if one.shown is not None]
    for cell in asked:
        if cell.probe.startswith("shown/") or cell is asked[0]:
            yield SheetLine(((f"the question about {visible(cell.probe)}", "strong"),))
            yield from (SheetLine(((f"  {words}", ""),)) for words in shown_words(cell.shown or {}))
            yield SheetLine()


def shown_words(shown: Mapping[str, JsonValue]) -> list[str]:
    """`shows: name, argument`, `does not show: description`, then further texts."""
    there = [visible(part) for part, value in shown.items() if value is True]
    missing = [visible(part) for part, value in shown.items() if value is False]
    words = []
    if there:
        words.append(f"shows: {', '.join(there)}")
    if missing:
        words.append(f"does not show: {', '.join(missing)}")
    for part, value in shown.items():
        if not isinstance(value, bool) and value not in (None, [], ""):
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            words.append(f"{visible(part)}: {shortened(visible(text), 100)}")
    return words


def facts_lines(found: Measurement) -> Iterator[SheetLine]:
    """What the host declared, gave its server and reached for, and problems."""
    declared = found.declared or {}
    capabilities = declared.get("capabilities")
    if isinstance(capabilities, dict):
        names = ", ".join(sorted(map(visible, capabilities))) or "nothing"
        revision = visible(str(declared.get("protocolVersion", "no revision")))
        yield SheetLine(((f"declares to its servers: {names} ({revision})", ""),))
    if found.variables:
        has = "with" if CANARY in found.variables else "without"
        number = count(len(found.variables), "variable")
        words = f"gives its server {number}, {has} the secret {CANARY}"
        yield SheetLine(((words, ""),))
    if found.isolated is not None:
        yield SheetLine(((isolated_words(found), ""),))
    if found.names is not None:
        words = ", ".join(map(visible, found.names)) or "nothing"
        yield SheetLine(((f"names looked up: {words}", ""),))
    if found.reached is not None:
        words = ", ".join(map(visible, found.reached)) or "nothing"
        yield SheetLine(((f"reached for beyond this machine: {words}", ""),))
    for note in found.notes:
        yield SheetLine(((f"note: {visible(shortened(note, 300))}", "dim"),))
    for problem in found.problems:
        yield SheetLine(((f"problem: {visible(shortened(problem, 300))}", "warning"),))


def isolated_words(found: Measurement) -> str:
    """`isolated: it could reach this machine alone`."""
    if found.isolated:
        return "isolated: it could reach this machine alone"
    return "not isolated: it could reach other machines"


def summary(found: Measurement) -> str:
    """`9 ran, 7 refused, 0 unknown in 1 start`."""
    numbers = {did: sum(cell.did is did for cell in found.cells) for did in Did}
    parts = [f"{number} {did.value}" for did, number in numbers.items() if number]
    return f"{', '.join(parts) or 'no cell'} in {count(found.starts, 'start')}"


def change_lines(before: Measurement, after: Measurement, found: Sequence[CellChange]) -> list[str]:
    """Differences of two measurements, a line each, then the probes that are new."""
    lines = [f"{visible(str(before.key))}  ->  {visible(str(after.key))}"]
    different = [one for one in found if not one.is_new]
    for one in different:
        probe = visible(one.probe)
        if one.before is None or one.after is None:
            lines.append(f"  {probe}: only in the older one")
        elif one.before.did is not one.after.did:
            lines.append(f"  {probe}: {one.before.did.value} -> {one.after.did.value}")
        else:
            old, new = _got_of(before, one.before), _got_of(after, one.after)
            lines.append(f"  {probe}: the model gets {old} -> {new}")
    if not different:
        lines.append("  no difference")
    added = [one for one in found if one.is_new and one.after is not None]
    if added:
        lines.append(f"  new probes: {len(added)}")
        lines += [f"    {visible(one.probe)}: {one.after.did.value}" for one in added if one.after]
    return lines


def _got_of(found: Measurement, cell: MeasuredCell) -> str:
    """What a model was given in a cell, without the words before every result if it has more."""
    rest = without_words(cell.model_got, words_beside(found.cells))
    return got_words(rest or cell.model_got, 50)


def decision_tables(found: Measurement) -> Iterator[ReportSection]:
    """Two tables: what the host did by hints, and what its model was given."""
    for family, title in (("hints", "hints"), ("answers", "response of the tool")):
        beside = words_beside(found.cells)
        rows = tuple(
            ReportRow((cell.probe.partition("/")[2],), ((_cell_words(cell, family, beside),),))
            for cell in found.cells
            if cell.probe.startswith(f"{family}/")
        )
        if rows:
            heads = (title, _column(found))
            yield ReportSection(f"By {title}", heads=heads, rows=rows, is_folded=False)


_OVERVIEW: Final = (
    ("read-only", "hints/readOnly=true"),
    ("additive", "hints/readOnly=false,destructive=false"),
    ("additive, closed", "hints/readOnly=false,destructive=false,openWorld=false"),
    ("destructive", "hints/destructive=true"),
    ("contradictory", "hints/readOnly=true,destructive=true"),
    ("undeclared", "hints/none"),
)
_TEXT: Final = ("text", "text-canary")
_STRUCTURED: Final = ("structured", "structured-canary")
_OVERVIEW_ANSWERS: Final = (
    ("text and structuredContent differ", "answers/both-different", (_TEXT, _STRUCTURED)),
    ("structuredContent alone", "answers/structured", (_STRUCTURED,)),
    ("breaks its schema", "answers/structured-breaks-schema", (_TEXT, ("structured", "seven"))),
    ("isError with a text", "answers/error", (("text", "error-canary"),)),
    ("text and resource", "answers/resource", (_TEXT, ("resource", "resource-canary"))),
    ("link", "answers/link", (("URI", "signoff-probe://"),)),
)
"""A column, its probe, and the parts of the result, each with its canary."""


def overview_markdown(measured: Sequence[Measurement]) -> str:
    """Tables with a row for each measurement: decisions by hints, what the model was given, what
    “always” covers, and the question itself.

    Of modes that give their model the same, the second table has only the first. The last two have
    those that asked.
    """
    titles = [title for title, _ in _OVERVIEW]
    heads = ["host, mode as measured", "version", "surface", *titles, "date"]
    rows = markdown_head(heads)
    for one in measured:
        cells = (one.cell(probe) for _, probe in _OVERVIEW)
        words = ["-" if cell is None else cell.did.value for cell in cells]
        rows.append(markdown_row([mode_name(one), one.version, one.surface, *words, one.date]))
    titles = [title for title, _, _ in _OVERVIEW_ANSWERS]
    heads = ["host", "version", "surface", *titles]
    given = markdown_head(heads)
    seen = set()
    for one in measured:
        found = [_given(one.cell(probe), parts) for _, probe, parts in _OVERVIEW_ANSWERS]
        key = (one.host, *found)
        if key not in seen and set(found) != {"-"}:
            seen.add(key)
            given.append(markdown_row([one.host, one.version, one.surface, *key[1:]]))
    whole = markdown_head(["given of 200,000 characters", "version", *whole_words.HEADS])
    whole += [
        markdown_row([mode_name(one), one.version, *whole_words.row(one)])
        for one in measured
        if whole_words.has_any(one)
    ]
    tables = [rows, given, whole, lasting_rows(measured), _question_rows(measured)]
    return "\n".join("\n".join([*one, ""]) for one in tables if len(one) > 2)


_PARTS: Final = (
    ("name", "shown/short", "name"),
    ("description", "shown/short", "description"),
    ("argument", "shown/short", "argument"),
    ("2,000 characters", "shown/long", "characters of the argument"),
)
_DIALOG: Final = (
    ("Enter held", "dialog/enter-held"),
    ("Enter after 0.05 s", "dialog/enter-early"),
    ("Enter after 1.6 s", "dialog/enter-later"),
    ("resize", "dialog/resize"),
    ("15 s of silence", "dialog/silence"),
    ("two at once", "dialog/two-at-once"),
)


def _question_rows(measured: Sequence[Measurement]) -> list[str]:
    """What a question shows, and what keys, another size and silence do to it."""
    titles = (*(title for title, *_ in _PARTS), *(title for title, _ in _DIALOG))
    heads = ["the question of", "version", "surface", *titles]
    rows = markdown_head(heads)
    for one in measured:
        parts = [_part_words(one.cell(probe), part) for _, probe, part in _PARTS]
        words = [*parts, *(_dialog_words(one.cell(probe)) for _, probe in _DIALOG)]
        if set(words) != {"-"}:
            rows.append(markdown_row([mode_name(one), one.version, one.surface, *words]))
    return rows


def _part_words(cell: MeasuredCell | None, part: str) -> str:
    shown = {} if cell is None or cell.shown is None else cell.shown
    value, earlier = shown.get(part), shown.get(EARLIER)
    before = earlier if isinstance(earlier, list) else ()
    if isinstance(value, bool):
        return "shown" if value else EARLIER if part in before else "no"
    if not isinstance(value, str):
        return "-"
    if shown.get("beginning") is False:
        return EARLIER if "beginning" in before else "no"
    number, _, size = value.partition(" of ")
    if number == size:
        return "all"
    return f"{value}, and the end" if shown.get("end") is True else value


def _dialog_words(cell: MeasuredCell | None) -> str:
    """`approves`, `does not approve`, or what became of the question."""
    if cell is None or not cell.facts:
        return "-"
    facts = cell.facts
    if cell.probe == "dialog/two-at-once":
        if facts.get("questions") != 2:
            return {0: "no question", 1: "one question"}.get(_number(facts, "questions"), "-")
        return "each names its call" if facts.get(ALONE) else "look the same"
    if facts.get("the question opened") is False:
        return "no question"
    if facts.get("the call came") is True:
        return "approves"
    stays = facts.get("the question stays open")
    return "does not approve" if stays is None else "stays open" if stays else "closes"


def _number(facts: Mapping[str, JsonValue], name: str) -> int:
    value = facts.get(name)
    return value if isinstance(value, int) else -1


def _given(cell: MeasuredCell | None, parts: Sequence[tuple[str, str]]) -> str:
    """The parts of a result that its model was given: `text`, `text, structured`, `neither`."""
    if cell is None or cell.did not in CAME:
        return "-"
    text = json.dumps(cell.model_got)
    found = ", ".join(name for name, canary in parts if canary in text)
    return found or ("neither" if len(parts) > 1 else "nothing")


def _column(found: Measurement) -> str:
    return (
        f"{mode_name(found)} {found.version}".rstrip() + f", {surface_words(found)}, {found.date}"
    )


def _cell_words(cell: MeasuredCell, family: str, beside: str) -> str:
    if family == "answers" and cell.did in CAME:
        return got_words(without_words(cell.model_got, beside), 60)
    return cell.did.value
