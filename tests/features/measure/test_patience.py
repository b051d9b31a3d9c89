"""Probes of slow calls: when a host gives up, and what becomes of the call."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.measure.command import MeasureOptions, probes_of
from signoff.app.features.measure.patience_words import sentences
from signoff.app.features.measure.probes.probes import FAMILIES, all_probes
from signoff.app.features.measure.progress import MeasureProgress
from signoff.app.features.measure.running.planning import Way
from signoff.app.features.measure.running.starts import MeasureStep
from signoff.app.hosts.measured.patience import CONDITIONS, ServerFate, SlowCall
from signoff.app.hosts.measured.values import PATIENCE, read_measurements
from tests.cli.running import ROOT, Ended, run
from tests.features.measure.test_stopping import stopped_at
from tests.tiers import first_quick

HOST = ROOT / "tests" / "servers" / "impatient_host.py"
SLOW = {f"patience/{name}" for name in ("silence", "progress", "log", "ping")}


def waited(folder: Path, behaviour: str, *words: str) -> Ended:
    host = (sys.executable, str(HOST), behaviour)
    return run(folder, "measure", *words, "--json", "--", *host)


def slow_calls(report: dict[str, Any]) -> dict[str, SlowCall]:
    read = read_measurements(json.dumps(report), "report")[0]
    found = {cell.probe.partition("/")[2]: SlowCall.of(cell) for cell in read.cells}
    return {name: call for name, call in found.items() if call is not None}


@pytest.mark.parametrize(
    ("behaviour", "gives_up", "has_cancelled", "has_ended", "server", "calls"),
    first_quick(
        [
            ("cancels", True, True, False, ServerFate.KEPT, 1),
            ("goes-on", True, False, False, ServerFate.KEPT, 1),
            ("ends", True, False, True, ServerFate.NOT_SEEN, 1),
            ("restarts", True, False, False, ServerFate.RESTARTED, 2),
            ("waits", False, False, False, ServerFate.KEPT, 1),
        ],
        several=True,
    ),
)
def test_how_a_host_gives_up(
    tmp_path: Path,
    behaviour: str,
    gives_up: bool,
    has_cancelled: bool,
    has_ended: bool,
    server: ServerFate,
    calls: int,
) -> None:
    most = "30" if gives_up else "1"
    ended = waited(tmp_path, behaviour, "--only", "patience/silence", "--patience", most)
    assert ended.status == 0, ended.stderr
    call = slow_calls(ended.report)["silence"]
    assert (call.gave_up is not None) is gives_up
    assert 0.9 <= (call.gave_up or call.waited) < 30.0
    assert (call.has_cancelled, call.has_ended) == (has_cancelled, has_ended)
    assert (call.server, call.calls) == (server, calls)
    if has_cancelled:
        assert (call.reason, call.got) == ("tired \u202e of it", "it took too long")
        assert "\u202e" not in ended.report["conclusion"]


@pytest.mark.slow
def test_a_sign_of_life_can_renew_the_patience(tmp_path: Path) -> None:
    ended = waited(tmp_path, "renews", "--only", "patience", "--patience", "3")
    calls = slow_calls(ended.report)
    assert {name for name, call in calls.items() if call.gave_up is None} == {"progress"}
    assert calls["progress"].wants_progress is True
    assert calls["ping"].pings in ("1 of 1", "0 of 0", "2 of 2")
    assert ended.report["starts"] == 4


def test_the_probes_are_tried_only_when_they_are_named() -> None:
    assert "patience" in FAMILIES
    assert {one for one in all_probes() if one.startswith(PATIENCE)} == SLOW
    assert {f"{PATIENCE}{one}" for one in CONDITIONS} == SLOW

    def chosen(**given: Any) -> set[str]:
        options = {"only": "", "all": False, **given}
        return {one.id for one in probes_of(MeasureOptions(**options))}

    assert not SLOW & chosen()
    assert not SLOW & chosen(all=True)
    assert not SLOW & chosen(only="*")
    assert not SLOW & chosen(only="*ing")
    assert chosen(only="patience") == SLOW
    assert chosen(only="patience/p*") == {"patience/progress", "patience/ping"}
    assert chosen(only="hints,patience", all=True) > SLOW


def test_the_progress_says_what_is_waited_for() -> None:
    now = 0.0
    progress = MeasureProgress(lambda: now, is_quiet=True)
    progress.on_step(MeasureStep(Way.USUAL, 1, 0, 2))
    for name in ("patience/silence", "patience/log", "ordinary/probe_h02"):
        progress.on_call(name)
    now = 120.4
    assert progress.words(80) == "0/2  silence, log 120 s, still waiting"
    progress.on_step(MeasureStep(Way.USUAL, 1, 1, 2, "patience/silence"))
    assert progress.words(80) == "1/2  log 120 s, still waiting"


@pytest.mark.slow
def test_what_was_waited_for_is_kept_when_it_is_stopped(tmp_path: Path) -> None:
    words = ("--json", "--patience", "600")
    status, output, shown = stopped_at(
        tmp_path, signal.SIGINT, "2 s, still", *words, behaviour="waits", host=HOST, only="patience"
    )
    assert status == 130, shown
    report = json.loads(output)
    assert report["complete"] is False
    calls = slow_calls(report)
    assert len(calls) == 4
    assert all(call.gave_up is None and 1.0 <= call.waited < 60.0 for call in calls.values())


def test_the_conclusion_puts_equal_outcomes_together() -> None:
    facts = {"waited s": 60.0, "gave up after s": 60.0, "cancelled after s": 60.0}
    cells = [
        {"probe": f"patience/{name}", "did": "ran", "facts": given}
        for name, given in (
            ("silence", facts),
            ("progress", {"waited s": 900.0, "gave up after s": None}),
            ("log", {**facts, "reason": "x: y, z"}),
        )
    ]
    raw = {"host": "h", "version": "1", "mode": "m", "surface": "acp", "system": "linux"}
    read = read_measurements(json.dumps({**raw, "date": "2026-11-30", "cells": cells}), "x")[0]
    assert sentences(read.cells) == (
        "Gave up after 60 s: silence, log. Did not give up in 900 s: progress."
    )
