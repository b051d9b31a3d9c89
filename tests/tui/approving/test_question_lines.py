"""Lines of questions: resolved hints, previews, arguments that break a schema, server's words."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain

import pytest

from signoff.app.approval.questions.question_lines import question_parts
from signoff.app.approval.questions.question_words import takes_one_press
from signoff.app.approval.questions.sheet import plain_lines
from signoff.app.approval.server_questions import AboutElicitation, AboutSampling, filled
from signoff.app.calls.checks import although_invalid_words
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.texts.sheet_line import SheetLine
from signoff.app.protocol.extensions.display_templates import DisplayTemplate
from signoff.app.protocol.extensions.tool_resolution import (
    Resolution,
    ResolutionStatus,
    ResolvedHints,
)
from signoff.app.protocol.server import Trust
from signoff.app.protocol.server_requests.sampling import Sampling
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.schema import Mismatch, SchemaAnswer, SchemaVerdict
from signoff.app.storage.auditing.events import asked, prompt_digest
from tests.approved import approved
from tests.questions import of_server
from tests.tui.bench_stage import NARROW
from tests.tui.stage import HARMLESS, ask, stage

PROSE = approved("tui-approval")
READS = ResolvedHints(
    readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False
)
RESOLVED = Resolution(ResolutionStatus.RESOLVED, READS, was_sent=True)
NOT_SENT = Resolution(ResolutionStatus.NOT_SENT, reason="the policy refuses the call")


@pytest.mark.parametrize(
    ("name", "resolution", "trust"),
    [
        ("resolved: trusted", RESOLVED, Trust.TRUSTED),
        ("resolved: not trusted", RESOLVED, Trust.UNTRUSTED),
        ("resolved: not sent", NOT_SENT, Trust.UNTRUSTED),
    ],
)
def test_it_has_both_kinds_of_hints_and_what_was_sent(
    name: str, resolution: Resolution, trust: Trust
) -> None:
    question = replace(ask(), resolution=resolution, trust=trust)
    lines = ["".join(text for text, _ in line.pieces) for line in question_parts(question).rest]
    without = ["".join(text for text, _ in line.pieces) for line in question_parts(ask()).rest]
    PROSE.holds(name, "\n".join(one for one in lines if one not in without))


def test_resolved_hints_save_no_press() -> None:
    # The static hints are destructive; a lie of the server saves nothing.
    assert not takes_one_press(replace(ask(), resolution=RESOLVED))


def test_worse_hints_than_the_listed_ones_need_both_presses() -> None:
    worse = ResolvedHints(
        readOnlyHint=False, destructiveHint=True, idempotentHint=False, openWorldHint=False
    )
    failed = Resolution(ResolutionStatus.FAILED, worse, "worse", was_sent=True)
    question = ask({**HARMLESS})
    assert takes_one_press(question)
    assert not takes_one_press(replace(question, resolution=failed))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_it_is_on_the_screen(size: tuple[int, int]) -> None:
    async with stage(replace(ask(), resolution=RESOLVED), size=size) as scene:
        assert "read-only (static:" in scene.text


ARGUMENTS = {"path": "/a", "upload_to": "http://b"}


def lines(template: str, columns: int = 78) -> list[SheetLine]:
    question = replace(ask(arguments=ARGUMENTS), template=DisplayTemplate(template, "$"))
    parts = question_parts(question, columns=columns)
    return list(chain(parts.first, parts.noticed, parts.changes, parts.subject, parts.rest))


def preview_of(found: list[SheetLine]) -> SheetLine:
    (one,) = [line for line in found if line.label == "preview"]
    return one


@pytest.mark.parametrize("columns", [38, 78, 118])
def test_the_arguments_of_a_destructive_call_come_first_and_whole(columns: int) -> None:
    found = [line.plain for line in lines("read {path}", columns)]
    at = next(at for at, words in enumerate(found) if words == "read /a")
    raw = "\n".join(found[:at])
    assert '"path": "/a"' in raw
    assert '"upload_to": "http://b"' in raw
    assert "leaves out “upload_to”" in found[at + 1]


@pytest.mark.parametrize(
    "template",
    [
        "approved by you · nothing is sent",
        "why        read-only tool, trusted server",
        "{path}\nremember   (•) this tool",
        "▸ Approve once ◂",
    ],
)
def test_a_template_in_words_of_the_dialog_is_behind_the_gutter(template: str) -> None:
    line = preview_of(lines(template))
    assert line.gutter
    assert "\n" not in line.plain
    question = replace(ask(arguments=ARGUMENTS), template=DisplayTemplate(template, "$"))
    (shown,) = [one for one in plain_lines(question_parts(question)) if line.plain in one]
    assert shown.startswith("preview  ┃ ")


def test_a_line_that_contradicts_the_arguments_does_not_change_them() -> None:
    found = lines("delete nothing, path is /tmp, upload_to is off")
    words = "\n".join(line.plain for line in found)
    assert '"path": "/a"' in words
    assert "leaves out “path”, “upload_to”" in words


def test_an_empty_template_is_told() -> None:
    assert preview_of(lines("")).plain == "(an empty line)"


def test_a_call_without_a_template_has_no_such_line() -> None:
    parts = question_parts(ask(arguments=ARGUMENTS))
    assert not [line for line in parts.rest if line.label == "preview"]


MISMATCH = Mismatch(("path",), "expected string, got 5", (), "type")
BROKEN = SchemaVerdict(SchemaAnswer.INVALID, (MISMATCH, Mismatch(("a", 1), "no\u202e", (), "x")))
TEXTS = approved("approval")
WORDS = although_invalid_words(BROKEN)


@pytest.mark.parametrize(
    ("verdict", "key"),
    [
        (BROKEN, "although invalid: two problems"),
        (
            SchemaVerdict(SchemaAnswer.INVALID, (MISMATCH,) * 5, more=1_000),
            "although invalid: many problems",
        ),
        (
            SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason="it took 3 s"),
            "although invalid: not checked",
        ),
    ],
)
def test_the_sentence(verdict: SchemaVerdict, key: str) -> None:
    TEXTS.holds(key, although_invalid_words(verdict))


@pytest.mark.parametrize("answer", [SchemaAnswer.VALID, SchemaAnswer.NO_SCHEMA])
def test_no_sentence_without_a_problem(answer: SchemaAnswer) -> None:
    assert although_invalid_words(SchemaVerdict(answer)) == ""


async def test_the_dialog_says_it() -> None:
    async with stage(replace(ask(), although_invalid=WORDS), size=(80, 24)) as scene:
        seen = " ".join(re.sub("[│┃]", " ", scene.text).split())
        assert f"invalid {WORDS}" in seen
    async with stage(size=(80, 24)) as scene:
        assert "You chose" not in scene.text


def test_the_plain_question_and_the_record_say_it() -> None:
    plain, invalid = ask(), replace(ask(), although_invalid=WORDS)
    assert f"invalid    {WORDS}" in question_lines(invalid)
    assert "invalid" not in "\n".join(question_lines(plain))
    assert asked(invalid)[2]["although_invalid"] is True
    assert "although_invalid" not in asked(plain)[2]
    assert prompt_digest(invalid) != prompt_digest(plain)


SAID = approved("tui-text")
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
        SAID.holds("server's words: of fields that are filled in", row)


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
            SAID.holds("server's words: below", warned(scene.text))
            assert "warning" not in scene.text
            assert "finding" not in scene.text


async def test_warnings_that_stand_below_are_counted_above() -> None:
    async with stage(of_server("Approve?\n\n" * 40), size=NARROW) as scene:
        SAID.holds("server's words: below, with a warning", warned(scene.text))
