"""An approval is worded once: the table, the details and the sentences have the same facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signoff.app.approval.grants import Scope
from signoff.app.cli.output.printing import say_rows
from signoff.app.content.texts.facts import FactPlace, lines, texts
from signoff.app.presentation.grants import DeniedTool, denied_words, ended_words, facts
from tests.features.policies.test_grants import RUNS
from tests.storage.stored import grant, snapshot

NOW = 1_000_000.0


def test_the_table_and_the_details_have_the_same_words(capsys: pytest.CaptureFixture[str]) -> None:
    given = grant(Scope.ARGUMENTS, replace(snapshot("delete_file"), runs=RUNS), at=NOW - 90)
    found = facts(replace(given, uses=2, last_used_at=NOW - 30), NOW)
    details = "\n".join(texts(list(lines(found))))
    say_rows([found])
    table = capsys.readouterr().out
    for fact in found:
        assert fact.words in details
        assert (fact.words in table) == (fact.place is not FactPlace.DETAIL)


def test_a_hostile_name_is_safe_everywhere() -> None:
    name = "a\x1b[2J\u202eb" + "x" * 90
    for words in (*denied_words([DeniedTool(name)]), ended_words([name])):
        assert not set(words) & {"\x1b", "\u202e"}
    for fact in (*facts(DeniedTool(name), NOW), *facts(grant(of=snapshot(name), at=NOW), NOW)):
        assert not set(fact.words + fact.short) & {"\x1b", "\u202e"}
    assert ended_words([]) == ""
