"""Display templates and labels in calls of the bundled server, with the drafts on and off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.grants import Scope
from signoff.app.approval.questions.question_lines import question_parts
from signoff.app.approval.questions.sheet import plain_lines
from signoff.app.calls.call import Call, Outcome
from signoff.app.engine.events import FindingAdded
from signoff.app.presentation.calls import as_json, facts
from signoff.app.protocol.extensions.display_templates import preview_of
from signoff.app.protocol.extensions.register import EXTENSIONS
from signoff.app.protocol.extensions.trust_annotations import TrustLabel
from signoff.app.protocol.server import Trust
from tests.engine.bundled import bundled
from tests.engine.opened import Approves, Denies, Remembers

ALL = ("display-templates", "trust-annotations", "action-metadata")
ERAS = pytest.mark.parametrize("era", ["modern", pytest.param("legacy", marks=pytest.mark.slow)])


class HidesNothing:
    """Shows all in full."""

    def value(self, value: Any) -> Any:
        return value

    def said(self, text: str) -> str:
        return text

    def command(self, text: str) -> str:
        return text


def codes(call: Call) -> list[str]:
    return [one.code for one in call.findings]


@ERAS
async def test_a_call_is_asked_with_its_arguments_first_and_the_line_below(era: str) -> None:
    async with bundled(era, experimental=ALL) as one:
        approver = one.engine.approver = Approves()
        call = await one.call("read_document", path="/a", upload_to="http://b")
    (question,) = approver.questions
    lines = list(plain_lines(question_parts(question)))
    places = [
        next(at for at, words in enumerate(lines) if word in words)
        for word in ('"upload_to": "http://b"', "read /a", "leaves out “upload_to”")
    ]
    assert places == sorted(places)
    assert call.template is not None
    assert preview_of(call.template, call.snapshot.arguments()).omitted == ("upload_to",)
    words = [fact.words for fact in facts(call)]
    assert any("read /a" in one for one in words)
    masked = {"path": "***", "upload_to": "***"}
    shown = as_json(call, HidesNothing(), masked)
    assert shown["preview"]["text"] == "read ***"
    assert shown["preview"]["omitted"] == ["upload_to"]
    assert call.answer is not None
    assert call.answer.parts[0].annotations.summary == "“nothing was sent”"


async def test_what_templates_labels_and_reviews_mean_for_calls() -> None:
    async with bundled("modern", experimental=ALL) as one:
        approver = one.engine.approver = Remembers(Scope.SESSION)
        for _ in range(2):
            await one.call("send_invoice", customer="a")
        # A review is requested although it was remembered.
        assert len(approver.questions) == 2
        assert not any(question.can_remember for question in approver.questions)
        one.engine.approver = Approves()
        play = await one.call("play_cue", action="play", cue="x")
        stop = await one.call("play_cue", action="stop")
        plain = await one.call("calculate_sum", a=1, b=2)
        forum = await one.call("read_forum")
        diary = [await one.call("read_diary") for _ in range(2)]
    templates = [call.template and call.template.text for call in (play, stop, plain)]
    assert templates == ["play the cue {cue}", "stop all cues", None]
    for call in (play, stop):
        assert call.template is not None
        assert preview_of(call.template, call.snapshot.arguments()).omission == ""
    # The label of a block counts, and one that vanishes is found.
    assert codes(forum) == ["trust-labels"]
    assert codes(diary[0]) == ["trust-labels", "trust-label-weakened"]
    assert codes(diary[1]) == ["trust-label-vanished"]


@ERAS
async def test_a_label_makes_later_calls_ask_and_ends_remembered_approvals(
    era: str, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    async with bundled(era, experimental=ALL, log=log, store=tmp_path / "store") as one:
        first = one.engine.approver = Remembers(Scope.SESSION)
        await one.call("send_message", to="a", text="b")
        await one.call("web_search", query="a")
        asked = len(first.questions)
        await one.call("send_message", to="a", text="b")
        assert len(first.questions) == asked
        labelled = await one.call("read_advisory")
        assert labelled.labels is not None
        assert labelled.labels.labels == {TrustLabel.SENSITIVE}
        later = one.engine.approver = Approves()
        message = await one.call("send_message", to="a", text="b")
        search = await one.call("web_search", query="a")
        closed = await one.call("calculate_sum", a=1, b=2)
    assert [question.request.name for question in later.questions] == ["send_message", "web_search"]
    for call in (message, search):
        assert any("“read_advisory” was marked sensitive" in one for one in call.verdict.reasons)
    assert not any("sensitive" in one for one in closed.verdict.reasons)
    assert all(not question.can_remember for question in later.questions)
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    ended = {one["tool"]: one for one in records if one["event"] == "ended"}
    assert ended["read_advisory"]["labels"] == ["sensitive"]
    assert ended["web_search"]["labels"] == []


@ERAS
async def test_digests_of_evidence_are_compared_wherever_the_call_is_shown(
    era: str, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    async with bundled(era, experimental=ALL, log=log) as one:
        one.engine.approver = Approves()
        calls = [
            await one.call(f"read_{name}") for name in ("decision", "sequence", "advisory", "forum")
        ]
    decision, sequence, advisory, forum = calls
    assert codes(decision) == ["trust-evidence"]
    assert codes(sequence) == ["trust-evidence", "evidence-digest-differs"]
    assert codes(advisory) == ["trust-labels", "trust-evidence"]
    answers = []
    for call in calls[:3]:
        (shown,) = as_json(call, HidesNothing(), {})["labels"]["evidence"]
        answers.append(shown["check"]["answer"])
    assert answers == ["matched", "differs", "not-derived"]
    lines = [fact.words for call in calls for fact in facts(call) if fact.label == "digest"]
    assert [line.split(":")[0].split("” ")[1] for line in lines] == [
        "matched",
        "differs",
        "cannot be derived",
    ]
    assert forum.labels is not None
    assert forum.labels.evidence == ()
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    ended = [one.get("evidence_digests") for one in records if one["event"] == "ended"]
    assert ended == [["matched"], ["differs"], ["not-derived"], None]


async def test_a_record_that_was_read_earlier_in_the_session_is_compared() -> None:
    async with bundled("modern", experimental=ALL) as one:
        one.engine.approver = Approves()
        before = await one.call("read_advisory")
        await one.ended(one.engine.read("audit://data-class/1"))
        after = await one.call("read_advisory")
    words = []
    for call in (before, after):
        assert call.labels is not None
        (reference,) = call.labels.evidence
        assert reference.check is not None
        words.append(reference.check.words)
    assert "nor read earlier" in words[0]
    assert words[1] == "matched: the resource “audit://data-class/1”, read earlier"


async def test_without_the_drafts_nothing_is_read_of_them() -> None:
    async with bundled("modern") as one:
        names = {tool.name for tool in one.engine.tools}
        assert not any(
            code in EXTENSIONS or code.startswith("template-")
            for tool in one.engine.tools
            for code in (finding.code for finding in tool.findings)
        )
    assert not names & {"read_document", "read_advisory", "send_invoice"}


@pytest.mark.parametrize("name", ALL)
async def test_each_draft_is_turned_on_by_itself(name: str) -> None:
    of = {"display-templates": "set_volume", "trust-annotations": "read_advisory"}
    expected = of.get(name, "show_note")
    async with bundled("modern", experimental=(name,)) as one:
        names = {tool.name for tool in one.engine.tools}
        one.engine.approver = Denies()
        if name != "display-templates":
            call = await one.call(expected)
            assert call.outcome is Outcome.OK
            assert (call.labels is None) == (name != "trust-annotations")
        assert one.engine.server.trust is Trust.TRUSTED
        assert not one.watch.of(FindingAdded)
    assert {"set_volume", "read_advisory", "show_note"} & names == {expected}
