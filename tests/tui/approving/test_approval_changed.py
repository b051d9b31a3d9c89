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
from tests.tiers import first_quick
from tests.tui.stage import DESTRUCTIVE, LONG, Stage, ask, digests, stage

PROSE = approved("tui-approval")
APPROVE = DecisionAnswer.APPROVE
TO_APPROVE = ("tab", "tab", "tab", "tab")
SIZES = [
    (80, 24),
    *(pytest.param(size, marks=pytest.mark.slow) for size in ((120, 36), (60, 18))),
]
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

    @pytest.mark.parametrize("size", first_quick([(80, 16), (60, 18)]))
    async def test_where_it_would_take_their_place_it_is_announced_and_follows_them(
        self, size: tuple[int, int]
    ) -> None:
        async with stage(changed(), size=size) as scene:
            text = scene.text
            assert "difference below" in together(text)
            assert text.index("The definition changed") < text.index("Arguments ")
            assert "todo.txt" in text
            text = await whole(scene)
            words = together(text)
            assert "since it was approved" in words
            assert "2 changes" in words
            assert text.index("Changes ") < text.index('newly required: "path"')
            assert text.index("Arguments ") < text.index("Changes ")

    async def test_what_announces_it(self) -> None:
        question = changed()
        async with stage(question, size=(80, 16)) as scene:
            words = digests(question)
            PROSE.holds("changed: below the arguments", scene.sheet, OLD=OLD_DIGEST, **words)

    async def test_old_and_new_behind_the_gutter_with_hidden_characters(self) -> None:
        async with stage(changed(), size=(120, 60)) as scene:
            assert f"{GUTTER}- " in scene.text
            assert "sand<U+200B>box" in scene.text
            assert f'{GUTTER}+ ["path"]' in scene.text

    @pytest.mark.parametrize("size", first_quick(SIZES))
    async def test_approve_waits_until_its_end_was_seen(self, size: tuple[int, int]) -> None:
        question = replace(changed(), snapshot=ask(NOW, LONG).snapshot)
        async with stage(question, size=size) as scene:
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
    @pytest.mark.parametrize("size", first_quick(SIZES))
    @pytest.mark.parametrize(
        "seen",
        [
            DefinitionStatus.FIRST,
            DefinitionStatus.NEW,
            DefinitionStatus.SAME,
            DefinitionStatus.CHANGED,
        ],
    )
    async def test_beside_the_claims(self, seen: DefinitionStatus, size: tuple[int, int]) -> None:
        question = replace(ask(), seen=seen)
        async with stage(question, size=size) as scene:
            said = "new this session" if seen is DefinitionStatus.FIRST else seen.value
            words = f"definition {question.tool.digest[:8]}, {said}"
            assert words in together(await whole(scene))

    async def test_without_a_history(self) -> None:
        question = ask()
        async with stage(question) as scene:
            assert f"definition {question.tool.digest[:8]} " in scene.text


class TestWhoAsks:
    @pytest.mark.parametrize("size", first_quick(SIZES))
    async def test_policy_and_rule(self, size: tuple[int, int]) -> None:
        question = ask()
        verdict = replace(question.verdict, policy="team", rule="rule 2: scratch files")
        async with stage(replace(question, verdict=verdict), size=size) as scene:
            words = "team policy" if size == (120, 36) else "(team"
            assert f"{words}, rule 2: scratch files" in together(await whole(scene))

    @pytest.mark.parametrize("size", first_quick(SIZES))
    async def test_as_a_host_would(self, size: tuple[int, int]) -> None:
        verdict = Verdict(VerdictAnswer.ASK, ("it is not read-only",), policy="as VS Code")
        async with stage(replace(ask(), verdict=verdict), size=size) as scene:
            assert "rules of VS Code" in together(await whole(scene))


class TestWhatIf:
    async def test_a_column_of_its_own(self) -> None:
        question = replace(ask(), overrides={"readOnly": True, "openWorld": None})
        async with stage(question) as scene:
            await scene.press("v")
            await scene.until(lambda: "declared" in scene.text)
            PROSE.holds("what if: in full", scene.sheet, **digests(question))

    @pytest.mark.parametrize("size", first_quick(SIZES))
    async def test_it_is_not_the_servers(self, size: tuple[int, int]) -> None:
        question = replace(ask(), overrides={"readOnly": True})
        async with stage(question, size=size) as scene:
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
    @pytest.mark.parametrize("size", first_quick(SIZES[:2]))
    async def test_no_lines_are_announced_that_are_not_below(
        self, size: tuple[int, int], painted: list[str]
    ) -> None:
        async with stage(ask(arguments={}), size=size):
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
