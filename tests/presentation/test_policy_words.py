"""A policy has the same facts in the list of the command line, on the screen and in its details."""

from __future__ import annotations

import pytest

from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.content.texts.facts import below
from signoff.app.features.policies.command import run_list
from signoff.app.features.policies.screen import policy_rows
from signoff.app.presentation.policies import KINDS, facts, mark, policy_lines
from signoff.app.storage.policy_files import find_hosts
from signoff.widgets.lists.policy_list import PolicyRow

POLICIES = (*built_ins(), *find_hosts().hosts)


def test_the_list_has_its_kind_its_mark_and_its_facts(capsys: pytest.CaptureFixture[str]) -> None:
    run_list(as_json=False)
    printed = " ".join(capsys.readouterr().out.split())
    for policy in POLICIES:
        assert KINDS[policy.kind] in printed
        assert mark(policy) in printed
        for line in below(facts(policy)):
            assert " ".join(line.plain.split()) in printed


def test_the_screen_has_the_same_mark_and_the_same_facts() -> None:
    rows = [row for row in policy_rows(POLICIES, "", None) if isinstance(row, PolicyRow)]
    assert [row.note for row in rows] == [mark(row.policy) for row in rows]
    for policy in POLICIES:
        details = [line.plain for line in policy_lines(policy, None, 11)]
        assert [fact.words for fact in facts(policy) if fact.words not in details] == []
