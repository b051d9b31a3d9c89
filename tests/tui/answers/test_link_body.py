"""A link as a card: everything the server says of it, nothing that leads anywhere by itself."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import pytest

from signoff.app.approval.questions.value_lines import URI_LIMIT
from signoff.app.protocol.answers.content import LinkPart
from signoff.app.tui.answers.links import LinkBody
from tests.approved import approved
from tests.tui.answer_stage import BodyStage, body_stage
from tests.tui.drawn import drawn

TEXTS = approved("tui-links")
PART = LinkPart(
    "https://example.org/a",
    "name [@click=app.bell]x[/]",
    "A title",
    "First line\nsecond \x1b[31m line",
    "text/plain",
    4_404_019,
)


def card(
    part: LinkPart = PART, size: tuple[int, int] = (80, 24)
) -> AbstractAsyncContextManager[BodyStage[LinkBody]]:
    return body_stage(LinkBody(part), size)


async def test_everything_that_is_said_is_shown_safely() -> None:
    async with card() as at:
        TEXTS.holds("card: all that is said", drawn(at.body))
        assert at.body.words == "resource link  text/plain  4.4 MB"
        assert at.body.full() is None


async def test_the_uri_is_copied_as_it_came() -> None:
    uri = "demo://\u202ea"
    async with card(replace(PART, uri=uri)) as at:
        assert at.body.copied().text == uri
        assert "uri          ┃ demo://<U+202E>a" in at.rows


async def test_a_long_uri_goes_on_in_the_next_rows() -> None:
    uri = "demo://" + "0123456789" * 30
    async with card(replace(PART, uri=uri), (60, 30)) as at:
        found = "".join(row.partition("┃ ")[2] for row in at.rows)
        assert uri in found


async def test_what_is_cut_says_so_and_is_whole_in_full() -> None:
    async with card(replace(PART, uri="demo:" + "a" * 5_000), (80, 50)) as at:
        cut = drawn(at.body).split("\n")[-2:]
        TEXTS.holds("card: a long URI", "\n".join(cut), LIMIT=f"{URI_LIMIT:,}")
        assert at.body.full() is not None


@pytest.mark.parametrize(
    ("uri", "key"),
    [
        ("javascript:alert(1)", "card: a script"),
        ("demo://a", "card: of the server"),
        ("https://a b/", "card: blanks in the URI"),
        ("mailto:a@b.example?attach=x", "card: a mail with a file"),
        ("", "card: no URI"),
        ("file:///etc/my%20file", "card: a file"),
    ],
)
async def test_what_can_be_done_with_it_is_said(uri: str, key: str) -> None:
    async with card(replace(PART, uri=uri)) as at:
        TEXTS.holds(key, drawn(at.body).partition("bytes)\n")[2])


async def test_it_follows_nothing_by_itself() -> None:
    async with card() as at:
        await at.pilot.click(LinkBody, offset=(15, 7))
        await at.press("enter", "tab", "space")
        assert not at.stage.posted(LinkBody.OpenWanted)
        at.body.open_wanted()
        await at.pilot.pause()
        assert [one.part for one in at.stage.posted(LinkBody.OpenWanted)] == [PART]
