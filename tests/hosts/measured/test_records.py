"""Records of measurements: those that come with the program, and beside the rules of hosts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from signoff.app.approval.matrix import build_matrix
from signoff.app.approval.policies.verdicts import KnownBy, VerdictAnswer
from signoff.app.features.measure.words import overview_markdown
from signoff.app.hosts.measured.needs import needs_of
from signoff.app.hosts.measured.records import (
    MeasuredDecisions,
    claims_in,
    file_name,
    measured_modes,
    newest,
    packaged_measurements,
)
from signoff.app.hosts.measured.values import (
    KEPT_WHOLE,
    Did,
    HostKey,
    MeasuredCell,
    Measurement,
    RecordError,
    bounded,
    changes,
    is_cut,
    read_measurements,
)
from signoff.app.hosts.rules import read_host
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.policy_files import find_hosts, record_text
from tests.manual import holds


def measurement(*cells: MeasuredCell, **more: Any) -> Measurement:
    values: dict[str, Any] = {
        "host": "codex",
        "title": "Codex",
        "version": "1.0",
        "mode": "exec",
        "surface": "headless",
        "system": "linux",
        "date": "2026-11-27",
        "signoff": "0.1.0",
        "cells": cells,
        "model": "codex:exec",
    }
    return Measurement(**{**values, **more})


def cell(did: Did, **hints: bool) -> MeasuredCell:
    named = {f"{name}Hint": value for name, value in hints.items()}
    words = ",".join(f"{name}={json.dumps(value)}" for name, value in hints.items())
    return MeasuredCell(f"hints/{words or 'none'}", named, did, "proof")


def test_a_record_is_read_as_it_was_written() -> None:
    one = measurement(
        cell(Did.RAN, readOnly=True),
        replace(
            cell(Did.ASKED), shown={"name": True}, facts={"calls": 1}, model_got=["a"], screen="s"
        ),
        declared={"capabilities": {}},
        variables=("HOME",),
        reached=("192.0.2.1:443",),
        problems=("a problem",),
        starts=2,
    )
    assert read_measurements(record_text([one]), "x") == (one,)
    assert read_measurements(json.dumps(one.as_json()), "x") == (one,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "x: no JSON"),
        ("[1]", "x: 1: no object"),
        ('{"host": "a"}', "x: 1: version: missing"),
        (json.dumps({**measurement().as_json(), "cells": 1}), "x: 1: cells: no array"),
        (json.dumps({**measurement().as_json(), "cells": [{}]}), "cell 1: did: missing"),
        (json.dumps({**measurement().as_json(), "cells": [{"did": "slept"}]}), "'slept'"),
    ],
)
def test_a_file_that_is_no_record_is_named(text: str, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        read_measurements(text, "x")


def test_long_values_are_kept_as_an_excerpt() -> None:
    long = "x" * (KEPT_WHOLE + 1)
    short: Any = bounded(long)
    assert is_cut(short)
    assert short["characters"] == KEPT_WHOLE + 1
    assert bounded(short) == short
    assert bounded("x" * KEPT_WHOLE) == "x" * KEPT_WHOLE


def test_changes_are_decisions_answers_and_missing_cells() -> None:
    before = measurement(cell(Did.ASKED), cell(Did.RAN, readOnly=True))
    after = measurement(
        cell(Did.RAN),
        replace(cell(Did.RAN, readOnly=True), model_got="other"),
        cell(Did.RAN, destructive=True),
    )
    found = [one.probe for one in changes(before, after)]
    assert found == ["hints/none", "hints/readOnly=true", "hints/destructive=true"]
    assert not list(changes(before, before))


def test_of_a_long_value_only_the_name_of_a_file_may_differ() -> None:
    def large(text: str) -> Measurement:
        return measurement(replace(cell(Did.RAN), model_got=text))

    body = "The beginning of the answer is long enough to be compared. " * 100
    before = large(f"{body} saved in one.txt")
    assert not list(changes(before, large(f"{body} saved in another.txt")))
    assert list(changes(before, large(f"Another {body} saved in one.txt")))
    assert list(changes(before, large(body + body)))


def test_the_newest_of_a_mode_and_surface_counts() -> None:
    old, new = measurement(date="2026-01-01"), measurement(date="2026-02-01", version="2")
    other = measurement(surface="acp")
    assert newest([new, old, other]) == (new, other)


def test_a_name_of_a_file_has_no_path_in_it() -> None:
    name = file_name(HostKey("../a/b", "1.0/2", "x y", "acp"))
    assert "/" not in name
    assert name.endswith("-acp.json")


def test_malformed_hints_have_no_claims() -> None:
    assert claims_in({"readOnlyHint": True}) == (True, None, None, None)
    assert claims_in({"readOnlyHint": "true"}) is None
    assert claims_in({"readOnlyHint": 1}) is None


def _verdict(measured: Iterable[Measurement], annotations: dict[str, Any], model: str) -> Any:
    host = replace(read_host(model.partition(":")[0]), measured=MeasuredDecisions(lambda: measured))
    modes = {one.name: replace(one, measured=host.measured) for one in (host, *host.variants)}
    tool = read_tool(0, {"name": "t", "inputSchema": {}, "annotations": annotations})
    return build_matrix([tool], [modes[model]], server="server").rows[0].cells[0].untrusted


def test_a_measured_cell_counts_before_the_model() -> None:
    seen = measurement(cell(Did.RAN, destructive=True))
    verdict = _verdict([seen], {"destructiveHint": True}, "codex:exec")
    assert (verdict.answer, verdict.known_by) == (VerdictAnswer.ALLOW, KnownBy.CONFLICT)
    assert "it ran without a question when measured on 2026-11-27: 1.0" in verdict.reasons[0]
    assert "by its source: refuse" in verdict.reasons[1]


def test_a_measured_cell_that_agrees_is_both() -> None:
    seen = measurement(cell(Did.REFUSED, destructive=True))
    verdict = _verdict([seen], {"destructiveHint": True}, "codex:exec")
    assert (verdict.answer, verdict.known_by) == (VerdictAnswer.REFUSE, KnownBy.BOTH)


def test_a_model_that_does_not_know_is_measured() -> None:
    seen = measurement(cell(Did.ASKED, readOnly=True), model="chatgpt")
    verdict = _verdict([seen], {"readOnlyHint": True}, "chatgpt")
    assert (verdict.answer, verdict.known_by) == (VerdictAnswer.ASK, KnownBy.MEASURED)


def test_other_hints_names_and_malformed_ones_are_read() -> None:
    named = replace(cell(Did.RAN, destructive=True), probe="hints/name-x")
    unknown = cell(Did.UNKNOWN, destructive=True)
    for seen in (named, unknown, cell(Did.RAN, destructive=True, openWorld=True)):
        verdict = _verdict([measurement(seen)], {"destructiveHint": True}, "codex:exec")
        assert verdict.known_by is KnownBy.READ
    seen = cell(Did.RAN)
    assert _verdict([measurement(seen)], {"readOnlyHint": "x"}, "codex").known_by is KnownBy.READ


def test_packaged_records_have_no_scratch_paths_and_no_tokens() -> None:
    for one in packaged_measurements():
        text = json.dumps(one.as_json())
        assert "signoff-measure-" not in text, one.key
        assert "probe-server.log" not in text
        assert one.key.version


def test_no_model_contradicts_what_was_measured() -> None:
    """A disagreement is mended in the model, so that `--as HOST` and the matrix agree."""
    conflicts = [
        f"{mode.measurement.key}: {one.cell.probe}: {one.cell.did}, model {one.verdict.answer}"
        for mode in measured_modes(find_hosts().hosts, packaged_measurements())
        for one in mode.conflicts
    ]
    assert not conflicts


def test_the_manual_has_the_measured_tables() -> None:
    tables = overview_markdown(newest(packaged_measurements()))
    holds("reference/measured-hosts", "measured", tables.rstrip("\n"))


def test_a_packaged_measurement_proves_most_of_its_cells() -> None:
    for one in packaged_measurements():
        unknown = sum(each.did is Did.UNKNOWN for each in one.cells)
        assert unknown <= len(one.cells) // 4, one.key


def _decisions(found: tuple[Measurement, ...]) -> MeasuredDecisions:
    return MeasuredDecisions(lambda: found)


def test_the_newest_version_counts_and_not_the_newest_date() -> None:
    old = measurement(cell(Did.RAN), version="0.9.12", date="2026-11-29")
    new = measurement(cell(Did.ASKED), version="0.24.4", date="2026-11-27")
    for both in ((old, new), (new, old)):
        assert newest(both) == (new,)
        found = _decisions(both).find("codex:exec", (None, None, None, None))
        assert found is not None
        assert (found.answer, found.version) == (VerdictAnswer.ASK, "0.24.4")


def test_the_column_of_qwen_code_is_its_newest_version() -> None:
    hosts = {one.name: one for one in find_hosts().hosts}
    tool = read_tool(0, {"name": "a", "annotations": {"readOnlyHint": True}})
    verdict = build_matrix([tool], [hosts["qwen-code"]]).row(0).cells[0].untrusted
    assert verdict.answer is VerdictAnswer.JUDGE
    assert verdict.known_by is KnownBy.BOTH
    assert "0.24.4" in verdict.measured


def test_words_of_a_person_are_kept_in_a_record() -> None:
    one = measurement(cell(Did.JUDGED), notes=("measured with both judgements",))
    assert read_measurements(record_text([one]), "x") == (one,)


NO_PROGRAMS = {"spec", "app-directory", "unattended-loop"}
"""Rules of texts, not of hosts."""


def test_each_host_has_a_record_or_says_what_it_needs() -> None:
    measured = {one.host for one in packaged_measurements()}
    for host in find_hosts().hosts:
        is_one = bool(needs_of(host.name)) is not (host.name in measured)
        assert is_one or host.name in NO_PROGRAMS, host.name
