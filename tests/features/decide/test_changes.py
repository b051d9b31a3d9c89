"""The difference between a baseline and present decisions: kinds, causes, ways back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.decide.baseline import Baseline, baseline_of
from signoff.app.features.decide.changes import (
    BaselineDifference,
    Cause,
    ChangeKind,
    DecisionChange,
    compare,
    kind_of,
)
from signoff.app.features.decide.decisions import (
    Decisions,
    LibraryReading,
    decision_of,
    decision_words,
)
from signoff.app.protocol.clients.session import ClientProblem
from signoff.app.protocol.clients.table import rules
from signoff.app.protocol.hints import Claim
from tests.decision_cases import KEPT, decide, entry

LOST = [rule for rule in rules().values() if rule.lost_in]


def differ(old: list[Any], new: list[Any], **given: Any) -> BaselineDifference:
    return compare(baseline_of(decide(*old, **given)), decide(*new, **given))


def change_in(difference: BaselineDifference, host: str) -> DecisionChange:
    found = [one for one in difference.changes if host in one.hosts]
    assert len(found) == 1
    return found[0]


def test_a_removed_hint_stops_asking_with_its_cause_and_the_way_back() -> None:
    before = [entry("drop", destructive=True, openWorld=False)]
    after = [entry("drop", destructive=False, openWorld=False)]
    found = differ(before, after)
    one = change_in(found, "codex")
    assert (one.kind, one.cause) == (ChangeKind.STOPS_ASKING, Cause.HINTS)
    assert one.ways_back == ((("destructive", Claim.TRUE),),)
    assert one.deciding == (("destructive", Claim.TRUE, Claim.FALSE),)
    assert "codex" in one.reasons[0].source
    assert found.counts[ChangeKind.STOPS_ASKING] == 1


def test_hosts_with_the_same_change_are_one_change() -> None:
    found = differ([entry("look", readOnly=True)], [entry("look")])
    one = change_in(found, "vscode")
    assert one.kind is ChangeKind.STARTS_ASKING
    assert set(one.hosts) >= {"vscode", "codex"}
    assert change_in(found, "codex:exec").kind is ChangeKind.REFUSED
    assert change_in(found, "copilot-review").kind is ChangeKind.HIDDEN


def test_a_description_alone_is_silent() -> None:
    found = differ([entry("a"), entry("b")], [entry("a", "Other words"), entry("b")])
    assert found.is_empty
    assert found.silent == ("a",)


def test_new_and_gone_tools_are_no_change_of_a_decision() -> None:
    other = entry("c", "Does something else", readOnly=True)
    found = differ([entry("a"), entry("b", readOnly=True)], [entry("a"), other])
    assert not found.changes
    assert [one.tool for one in found.new] == ["c"]
    assert [one.name for one in found.gone] == ["b"]
    assert found.counts == {ChangeKind.NEW_RUNS: 1, ChangeKind.GONE: 1}
    asking = entry("d", "Asks", destructive=True)
    assert differ([entry("a")], [entry("a"), asking]).counts == {ChangeKind.NEW: 1}


def test_a_renamed_tool_with_the_same_decisions_is_one_row() -> None:
    found = differ([entry("list", readOnly=True)], [entry("everything", readOnly=True)])
    (one,) = found.renamed
    assert (one.old.name, one.tool, one.is_changed) == ("list", "everything", False)
    assert found.counts == {ChangeKind.RENAMED: 1}


@pytest.mark.parametrize("name", ["Purge", "purge_all", "wipe"])
def test_a_tool_that_comes_back_harmless_under_another_name_stops_asking(name: str) -> None:
    hosts = ("vscode", "codex")
    before, after = entry("purge", destructive=True), entry(name, readOnly=True, openWorld=False)
    found = differ([before], [after], hosts=hosts)
    assert found.counts == {ChangeKind.STOPS_ASKING: 1, ChangeKind.RENAMED: 1}
    assert {(one.tool, one.new_name) for one in found.changes} == {("purge", name)}
    assert not found.new
    assert not found.gone


def test_where_only_the_names_are_alike_a_tool_that_runs_is_new() -> None:
    after = entry("get_users", "Removes every user", readOnly=True, openWorld=False)
    found = differ([entry("get_user", readOnly=True)], [after])
    assert found.counts == {ChangeKind.NEW_RUNS: 1, ChangeKind.GONE: 1}
    stops = differ([entry("get_user", destructive=True)], [after], hosts=("vscode", "codex"))
    assert stops.counts == {ChangeKind.STOPS_ASKING: 1, ChangeKind.RENAMED: 1}


NAMES = st.text("abcAB_1", min_size=1, max_size=8)
HINTS = st.fixed_dictionaries(
    {}, optional={name: st.booleans() for name in ("readOnly", "destructive", "openWorld")}
)


@given(st.lists(st.tuples(NAMES, NAMES, HINTS, HINTS), min_size=1, max_size=4))
def test_another_name_never_hides_that_a_tool_stops_asking(tools: list[Any]) -> None:
    names = [name for one in tools for name in one[:2]]
    if len(set(names)) < len(names):
        tools = [
            (f"{old}x{at}", f"{new}y{at}", *hints) for at, (old, new, *hints) in enumerate(tools)
        ]
    hosts = ("vscode", "codex")
    before = [entry(old, f"Number {at}", **was) for at, (old, _, was, _) in enumerate(tools)]
    kept = [entry(old, f"Number {at}", **now) for at, (old, _, _, now) in enumerate(tools)]
    after = [entry(new, f"Number {at}", **now) for at, (_, new, _, now) in enumerate(tools)]
    named = {old: new for old, new, *_ in tools}
    expected = differ(before, kept, hosts=hosts)
    found = differ(before, after, hosts=hosts)
    assert {(one.kind, one.tool, named[one.tool]) for one in expected.changes} == {
        (one.kind, one.tool, one.new_name) for one in found.changes
    }
    assert found.counts == expected.counts + Counter({ChangeKind.RENAMED: len(tools)})


def edited(*entries: Any, word: str) -> Baseline:
    """A baseline of VS Code and Codex in which every decision is this word."""
    baseline = baseline_of(decide(*entries, hosts=("vscode", "codex")))
    words = (decision_of(word),) * 2
    return replace(baseline, tools=tuple(replace(tool, decisions=words) for tool in baseline.tools))


def test_a_decision_that_its_own_hints_do_not_give_is_a_contradiction() -> None:
    found = compare(edited(entry("a"), word="runs"), decide(entry("a"), hosts=("codex", "vscode")))
    [one] = found.contradictions
    assert (one.tool, one.titles) == ("a", ("Codex", "VS Code"))
    assert (one.written.word, one.given.word) == ("runs", "asks")
    assert not found.changes
    assert found.counts == {ChangeKind.OTHER: 1}
    assert not found.is_empty


def test_an_edited_baseline_does_not_hide_the_change_that_follows() -> None:
    old = entry("a", readOnly=False, destructive=True, openWorld=False)
    new = entry("a", readOnly=False, destructive=False, openWorld=False)
    found = compare(edited(old, word="runs"), decide(new, hosts=("vscode", "codex")))
    one = change_in(found, "codex")
    assert (one.kind, one.cause) == (ChangeKind.STOPS_ASKING, Cause.HINTS)
    assert (one.before.word, one.after.word) == ("asks", "runs")
    assert {title for one in found.contradictions for title in one.titles} == {"VS Code", "Codex"}


@pytest.mark.parametrize(
    "old",
    [
        [entry("a", readOnly="yes")],
        [entry("a", readOnly=True, destructive=True)],
        [entry("a"), entry("a")],
        [entry("a", readOnly=True, openWorld=True)],
        [{**entry("a", readOnly=True), "annotations": []}],
    ],
)
def test_a_baseline_that_was_written_never_contradicts_itself(old: list[Any]) -> None:
    for new in (old, [entry("a")], [entry("a", readOnly=True)], [entry("a", destructive="no")]):
        assert not differ(old, new).contradictions


def test_a_destructive_hint_that_is_removed_without_effect_is_named() -> None:
    old, new = entry("a", readOnly=False, destructive=True), entry("a", readOnly=False)
    found = differ([old, entry("b")], [new, entry("b", "Other words")])
    assert found.is_empty
    assert (found.silent, found.undeclared) == (("a", "b"), ("a",))


def test_of_several_tools_of_a_name_the_same_definitions_are_compared() -> None:
    one, two = entry("a", readOnly=True), entry("a", destructive=True)
    assert differ([one, two], [two, one]).is_empty
    assert [new.tool for new in differ([one], [two, one]).new] == ["a"]
    assert len(differ([one, two], [one]).gone) == 1


def test_a_library_that_loses_the_list_is_one_difference() -> None:
    decisions = decide(entry("a"))
    problem = ClientProblem(LOST[0], "tool a", "$.title")
    lost = replace(KEPT[0], takes=False, problem=problem)
    found = compare(baseline_of(decisions), decide(entry("a"), libraries=(lost, KEPT[1])))
    assert found.counts == {ChangeKind.LOST: 1}
    assert [one.id for one in found.libraries[0].libraries] == ["ts1"]
    assert compare(baseline_of(decide(entry("a"), libraries=(lost,))), lost_here(lost)).is_empty
    again = compare(baseline_of(decide(entry("a"), libraries=(lost,))), decisions)
    assert again.counts == {ChangeKind.OTHER: 1}


def lost_here(lost: LibraryReading) -> Decisions:
    return decide(entry("a"), libraries=(lost,))


def test_only_hosts_that_both_have_are_compared() -> None:
    baseline = baseline_of(decide(entry("a", readOnly=True), hosts=("vscode", "zed")))
    found = compare(baseline, decide(entry("a"), hosts=("codex", "vscode")))
    assert (found.compared, found.only_in_baseline, found.only_here) == (
        ("vscode",),
        ("zed",),
        ("codex",),
    )
    assert {host for one in found.changes for host in one.hosts} == {"vscode"}


@pytest.mark.parametrize("before", decision_words())
@pytest.mark.parametrize("after", decision_words())
def test_what_runs_now_and_did_not_stops_asking(before: str, after: str) -> None:
    if before == after:
        return
    old, new = decision_of(before), decision_of(after)
    kind = kind_of(old, new)
    if new.runs and not old.runs:
        assert kind is ChangeKind.STOPS_ASKING
    if (before, after) == ("runs+response", "runs"):
        assert kind is ChangeKind.STOPS_ASKING
    if after in ("refused", "hidden"):
        assert kind == after
    assert kind not in (ChangeKind.NEW, ChangeKind.GONE, ChangeKind.LOST)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("asks", "judged", ChangeKind.STOPS_ASKING),
        ("refused", "judged", ChangeKind.STOPS_ASKING),
        ("not-known", "judged", ChangeKind.STOPS_ASKING),
        ("judged", "runs", ChangeKind.STOPS_ASKING),
        ("judged", "asks", ChangeKind.STARTS_ASKING),
        ("runs", "judged", ChangeKind.OTHER),
    ],
)
def test_a_model_that_judges_counts_as_not_asking(
    before: str, after: str, kind: ChangeKind
) -> None:
    assert kind_of(decision_of(before), decision_of(after)) is kind
