"""Arguments of calls are kept once they have ended, and never get into the way of one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, deny
from signoff.app.approval.questions.questions import Question
from signoff.app.calls.call import Outcome
from signoff.app.engine import past_arguments
from signoff.app.engine.past_arguments import PastArguments
from signoff.app.storage.store import Store
from tests.approved import approved
from tests.engine.opened import Approves, Asked, Opened, opened

PROSE = approved("engine")

INVALID: dict[str, Any] = {"name": 5, "more": True}


def past(one: Opened) -> PastArguments:
    return one.engine.memory.arguments


class Answers:
    """Gives one decision to every question, and keeps the questions."""

    def __init__(self, decision: Decision) -> None:
        self.questions: list[Question] = []
        self._decision = decision

    async def ask(self, question: Question) -> Decision:
        self.questions.append(question)
        return self._decision


async def test_calls_are_there_in_the_next_run_with_how_they_ended(tmp_path: Path) -> None:
    async with opened(store=tmp_path / "store") as one:
        one.engine.approver = Approves()
        await one.call("delete_thing", name="a", password="hunter2")
        one.engine.approver = Answers(deny("you"))
        await one.call("delete_thing", name="b")
        one.engine.approver = Answers(Decision(DecisionAnswer.EDIT, "you"))
        await one.call("delete_thing", name="only edited")
    async with opened(store=tmp_path / "store") as one:
        newest, older = past(one).all("delete_thing")
        assert newest.arguments() == {"name": "b"}
        assert (newest.outcome, newest.was_sent) == (Outcome.DENIED, False)
        assert older.arguments() == {"name": "a"}
        assert (older.outcome, older.was_sent) == (Outcome.OK, True)
        PROSE.holds("arguments: a secret", "\n".join(older.marks))
        assert past(one).problem == ""


async def test_a_call_that_is_open_at_the_end_is_kept_too(tmp_path: Path) -> None:
    async with opened(store=tmp_path / "store") as one:
        one.engine.approver = approver = Asked()
        one.begin("delete_thing", name="asked when Signoff ended")
        await approver.question()
    async with opened(store=tmp_path / "store") as one:
        (row,) = past(one).all("delete_thing")
        assert row.arguments() == {"name": "asked when Signoff ended"}
        assert (row.outcome, row.was_sent) == (Outcome.NOT_SENT, False)
        assert row.outcome_words == "not sent"


async def test_calls_that_end_together_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_arguments, "TOGETHER_SECONDS", 600.0)
    folder = tmp_path / "store"
    async with opened(store=folder) as one:
        one.engine.approver = Approves()
        for name in ("a", "b", "a"):
            await one.call("delete_thing", name=name)
        with Store.open(folder) as other:
            assert other.arguments.all(one.engine.server.identity, "delete_thing") == ()
        newest, older = past(one).all("delete_thing")
        assert (newest.arguments(), newest.times) == ({"name": "a"}, 2)
        assert (older.arguments(), older.times) == ({"name": "b"}, 1)
        await one.call("delete_thing", name="b")
    async with opened(store=folder) as one:
        newest, older = past(one).all("delete_thing")
        assert (newest.arguments(), newest.times) == ({"name": "b"}, 2)
        assert (older.arguments(), older.times) == ({"name": "a"}, 2)


async def test_more_than_are_written_at_once_are_all_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_arguments, "TOGETHER_SECONDS", 600.0)
    monkeypatch.setattr(past_arguments, "TOGETHER_MAX", 2)
    async with opened(store=tmp_path / "store") as one:
        one.engine.approver = Approves()
        for name in "abcde":
            await one.call("delete_thing", name=name)
        found = [row.arguments() for row in past(one).all("delete_thing")]
        assert found == [{"name": name} for name in "edcba"]


async def test_without_memory_the_history_of_the_session_works() -> None:
    async with opened() as one:
        one.engine.approver = Approves()
        await one.call("delete_thing", name="a")
        (row,) = past(one).all("delete_thing")
        assert not row.is_on_disk
        PROSE.holds("arguments: nothing stored", past(one).problem)
        assert not past(one).give_name("delete_thing", {"name": "p"}, "mine", None)
        assert not past(one).give_name("delete_thing", {}, "again", row)
        first, second, _ = past(one).all("delete_thing")
        assert (first.name, first.arguments()) == ("again", {"name": "a"})
        assert (second.name, second.arguments()) == ("mine", {"name": "p"})
        assert past(one).remove(first)
        assert past(one).clear("delete_thing") == 1
        assert past(one).preset("delete_thing", "mine") == second


async def test_a_store_that_fails_breaks_no_call(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    async with opened(store=folder) as one:
        one.engine.approver = Approves()
        await one.call("delete_thing", name="a")
        past(one).all("delete_thing")
        other = sqlite3.connect(folder / "store.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        call = await one.call("delete_thing", name="b")
        assert call.outcome is Outcome.OK
        newest, older = past(one).all("delete_thing")
        assert (newest.arguments(), newest.is_on_disk) == ({"name": "b"}, False)
        assert (older.arguments(), older.is_on_disk) == ({"name": "a"}, True)
        await one.watch.until(
            lambda: any(one.code == "arguments-not-kept" for one in one.engine.observed.all())
        )
        other.close()


async def test_a_damaged_store_breaks_no_call(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir(mode=0o700)
    (folder / "store.sqlite3").write_text("no database at all", encoding="ascii")
    async with opened(store=folder) as one:
        one.engine.approver = Approves()
        assert (await one.call("delete_thing", name="a")).outcome is Outcome.OK
        (row,) = past(one).all("delete_thing")
        assert not row.is_on_disk
        assert "is damaged" in past(one).problem


async def test_presets_of_other_servers_are_not_seen(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store") as store:
        mine = PastArguments("server a", lambda: store, lambda: 1.0, pytest.fail)
        others = PastArguments("server b", lambda: store, lambda: 1.0, pytest.fail)
        assert mine.give_name("tool", {"a": 1}, "name", None)
        assert others.preset("tool", "name") is None
        found = mine.preset("tool", "name")
        assert found is not None
        assert found.arguments() == {"a": 1}
        with pytest.raises(ValueError, match="too large to be kept"):
            mine.give_name("tool", {"a": "x" * 200_000}, "large", None)


async def test_what_is_sent_although_invalid_says_so_everywhere(tmp_path: Path) -> None:
    log, store = tmp_path / "audit.jsonl", tmp_path / "store"
    async with opened(store=store, log=log) as one:
        one.engine.approver = approver = Approves()
        tool = one.tool("delete_thing")
        call = await one.ended(one.engine.call(tool, INVALID, although_invalid=True))
        assert call.although_invalid
        (question,) = approver.questions
        PROSE.holds("arguments: although invalid", question.although_invalid)
        again = await one.ended(one.engine.call_again(call.id))
        assert again.although_invalid
        without = await one.call("delete_thing", **INVALID)
        assert not without.although_invalid
        assert approver.questions[-1].although_invalid == ""
        rows = past(one).all("delete_thing")
        assert [row.although_invalid for row in rows] == [False, True]
    records = [json.loads(line) for line in log.read_bytes().splitlines()]
    flagged = [(one["event"], one.get("although_invalid")) for one in records if "call" in one]
    events = ["asked", "decided", "sent", "ended"]
    assert flagged == [(event, flag) for flag in (True, True, None) for event in events]


async def test_what_turns_out_to_be_valid_was_not_sent_although_invalid() -> None:
    async with opened() as one:
        one.engine.approver = approver = Approves()
        tool = one.tool("delete_thing")
        call = await one.ended(one.engine.call(tool, {"name": "a"}, although_invalid=True))
        assert not call.although_invalid
        assert approver.questions[0].although_invalid == ""
