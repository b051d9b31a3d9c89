"""Who asks: hosts by what they do before they run a tool, the person's own first."""

from __future__ import annotations

from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.approval.who_asks import WELL_KNOWN, WhoAsks
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
