"""Which message belongs to which call: progress, late and double answers."""

from __future__ import annotations

from typing import Any

from signoff.app.transport.events import Listing
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
