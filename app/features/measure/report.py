"""Reports of `signoff measure`: lines, JSON, files, and what changed since an older measurement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...cli.output.finding_reports import print_markdown, write_sarif
from ...cli.output.printing import say, tell
from ...cli.output.readable import print_sheet
from ...cli.output.report_files import write_report
from ...cli.output.result_reports import junit_xml, page_of_results, suites_of
from ...cli.targets.live import print_json
from ...cli.targets.targets import UsageError
from ...content.text import visible
from ...hosts.measured.values import CellChange, Did, Measurement, RecordError, changes
from ...platforms.files import why
from ...presentation.report_pages import ReportEntry, ReportPage, ReportSection, page_html
from ...storage.policy_files import read_measured_file, save_measurement
from .conclusion import progress_words
from .reports import Expectation, expected_cells, results_of, sentences
from .words import BROKE, change_lines, decision_tables, measurement_lines

OUTPUT_LINES = 10
"""Lines of a failed host's output that are shown."""


class Outputs(NamedTuple):
    """The wanted outputs of a measurement."""

    json: bool
    markdown: bool
    junit: str
    sarif: str
    html: str
    save: bool


def report(
    found: Measurement,
    outputs: Outputs,
    wanted: Expectation | None,
    older: Sequence[Measurement],
    took: float,
) -> bool:
    """Print and write everything; returns True if something differs from an older measurement."""
    results = tuple(results_of(found, wanted, took))
    if outputs.junit:
        write_report("--junit", outputs.junit, junit_xml("measure", results, took))
    status = int(any(broken_lines(found, wanted)))
    write_sarif("measure", suites_of(results), outputs.sarif, tools=found.probes, status=status)
    title = f"{found.title} {found.version} {found.mode} {found.surface}, {found.date}"
    heading = f"Measured {visible(' '.join(title.split()))}"
    if outputs.html:
        page = page_of_results(results, heading, (sentences(found, wanted),))
        write_report("--html", outputs.html, page_html(page))
    compared = _compared([found], older)
    if outputs.json:
        print_json(_json(found, wanted, compared if older else None))
    elif outputs.markdown:
        broken = tuple(ReportEntry((line,)) for line in broken_lines(found, wanted))
        sections = (*([ReportSection("Broken", broken)] if broken else ()), *decision_tables(found))
        print_markdown(ReportPage(heading, (sentences(found, wanted),), sections))
    else:
        say(sentences(found, wanted))
        say("")
        print_sheet(measurement_lines(found))
        for line in broken_lines(found, wanted):
            say(f"BROKEN  {line}")
        say(f"measured in {took:.1f} s")
    _tell_output(found)
    if older and not outputs.json:
        for before, after, different in compared:
            for line in change_lines(before, after, different):
                say(line)
    if outputs.save:
        _save(found)
    return _differs(compared)


def broken_lines(found: Measurement, wanted: Expectation | None) -> list[str]:
    """Each decision that breaks the policy, in a line."""
    if wanted is None:
        return []
    name = visible(wanted.policy.name)
    return [
        f"{visible(one.cell.probe)}: {BROKE[one.cell.did]} ({visible(one.cell.why)}); "
        f"the policy {name} expects {one.wanted} ({visible(one.reason)})"
        for one in expected_cells(found, wanted)
        if one.is_broken
    ]


def _json(
    found: Measurement, wanted: Expectation | None, compared: list[Any] | None
) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "conclusion": sentences(found, wanted),
        "complete": not found.stopped,
        "probes": found.probes,
        "measured": len(found.cells),
        **found.with_ids(),
    }
    if wanted is not None:
        judged = expected_cells(found, wanted)
        whole["expectation"] = {
            "policy": wanted.policy.name,
            "broken": [one.cell.probe for one in judged if one.is_broken],
            "unproved": [one.cell.probe for one in judged if one.cell.did is Did.UNKNOWN],
        }
    if compared is not None:
        whole["comparisons"] = _compared_json(compared)
    return whole


def _tell_output(found: Measurement) -> None:
    """Show once what a host printed at its end, if a cell has no proof."""
    failed = next((one for one in found.cells if one.did is Did.UNKNOWN and one.screen), None)
    if failed is None:
        return
    lines = [line for line in failed.screen.splitlines() if line.strip()]
    tell("signoff: it printed at its end:")
    for line in lines[-OUTPUT_LINES:]:
        tell(f"  {visible(line)}")


def _save(found: Measurement) -> None:
    if found.stopped:
        tell(f"signoff: not saved: {progress_words(found)}; an earlier measurement is kept")
        return
    try:
        path = save_measurement(found)
    except OSError as problem:
        raise UsageError(f"--save: {why(problem)}") from None
    tell(f"signoff: saved as {visible(str(path))}")


def read_older(path: str) -> tuple[Measurement, ...]:
    """The measurements in a file; none for an empty path. Raises UsageError."""
    if not path:
        return ()
    try:
        return read_measured_file(Path(path))
    except RecordError as problem:
        raise UsageError(f"--compare: {visible(str(problem))}") from None


def compare_files(older: str, newer: str, *, as_json: bool) -> bool:
    """Print the differences of two files; returns True if there are any. Raises UsageError."""
    compared = _compared(read_older(newer), read_older(older))
    if as_json:
        print_json({"comparisons": _compared_json(compared)})
    else:
        for before, after, different in compared:
            for line in change_lines(before, after, different):
                say(line)
    return _differs(compared)


def _compared(newer: Sequence[Measurement], older: Sequence[Measurement]) -> list[Any]:
    """Each newer measurement beside the older one of its mode and surface, with the changes.

    Probes that were not tried again do not count.
    """
    found = []
    for after in newer if older else ():
        place = (after.host, after.mode, after.surface)
        same = [one for one in older if (one.host, one.mode, one.surface) == place]
        if same:
            different = [one for one in changes(same[-1], after) if one.after is not None]
            found.append((same[-1], after, different))
        else:
            tell(f"signoff: {visible(str(after.key))}: not in the older file")
    return found


def _differs(compared: list[Any]) -> bool:
    """True if a probe that both have has another result; new probes do not differ."""
    return any(not one.is_new for _, _, found in compared for one in found)


def _compared_json(compared: list[Any]) -> list[Any]:
    return [
        {
            "before": str(before.key),
            "after": str(after.key),
            "changes": [_change_json(one) for one in found if not one.is_new],
            "new_probes": [_change_json(one) for one in found if one.is_new],
        }
        for before, after, found in compared
    ]


def _change_json(one: CellChange) -> dict[str, Any]:
    return {
        "probe": one.probe,
        "before": None if one.before is None else one.before.as_json(),
        "after": None if one.after is None else one.after.as_json(),
    }
