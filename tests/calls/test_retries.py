"""When a call may be made once more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.calls.retries import Advice, advise, is_unknown, repeated_unknown
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool, read_tools
from tests.approved import approved

PROSE = approved("calls")

ALLOW = Verdict(VerdictAnswer.ALLOW, ("so",))
ASK = Verdict(VerdictAnswer.ASK, ("so",))
REFUSE = Verdict(VerdictAnswer.REFUSE, ("not here",))
UNKNOWN = (
    *(Outcome.CONNECTION_LOST, Outcome.TIMEOUT, Outcome.CANCELLED, Outcome.UNREADABLE),
    *(Outcome.SERVER_FAILED, Outcome.TASK_STARTED, Outcome.FAULT),
)
HARMLESS = (Outcome.NOT_SENT, Outcome.FAULT)


def call(outcome: Outcome, *, sent: bool = True, late: Any = None, **hints: bool) -> Call:
    tool = read_tool(0, {"name": "t", "annotations": {f"{key}Hint": v for key, v in hints.items()}})
    return Call(
        CallName("demo", 7),
        ToolCall(tool),
        take_snapshot("server", ToolCall(tool), {}),
        ASK,
        created=0.0,
        state=State.ENDED,
        sent_at=1.0 if sent else None,
        outcome=outcome,
        late=late,
    )


def advice(one: Call, trust: Trust, verdict: Verdict) -> Advice:
    return advise(one, one.request.definition, trust, verdict)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_what_left_and_was_not_answered_is_unknown(outcome: Outcome) -> None:
    assert is_unknown(call(outcome)) is (outcome in UNKNOWN)
    assert not is_unknown(call(outcome, sent=False))
    assert not is_unknown(call(outcome, late={"content": []}))


@pytest.mark.parametrize("hints", [{"idempotent": True}, {"readOnly": True}])
@pytest.mark.parametrize("outcome", UNKNOWN)
def test_a_trusted_claim_offers_a_retry(outcome: Outcome, hints: dict[str, bool]) -> None:
    given = advice(call(outcome, **hints), Trust.TRUSTED, ASK)
    assert given.is_offered
    assert ("connection lost" in given.reason) is (outcome is Outcome.CONNECTION_LOST)
    assert ("cancelled" in given.reason) is (outcome is Outcome.CANCELLED)
    assert ("outcome unknown" in given.reason) is (outcome is not Outcome.CANCELLED)
    claimed = "read-only" if "readOnly" in hints else "idempotent"
    assert f"is declared {claimed} by a trusted server" in given.reason


@given(
    st.sampled_from(list(Outcome)),
    st.dictionaries(st.sampled_from(["readOnly", "destructive", "idempotent"]), st.booleans()),
    st.booleans(),
)
def test_no_claim_of_an_untrusted_server_offers_a_retry(
    outcome: Outcome, hints: dict[str, bool], sent: bool
) -> None:
    offered = advice(call(outcome, sent=sent, **hints), Trust.UNTRUSTED, ALLOW).is_offered
    assert offered is (not sent and outcome in HARMLESS)


@pytest.mark.parametrize("outcome", HARMLESS)
def test_what_nobody_denied_and_was_not_sent_can_be_tried_again(outcome: Outcome) -> None:
    one = call(outcome, sent=False)
    given = advice(one, Trust.UNTRUSTED, ASK)
    assert given.is_offered
    PROSE.holds("retry: nothing was sent", given.reason)
    assert "refuses the call" in advice(one, Trust.TRUSTED, REFUSE).reason
    assert not advice(call(Outcome.DENIED, sent=False), Trust.TRUSTED, ALLOW).is_offered


def test_reasons_say_what_to_do() -> None:
    lost = call(Outcome.CONNECTION_LOST)
    assert "outcome unknown" in advice(lost, Trust.TRUSTED, ASK).reason
    assert "needs approval" in advice(lost, Trust.TRUSTED, ASK).reason
    claims = call(Outcome.CONNECTION_LOST, idempotent=True)
    assert "not trusted" in advice(claims, Trust.UNTRUSTED, ASK).reason
    PROSE.holds("retry: refused", advice(claims, Trust.TRUSTED, REFUSE).reason)
    assert "not sent" in advice(call(Outcome.DENIED, sent=False), Trust.TRUSTED, ASK).reason
    assert "new call" in advice(call(Outcome.OK), Trust.TRUSTED, ASK).reason


@pytest.mark.parametrize("trust", list(Trust))
@pytest.mark.parametrize(
    ("hints", "said"),
    [
        ({"readOnly": True, "idempotent": False}, "is declared read-only"),
        ({"readOnly": True, "idempotent": True}, "is declared read-only"),
        ({"idempotent": True}, "is declared idempotent"),
        ({"idempotent": False}, "is declared not idempotent"),
        ({}, "is not declared idempotent"),
        (
            {"readOnly": True, "destructive": True, "idempotent": True},
            "is declared both read-only and destructive",
        ),
    ],
)
def test_nothing_is_called_a_claim_that_was_not_made(
    hints: dict[str, bool], said: str, trust: Trust
) -> None:
    reason = advice(call(Outcome.CANCELLED, **hints), trust, ASK).reason
    assert said in reason
    assert reason.count("idempotent") == said.count("idempotent")


def test_of_several_tools_of_one_name_a_trusted_server_is_not_called_untrusted() -> None:
    entry: JsonValue = {"name": "t", "annotations": {"idempotentHint": True}}
    twice = read_tools([entry, entry])[0]
    one = call(Outcome.CONNECTION_LOST, idempotent=True)
    given = advise(one, twice, Trust.TRUSTED, ASK)
    assert not given.is_offered
    assert "not trusted" not in given.reason
    assert "several tools" in given.reason


def test_what_asked_for_input_was_neither_lost_nor_finished() -> None:
    given = advice(call(Outcome.INPUT_REQUIRED, idempotent=True), Trust.TRUSTED, ASK)
    assert not given.is_offered
    assert "not finished" in given.reason


@given(st.sampled_from(list(VerdictAnswer)), st.booleans())
def test_repeating_the_unknown_is_never_allowed_unasked(
    answer: VerdictAnswer, strong: bool
) -> None:
    before = Verdict(answer, ("so",), strong=strong, grant_id=3)
    verdict = repeated_unknown(before, call(Outcome.TIMEOUT))
    if answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        assert verdict == before
    else:
        assert verdict.answer is VerdictAnswer.ASK
        assert verdict.strong
        assert verdict.grant_id is None
        PROSE.holds("retry: an unknown outcome", verdict.reasons[0])
