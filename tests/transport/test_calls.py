"""Which message belongs to which call: progress, late and double answers."""

from __future__ import annotations

from typing import Any

from signoff.app.transport.calls import FORGOTTEN_AFTER, CallTable, PendingCall, current_call
from signoff.app.transport.events import Listing
from signoff.app.transport.gate import Gate
from signoff.app.transport.protocol import PROGRESS
from tests.servers import raw
from tests.transport.linked import Made, call, linked


def every_tool() -> list[str]:
    return raw("--with", "all")


async def test_the_first_of_two_answers_counts() -> None:
    async with linked(every_tool()) as (link, heard):
        await heard.one(Listing)
        reply = await call(link, "twice")
        await heard.until(lambda: "answered-twice" in heard.codes)
    assert isinstance(reply.result, dict)
    assert reply.result["content"][0]["text"] == "the first answer"  # type: ignore[index,call-overload]


async def test_progress_arrives_raw_however_ugly() -> None:
    async with linked(every_tool()) as (link, heard):
        await heard.one(Listing)
        seen: dict[str, list[Any]] = {}
        for tool in (
            "progress_falls",
            "progress_overflows",
            "progress_not_a_number",
            "progress_huge",
            "progress_without_total",
        ):
            made = Made()
            assert (await made.make(link, tool)).has_result, tool
            seen[tool] = [params["progress"] for params in made.progress]
        assert seen["progress_falls"] == [5, 3, 3, 8]
        assert seen["progress_overflows"] == [1, 2, 8, 12, 150]
        assert seen["progress_not_a_number"] == ["NaN", True, None, [1], {"a": 1}]
        assert seen["progress_huge"] == [1, 10**400, 2]
        made = Made()
        assert (await made.make(link, "progress_flood")).has_result
        assert len(made.progress) == 10_000
        assert (await call(link, "progress_unknown_token")).has_result
        assert "progress-unknown" in heard.codes
        late = Made()
        assert (await late.make(link, "progress_late")).has_result
        await heard.until(lambda: "progress-late" in heard.codes)
        assert len(late.progress) == 1


async def test_a_token_of_true_is_not_call_number_one() -> None:
    codes: list[str] = []
    made = Made()
    table = CallTable(lambda finding: codes.append(finding.code), print, Gate(print))
    token = current_call.set(PendingCall(made.sent.append, made.progress.append, made.late.append))
    table.outgoing(1, "tools/call", {})
    current_call.reset(token)
    for wrong in (True, "1", None, 1.0):
        table.incoming({"method": PROGRESS, "params": {"progressToken": wrong, "progress": 1}})
    assert codes == ["progress-unknown"] * 4
    table.incoming({"method": PROGRESS, "params": {"progressToken": 1, "progress": 1}})
    assert len(made.progress) == 1


async def test_the_table_of_calls_stays_small_even_behind_a_call_that_never_ends() -> None:
    table = CallTable(lambda finding: None, print, Gate(print))
    for number in range(FORGOTTEN_AFTER * 2):
        one = PendingCall(lambda sent: None, lambda progress: None, lambda late: None)
        token = current_call.set(one)
        table.outgoing(number, "tools/call", {})
        current_call.reset(token)
        if number:
            table.forget(one)
    assert len(table._calls) == FORGOTTEN_AFTER
    assert table.incoming({"id": 0, "result": {}}) is not None
    assert 0 in table._calls


async def test_progress_of_a_task_goes_on_after_the_answer_that_it_began() -> None:
    """Spec 2025-11-25, basic/utilities/tasks: the token is good for as long as the task lasts."""
    codes: list[str] = []
    made = Made()
    table = CallTable(lambda finding: codes.append(finding.code), print, Gate(print))
    pending = PendingCall(made.sent.append, made.progress.append, made.late.append)
    pending.is_followed = True
    token = current_call.set(pending)
    table.outgoing(1, "tools/call", {})
    current_call.reset(token)
    report: dict[str, Any] = {"method": PROGRESS, "params": {"progressToken": 1, "progress": 1}}
    table.incoming({"jsonrpc": "2.0", "id": 1, "result": {"task": {"taskId": "t"}}})
    table.forget(pending)
    table.incoming(dict(report))
    assert (len(made.progress), codes) == (1, [])
    pending.is_followed = False
    table.incoming(dict(report))
    assert (len(made.progress), codes) == (1, ["progress-late"])
