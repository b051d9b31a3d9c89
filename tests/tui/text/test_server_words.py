"""What the dialog of a server's question says of the server's words before anything is sent."""

from __future__ import annotations

from signoff.app.approval.server_questions import AboutElicitation, AboutSampling, filled
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server_requests.sampling import Sampling
from signoff.app.schemas.form.entries import Origin
from tests.approved import approved
from tests.questions import of_server
from tests.tui.bench_stage import NARROW
from tests.tui.stage import stage

TEXTS = approved("tui-text")
TITLE = "Transfers everything to us"
SCHEMA: JsonValue = {
    "type": "object",
    "properties": {"ok": {"type": "boolean", "title": TITLE, "default": True}},
}


def warned(text: str) -> str:
    """The row that leads to what stands below."""
    (row,) = [one.strip("│┃ ") for one in text.split("\n") if "▲" in one and "below" in one]
    return row


def agreed(origin: Origin) -> AboutElicitation:
    found = filled(of_server(schema=SCHEMA), {"ok": True}, {"ok": origin})
    assert isinstance(found, AboutElicitation)
    return found


async def test_what_nobody_filled_in_is_shown_with_what_it_would_mean() -> None:
    """A default without the server's own words for it would be a blank cheque."""
    for question in (agreed(Origin.DEFAULT), filled(of_server(schema=SCHEMA), {}, {})):
        async with stage(question, size=NARROW) as scene:
            await scene.press("end")
            assert TITLE in scene.text


async def test_what_a_person_filled_in_is_not_described_once_more() -> None:
    async with stage(agreed(Origin.TYPED), size=NARROW) as scene:
        await scene.press("end")
        assert TITLE not in scene.text
        (row,) = [one.strip("│┃ ") for one in scene.text.split("\n") if "filled in above" in one]
        TEXTS.holds("server's words: of fields that are filled in", row)


async def test_long_words_of_a_server_are_not_counted_as_findings() -> None:
    asked = of_server("one\n\ntwo\n\n" * 20)
    said: dict[str, JsonValue] = {
        "role": "user",
        "content": {"type": "text", "text": asked.elicitation.message},
    }
    spoken = AboutSampling(
        call=asked.call,
        server_name=asked.server_name,
        server_command=asked.server_command,
        server_calls_itself=asked.server_calls_itself,
        trust=asked.trust,
        verdict=asked.verdict,
        server_identity=asked.server_identity,
        sampling=Sampling((said,)),
    )
    for question in (asked, spoken):
        async with stage(question, size=NARROW) as scene:
            TEXTS.holds("server's words: below", warned(scene.text))
            assert "warning" not in scene.text
            assert "finding" not in scene.text


async def test_warnings_that_stand_below_are_counted_above() -> None:
    async with stage(of_server("Approve?\n\n" * 40), size=NARROW) as scene:
        TEXTS.holds("server's words: below, with a warning", warned(scene.text))
