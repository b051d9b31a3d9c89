"""Who asks: hosts by what they do before they run a tool, the person's own first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.approval.who_asks import WELL_KNOWN, HostMove, WhoAsks
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.policy_files import find_hosts

HOSTS = find_hosts().hosts
TOOL = read_tool(0, {"name": "delete_note", "annotations": {"destructiveHint": True}})


def test_every_host_is_in_one_group_and_those_that_run_it_come_first() -> None:
    groups = WhoAsks(HOSTS).groups(TOOL, Trust.UNTRUSTED, {})
    titles = [host.title for group in groups for host in group.hosts]
    assert len(titles) == len({*titles}) == len(HOSTS) - 3
    assert "The specification" not in titles
    answers = [group.answer for group in groups]
    assert answers[0] is VerdictAnswer.ALLOW
    assert len(answers) == len({*answers})


def test_the_hosts_of_this_machine_are_named_before_the_well_known_ones() -> None:
    asking = {
        group.answer: group for group in WhoAsks(HOSTS, ["zed"]).groups(TOOL, Trust.UNTRUSTED, {})
    }[VerdictAnswer.ASK]
    named = {one.name: one.title or one.name for one in HOSTS}
    first, *others = [host.title for host in asking.hosts]
    assert first == named["zed"]
    assert asking.has_own
    known = [named[name] for name in WELL_KNOWN if named[name] in others]
    assert others[: len(known)] == known


def test_other_hints_move_hosts_from_one_group_to_another() -> None:
    who = WhoAsks(HOSTS)
    running = [
        {host.title for group in who.groups(TOOL, Trust.UNTRUSTED, hints) for host in group.hosts
         if group.answer is VerdictAnswer.ALLOW}
        for hints in ({}, {"readOnly": True, "destructive": False})
    ]  # fmt: skip
    assert running[0] < running[1]


def test_a_group_of_one_has_a_verb_in_the_singular() -> None:
    for count in (1, 2):
        alike = [one for one in HOSTS if one.name in ("vscode", "cursor")][:count]
        (group,) = WhoAsks(alike).groups(TOOL, Trust.UNTRUSTED, {})
        assert (group.does, len(group.hosts)) == ("asks" if count == 1 else "ask", count)


HINTS = st.fixed_dictionaries(
    {},
    optional={
        f"{name}Hint": st.booleans()
        for name in ("readOnly", "destructive", "idempotent", "openWorld")
    },
)


@given(HINTS, HINTS, st.sampled_from(Trust))
def test_the_moves_of_a_change_are_those_of_its_groups(
    before: dict[str, JsonValue], after: dict[str, JsonValue], trust: Trust
) -> None:
    who = WhoAsks(HOSTS)
    old, new = (
        read_tool(0, {"name": "delete_note", "annotations": hints}) for hints in (before, after)
    )
    was, now = (
        {host.title: group.answer for group in who.groups(one, trust, {}) for host in group.hosts}
        for one in (old, new)
    )
    moves = who.moves(old, new, trust)
    moved = {title: (one.before, one.after) for one in moves for title in one.titles}
    assert moved == {
        title: (was[title], now[title]) for title in was if was[title] is not now[title]
    }
    assert [one.is_looser for one in moves] == sorted(
        (one.is_looser for one in moves), reverse=True
    )
    back = who.moves(new, old, trust)
    assert {(one.after, one.before): {*one.titles} for one in back} == {
        (one.before, one.after): {*one.titles} for one in moves
    }


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "asks → runs in A"),
        (2, "asks → runs in A and B"),
        (3, "asks → runs in A, B and C"),
        (4, "asks → runs in A, B and 2 more"),
        (10, "asks → runs in A, B and 8 more"),
    ],
)
def test_a_move_names_two_hosts_and_counts_the_others(count: int, words: str) -> None:
    move = HostMove(VerdictAnswer.ASK, VerdictAnswer.ALLOW, tuple("ABCDEFGHIJ"[:count]))
    assert move.words == words
    assert move.is_looser
    assert HostMove(VerdictAnswer.ALLOW, VerdictAnswer.ASK, ("A",)).words == "runs → asks in A"
    assert not HostMove(VerdictAnswer.UNKNOWN, VerdictAnswer.ASK, ("A",)).is_looser
