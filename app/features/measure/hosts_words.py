"""Hosts in words: their rules, their measurements, and conflicts of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import KnownBy
from ...content.text import count, shortened, visible
from ...content.texts.sheet_line import SheetLine
from ...hosts.folders import FACTS, own_fact
from ...hosts.measured.needs import needs_of
from ...hosts.measured.patience import Patience
from ...hosts.measured.records import Compared, MeasuredMode
from ...hosts.measured.values import PATIENCE, Did
from .lasting_words import lasting_lines
from .patience_words import slow_words
from .words import facts_of_cell, shown_words, surface_words

_NAME: Final = 17


def hosts_lines(hosts: Sequence[Policy], measured: Sequence[MeasuredMode]) -> Iterator[SheetLine]:
    """One row for each host, then what the columns mean."""
    yield SheetLine(((f"{'host':<{_NAME}} {'rules dated':<24} newest measurement", "dim"),))
    names = dict.fromkeys((*(one.name for one in hosts), *_measured_names(measured)))
    by_name = {one.name: one for one in hosts}
    for name in names:
        host = by_name.get(name)
        own = [one for one in measured if one.measurement.host == name]
        read = _read_words(host) if host is not None else "no rules"
        read += " (yours)" if own_parts(name, host) else ""
        yield SheetLine(
            (
                (f"{visible(name):<{_NAME}} ", "strong"),
                (f"{read:<24} ", ""),
                *_measured_words(name, own),
            )
        )
    yield SheetLine()
    yield SheetLine((("signoff hosts NAME shows its modes and every measured cell.", "dim"),))


def own_parts(name: str, host: Policy | None) -> list[str]:
    """The files of the person's about a host: `rules.toml`, or `NAME.toml`."""
    single = [f"{name}.toml"] if host is not None and host.is_own else []
    found = [fact for fact in FACTS if own_fact(name, fact) is not None]
    return found if "rules.toml" in found else [*single, *found]


def _measured_names(measured: Sequence[MeasuredMode]) -> Iterator[str]:
    yield from (one.measurement.host for one in measured)


def _read_words(host: Policy) -> str:
    dates = [str(one.date) for one in host.variants if one.date is not None]
    return max(dates, default="date unknown")


def _unmeasured_words(name: str) -> str:
    needs = needs_of(name)
    return f"not measured: needs {needs}" if needs else "not measured"


def _measured_words(name: str, own: Sequence[MeasuredMode]) -> Iterator[tuple[str, str]]:
    if not own:
        yield _unmeasured_words(name), "dim"
        return
    newest = max(own, key=lambda one: one.measurement.date).measurement
    modes = count(len({one.measurement.mode for one in own}), "mode")
    records = f"{count(len(own), 'measurement')} of {modes}"
    parts = (visible(newest.date), visible(newest.version), records)
    yield ", ".join(part for part in parts if part), ""
    conflicts = sum(len(one.conflicts) for one in own)
    if conflicts:
        yield f", {count(conflicts, 'conflict')} with its rules", "warning"


def host_lines(
    name: str,
    host: Policy | None,
    measured: Sequence[MeasuredMode],
    slow: Sequence[Patience] = (),
) -> Iterator[SheetLine]:
    """All that is known of one host."""
    records = (*(one.measurement for one in measured), *(one.measurement for one in slow))
    title = host.title if host is not None else records[0].title
    yield SheetLine(((f"{visible(title)} ({visible(name)})", "strong"),))
    if parts := own_parts(name.partition(":")[0], host):
        yield SheetLine(((f"yours: {', '.join(map(visible, parts))}", ""),))
    if host is not None:
        yield from _model_lines(host)
    if not measured:
        yield SheetLine()
        yield SheetLine(((_unmeasured_words(name), "dim"),))
    for one in measured:
        yield SheetLine()
        yield from _mode_lines(one)
    for waited in slow:
        yield SheetLine()
        yield from _patience_lines(waited)


def _model_lines(host: Policy) -> Iterator[SheetLine]:
    for mode in host.variants:
        basis = f"{mode.basis or 'known'} on {mode.date}" if mode.date else "date unknown"
        where = ", ".join(part for part in (mode.source_file, mode.version, basis) if part)
        yield SheetLine()
        yield SheetLine(((f"rules {visible(mode.name)}", "strong"), (f"  {visible(where)}", "dim")))
        yield SheetLine(((f"  {visible(mode.summary)}", ""),))


