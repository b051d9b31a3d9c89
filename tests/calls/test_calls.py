"""A call as a value: what becomes of it later is another one."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.protocol.requests import CallName, ResourceRead

READ = ResourceRead("demo://a")
CALL = Call(
    CallName("demo", 1),
    READ,
    take_snapshot("stdio:demo", READ, {"uri": "demo://a"}),
    Verdict(VerdictAnswer.ASK, ("reason",)),
    created=1.0,
)


def test_what_becomes_of_a_call_is_another_value() -> None:
    later = CALL.later(state=State.ENDED, outcome=Outcome.OK)
    assert later == replace(CALL, state=State.ENDED, outcome=Outcome.OK)
    assert (later.status, later.is_over) == ("answered", True)
    assert (CALL.state, CALL.outcome) == (State.WAITING, None)
    assert CALL.later() == CALL


def test_it_has_no_other_fields_than_a_call_has() -> None:
    with pytest.raises(TypeError, match="a call does not have status, verdicts"):
        CALL.later(verdicts=(), status="x")
    with pytest.raises(FrozenInstanceError):
        CALL.later(reason="a").reason = "b"  # type: ignore[misc]
