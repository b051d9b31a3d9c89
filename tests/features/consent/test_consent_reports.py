"""Reports and totals of `signoff consent`, on calls that nobody made."""

from __future__ import annotations

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.cli.output.printing import Hiding
from signoff.app.cli.output.results import Status
from signoff.app.features.consent.eras import Era
from signoff.app.features.consent.people import AskedByServer, CallEnding, Effects, Observed, Who
from signoff.app.features.consent.reports import result_of
from signoff.app.features.consent.summary import exit_status, is_passed, summary
from signoff.app.features.consent.tools import NotCalled, ToolConsent, ToolInput
from signoff.app.protocol.server import Server, Trust
from signoff.app.protocol.tool_reading import read_tool

MODERN, LEGACY = "2026-07-28", "2025-11-25"
ERAS = (Era("2026-07-28", MODERN), Era("legacy", LEGACY))
QUESTION = AskedByServer("Delete a?", {"type": "object"}, answer={"action": "accept"})
OK = CallEnding(Outcome.OK, "done")


def found(name: str, era: str, *people: Observed, **changes: object) -> ToolConsent:
    """A tool in an era, with the calls of some people."""
    definition = read_tool(0, {"name": name, "inputSchema": {"type": "object"}})
    given = ToolInput(definition, {"path": "a"})
    return ToolConsent(given, era, people=list(people), **changes)  # type: ignore[arg-type]


def call(who: Who, *, asks: bool = True, response: CallEnding = OK, **effects: object) -> Observed:
    return Observed(
        who,
        "delete",
        {"path": "a"},
        was_sent=True,
        asked=(QUESTION,) if asks else (),
        response=response,
        effects=Effects(**effects),  # type: ignore[arg-type]
        limit=5,
    )


def hiding() -> Hiding:
    return Hiding(False, Server("s", "s", "s", Trust.UNTRUSTED))


def test_a_failure_of_several_people_is_one_step_with_their_names() -> None:
    whos = (Who.ACCEPTS, Who.DECLINES, Who.CANCELS)
    calls = [call(who, before=("deleted a",)) for who in whos]
    result = result_of(found("delete", LEGACY, *calls), "s", "cautious", hiding())
    (step,) = result.steps
    assert step.status is Status.FAILED
    assert step.title == "; ".join(who.words for who in whos)
    assert [one.name for one in step.failures] == ["done-before-answer"]


def test_another_failure_is_a_step_of_its_own() -> None:
    accepts = call(Who.ACCEPTS, before=("deleted a",))
    declines = call(Who.DECLINES, before=("deleted a",), after=("deleted b",))
    result = result_of(found("delete", LEGACY, accepts, declines), "s", "cautious", hiding())
    assert [one.status for one in result.steps] == [Status.FAILED, Status.FAILED]


def lines(*tools: ToolConsent, accepts: dict[str, str] | None = None) -> list[str]:
    return list(summary(tools, ERAS, accepts or {}, [], 1.0))


def test_a_tool_of_two_eras_is_one_tool() -> None:
    several = [found("delete", era, call(Who.DECLINES)) for era in (MODERN, LEGACY)]
    assert lines(*several) == [
        f"{MODERN}: 1 of 1 tool called: 1 asked",
        f"{LEGACY}: 1 of 1 tool called: 1 asked",
        "passed: 1 tool, 0 with a failed check; 2 calls in 1.0 s",
    ]


def test_the_tools_that_were_not_called_are_counted_by_reason() -> None:
    silent = found("look", MODERN, call(Who.DECLINES, asks=False))
    denied = found("a", MODERN, problem="denied", not_called=NotCalled.NOT_APPROVED)
    without = [
        found(name, MODERN, problem="no arguments", not_called=NotCalled.NO_INPUT)
        for name in ("b", "c")
    ]
    assert lines(silent, denied, *without)[0] == (
        f"{MODERN}: 1 of 4 tools called: 1 did not ask; 3 not called: "
        "1 for no approval (see --approve), 2 for no valid arguments (--inputs gives some)"
    )


@pytest.mark.parametrize("name", ["call-failed", "hangs"])
def test_only_the_accepted_code_is_accepted(name: str) -> None:
    failed = call(Who.DECLINES, asks=False, response=CallEnding(Outcome.TOOL_ERROR, "no"))
    accepts = {name: "known"}
    one = found("delete", MODERN, failed, accepts=accepts)
    is_matched = name == "call-failed"
    assert is_passed([one], ERAS) is is_matched
    assert exit_status([one], ERAS) == (0 if is_matched else 1)
    last = lines(one, accepts=accepts)[-2]
    assert last == (
        "accepted call-failed, 1 check: known"
        if is_matched
        else "--accept hangs matched nothing: known"
    )


def test_an_era_that_could_not_be_opened_fails_the_run() -> None:
    lost = Era("2026-07-28", MODERN, lost="the server exited")
    one = found("delete", LEGACY, call(Who.DECLINES))
    assert not is_passed([one], (lost, ERAS[1]))
    assert exit_status([one], (lost, ERAS[1])) == 5
    refused = Era("2026-07-28", MODERN, not_offered="Method not found")
    assert is_passed([one], (refused, ERAS[1]))
    told = list(summary([one], (refused, ERAS[1]), {}, ["Method not found"], 1.0))
    assert told[0] == f"{MODERN} is not offered: Method not found"


@pytest.mark.parametrize("tried", [0, 1])
def test_a_run_that_was_interrupted_has_not_passed(tried: int) -> None:
    some = [found("delete", era, call(Who.DECLINES)) for era in (MODERN, LEGACY) if tried]
    assert is_passed(some, ERAS) is bool(tried)
    assert not is_passed(some, ERAS, 2)
    assert exit_status(some, ERAS, 2) == 5
    last = list(summary(some, ERAS, {}, [], 1.0, 2))[-1]
    assert last.startswith("interrupted: ")
    assert ", 2 not tried; " in last


def test_a_broken_check_counts_before_an_interrupt() -> None:
    one = found("delete", MODERN, call(Who.DECLINES, before=("deleted a",)))
    assert exit_status([one], ERAS, 1) == 1
    assert list(summary([one], ERAS, {}, [], 1.0, 1))[-1].startswith("FAILED: ")


def test_a_run_without_a_call_has_not_passed() -> None:
    one = found("delete", MODERN, problem="denied", not_called=NotCalled.NOT_APPROVED)
    assert exit_status([one], ERAS) == 3
    assert not is_passed([one], ERAS)
    assert lines(one)[-1] == "not tested: 1 tool, 0 with a failed check; 0 calls in 1.0 s"
