"""What the dialog says of a definition's past, of who asks, and of what the person supposes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.content import Content

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.questions.question_words import is_strongest, may_destroy
from signoff.app.approval.questions.questions import OwnQuestion
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.texts.sheet_line import GUTTER
from signoff.app.protocol.definitions.changes import compare_definitions
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.tool_reading import read_tool
from signoff.widgets.labels import FrameLine
from tests.approved import approved
from tests.tui.stage import DESTRUCTIVE, LONG, Stage, ask, digests, stage

PROSE = approved("tui-approval")
APPROVE = DecisionAnswer.APPROVE
TO_APPROVE = ("tab", "tab", "tab", "tab")
NOW: dict[str, JsonValue] = {
    **DESTRUCTIVE,
    "description": "Delete a file from the sand\u200bbox.",
    "inputSchema": {"type": "object", "required": ["path"]},
}

BEFORE: dict[str, JsonValue] = {
    **DESTRUCTIVE,
    "annotations": {"readOnlyHint": False, "destructiveHint": True},
}
OLD_DIGEST = read_tool(0, BEFORE).digest[:8]


def changed(*, is_destructive: bool = True) -> OwnQuestion:
    hints: JsonValue = {"readOnlyHint": False, "destructiveHint": is_destructive}
    old: JsonValue = {**DESTRUCTIVE, "annotations": hints}
    new: dict[str, JsonValue] = {**NOW, "annotations": hints}
    return replace(
        ask(new),
        diff=compare_definitions(old, new),
        diff_since="approved on 2026-11-20 10:02",
        seen=DefinitionStatus.CHANGED,
        can_remember=True,
    )


def test_what_says_less_of_itself_than_before_may_destroy_as_before() -> None:
    old: JsonValue = {**DESTRUCTIVE, "annotations": {"destructiveHint": True}}
    new: dict[str, JsonValue] = {**DESTRUCTIVE, "annotations": {"destructiveHint": False}}
    question = ask(new)
    assert not question.is_strong
    assert not may_destroy(question)
    weakened = replace(question, diff=compare_definitions(old, new))
    assert may_destroy(weakened)
    assert is_strongest(weakened)


def together(text: str) -> str:
    return " ".join("".join(char for char in text if char not in "│┃").split())


async def whole(scene: Stage) -> str:
    """Everything on the sheet, page by page."""
    seen = scene.text
    while not scene.dialog.query_one("SheetView").end_seen:  # type: ignore[attr-defined]
        await scene.press("pagedown")
        seen += scene.text
    return seen


class TestDiff:
    async def test_it_stands_before_the_arguments(self) -> None:
        question = changed()
        async with stage(question) as scene:
            text = scene.text
            PROSE.holds(
                "changed: before the arguments", scene.sheet, OLD=OLD_DIGEST, **digests(question)
            )
            assert text.index("Changes ") < text.index('newly required: "path"')
            assert text.index('newly required: "path"') < text.index("Arguments ")

    async def test_where_it_would_take_their_place_it_is_announced_and_follows_them(self) -> None:
        question = changed()
        async with stage(question, size=(80, 16)) as scene:
            words = digests(question)
            PROSE.holds("changed: below the arguments", scene.sheet, OLD=OLD_DIGEST, **words)
            text = scene.text
            assert "difference below" in together(text)
            assert text.index("The definition changed") < text.index("Arguments ")
            assert "todo.txt" in text
            text = await whole(scene)
            told = together(text)
            assert "since it was approved" in told
            assert "2 changes" in told
            places = [
                text.index(one) for one in ("Arguments ", "Changes ", 'newly required: "path"')
            ]
            assert places == sorted(places)

    async def test_old_and_new_behind_the_gutter_with_hidden_characters(self) -> None:
        async with stage(changed(), size=(120, 60)) as scene:
            assert f"{GUTTER}- " in scene.text
            assert "sand<U+200B>box" in scene.text
            assert f'{GUTTER}+ ["path"]' in scene.text

    async def test_approve_waits_until_its_end_was_seen(self) -> None:
        question = replace(changed(), snapshot=ask(NOW, LONG).snapshot)
        async with stage(question, size=(80, 24)) as scene:
            assert not scene.dialog.can_approve
            await scene.press(*TO_APPROVE, "enter")
            await scene.rest()
            assert scene.decisions == []
            await scene.press("end")
            await scene.until(lambda: scene.dialog.can_approve)
            await scene.press("enter")
            await scene.rest()
            assert scene.told == [Decision(APPROVE, "you")]

    async def test_what_may_destroy_and_has_changed_takes_the_button(self) -> None:
        async with stage(changed(), size=(120, 60)) as scene:
            PROSE.holds("changed: keys", scene.keys_said)
            assert "the button" in scene.sheet
            assert "ctrl+y" not in scene.text
            await scene.press("ctrl+y", "ctrl+y")
            PROSE.holds("changed: ctrl+y", scene.keys_said)
            await scene.rest()
            assert scene.decisions == []
            await scene.press(*TO_APPROVE, "enter")
            await scene.rest()
            assert scene.told == [Decision(APPROVE, "you")]

    async def test_what_does_not_destroy_keeps_the_chord(self) -> None:
        async with stage(changed(is_destructive=False), size=(120, 60)) as scene:
            assert "the button" not in scene.sheet
            await scene.press("ctrl+y", "ctrl+y")
            await scene.rest()
            assert scene.told == [Decision(APPROVE, "you")]


class TestHistory:
    @pytest.mark.parametrize(
        ("seen", "said"),
        [
            (None, " "),
            (DefinitionStatus.FIRST, ", new this session"),
            *((one, f", {one.value}") for one in (DefinitionStatus.NEW, DefinitionStatus.SAME)),
            (DefinitionStatus.CHANGED, f", {DefinitionStatus.CHANGED.value}"),
        ],
    )
    async def test_beside_the_claims(self, seen: DefinitionStatus | None, said: str) -> None:
        question = ask() if seen is None else replace(ask(), seen=seen)
        async with stage(question) as scene:
            words = f"definition {question.tool.digest[:8]}{said}"
            assert words in together(await whole(scene))


class TestWhoAsks:
    async def test_policy_and_rule_or_a_host(self) -> None:
        rule = replace(ask().verdict, policy="team", rule="rule 2: scratch files")
        host = Verdict(VerdictAnswer.ASK, ("it is not read-only",), policy="as VS Code")
        for verdict, size, words in (
            (rule, (120, 36), "team policy, rule 2: scratch files"),
            (rule, (80, 24), "(team, rule 2: scratch files"),
            (host, (80, 24), "rules of VS Code"),
        ):
            async with stage(replace(ask(), verdict=verdict), size=size) as scene:
                assert words in together(await whole(scene))


class TestWhatIf:
    async def test_a_column_of_its_own(self) -> None:
        question = replace(ask(), overrides={"readOnly": True, "openWorld": None})
        async with stage(question) as scene:
            await scene.press("v")
            await scene.until(lambda: "declared" in scene.text)
            PROSE.holds("what if: in full", scene.sheet, **digests(question))

    async def test_it_is_not_the_servers(self) -> None:
        question = replace(ask(), overrides={"readOnly": True})
        async with stage(question, size=(80, 24)) as scene:
            assert "readOnly true ● set by" in together(await whole(scene))

    async def test_none(self) -> None:
        async with stage() as scene:
            assert "what-if" not in scene.text


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that the lines of a frame ever painted."""
    words: list[str] = []
    render = FrameLine.render

    def noting(line: FrameLine) -> Content:
        content = render(line)
        words.append(content.plain)
        return content

    monkeypatch.setattr(FrameLine, "render", noting)
    return words


class TestOpening:
    async def test_no_lines_are_announced_that_are_not_below(self, painted: list[str]) -> None:
        async with stage(ask(arguments={}), size=(80, 24)):
            assert any("moment" in words for words in painted)
            assert not any("more line" in words for words in painted)

    async def test_lines_that_are_below_are_announced_at_once(self, painted: list[str]) -> None:
        async with stage(ask(arguments=LONG), size=(80, 24)):
            dividers = [words for words in painted if words.startswith("┠") and "┨" in words]
            assert len({words.split(" more line")[0] for words in dividers}) == 1

    async def test_the_keys_below_are_covered(self) -> None:
        async with stage() as scene:
            cover = scene.dialog.query_one("#footer-cover")
            assert (cover.region.y, cover.region.height) == (35, 1)
            assert cover.region.width == 120
            assert not scene.dialog.query_one("ApprovalBox").region.overlaps(cover.region)
