"""The chain of the audit log, the records it is made of, and which of them are wanted."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.approval import Decision, DecisionAnswer, approve, deny, take_snapshot
from app.core.audit import (
    LINE_MAX,
    START,
    TORN_LINE,
    read_record,
    read_seal,
    seal,
    torn_fields,
    verify,
)
from app.core.audit_events import (
    Event,
    asked,
    closed,
    decided,
    definitions_changed,
    denied_for_session,
    ended,
    grant,
    listed,
    opened,
    policy_changed,
    prompt_digest,
    sent,
    trust_changed,
    what_if,
)
from app.core.audit_filters import Filters, read_filters, read_query
from app.core.audit_rows import named, row_of
from app.core.calls import Call, Outcome
from app.core.changes import Change, DefinitionDiff, ListDiff, Weight
from app.core.content import read_answer
from app.core.findings import Severity
from app.core.grants import Grant, Remember, Scope
from app.core.history import Seen
from app.core.jsonio import JsonValue, same
from app.core.policy import Verdict, VerdictAnswer
from app.core.rpc import RpcError
from app.core.server import Server
from app.core.tools import read_tool
from app.core.trust import Trust
from tests.core.json_values import json_values
from tests.screens.stage import ask

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
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


def chain(*fields: dict[str, Any], ts: str = "2026-11-21T12:00:00.000+00:00") -> list[bytes]:
    lines, before = [], START
    for seq, one in enumerate(fields, 1):
        line = seal({"ts": ts, "event": "asked", "severity": "note", **one}, before, seq)
        found = read_seal(line.encode())
        assert found is not None
        before = found.hash
        lines.append(line.encode() + b"\n")
    return lines


def numbered(count: int) -> list[bytes]:
    return chain(*({"call": index} for index in range(count)))


class TestALine:
    @given(st.dictionaries(st.text(max_size=8), json_values(), max_size=6))
    def test_is_one_line_of_ascii_that_reads_back(self, fields: dict[str, Any]) -> None:
        fields = {
            name: value
            for name, value in fields.items()
            if name not in ("prev", "hash", "ts", "seq")
        }
        line = seal(fields, START, 1)
        assert line.isascii()
        assert line.isprintable()
        record = json.loads(line)
        assert all(same(record[name], value) for name, value in fields.items())
        assert verify([line.encode() + b"\n"]).is_intact

    @pytest.mark.parametrize(
        "odd",
        [
            *(
                "\n",
                "\r\n",
                "\x1b[2J",
                "\x7f",
                "\x00",
                "\ud800",
                "\udfff\ud800",
                "\u2028",
                "\u202e",
            ),
            *(float("nan"), float("inf"), float("-inf"), 10**2000, b"bytes", object(), {1, 2}),
            *(
                '","hash":"',
                '"}\n{"ts":"',
                '","prev":"' + "0" * 64 + '","hash":"' + "0" * 64 + '"}',
            ),
        ],
    )
    def test_whatever_goes_in(self, odd: Any) -> None:
        for fields in ({"tool": odd}, {"x": {"y": [odd]}}, {"ts": odd}, {str(odd)[:90]: 1}):
            line = seal({"event": "asked", "severity": "note", **fields}, START, 3)
            assert line.isascii()
            assert line.isprintable()
            found = read_seal(line.encode())
            assert found is not None
            assert found.is_whole
            assert found.seq == 3
            assert isinstance(json.loads(line), dict)

    def test_endless_nesting_is_cut_off(self) -> None:
        deep: Any = []
        for _ in range(5_000):
            deep = [deep]
        assert "[nested too deeply]" in seal({"x": deep}, START, 1)

    def test_has_a_length_that_is_bounded_and_says_what_is_missing(self) -> None:
        line = seal({"a": "x" * 70_000, "b": ["y" * 60_000] * 9, "event": "asked"}, START, 1)
        assert len(line) <= LINE_MAX
        record = json.loads(line)
        assert record["a"].endswith("[cut: 65,536 of 70,000 characters]")
        assert record["b"].startswith("[left out: ")
        assert record["event"] == "asked"

    def test_many_fields_are_bounded_too(self) -> None:
        line = seal({f"f{index}": "x" * 50 for index in range(20_000)}, START, 1)
        assert len(line) <= LINE_MAX
        assert verify([line.encode() + b"\n"]).is_intact


class TestTheChain:
    def test_of_nothing(self) -> None:
        found = verify([])
        assert found.is_intact
        assert found.count == 0
        assert found.head == START

    def test_in_order(self) -> None:
        lines = numbered(9)
        found = verify(lines)
        assert found.is_intact
        assert (found.count, found.first_seq, found.last_seq) == (9, 1, 9)
        last = read_record(lines[-1])
        assert last is not None
        assert found.head == last["hash"]

    @settings(max_examples=300)
    @given(st.data())
    def test_any_edit_of_any_byte(self, data: st.DataObject) -> None:
        lines = numbered(4)
        at = data.draw(st.integers(0, 3))
        line = bytearray(lines[at])
        where = data.draw(st.integers(0, len(line) - 2))
        new = data.draw(st.integers(0, 255))
        if line[where] == new:
            return
        line[where] = new
        edited = [*lines[:at], bytes(line), *lines[at + 1 :]]
        # A newline in the middle makes two lines of one.
        found = verify(b"".join(edited).splitlines(keepends=True) if new == 10 else edited)
        assert not found.is_intact
        assert found.line == at + 1
        assert found.kind in ("edited", "truncated")
        assert found.count == at

    @given(st.integers(3, 8), st.data())
    def test_any_removal(self, count: int, data: st.DataObject) -> None:
        lines = numbered(count)
        first = data.draw(st.integers(1, count - 2))
        many = data.draw(st.integers(1, count - 1 - first))
        found = verify([*lines[:first], *lines[first + many :]])
        assert found.kind == "removed"
        assert found.line == first + 1
        assert found.count == first
        if many > 1:
            assert f"records {first + 1} to {first + many} are missing" in found.problem

    @given(st.integers(2, 8), st.data())
    def test_any_swap(self, count: int, data: st.DataObject) -> None:
        lines = numbered(count)
        one = data.draw(st.integers(0, count - 2))
        other = data.draw(st.integers(one + 1, count - 1))
        lines[one], lines[other] = lines[other], lines[one]
        found = verify(lines)
        assert found.kind == "reordered"
        assert found.line == (one + 1 if one else 2)

    @given(st.integers(2, 8), st.data())
    def test_any_copy_put_in(self, count: int, data: st.DataObject) -> None:
        lines = numbered(count)
        of = data.draw(st.integers(0, count - 1))
        at = data.draw(st.integers(of + 1, count))
        found = verify([*lines[:at], lines[of], *lines[at:]])
        assert found.kind == "inserted"
        assert found.line == at + 1
        assert f"repeats line {of + 1}" in found.problem

    @given(st.integers(2, 8), st.integers(1, 12), st.data())
    def test_any_forged_record_put_in(self, count: int, seq: int, data: st.DataObject) -> None:
        lines = numbered(count)
        at = data.draw(st.integers(1, count - 1))
        forged = seal({"event": "asked"}, "f" * 64, seq).encode() + b"\n"
        found = verify([*lines[:at], forged, *lines[at:]])
        assert not found.is_intact
        assert found.line == at + 1

    def test_a_forged_record_that_names_the_one_before_it(self) -> None:
        lines = numbered(4)
        before = read_seal(lines[1].rstrip())
        assert before is not None
        forged = seal({"event": "asked"}, before.hash, 3).encode() + b"\n"
        found = verify([*lines[:2], forged, *lines[2:]])
        assert not found.is_intact
        assert found.line == 4

    def test_a_record_sealed_anew(self) -> None:
        lines = numbered(4)
        first = read_seal(lines[0].rstrip())
        assert first is not None
        lines[1] = seal({"event": "asked", "call": 99}, first.hash, 2).encode() + b"\n"
        found = verify(lines)
        assert found.kind == "edited"
        assert found.line == 3
        assert "written anew" in found.problem

    def test_a_line_that_is_no_record(self) -> None:
        lines = numbered(4)
        for odd in (b"\n", b"x\n", b"{}\n", b"\xff\xfe\n"):
            found = verify([*lines[:2], odd, *lines[2:]])
            assert (found.kind, found.line) == ("edited", 3)

    @pytest.mark.parametrize("kept", [1, 40, -2])
    def test_an_end_that_breaks_off(self, kept: int) -> None:
        lines = numbered(3)
        found = verify([*lines[:2], lines[2][:kept]])
        assert (found.kind, found.line, found.count) == ("truncated", 3, 2)

    def test_a_last_line_without_its_end_is_whole(self) -> None:
        lines = numbered(3)
        assert verify([*lines[:2], lines[2].rstrip()]).count == 3

    def test_a_torn_line_that_the_next_record_accounts_for(self) -> None:
        lines = numbered(2)
        head = verify(lines).head
        torn = b'{"ts":"2026-11-21T12:00:00.000+00:00","seq":3,"ev'
        entry = seal({"event": TORN_LINE, **torn_fields(torn)}, head, 3).encode() + b"\n"
        found = verify([*lines, torn + b"\n", entry])
        assert found.is_intact
        assert (found.count, found.torn) == (3, 1)
        assert verify([*lines, torn[:-1] + b"\n", entry]).kind == "edited"
        assert verify([*lines, torn + b"\n", torn + b"\n", entry]).kind == "edited"

    def test_an_end_that_was_cut_off_shows_only_by_a_hash_kept_elsewhere(self) -> None:
        lines = numbered(5)
        head = verify(lines).head
        assert verify(lines, head).expected_seq == 5
        assert verify([*lines, *chain()], head.upper()).expected_seq == 5
        short = verify(lines[:4], head)
        assert short.is_intact
        assert short.expected_seq is None

    def test_a_start_that_rotation_removed_is_said(self) -> None:
        found = verify(numbered(5)[2:])
        assert found.is_intact
        assert found.starts_midway
        assert found.first_seq == 3
        assert not verify(numbered(5)).starts_midway


def call(raw: dict[str, JsonValue], arguments: dict[str, JsonValue] | None = None) -> Call:
    tool = read_tool(0, raw)
    snapshot = take_snapshot(SERVER.identity, tool, arguments or {})
    verdict = Verdict(VerdictAnswer.ASK, ("because",), policy="cautious", rule="rule 1")
    return Call(7, tool, snapshot, verdict, 1.0)


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

    def test_a_question_about_an_answer_is_an_event_of_its_own(self) -> None:
        answer = read_answer({"content": [{"type": "text", "text": "SECRET-ANSWER"}]})
        event = asked(replace(ask(), result=answer))
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
        assert by_rule["basis"] == "policy cautious, rule rule 1"
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
        event = ended(done(Outcome.OK, raw=READ_ONLY) and replace(done(Outcome.OK), raw=raw))
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
        reason = f"arguments break the input schema at $.{name}: {secret!r} is too long"
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
        assert event[1] is Severity.WARNING
        assert len(line_of(event)) < LINE_MAX

    def test_grants(self) -> None:
        given = Grant(3, "stdio:x", "demo", "read", "d" * 64, None, None, 1.0, 2.0)
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
        others = [
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
            replace(question, seen=Seen.CHANGED),
            replace(question, can_remember=True),
            replace(question, why_not_remembered="other"),
            replace(question, overrides={"readOnly": True}),
            replace(question, result=read_answer({"content": []})),
            replace(question, result=read_answer({"content": [{"type": "text", "text": "a"}]})),
            replace(question, result=read_answer({"content": [{"type": "text", "text": "b"}]})),
        ]
        digests = [prompt_digest(one) for one in (question, *others)]
        assert len(set(digests)) == len(digests)


def record(**fields: Any) -> dict[str, Any]:
    return {"ts": "2026-11-21T11:00:00.000+00:00", "event": "ended", "severity": "note", **fields}


class TestFilters:
    @pytest.mark.parametrize(
        ("query", "fits", "fits_not"),
        [
            ("tool:delete_*", {"tool": "delete_file"}, {"tool": "Delete_file"}),
            ("event:en*", {}, {"event": "sent"}),
            ("severity:warning", {"severity": "error"}, {"severity": "note"}),
            ("outcome:ok", {"outcome": "ok"}, {"outcome": "denied"}),
            ("session:ab", {"session": "abcd"}, {"session": "b"}),
            ("server:demo", {"server": {"name": "demo"}}, {"server": {"name": "demo2"}}),
            ("server:abcdef", {"server": {"identity": "abcdef01"}}, {"server": {"name": "x"}}),
            ("since:2h", {}, {"ts": "2026-11-21T09:59:00.000+00:00"}),
            ("until:2h", {"ts": "2026-11-21T09:59:00.000+00:00"}, {}),
            ("since:2026-11-21", {}, {"ts": "2026-11-20T23:00:00.000+00:00"}),
            ("until:2026-11-21", {}, {"ts": "2026-11-22T00:00:00.000+00:00"}),
            ("since:2026-11-21T10:30Z", {}, {"ts": "2026-11-21T10:00:00.000+00:00"}),
            ("Two WORDS", {"a": {"b": ["two words"]}}, {"a": "two other words"}),
            ("text:one two", {"a": "one two"}, {"a": "one"}),
            ("tool:x words", {"tool": "x", "a": "words"}, {"tool": "x"}),
            ("", {}, None),
        ],
    )
    def test_what_they_want(
        self, query: str, fits: dict[str, Any], fits_not: dict[str, Any] | None
    ) -> None:
        filters = read_query(query, NOW)
        assert filters.matches(record(**fits))
        assert fits_not is None or not filters.matches(record(**fits_not))

    def test_every_name_by_itself(self) -> None:
        given = {"since": "1d", "until": "1h", "severity": "ERROR", "text": " x "}
        filters = read_filters(given, NOW)
        assert filters.since == NOW - timedelta(days=1)
        assert filters.severity is Severity.ERROR
        assert filters.text == "x"
        assert read_filters({}, NOW) == Filters()
        assert read_filters({}, NOW).is_empty

    @pytest.mark.parametrize(
        "query", ["since:yesterday", "until:2026-13-01", "severity:loud", "since:999999w"]
    )
    def test_what_cannot_be_read_is_said(self, query: str) -> None:
        with pytest.raises(ValueError, match=r"time|severity"):
            read_query(query, NOW)

    @given(json_values(), st.sampled_from(["", "severity:error x", "since:2h server:a tool:b"]))
    def test_records_of_any_shape_raise_nothing(self, value: Any, query: str) -> None:
        odd = dict.fromkeys(("ts", "event", "severity", "server", "tool", "decision"), value)
        for event in ("asked", "decided", "ended", "definitions-changed", "listed", "what-if"):
            read_query(query, NOW).matches({**odd, "event": event})
            row = row_of({**odd, "event": event, "duration_ms": value, "torn": value})
            assert row.event == event
            assert row_of(odd).words.isprintable()
            assert list(named([{**odd, "event": event}], {}))


class TestNames:
    def test_a_server_is_known_by_what_was_said_before(self) -> None:
        records = [
            {"event": "opened", "server": {"name": "demo", "identity": "i"}},
            {"event": "sent", "server": {"identity": "i"}},
            {"event": "sent", "server": {"identity": "other"}},
        ]
        found = [row_of(one).server for one in named(records, {})]
        assert found == ["demo", "demo", "other"]
