"""How long hosts wait for a slow tool: records, the words on a call, the table of the manual."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.patience_words import patience_markdown, slow_words
from signoff.app.hosts.measured.patience import (
    CONDITIONS,
    ServerFate,
    SlowCall,
    packaged_slow_calls,
    patience_of,
    slow_findings,
)
from signoff.app.hosts.measured.patience import slow_words as words_of_call
from signoff.app.hosts.measured.records import MeasuredDecisions, newest, packaged_measurements
from signoff.app.hosts.measured.values import Did, MeasuredCell, Measurement
from signoff.app.storage.policy_files import (
    measured_folder,
    own_measurements,
    record_text,
    save_measurement,
)
from tests.manual import holds


def slow(condition: str, gave_up: Any, waited: Any = 900.0, **more: Any) -> MeasuredCell:
    facts = {"waited s": gave_up or waited, "gave up after s": gave_up, "calls": 1, **more}
    return MeasuredCell(f"patience/{condition}", {}, Did.RAN, "", facts=facts)


def host(name: str, *cells: MeasuredCell, **more: Any) -> Measurement:
    values: dict[str, Any] = {"version": "1", "mode": "m", "date": "2026-11-30", **more}
    return Measurement(
        host=name,
        title=name.title(),
        surface="headless",
        system="linux",
        signoff="0",
        cells=cells,
        model=f"{name}:m",
        **values,
    )


A = host("ann", slow("silence", 5.0), slow("progress", 5.0))
B = host("bob", slow("silence", 60.0), slow("progress", None))
C = host("cid", slow("silence", None), slow("progress", None))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (4.0, ""),
        (5.0, ""),
        (
            6.5,
            "took 6.5 s: 1 of 3 hosts gives up first, even if progress comes (Ann after 5 s)",
        ),
        (
            70.2,
            "took 70 s: 2 of 3 hosts give up first, 1 of them even if progress comes "
            "(Ann after 5 s, Bob after 60 s without progress)",
        ),
    ],
)
def test_a_call_is_told_with_the_hosts_that_give_up_first(seconds: float, words: str) -> None:
    assert words_of_call(seconds, patience_of([A, B, C])) == words


def test_what_progress_changes_is_told() -> None:
    assert "but not if progress comes" in words_of_call(70.0, patience_of([B, C]))
    other = host("dan", slow("silence", 9.0), slow("progress", None))
    assert "none of them if progress comes" in words_of_call(70.0, patience_of([B, other]))
    other = host("eve", slow("silence", 9.0), slow("progress", 9.0))
    assert "all of them even if progress comes" in words_of_call(70.0, patience_of([A, other]))


def test_a_host_that_was_watched_for_less_does_not_count() -> None:
    short = host("fay", slow("silence", None, 30.0))
    assert "1 of 1 host gives" in words_of_call(70.0, patience_of([A, short]))
    assert "1 of 2 hosts gives" in words_of_call(20.0, patience_of([A, short]))


seconds = st.none() | st.floats(0, 1e6) | st.integers(-5, 10**12) | st.booleans() | st.text()
cells = st.lists(
    st.builds(
        slow, st.sampled_from(CONDITIONS), seconds, seconds, reason=st.text(), server=st.text()
    ),
    max_size=4,
    unique_by=lambda one: one.probe,
)


@given(st.lists(st.tuples(st.text(min_size=1), cells), max_size=6), st.floats(0, 1e6))
def test_hostile_records_are_told_safely(rows: list[Any], took: float) -> None:
    found = patience_of([host(name, *listed) for name, listed in rows])
    words = words_of_call(took, found)
    if words:
        numbers = re.search(r": (\d+) of (\d+) host", words)
        assert numbers is not None
        assert 1 <= int(numbers[1]) <= int(numbers[2])
    texts = [words, patience_markdown(found)]
    texts += [slow_words(call) for one in found for call in one.calls.values()]
    for text in texts:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_a_record_without_decisions_disturbs_none() -> None:
    decided = MeasuredCell("hints/none", {}, Did.ASKED)
    record = host("ann", decided)
    later = replace(A, version="2")
    assert newest([record, later]) == (record,)
    assert MeasuredDecisions(lambda: (record, later)).version("ann:m") == "1"
    assert not any(one.has_only_slow_calls for one in packaged_measurements())
    both = host("ann", decided, *A.cells, version="3")
    assert newest([record, later, both]) == (both,)
    assert [one.measurement for one in patience_of([record, later, both])] == [both]


def test_a_saved_record_of_slow_calls_leaves_that_of_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    record = host("ann", MeasuredCell("hints/none", {}, Did.ASKED))
    save_measurement(record)
    save_measurement(A)
    save_measurement(A)
    assert measured_folder().is_relative_to(tmp_path)
    found = sorted(own_measurements(), key=lambda one: len(one.cells))
    assert found == [record, A]


def test_the_packaged_records_are_complete() -> None:
    found = patience_of(packaged_slow_calls())
    assert len({one.measurement.host for one in found}) >= 12
    for one in found:
        assert one.measurement.has_only_slow_calls
        assert set(one.calls) == set(CONDITIONS), one.measurement.key
        assert all(call.waited >= 900 or call.gave_up for call in one.calls.values())


def test_a_host_that_progress_keeps_waiting_is_known() -> None:
    found = {one.measurement.host: one for one in patience_of(packaged_slow_calls())}
    assert found["opencode"].gives_up_before(70, "silence") is True
    assert found["opencode"].gives_up_before(70, "progress") is False
    assert not slow_findings(0.5)
    (note,) = slow_findings(70)
    assert (note.code, note.severity.value) == ("hosts-give-up", "note")
    assert "OpenAI Agents SDK after 5 s" in note.message


def test_words_of_one_call() -> None:
    facts = {"cancelled after s": 60.0, "reason": "a\u202eb", "server": "restarted", "calls": 2}
    cell = replace(slow("ping", 60.04, **facts), model_got=[{"type": "text", "text": "late"}])
    cell = replace(cell, facts={**(cell.facts or {}), "pings answered": "3 of 4", "calls": 2})
    call = SlowCall.of(cell)
    assert call is not None
    assert call.server is ServerFate.RESTARTED
    words = slow_words(call)
    assert "\u202e" not in words
    assert words.startswith("gave up after 60 s, cancelled: a")
    assert words.endswith(
        "the model got: late; called 2 times; the server was restarted; pings answered: 3 of 4"
    )


def test_the_manual_has_the_table() -> None:
    table = patience_markdown(patience_of(packaged_slow_calls()))
    holds("reference/slow-calls", "patience", table.rstrip("\n"))


def test_a_record_in_a_folder_of_the_person_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "signoff" / "hosts" / "ann"
    folder.mkdir(parents=True)
    (folder / "patience-1.json").write_text(record_text([A]), encoding="utf-8")
    assert list(own_measurements()) == [A]
