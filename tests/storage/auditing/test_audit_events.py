"""What the records of the audit log hold, and what they never do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.approval import Decision, DecisionAnswer, approve, deny, withdrawn
from signoff.app.approval.fingerprint import Role, RunFile, ServerFingerprint
from signoff.app.approval.grants import Grant, Remember, Scope, identity_digest, new_grant
from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.questions.questions import OwnQuestion
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.definitions.changes import Change, DefinitionDiff, ListDiff, Weight
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.server import Server, Trust
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.auditing.chain import LINE_MAX, START, seal
from signoff.app.storage.auditing.events import (
    Event,
    asked,
    closed,
    decided,
    definitions_changed,
    denied_for_session,
    ended,
    grant,
    listed,
    lost,
    opened,
    policy_changed,
    prompt_digest,
    reopened,
    sent,
    trust_changed,
    what_if,
)
from signoff.app.storage.auditing.rows import row_of
from tests.questions import of_answer
from tests.tui.stage import ask

LOST = "the connection was lost"
READ_ONLY: dict[str, JsonValue] = {
    "name": "read",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}
ADDITIVE: dict[str, JsonValue] = {
    "name": "add",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": False, "destructiveHint": False},
}
DESTRUCTIVE: dict[str, JsonValue] = {
    "name": "wipe",
    "inputSchema": {"type": "object"},
    "annotations": {"destructiveHint": True},
}
SERVER = Server("demo", "demo --token abc", "stdio:demo --token abc", Trust.TRUSTED)


def call(raw: dict[str, JsonValue], arguments: dict[str, JsonValue] | None = None) -> Call:
    tool = read_tool(0, raw)
    snapshot = take_snapshot(SERVER.identity, ToolCall(tool), arguments or {})
    verdict = Verdict(VerdictAnswer.ASK, ("because",), policy="cautious", rule="rule 1")
    return Call(CallName("demo", 7), ToolCall(tool), snapshot, verdict, 1.0)


def done(outcome: Outcome, raw: dict[str, JsonValue] = READ_ONLY, **changes: Any) -> Call:
    return replace(
        call(raw), outcome=outcome, sent_at=2.0, ended_at=2.5, reason="why it ended", **changes
    )


def line_of(event: Event) -> str:
    name, severity, fields = event
    return seal({"event": name, "severity": severity.value, **fields}, START, 1)


class TestEvents:
    def test_what_is_asked(self) -> None:
        name, severity, fields = asked(ask(arguments={"path": "x", "password": "hunter2"}))
        assert (name, severity) == ("asked", Severity.WARNING)
        arguments: Any = fields["arguments"]
        assert arguments["value"] == {"path": "x", "password": "[masked: 7 characters]"}
        assert arguments["masked"] == 1
        assert len(arguments["sha256"]) == len(str(fields["prompt"])) == 64

    def test_what_runs_is_kept_with_its_digests(self) -> None:
        token = "ghp_" + "a1B2" * 9
        program = RunFile(Role.PROGRAM, f"/x/{token}/node", f"/x/{token}/node", 7, "9f" * 32)
        runs = ServerFingerprint((program,), "ab" * 16, (("API_KEY", "cd" * 16),))
        question = replace(ask(), snapshot=replace(ask().snapshot, runs=runs))
        remembered = new_grant(question.snapshot, "demo", Remember(Scope.SESSION), "s", 1.0)
        assert remembered is not None
        for event in (asked(question), grant("grant-used", remembered)):
            shown: Any = event[2]["server"]
            assert shown["runs"]["files"][0]["sha256"] == "9f" * 32
            assert shown["runs"]["values"] == {"API_KEY": "cd" * 16}
            assert token not in line_of(event)
        bare = asked(ask())[2]
        assert "runs" not in bare["server"]  # type: ignore[operator]
        assert bare["prompt"] != asked(question)[2]["prompt"]

    def test_a_question_about_an_answer_is_an_event_of_its_own(self) -> None:
        answer = read_answer({"content": [{"type": "text", "text": "SECRET-ANSWER"}]})
        event = asked(of_answer(ask(), answer))
        assert event[0] == "result-asked"
        assert "SECRET-ANSWER" not in line_of(event)

    @pytest.mark.parametrize(
        ("raw", "severity"),
        [
            (READ_ONLY, Severity.NOTE),
            (ADDITIVE, Severity.WARNING),
            (DESTRUCTIVE, Severity.ERROR),
            ({"name": "silent"}, Severity.ERROR),
        ],
    )
    def test_the_severity_rises_with_the_effect(
        self, raw: dict[str, JsonValue], severity: Severity
    ) -> None:
        assert sent(call(raw))[1] is severity
        assert decided(call(raw), approve("you"))[1] is severity
        assert ended(done(Outcome.OK, raw))[1] is severity
        assert decided(call(raw), deny("you"))[1] is Severity.NOTE
        assert ended(replace(call(raw), outcome=Outcome.DENIED))[1] is Severity.NOTE
        assert ended(replace(call(raw), outcome=Outcome.NOT_SENT))[1] is Severity.WARNING

    def test_what_nobody_decided_is_no_denial(self) -> None:
        one = replace(call(DESTRUCTIVE), outcome=Outcome.NOT_SENT, reason=LOST)
        fields = ended(one)[2]
        assert (fields["outcome"], fields["sent"]) == ("not-sent", False)
        assert fields["reason"] == LOST
        assert row_of({"event": "ended", **fields}).words == f"not sent: {LOST}"
        name, severity, told = decided(one, withdrawn(LOST))
        assert (name, severity) == ("decided", Severity.WARNING)
        assert told["decision"] == {
            "answer": "withdrawn",
            "by": "signoff",
            "basis": "signoff",
            "reason": LOST,
        }

    @pytest.mark.parametrize("outcome", [Outcome.CONNECTION_LOST, Outcome.TIMEOUT])
    def test_an_outcome_that_nobody_knows_weighs_more(self, outcome: Outcome) -> None:
        assert ended(done(outcome))[1] is Severity.WARNING
        assert ended(done(outcome))[2]["reason"] == "why it ended"

    def test_who_decided_on_which_basis_and_how_fast(self) -> None:
        decision = Decision(
            DecisionAnswer.APPROVE,
            "you",
            remember=Remember(Scope.UNTIL, 7),
            seconds=3.14159,
        )
        assert decided(call(READ_ONLY), decision)[2]["decision"] == {
            "answer": "approve",
            "by": "you",
            "basis": "asked",
            "remembered": {"scope": Scope.UNTIL.value, "days": 7},
            "seconds": 3.142,
        }
        by_rule: Any = decided(call(READ_ONLY), approve("policy"))[2]["decision"]
        assert by_rule["basis"] == "policy cautious, rule 1"
        verdict = Verdict(VerdictAnswer.ALLOW, (), grant_id=12)
        by_grant = replace(call(READ_ONLY), verdict=verdict)
        given: Any = decided(by_grant, approve("remembered approval"))[2]["decision"]
        assert given["basis"] == "remembered approval 12"

    def test_what_was_decided_about_an_answer_says_so(self) -> None:
        decision = approve("you")
        event = decided(done(Outcome.OK, DESTRUCTIVE, result_decision=decision), decision)
        assert event[2]["about"] == "result"
        assert event[1] is Severity.NOTE

    def test_nothing_of_an_answer_but_its_digest_and_size(self) -> None:
        raw: JsonValue = {"content": [{"type": "text", "text": "SECRET-ANSWER"}]}
        event = ended(replace(done(Outcome.OK), raw=raw))
        assert "SECRET-ANSWER" not in line_of(event)
        result: Any = event[2]["result"]
        assert len(result["sha256"]) == 64
        assert result["size"] == len(json.dumps(raw, separators=(",", ":")))
        assert event[2]["duration_ms"] == 500.0

    def test_nothing_of_an_error_but_its_code(self) -> None:
        error = RpcError(-32000, "SECRET-ERROR", {"x": "SECRET-DATA"})
        event = ended(done(Outcome.PROTOCOL_ERROR, error=error))
        assert "SECRET" not in line_of(event)
        shown: Any = event[2]["error"]
        assert shown["code"] == -32000

    def test_a_withheld_answer(self) -> None:
        event = ended(done(Outcome.OK, withheld=True))
        assert event[2]["withheld"] is True
        assert "result" not in event[2]

    @given(
        st.text("abXY012_-=./ ", min_size=4, max_size=30).map(lambda text: f"Zq{text}qZ"),
        st.sampled_from(["password", "apiKey", "session-id"]),
    )
    def test_reasons_do_not_repeat_what_is_masked(self, secret: str, name: str) -> None:
        base = call(DESTRUCTIVE, {name: secret, "n": 1})
        # Once as an assignment looks, once where nothing but the value itself tells.
        reason = f"at $.{name}: {secret!r} is too long, and {secret!r} is not alone"
        told = replace(base, verdict=replace(base.verdict, reasons=(reason,)), reason=reason)
        question = replace(
            ask(arguments={name: secret}), verdict=replace(base.verdict, reasons=(reason,))
        )
        events = [
            asked(question),
            decided(told, deny("policy", reason)),
            sent(told),
            ended(replace(told, outcome=Outcome.DENIED)),
            denied_for_session(told),
        ]
        assert all(json.dumps(secret)[1:-1] not in line_of(event) for event in events)

    def test_reasons_do_not_repeat_it_as_it_is_drawn(self) -> None:
        secret = "hun\x1bter\u200btwo"
        drawn = visible(secret)
        base = call(DESTRUCTIVE, {"password": secret})
        reason = f"{drawn} is too long"
        told = replace(base, verdict=replace(base.verdict, reasons=(reason,)))
        event = decided(told, deny("policy", reason))
        assert json.dumps(drawn)[1:-1] not in line_of(event)
        shown: Any = event[2]["decision"]
        assert shown["reason"] == "[masked: 18 characters] is too long"

    def test_arguments_are_cut_at_64_kb_with_a_note(self) -> None:
        many = call(READ_ONLY, {"list": ["some words"] * 20_000})
        arguments: Any = decided(many, approve("you"))[2]["arguments"]
        assert len(arguments["beginning"]) == 65_536
        assert arguments["cut"].startswith("cut: 65,536 of ")
        large = call(READ_ONLY, {"text": "x" * 100_000, "password": "hunter2"})
        shown: Any = decided(large, approve("you"))[2]["arguments"]
        assert shown["value"] == {
            "text": "[left out: 100,000 characters]",
            "password": "[masked: 7 characters]",
        }
        assert len(line_of(decided(large, approve("you")))) < LINE_MAX

    def test_arguments_nested_deeply_are_written(self) -> None:
        deep: Any = "hunter2"
        for _ in range(300):
            deep = {"a": deep}
        assert "hunter2" not in line_of(decided(call(READ_ONLY, deep), approve("you")))

    def test_commands_and_identities_do_not_tell_secrets(self) -> None:
        class Cautious:
            name = "cautious"

        events = [
            opened(SERVER, Cautious()),
            lost(replace(SERVER, ended_words="exit code 3: --token abcdefg", exit_code=3)),
            reopened(SERVER, Cautious(), None),
            closed(SERVER, 3),
            listed(SERVER, [read_tool(0, READ_ONLY)]),
            trust_changed(SERVER),
            policy_changed(SERVER, Cautious()),
            what_if(SERVER, "read", {"readOnly": True}),
            asked(ask(command="demo --token abcdefg")),
            sent(call(READ_ONLY), SERVER),
            ended(call(READ_ONLY), SERVER),
        ]
        for event in events:
            assert "--token abc" not in line_of(event)
            row = row_of(json.loads(line_of(event)))
            assert row.server == "demo"
            assert row.event == event[0]

    def test_trusting_and_laxer_policies_weigh_more(self) -> None:
        class AllowAll:
            name = "allow-all"

        assert trust_changed(SERVER)[1] is Severity.WARNING
        assert trust_changed(replace(SERVER, trust=Trust.UNTRUSTED))[1] is Severity.NOTE
        assert policy_changed(SERVER, AllowAll())[1] is Severity.ERROR

    @pytest.mark.parametrize(
        ("weight", "severity"),
        [
            (Weight.SAFE, Severity.NOTE),
            (Weight.REWORDED, Severity.WARNING),
            (Weight.WORSENED, Severity.ERROR),
            (Weight.WEAKENED, Severity.ERROR),
            (Weight.BREAKING, Severity.ERROR),
        ],
    )
    def test_changed_definitions(self, weight: Weight, severity: Severity) -> None:
        change = Change("code", weight, "$.x", "words", old="OLD-TEXT", new="NEW-TEXT")
        diff = DefinitionDiff("tool", "a" * 64, "b" * 64, (change,))
        event = definitions_changed(SERVER, ListDiff(changed=(diff,)))
        assert event[1] is severity
        assert "NEW-TEXT" not in line_of(event)
        assert row_of(json.loads(line_of(event))).words == "1 changed"

    def test_tools_that_come_and_go(self) -> None:
        names = tuple(f"tool{index}" for index in range(5_000))
        event = definitions_changed(SERVER, ListDiff(added=names, gone=("x",)))
        assert row_of(json.loads(line_of(event))).words == "over 200 added, 1 gone"
        assert event[1] is Severity.WARNING
        assert len(line_of(event)) < LINE_MAX

    def test_grants(self) -> None:
        given = Grant(
            3, identity_digest("stdio:x"), "demo", "stdio:x", "read", "d" * 64, None, None, 1.0, 2.0
        )
        name, severity, fields = grant("grant-given", given)
        assert (name, severity) == ("grant-given", Severity.WARNING)
        assert grant("grant-revoked", given)[1] is Severity.NOTE
        narrow = replace(given, arguments_digest="a" * 64, session="s", expires_at=None)
        assert grant("grant-given", narrow)[1] is Severity.NOTE
        assert row_of({"event": name, **fields}).words == Scope.UNTIL.value


class TestThePromptDigest:
    def test_is_the_same_for_the_same_question(self) -> None:
        assert prompt_digest(ask()) == prompt_digest(ask())

    def test_changes_with_everything_that_is_shown(self) -> None:
        question = ask()
        change = Change("code", Weight.SAFE, "$.x", "words")
        others: list[OwnQuestion] = [
            ask(name="other"),
            ask(command="other"),
            ask(itself="other"),
            ask(arguments={"path": "other"}),
            ask({**DESTRUCTIVE, "description": "other"}),
            ask(trust=Trust.TRUSTED),
            replace(question, verdict=replace(question.verdict, reasons=("other",))),
            replace(question, verdict=replace(question.verdict, strong=False)),
            replace(question, diff=DefinitionDiff("t", "a", "b", (change,))),
            replace(question, diff=DefinitionDiff("t", "a", "b", ())),
            replace(question, diff_since="other"),
            replace(question, seen=DefinitionStatus.CHANGED),
            replace(question, can_remember=True),
            replace(question, why_not_remembered="other"),
            replace(question, overrides={"readOnly": True}),
            of_answer(question, read_answer({"content": []})),
            of_answer(question, read_answer({"content": [{"type": "text", "text": "a"}]})),
            of_answer(question, read_answer({"content": [{"type": "text", "text": "b"}]})),
        ]
        digests = [prompt_digest(one) for one in (question, *others)]
        assert len(set(digests)) == len(digests)
