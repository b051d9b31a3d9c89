"""What the dialog shows of a definition's past and of who asks, as high as its content."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.content import Content

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.questions.definition_lines import description_lines
from signoff.app.approval.questions.question_words import is_strongest, may_destroy
from signoff.app.approval.questions.questions import AboutCall, OwnQuestion
from signoff.app.approval.questions.sheet import Room
from signoff.app.approval.who_asks import WhoAsks
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.texts.sheet_line import GUTTER
from signoff.app.features.policies.grants_screen import GrantList
from signoff.app.presentation.grants import DeniedTool
from signoff.app.protocol.definitions.changes import compare_definitions
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.policy_files import find_hosts
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.workplace import Workplace
from signoff.widgets.labels import FrameLine
from signoff.widgets.lists.call_list import CallList
from signoff.widgets.lists.painted_list import PaintedList
from signoff.widgets.lists.policy_list import PolicyList, PolicyRow
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.bench_stage import bench_stage
from tests.tui.regions import whole as whole_text
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
        first_quick(
            [
                (None, " "),
                (DefinitionStatus.FIRST, ", new this session"),
                *((one, f", {one.value}") for one in (DefinitionStatus.NEW, DefinitionStatus.SAME)),
                (DefinitionStatus.CHANGED, f", {DefinitionStatus.CHANGED.value}"),
            ],
            2,
            several=True,
        ),
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


def asked() -> AboutCall:
    """A question about one argument, with the hosts that would ask."""
    question = ask()
    hosts = WhoAsks(find_hosts().hosts, ["zed"])
    groups = hosts.groups(question.tool, Trust.UNTRUSTED, {})
    return replace(question, can_remember=True, elsewhere=tuple(groups))


async def test_one_argument_takes_18_rows_and_one_blank_one() -> None:
    async with stage(asked(), size=(120, 36)) as scene:
        assert scene.dialog.query_one("ApprovalBox").region.height <= 18
        rows = [row.strip(" ") for row in scene.text.splitlines()]
        assert sum(row.startswith("┃") and not row.strip("┃ ") for row in rows) == 1
        assert "more line" not in scene.text


async def test_the_hosts_have_one_row_after_the_reason() -> None:
    async with stage(asked()) as scene:
        for size in ((120, 36), (80, 24), (60, 18), (40, 12)):
            await scene.resize(*size)
            sheet = scene.sheet
            (row,) = [row for row in sheet.splitlines() if "Zed" in row]
            assert row.startswith(("elsewhere", "hosts"))
            assert sheet.index("why ") < sheet.index(row) < sheet.index("hints ")
            assert sheet.index("Arguments") < sheet.index(row)


async def test_full_details_name_every_host() -> None:
    question = asked()
    async with stage(question) as scene:
        PROSE.holds("call: elsewhere", scene.sheet, **digests(question))
        await scene.press("v")
        await scene.arm()
        for group in question.elsewhere:
            assert all(host.words in whole_text(scene.dialog._box.sheet) for host in group.hosts)


async def test_the_main_screen_gives_its_dialog_what_its_line_of_hosts_says() -> None:
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.choose("delete_thing")
        await stage.until(lambda: stage.app.screen.query_one(Workplace).hosts.who_asks, "the hosts")
        await stage.press("f5")
        await stage.sees("Approve this call?")
        await stage.sees("elsewhere")


@given(st.text(st.characters(codec="utf-8"), max_size=200), st.integers(40, 120))
def test_of_any_description_the_beginning_is_shown(text: str, columns: int) -> None:
    tool = read_tool(0, {**DESTRUCTIVE, "description": f"x{text}"})
    lines = list(description_lines(tool, Room(columns)))
    assert lines[0].plain.startswith("x")
    assert sum(line.gutter for line in lines) <= max(4, 1 + text.count("\n"))


@pytest.mark.slow
async def test_a_call_keeps_its_whole_title_where_there_is_room() -> None:
    async with bench_stage(is_demo=True, size=(120, 36)) as stage:
        await stage.choose("generate_fantasy_character")
        await stage.press("f5")
        dialog = await stage.asks(ApprovalDialog)
        await stage.press("escape")
        await stage.has_left(dialog)
        await stage.press("c")
        await stage.sees("1  generate_fantasy_character  ⊘ denied")


@pytest.mark.slow
async def test_the_selected_call_is_told_whole_while_the_list_has_the_focus() -> None:
    async with bench_stage("--with", "late_after_cancel", size=(80, 24)) as stage:
        await stage.choose("late_after_cancel")
        await stage.press("f5")
        await stage.until(lambda: stage.newest, "the call")
        await stage.until(lambda: stage.engine.calls[stage.newest].sent, "the sending")
        await stage.press("ctrl+x")
        await stage.end()
        await stage.press("c", "f6")
        calls = stage.app.screen.query_one(CallList)
        await stage.until(lambda: "…" in calls.render_line(0).text, "a row that is cut")
        before = calls.outer_size.height
        calls.focus()
        await stage.sees("late_after_cancel", "1 note ·")
        await stage.until(lambda: calls.outer_size.height > before, "room for the whole row")
        rows = stage.text.split("\n")
        top = next(y for y, row in enumerate(rows) if "─Calls" in row)
        told = " ".join(" ".join(rows[top + 2 : top + calls.outer_size.height]).split())
        told = told.replace("│ │ ", "")
        assert "cancelled" in told
        PROSE.holds("calls: a row that is told whole", re.sub(r"\d+\.?\d* m?s", "TIME", told))
        await stage.press("f6")
        await stage.until(lambda: calls.outer_size.height == before, "its end")


class _Lists(App[None]):
    AUTO_FOCUS = None

    def compose(self) -> ComposeResult:
        yield GrantList()
        yield PolicyList()


async def test_a_cut_policy_and_a_denied_tool_are_told_whole_at_the_cursor() -> None:
    app = _Lists()
    name = "a_tool_with_a_long_name_" * 4
    summary = "asks about everything that is not read-only, and then some more words about it"
    async with app.run_test(size=(60, 24)) as pilot:
        grants, policies = app.query_one(GrantList), app.query_one(PolicyList)
        grants.show([DeniedTool(name)])
        policies.show([PolicyRow(Policy("own", (), summary=summary), "Own policy")])
        for shown, words in ((grants, name), (policies, summary)):
            assert words.replace(" ", "") not in _drawn(shown)
            shown.focus()
            await pilot.pause()
            assert words.replace(" ", "") in _drawn(shown)


def _drawn(shown: PaintedList) -> str:
    """All that is on its lines, without the spaces."""
    text = "".join(shown.render_line(y).text for y in range(shown.size.height))
    return text.replace(" ", "")
