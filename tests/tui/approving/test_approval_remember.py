"""What is remembered of an approval: chosen on purpose, spelled out first, never by accident."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.questions.questions import AboutCall
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.widgets.buttons import ChoiceRow
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.regions import whole
from tests.tui.stage import DESTRUCTIVE, LONG, Stage, ask, digests, middle, stage

PROSE = approved("tui-approval")
APPROVE = DecisionAnswer.APPROVE
ADDITIVE: dict[str, JsonValue] = {
    **DESTRUCTIVE,
    "annotations": {"readOnlyHint": False, "destructiveHint": False},
}
NOON = 1_795_000_000.0
TO_ROW = ("tab", "tab", "tab")
TO_APPROVE = (*TO_ROW, "tab")
"""From Deny backwards past Approve."""


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")


def asked(question: AboutCall | None = None) -> AboutCall:
    return replace(question or ask(), can_remember=True)


async def choose(scene: Stage, *keys: str) -> None:
    """Go to the row and press keys there; where that moved anything, wait until it hears again."""
    await scene.press(*TO_ROW)
    for key in keys:
        await scene.press(key)
        if not scene.dialog.is_armed:
            await scene.arm()
    assert isinstance(scene.app.focused, ChoiceRow)


def scope(scene: Stage) -> str:
    """What is said about the chosen scope, whole."""
    return whole(scene.dialog._box.remember.words)


def together(text: str) -> str:
    """The words of a screen without its frame and line ends."""
    return " ".join("".join(char for char in text if char not in "│┃").split())


class TestChoosing:
    async def test_once_unless_chosen(self) -> None:
        async with stage(asked(), size=(80, 24)) as scene:
            assert "(•) no" in scene.text
            await scene.do("end tab tab tab tab enter ~")
            assert scene.told == [Decision(APPROVE, "you")]

    @pytest.mark.parametrize(
        ("rights", "remember"),
        first_quick(
            [
                (1, Remember(Scope.ARGUMENTS)),
                (2, Remember(Scope.SESSION)),
                (3, Remember(Scope.UNTIL, 1)),
                (4, Remember(Scope.UNTIL, 7)),
                (5, Remember(Scope.UNTIL, 30)),
                (7, Remember(Scope.UNTIL, 30)),
            ],
            3,
            several=True,
        ),
    )
    async def test_by_keyboard(self, rights: int, remember: Remember) -> None:
        async with stage(asked(), size=(80, 24)) as scene:
            await scene.press("end")
            await choose(scene, *["right"] * rights)
            assert "Approve + remember" in scene.text
            await scene.press("tab", "enter")
            await scene.rest()
            assert scene.told == [Decision(APPROVE, "you", remember=remember)]

    async def test_up_and_down_and_back_and_by_the_chord(self) -> None:
        async with stage(asked()) as scene:
            await choose(scene, "down", "down", "up", "left")
            assert "(•) no" in scene.text
            assert "Approve once" in scene.text
            await scene.press("right")
            await scene.arm()
            await scene.press("ctrl+y")
            PROSE.holds("remember: the chord", scene.keys_said)
            await scene.do("ctrl+y ~")
            assert scene.told == [Decision(APPROVE, "you", remember=Remember(Scope.ARGUMENTS))]

    @pytest.mark.slow
    async def test_by_mouse_and_the_last_one_turns_to_more_days(self) -> None:
        async with stage(asked()) as scene:
            await click(scene, "this tool, this session")
            assert "(•) this tool" in scene.text
            for days in ("1 day", "7 days", "30 days", "1 day"):
                await click(scene, ") tool, for ")
                assert f"(•) tool, for {days}" in scene.text
            await click(scene, ") no ")
            assert "(•) no" in scene.text
            assert scene.decisions == []

    @pytest.mark.slow
    async def test_focus_goes_through_all_in_order(self) -> None:
        async with stage(asked()) as scene:
            order = []
            for _ in range(5):
                assert scene.app.focused is not None
                order.append(scene.app.focused.id)
                await scene.press("tab")
            assert order == ["deny", "deny-session", "edit", "remember", "approve"]
            assert scene.app.focused is scene.dialog.query_one("#deny")

    async def test_denying_and_editing_remember_nothing(self) -> None:
        for keys in (("escape",), ("shift+tab", "enter")):
            async with stage(asked()) as scene:
                await choose(scene, "right", "right")
                await scene.press(*keys)
                assert scene.decisions[0] is not None
                assert scene.decisions[0].remember == Remember()


async def click(scene: Stage, words: str) -> None:
    """Click on a choice of the row."""
    row = scene.dialog.query_one(ChoiceRow)
    x = row.render().plain.index(words) + 1
    await scene.pilot.click(row, offset=(x, 0))
    await scene.pilot.pause()
    if not scene.dialog.is_armed:
        await scene.arm()


class TestSpelledOut:
    async def test_exact_scope_time_place_and_how_to_revoke(self, tmp_path: Path) -> None:
        question = asked()
        async with stage(question, size=(120, 36), today=lambda: NOON) as scene:
            await choose(scene, "right", "right", "right", "right")
            text, words = together(scene.text), scope(scene)
        assert "Covers delete_file" in text
        assert f"definition {question.snapshot.definition_digest[:8]}" in text
        assert "of demo: python" in text
        assert re.search(r"Until 2026-11-2[456] \d\d:\d\d[+-]\d\d:\d\d", text)
        assert re.search("revoke it with ?f10", text)
        assert "kept in" in text
        (until,) = re.findall(r"Until (\S+ \S+);", words)
        (folder,) = re.findall(r"kept in (\S+);", words)
        names = {"TIME": until, "FOLDER": folder, **digests(question)}
        PROSE.holds("remember: for some days", words, **names)

    async def test_where_it_is_kept(self, tmp_path: Path) -> None:
        async with stage(asked(), size=(200, 40)) as scene:
            await choose(scene, "right", "right", "right")
            assert f"kept in {tmp_path}/signoff".replace(" ", "") in scene.text.replace(
                "\n", ""
            ).replace(" ", "").replace("┃", "")

    async def test_these_arguments_by_their_digest(self) -> None:
        question = asked()
        async with stage(question) as scene:
            await choose(scene, "right")
            digest = question.snapshot.arguments_digest[:8]
            assert f"({digest})" in together(scene.text)
            said, _, _ = scope(scene).partition("; revoke")
            PROSE.holds("remember: these arguments", said, **digests(question))

    async def test_a_strong_sentence_for_what_may_destroy(self) -> None:
        words = "may be destructive."
        async with stage(asked(), size=(80, 24)) as scene:
            await choose(scene, "right")
            assert words not in together(scene.text)
            await scene.press("right")
            assert words in together(scene.text)
            caution, *_ = scope(scene).split("\n")
            PROSE.holds("remember: what may destroy", caution.strip())
        async with stage(asked(ask(ADDITIVE)), size=(80, 24)) as scene:
            await choose(scene, "right", "right")
            assert "Covers delete_file" in together(scene.text)
            assert words not in together(scene.text)

    async def test_an_odd_name_is_quoted(self) -> None:
        raw = {**DESTRUCTIVE, "name": "x with nothing, until 2099\u200b"}
        async with stage(asked(ask(raw))) as scene:
            await choose(scene, "right")
            assert 'Covers "x with nothing, until 2099<U+200B>"' in together(scene.text)

    async def test_the_chosen_one_shows_without_colour(self) -> None:
        async with stage(asked()) as scene:
            await choose(scene, "right")
            assert "▸(•) these arguments" in scene.text
            assert scene.text.count("(•)") == 1


class TestAccidents:
    @pytest.mark.parametrize(
        "deeds", first_quick([f"{key} {key} ~" for key in ("enter", "space", "a", "y")], 2)
    )
    async def test_no_key_approves_on_the_row(self, deeds: str) -> None:
        async with stage(asked()) as scene:
            await choose(scene, "right")
            await scene.do(deeds)
            await scene.do(f"{deeds.split()[0]}*30 ~")
            assert scene.decisions == []
            assert "(•) these arguments" in scene.text
            await scene.hold("right", 30)
            assert "(•) this tool" in scene.text, "a held arrow moves once"

    async def test_before_it_is_armed(self) -> None:
        async with stage(asked(), is_armed=False) as scene:
            await scene.press(*TO_ROW, "right", after=0.2)
            row = scene.dialog.query_one(ChoiceRow)
            await scene.pilot.click(row, offset=(30, 0))
            await scene.arm()
            assert "(•) no" in scene.text
            assert scene.app.focused is scene.dialog.query_one("#deny")

    async def test_down_on_one_and_up_on_another_and_a_choice_after_enter_take_it_back(
        self,
    ) -> None:
        async with stage(asked()) as scene:
            await scene.pilot.mouse_down("#remember", offset=(13, 0))
            await scene.pilot.mouse_up("#remember", offset=(30, 0))
            await scene.pilot.pause()
            assert "(•) no" in scene.text
            await scene.arm()
            await scene.do("tab tab tab tab enter shift+tab@0.1 ~")
            assert scene.decisions == []


class TestLayout:
    async def test_one_row_until_something_is_chosen_and_nothing_moves_then(self) -> None:
        async with stage(asked()) as scene:
            choices = scene.dialog.query_one(ChoiceRow).region.y
            assert scene.dialog.query_one("#approve").region.y == choices + 1
            await choose(scene, "right")
            spot = middle(scene.dialog.query_one("#approve"))
            for _ in range(4):
                await scene.press("right")
                assert scene.dialog.is_armed
                assert middle(scene.dialog.query_one("#approve")) == spot

    async def test_what_moves_makes_it_deaf(self) -> None:
        async with stage(asked(ask(arguments=LONG)), size=(80, 24)) as scene:
            await scene.press(*TO_ROW, "right")
            assert not scene.dialog.is_armed
            assert isinstance(scene.app.focused, ChoiceRow)
            await scene.press("tab", "enter", after=0.1)
            await scene.rest(0.3)
            assert scene.decisions == []
            await scene.arm()
            await scene.press("right")
            assert not scene.dialog.is_armed, "the caution needs another row"

    async def test_too_small_to_spell_it_out(self) -> None:
        async with stage(asked()) as scene:
            for size in ((47, 24), (60, 15), (40, 10), (20, 5)):
                await scene.resize(*size)
                await scene.arm()
                assert ") no " not in scene.text
                assert "Deny" in scene.text
                assert "Approve" in scene.text
                assert scene.dialog.query_one("#approve").region.right <= size[0]

    @pytest.mark.slow
    async def test_a_choice_that_goes_out_of_sight_is_taken_back(self) -> None:
        async with stage(asked()) as scene:
            await choose(scene, "right", "right")
            await scene.resize(40, 10)
            await scene.arm()
            await scene.resize(120, 36)
            await scene.arm()
            assert "(•) no" in scene.text
            await scene.press(*TO_APPROVE, "enter")
            await scene.rest()
            assert scene.told == [Decision(APPROVE, "you")]

    @pytest.mark.slow
    async def test_with_more_than_fits(self) -> None:
        async with stage(asked(ask(arguments=LONG)), size=(80, 24)) as scene:
            await choose(scene, "right", "right", "right")
            assert "more lines" in scene.text
            assert scene.dialog.query_one("#approve").region.bottom <= (80, 24)[1]
            await scene.press("tab", "enter")
            await scene.rest()
            assert scene.decisions == []


class TestNotRemembered:
    async def test_why_not(self) -> None:
        question = replace(ask(), why_not_remembered="the store is damaged")
        async with stage(question, size=(80, 24)) as scene:
            assert "store is damaged" in together(scene.text)
            PROSE.holds("remember: why not", " ".join(scope(scene).split()))
            assert "( )" not in scene.text
            order = []
            for _ in range(4):
                await scene.press("tab")
                assert scene.app.focused is not None
                order.append(scene.app.focused.id)
            assert order == ["deny-session", "edit", "approve", "deny"]

    async def test_void(self) -> None:
        async with stage(asked()) as scene:
            await choose(scene, "right")
            dialog: ApprovalDialog = scene.dialog
            dialog.void("the connection was lost")
            await scene.arm()
            assert "remember" not in scene.text
            assert not dialog.query_one("#deny-session").display


class TestDenyForSession:
    async def test_by_keyboard(self) -> None:
        async with stage(asked(), size=(40, 10)) as scene:
            await scene.press("tab", "enter")
            (decision,) = scene.decisions
            assert decision is not None
            assert decision.answer is DecisionAnswer.DENY
            assert decision.for_session
            assert decision.seconds == pytest.approx(1.4)

    async def test_by_mouse_with_a_label_for_each_width(self) -> None:
        async with stage(asked()) as scene:
            for size, label in (
                ((80, 24), "Deny for session"),
                ((60, 18), "Deny session"),
                ((120, 36), "Deny for this session"),
            ):
                await scene.resize(*size)
                assert label in scene.text
            await scene.arm()
            await scene.pilot.click("#deny-session")
            assert [one and one.for_session for one in scene.decisions] == [True]
