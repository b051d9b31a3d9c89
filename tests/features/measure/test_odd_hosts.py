"""`signoff measure` with hosts that ask in ways of their own, or leave it to their model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.measure.running.starts import after_yes, with_judge
from signoff.app.hosts.measured.values import Did, MeasuredCell
from tests.cli.running import ROOT, Ended, run
from tests.tiers import first_quick

HOST = ROOT / "tests" / "servers" / "odd_host.py"
PROBES = "hints/none,hints/readOnly=true,hints/destructive=true"


def measured(folder: Path, way: str, *words: str, acp: bool = False) -> Ended:
    surface = ("--surface", "acp") if acp else ()
    command = (sys.executable, str(HOST), way, *(("--acp",) if acp else ()))
    expected = ("--expect-policy", "cautious", "--trust")
    return run(folder, "measure", *surface, "--only", PROBES, *expected, *words, "--", *command)


ASKED = "denied, it did not come; approved, it came"
WAYS = [
    ("bundle", "once", "after a yes to something else, it came without a question"),
    ("vague", "unrelated", "the question named neither the tool nor its arguments"),
    ("late", "ran", "the call came to the server before its question was answered"),
    ("judge-tool", "judged", "its model allowed it: the call came to the server without a"),
    ("tool-opens", "once", f"{ASKED}; after a yes to its first call, another call of it came"),
    ("words", "asked", ASKED),
    ("first-opens", "once", f"{ASKED}; after a yes to its first call, another call of it came"),
    ("other-tool", "unrelated", "the question named another tool: probe_h02"),
    ("other-arguments", "unrelated", "the question showed other arguments than the call has"),
    ("sends-others", "unrelated", "the call came with other arguments than its question was about"),
    ("cut", "asked", ASKED),
    ("judge-json", "judged", "its model allowed it: the call came to the server without a"),
    ("judge-text", "judged", "its model allowed it: the call came to the server without a"),
    ("judge-asks", "judged", "its model allowed it: the call came to the server without a"),
    ("titles", "asked", ASKED),
]


QUICK = (("bundle", True), ("vague", False), ("judge-tool", True), ("late", False))
BOTH = sorted(
    ((*way, acp) for way in WAYS for acp in (True, False)),
    key=lambda one: (one[0], one[3]) not in QUICK,
)


@pytest.mark.parametrize(("way", "wanted", "why", "acp"), first_quick(BOTH, several=True))
def test_a_way_to_ask_is_seen(tmp_path: Path, way: str, wanted: str, why: str, acp: bool) -> None:
    ended = measured(tmp_path, way, "--json", acp=acp)
    cells: dict[str, Any] = {one["probe"]: one for one in ended.report["cells"]}
    assert cells["hints/none"]["did"] == wanted, cells["hints/none"]["why"]
    assert cells["hints/none"]["why"].startswith(why)
    assert cells["hints/readOnly=true"]["did"] == "ran"
    assert ended.status == (0 if wanted == "asked" else 1), ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "said"),
    first_quick(
        [
            ("vague", "the question was about something else (the question named"),
            ("bundle", "one yes let it run (after a yes to something else,"),
            ("judge-asks", "its model let it run (its model allowed it: the call"),
        ],
        several=True,
    ),
)
def test_what_breaks_a_policy_is_named(tmp_path: Path, way: str, said: str) -> None:
    ended = measured(tmp_path, way)
    assert f"BROKEN  hints/none: {said}" in ended.stdout
    assert "does not hold: 1 of 3 decisions as expected, 2 broken" in ended.stdout


def cell(did: Did, why: str = "why") -> MeasuredCell:
    return MeasuredCell("hints/none", {}, did, why)


@pytest.mark.parametrize("denied", [Did.ASKED, Did.REFUSED, Did.HIDDEN, Did.ONCE, Did.UNRELATED])
def test_a_call_that_only_a_model_allows_is_judged(denied: Did) -> None:
    for allowed in (Did.RAN, Did.ONCE, Did.UNRELATED):
        assert with_judge(cell(denied), cell(allowed)).did is Did.JUDGED
    for allowed in (Did.ASKED, Did.REFUSED, Did.HIDDEN):
        assert with_judge(cell(denied), cell(allowed)).did is denied
    found = with_judge(cell(denied), cell(Did.UNKNOWN, "it ended"))
    assert found.did is Did.UNKNOWN
    assert found.why == f"its model denied it: {denied.value}; its model allowed it: it ended"


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (Did.ASKED, Did.ASKED, Did.ASKED),
        (Did.ASKED, Did.REFUSED, Did.ASKED),
        (Did.ASKED, Did.ONCE, Did.ONCE),
        (Did.ASKED, Did.UNKNOWN, Did.UNKNOWN),
        (Did.REFUSED, Did.ASKED, Did.ASKED),
    ],
)
def test_a_start_without_proof_leaves_no_question_proved(
    first: Did, second: Did, wanted: Did
) -> None:
    assert after_yes(cell(first), cell(second)).did is wanted