def _mode_lines(one: MeasuredMode) -> Iterator[SheetLine]:
    found = one.measurement
    head = ", ".join(part for part in (visible(found.mode), surface_words(found)) if part)
    parts = (visible(found.version), visible(found.system), visible(found.date))
    more = f"  {', '.join(part for part in parts if part)}"
    yield SheetLine(((f"measured {head}", "strong"), (more, "dim")))
    for note in found.notes:
        yield SheetLine(((f"  note: {visible(shortened(note, 300))}", "dim"),))
    numbers = Counter(cell.did for cell in found.cells if cell.probe.startswith("hints/"))
    words = ", ".join(f"{numbers[did]} {did.value}" for did in Did if numbers[did])
    yield SheetLine(((f"  by hints: {words or 'nothing'}", ""),))
    for did in Did:
        same = [_hint_words(c.probe) for c in found.cells if _is_hint(c.probe, c.did, did)]
        if same and len(same) < numbers.total():
            yield SheetLine(((f"    {did.value}: {visible('; '.join(same))}", "dim"),))
    if one.policy is None:
        yield SheetLine((("  no rules for this mode", "dim"),))
    elif one.conflicts:
        for conflict in one.conflicts:
            yield SheetLine(((f"  {conflict_words(conflict)}", "warning"),))
    elif all(each.known_by is KnownBy.MEASURED for each in one.compared):
        yield SheetLine(((f"  the rules of {visible(one.policy.name)} leave it open", "dim"),))
    else:
        yield SheetLine(((f"  as the rules of {visible(one.policy.name)}", "dim"),))
    for words in lasting_lines(found):
        yield SheetLine(((f"  {words}", ""),))
    for cell in found.cells:
        if cell.probe.startswith("shown/") and cell.shown:
            for line in shown_words(cell.shown)[:2]:
                yield SheetLine(((f"  {visible(cell.probe)} {line}", ""),))
        if cell.facts and not cell.probe.startswith(("remembered/", PATIENCE)):
            yield SheetLine(((f"  {visible(cell.probe)}: {facts_of_cell(cell)}", ""),))


def _patience_lines(found: Patience) -> Iterator[SheetLine]:
    """How long one host waits, conditions with the same outcome in one line."""
    measured = found.measurement
    head = ", ".join(part for part in (visible(measured.mode), surface_words(measured)) if part)
    more = f"  {visible(measured.version)}, {visible(measured.system)}, {visible(measured.date)}"
    yield SheetLine(((f"slow calls {head}", "strong"), (more, "dim")))
    for note in measured.notes:
        yield SheetLine(((f"  note: {visible(shortened(note, 300))}", "dim"),))
    grouped: dict[str, list[str]] = {}
    for name, call in found.calls.items():
        grouped.setdefault(slow_words(call), []).append(visible(name))
    for words, names in grouped.items():
        yield SheetLine(((f"  {', '.join(names)}: {words}", ""),))


def _hint_words(probe: str) -> str:
    hints = probe.partition("/")[2]
    return "no hint" if hints == "none" else hints


def _is_hint(probe: str, seen: Did, did: Did) -> bool:
    return probe.startswith("hints/") and seen is did


def conflict_words(one: Compared) -> str:
    """`‡ readOnly=true: measured ran, by its rules ask`."""
    hints = _hint_words(one.cell.probe)
    return f"‡ {visible(hints)}: measured {one.cell.did.value}, by its rules {one.verdict.words}"


def hosts_json(
    hosts: Sequence[Policy], measured: Sequence[MeasuredMode], slow: Sequence[Patience] = ()
) -> dict[str, Any]:
    """The same as JSON, with every measured cell."""
    return {
        "models": [
            {
                "name": mode.name,
                "yours": mode.is_own,
                "title": mode.title,
                "summary": mode.summary,
                "basis": mode.basis.value if mode.basis is not None else None,
                "source": mode.source or None,
                "source_file": mode.source_file or None,
                "version": mode.version or None,
                "date": str(mode.date) if mode.date else None,
            }
            for host in hosts
            for mode in host.variants
        ],
        "measurements": [
            {
                **one.measurement.with_ids(),
                "conflicts": [
                    {
                        "probe": each.cell.probe,
                        "did": each.cell.did.value,
                        "model": each.verdict.answer.value,
                    }
                    for each in one.conflicts
                ],
            }
            for one in measured
        ],
        "slow_calls": [_slow_json(one) for one in slow],
    }


def _slow_json(one: Patience) -> dict[str, Any]:
    found = one.measurement
    cells = [cell.as_json() for cell in found.cells if cell.probe.startswith(PATIENCE)]
    head = ("host", "title", "version", "mode", "surface", "system", "date")
    whole = found.as_json()
    return {**{key: whole[key] for key in head}, "cells": cells}
