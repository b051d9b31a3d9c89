"""All measurements as one HTML page that can be put online: decisions, proofs, how to repeat them.

No script, nothing fetched, light and dark. Each cell has a place of its own on the page, its id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...approval.policies.policy import Policy
from ...content import html
from ...content.json.jsonio import JsonValue
from ...content.text import count
from ...hosts.folders import in_order
from ...hosts.measured.records import Compared, MeasuredMode, by_age
from ...hosts.measured.values import CAME, UNASKED, Did, HostKey, MeasuredCell, Measurement
from ...presentation.pages import CAUTION
from .conclusion import conclusion
from .drivers import Driver
from .probes.probes import FAMILIES, HINTS
from .repeating import repeat_lines
from .words import MEANING, facts_of_cell, families, shown_words

_STYLE: Final = Path(__file__).with_suffix(".css")
_ROLES: Final = {
    **dict.fromkeys(UNASKED, "loose"),
    Did.RAN: "run",
    Did.ASKED: "ask",
    Did.REFUSED: "refused",
    Did.HIDDEN: "hidden",
    Did.UNKNOWN: "unknown",
}
_TITLE: Final = "MCP hosts, measured"
_CONFLICT: Final = "‡"


def hosts_page(
    hosts: Sequence[Policy],
    every: Sequence[Measurement],
    newest: Sequence[MeasuredMode],
    drivers: Mapping[str, Driver],
) -> str:
    """The whole page: every measurement, the newest ones beside their rules."""
    compared = {one.measurement.key: one for one in newest}
    ordered = sorted(_by_key(every), key=by_age, reverse=True)
    names = in_order(one.host for one in ordered)
    by_name = {one.name.partition(":")[0]: one for one in hosts}
    page = _Page(by_name, compared, drivers)
    body = page.body({name: [one for one in ordered if one.host == name] for name in names})
    return html.page(_TITLE, _STYLE.read_text(encoding="utf-8"), body)


def _by_key(every: Iterable[Measurement]) -> Iterator[Measurement]:
    """One measurement for each key, with the slow calls of a record of their own.

    One of the person's, which comes later, counts in place of one of Signoff's of the same version.
    """
    slow = {one.key: one for one in every if one.has_only_slow_calls}
    last = {**slow, **{one.key: one for one in every if not one.has_only_slow_calls}}
    for key, one in last.items():
        known = {cell.probe for cell in one.cells}
        more = slow[key].cells if key in slow else ()
        yield replace(one, cells=(*one.cells, *(c for c in more if c.probe not in known)))


class _Page:
    def __init__(
        self,
        hosts: Mapping[str, Policy],
        compared: Mapping[HostKey, MeasuredMode],
        drivers: Mapping[str, Driver],
    ) -> None:
        self._hosts = hosts
        self._compared = compared
        self._drivers = drivers

    def body(self, found: Mapping[str, Sequence[Measurement]]) -> Iterator[str]:
        """Everything on the page."""
        cells = sum(len(one.cells) for each in found.values() for one in each)
        total = sum(map(len, found.values()))
        yield html.element("h1", html.text(_TITLE))
        yield html.paragraph(
            f"{count(len(found), 'host')}, {count(total, 'measurement')}, {count(cells, 'cell')}: "
            "a scripted model called the tools of a probe server through each host, and the log "
            "of that server decides what ran."
        )
        yield html.paragraph(
            "Everything here holds for one version, mode and surface on one day. Each word leads "
            "to its proof, and each measurement has the commands that repeat it."
        )
        yield '<ul class="legend">'
        for did, meaning in MEANING.items():
            yield html.element("li", f"{html.word(did.value, _ROLES[did])} {html.text(meaning)}")
        words = f"{_CONFLICT} the rules that were read give another decision"
        yield f"{html.element('li', html.text(words))}</ul>"
        yield from self._contents(found)
        for name, measured in found.items():
            yield from self._host(name, measured)

    def _contents(self, found: Mapping[str, Sequence[Measurement]]) -> Iterator[str]:
        rows = []
        for measured in found.values():
            for one in measured:
                link = html.element("a", html.text(_name(one)), href=f"#{html.anchor(_place(one))}")
                words = map(html.text, (one.version, one.surface, one.date))
                rows.append(html.row((_numbers(one), *words), heading=link))
        headings = ("host and mode", "by hints", "version", "surface", "date")
        yield html.table(headings, rows, role="contents", is_wide=True)

    def _host(self, name: str, measured: Sequence[Measurement]) -> Iterator[str]:
        host = self._hosts.get(name)
        title = host.title if host is not None and host.title else measured[0].title
        title = title if ":" not in (host.name if host else "") else measured[0].title
        heading = f"{html.text(title)} {html.element('small', html.text(name), role='dim')}"
        yield html.element("h2", heading, id=html.anchor(name))
        if host is None:
            yield html.paragraph("No rules of this host were read.", "dim")
        else:
            read = f"{host.basis or 'read'} on {host.date}" if host.date else "date unknown"
            whose = ("yours",) if host.is_own else ()
            parts = (*whose, host.source_file, host.source, host.version, read)
            yield html.paragraph(f"Rules: {', '.join(filter(None, parts))}. {host.summary}")
            yield html.paragraph(CAUTION, "dim")
        for one in measured:
            yield from self._measurement(one)

    def _measurement(self, found: Measurement) -> Iterator[str]:
        place = _place(found)
        yield html.element("h3", html.text(place), id=html.anchor(place))
        yield html.paragraph(conclusion(found))
        newest = self._compared.get(found.key)
        if newest is None:
            yield html.paragraph("A newer version of this mode was measured.", "dim")
        yield html.facts(_facts(found, newest))
        for conflict in newest.conflicts if newest else ():
            yield html.element("p", _conflict(found, conflict), role="caution")
        conflicts = {one.cell.probe for one in newest.conflicts} if newest else set[str]()
        for family, cells in families(found.cells):
            meaning = FAMILIES.get(family, "")
            yield html.element("h4", html.text(f"{family}: {meaning}" if meaning else family))
            if family == "hints":
                yield _hints(found, cells, conflicts)
            yield from (_cell(found, cell, cell.probe in conflicts) for cell in cells)
        yield html.element("h4", "How to repeat it in three minutes")
        lines = repeat_lines(found, self._drivers.get(found.host))
        yield html.quote("\n".join(lines))


def _name(found: Measurement) -> str:
    return f"{found.host}:{found.mode}" if found.mode else found.host


def _place(found: Measurement) -> str:
    return f"{found.host}@{found.version}:{found.mode}/{found.surface}"


def _numbers(found: Measurement) -> str:
    """Words of decisions with their numbers, as HTML."""
    cells = [one for one in found.cells if one.probe.startswith("hints/")]
    numbers = {did: sum(one.did is did for one in cells) for did in Did}
    words = (html.word(f"{n} {did.value}", _ROLES[did]) for did, n in numbers.items() if n)
    return " ".join(words)


def _facts(found: Measurement, newest: MeasuredMode | None) -> Iterator[tuple[str, str]]:
    yield "date", found.date
    yield "system", found.system
    yield "measured by", f"Signoff {found.signoff}" if found.signoff else "not known"
    if found.starts:
        yield "starts", str(found.starts)
    if newest is not None and newest.policy is not None:
        number = count(len(newest.conflicts), "conflict") if newest.conflicts else "no conflict"
        yield "rules", f"{newest.policy.name}: {number}"
    declared = found.declared or {}
    if declared:
        capabilities = declared.get("capabilities")
        names = ", ".join(sorted(capabilities)) if isinstance(capabilities, dict) else ""
        revision = str(declared.get("protocolVersion", "no revision"))
        yield "declares to servers", f"{names or 'nothing'} ({revision})"
    if found.variables:
        yield "variables of a server", ", ".join(found.variables)
    if found.reached is not None:
        yield "reached beyond this machine", ", ".join(found.reached) or "nothing"
    if found.isolated is not None:
        yield "network", "this machine alone" if found.isolated else "not isolated"
    if found.names is not None:
        yield "names that it asked for", ", ".join(found.names) or "none"
    for note in found.notes:
        yield "note", note
    for problem in found.problems:
        yield "problem", problem


def _link(found: Measurement, cell: MeasuredCell, words: str, role: str) -> str:
    place = f"#{html.anchor(found.cell_id(cell))}"
    return html.element("a", html.text(words), role=role, href=place)


def _conflict(found: Measurement, one: Compared) -> str:
    link = _link(found, one.cell, one.cell.probe, "")
    words = f": measured {one.cell.did.value}, by the rules {one.verdict.words}"
    return f"{_CONFLICT} {link}{html.text(words)}"


def _hints(found: Measurement, cells: Sequence[MeasuredCell], conflicts: set[str]) -> str:
    """The decision for each combination of hints."""
    rows = []
    for cell in cells:
        claims = (html.text(_claim(cell.hints.get(name))) for name in HINTS)
        sign = f" {_CONFLICT}" if cell.probe in conflicts else ""
        word = _link(found, cell, f"{cell.did.value}{sign}", f"word {_ROLES[cell.did]}")
        rows.append(html.row(claims, heading=word))
    names = (name.removesuffix("Hint") for name in HINTS)
    return html.table(("decision", *map(html.text, names)), rows, role="hints", is_wide=True)


def _claim(value: JsonValue) -> str:
    return "–" if value is None else json.dumps(value)


def _cell(found: Measurement, cell: MeasuredCell, is_conflict: bool) -> str:
    """A decision, opening on its proof."""
    name = found.cell_id(cell)
    sign = f" {_CONFLICT}" if is_conflict else ""
    summary = f"{html.word(cell.did.value + sign, _ROLES[cell.did])} {html.text(cell.probe)}"
    return html.details(summary, _proof(cell, name))


def _proof(cell: MeasuredCell, name: str) -> Iterator[str]:
    # The id is inside: a browser that goes to it opens what it is in.
    yield html.element("p", html.code(name), id=html.anchor(name))
    yield html.paragraph(f"proof: {cell.why or 'none'}")
    hints = ", ".join(f"{key}: {json.dumps(value)}" for key, value in cell.hints.items())
    offered = "offered to the model" if cell.was_offered else "not offered to the model"
    yield html.paragraph(f"hints: {hints or 'none'}; {offered}", "dim")
    for words in shown_words(cell.shown) if cell.shown is not None else ():
        yield html.paragraph(f"the question {words}")
    if cell.facts:
        yield html.paragraph(f"seen: {facts_of_cell(cell)}")
    if cell.model_got is not None or cell.did in CAME:
        yield from _given("the model was given:", cell.model_got)
    if cell.when_denied is not None:
        yield from _given("after a denial the model was given:", cell.when_denied)
    if cell.screen:
        yield html.paragraph("the screen, or the end of the output:")
        yield html.quote(cell.screen)


def _given(words: str, value: JsonValue) -> Iterable[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (html.paragraph(words), html.quote(text or "nothing"))
