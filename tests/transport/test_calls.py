"""Which message belongs to which call: progress, late and double answers."""

from __future__ import annotations

from tests.transport.linked import Made, call
from tests.transport.webbed import over


async def test_the_first_of_two_answers_counts() -> None:
    async with over("stdio", "--with", "all") as (link, heard):
        reply = await call(link, "twice")
        await heard.until(lambda: "answered-twice" in heard.codes)
    assert "the first answer" in str(reply.result)


UGLY = {
    "progress_falls": [5, 3, 3, 8],
    "progress_overflows": [1, 2, 8, 12, 150],
    "progress_not_a_number": ["NaN", True, None, [1], {"a": 1}],
    "progress_huge": [1, 10**400, 2],
    "progress_without_total": None,
}


async def test_progress_arrives_raw_however_ugly() -> None:
    async with over("stdio", "--with", "all") as (link, heard):
        for tool, expected in UGLY.items():
            made = Made()
            assert (await made.make(link, tool)).has_result, tool
            seen = [params["progress"] for params in made.progress]
            assert expected is None or seen == expected
        made = Made()
        assert (await made.make(link, "progress_flood")).has_result
        assert len(made.progress) == 10_000
        assert (await call(link, "progress_unknown_token")).has_result
        assert "progress-unknown" in heard.codes
        late = Made()
        assert (await late.make(link, "progress_late")).has_result
        await heard.until(lambda: "progress-late" in heard.codes)
        assert len(late.progress) == 1
