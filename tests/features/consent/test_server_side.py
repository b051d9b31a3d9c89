"""`signoff consent` on tools whose approval is on the server's side: drafts, both sides tried."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.features.consent.checks import Others, Standing, failed_unasked, judge
from signoff.app.features.consent.people import CallEnding, Effects, Observed, Who
from signoff.app.features.consent.wire import is_still_pending
from signoff.app.protocol.extensions.denials import ENVELOPE
from signoff.app.protocol.wire.frames import CLIENT, SERVER, Sender, WireLog
from tests.cli.running import run
from tests.features.consent.test_consent_runs import results

DONE = ("created transfers.txt",)
APPROVED = Observed(
    Who.DECLINES,
    "transfer",
    {},
    was_sent=True,
    awaited=True,
    response=CallEnding(Outcome.OK, "done"),
    effects=Effects(after=DONE),
)
DENIED = replace(
    APPROVED,
    is_refused=True,
    response=CallEnding(Outcome.TOOL_ERROR, "not done"),
    effects=Effects(),
)
WITHDRAWN = replace(
    APPROVED, who=Who.WITHDRAWS, response=CallEnding(Outcome.CANCELLED), effects=Effects()
)


def standings(one: Observed, accepted: Observed | None = APPROVED) -> dict[str, Standing]:
    return {each.code: each.standing for each in judge(one, Others(accepted))}


def test_what_is_done_after_the_approval_alone_keeps_the_contract() -> None:
    kept = {"done-before-approval": Standing.KEPT}
    assert standings(APPROVED, None) == kept
    assert standings(DENIED) == {**kept, "done-although-denied": Standing.KEPT}
    assert standings(WITHDRAWN) == {**kept, "done-after-withdrawal": Standing.KEPT}


def test_what_is_done_while_it_is_pending_denied_or_withdrawn_breaks_it() -> None:
    for one in (APPROVED, DENIED, WITHDRAWN):
        early = replace(one, effects=Effects(before=DONE))
        assert standings(early)["done-before-approval"] is Standing.BROKEN
    late = Effects(after=DONE)
    assert standings(replace(DENIED, effects=late))["done-although-denied"] is Standing.BROKEN
    withdrawn = replace(WITHDRAWN, effects=late)
    assert standings(withdrawn)["done-after-withdrawal"] is Standing.BROKEN
    at_once = replace(DENIED, awaited=False, effects=late)
    assert standings(at_once)["done-although-denied"] is Standing.BROKEN


def test_without_an_approved_call_nothing_is_proven() -> None:
    for one in (DENIED, WITHDRAWN):
        assert set(standings(one, None).values()) == {Standing.NOT_SEEN}


def test_a_denial_is_no_call_that_failed_and_a_pending_one_does_not_hang() -> None:
    assert not failed_unasked(DENIED)
    assert not failed_unasked(replace(DENIED, awaited=False))
    assert "hangs" not in standings(replace(APPROVED, is_hung=True))


def told(wire: WireLog, sender: Sender, **message: Any) -> None:
    wire.add(sender, json.dumps({"jsonrpc": "2.0", **message}).encode())


def test_only_a_status_that_was_asked_for_later_proves_that_it_is_pending() -> None:
    hint = {"remediation": "available", "remediationHints": [{"type": "task"}]}
    envelope = {"reason": "insufficient_authorization", **hint}
    status = {"taskId": "t", "status": "working", "_meta": {ENVELOPE: envelope}}
    wire = WireLog()
    told(wire, CLIENT, id=1, method="tasks/get", params={"taskId": "t"})
    mark = wire.count
    told(wire, SERVER, id=1, result=status)
    assert not is_still_pending(wire, mark)
    told(wire, CLIENT, id=2, method="tasks/get", params={"taskId": "t"})
    told(wire, SERVER, id=2, result={**status, "status": "completed"})
    assert not is_still_pending(wire, mark)
    told(wire, CLIENT, id=3, method="tasks/get", params={"taskId": "t"})
    told(wire, SERVER, id=3, result=status)
    assert is_still_pending(wire, mark)


def report(folder: Path, tool: str, amount: int) -> Any:
    inputs = folder / "inputs.json"
    inputs.write_text(json.dumps({tool: {"to": "Ada", "amount": amount}}), encoding="utf-8")
    return run(
        folder,
        *("consent", "--json", "--approve", "always", "--no-memory", "--no-audit"),
        *("--evidence-by", "folders", "--protocol", "2026-07-28", "--tools", tool),
        *("--inputs", str(inputs), "--experimental", "tool-approval"),
        *("--experimental", "structured-authorization-denials", "demo"),
    )


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("tool", "amount", "broken"),
    [
        ("transfer_after_approval", 500, set()),
        ("transfer_after_approval", 5_000, set()),
        ("transfer_before_approval", 500, {"done-before-approval"}),
        ("transfer_before_approval", 5_000, {"done-before-approval"}),
        ("transfer_although_pending", 500, {"done-although-denied", "never-asked"}),
    ],
)
def test_the_bundled_server_keeps_and_breaks_it(
    tmp_path: Path, tool: str, amount: int, broken: set[str]
) -> None:
    ended = report(tmp_path, tool, amount)
    assert results(ended.report, "broken") == {tool: broken}
    assert ended.status == (1 if broken else 0), ended.stderr
    (found,) = ended.report["tools"]
    assert found["awaits"]
