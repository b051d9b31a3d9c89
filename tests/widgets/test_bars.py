"""Bars of verbs, tabs and keys, and other lines and sheets of words."""

from __future__ import annotations

from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input, Static

from signoff.app.content.texts.sheet_line import SheetLine
from signoff.app.features.tour.course import begin
from signoff.app.features.tour.list_screen import tour_words
from signoff.app.features.tour.steps import STEPS
from signoff.widgets.bars import PaneTabs, Verb, VerbBar
from signoff.widgets.key_footer import FooterKey, KeyFooter, fitting
from signoff.widgets.labels import Paragraph, say
from signoff.widgets.sheets import SheetView
from signoff.widgets.tour_panel import TourPanel
from tests.showing import Stage, showing
from tests.tiers import first_quick
from tests.widgets.hostile import PAYLOADS, assert_harmless

VERBS = (Verb("call", "Call", "f5", is_main=True), Verb("more", "schemas", "f4"))
MANY = (*(Verb(f"v{at}", "Verb", f"f{at}") for at in range(1, 6)), Verb("close", "Close", "esc"))


def picked(stage: Stage[VerbBar]) -> list[str]:
    return [one.name for one in stage.posted(VerbBar.Picked)]


async def test_each_verb_is_picked_where_it_stands() -> None:
    async with showing(VerbBar(VERBS), size=(60, 3)) as stage:
        assert stage.rows[0].startswith("[ f5 Call ]   f4 schemas")
        for x in (0, 10, 12, 14, 23, 24):
            await stage.click(x, 0)
        assert picked(stage) == ["call", "call", "more", "more"]
        stage.widget.show([Verb("other", "Other")])
        await stage.pause()
        assert stage.rows[0].strip() == "Other"


async def test_verbs_that_do_not_fit_are_left_out_whole_and_the_last_one_stays() -> None:
    async with showing(VerbBar(MANY), size=(60, 2)) as stage:
        for line in (
            "f1 Verb   f2 Verb   f3 Verb   f4 Verb   f5 Verb   esc Close",
            "f1 Verb  f2 Verb  f3 Verb  f4 Verb  f5 Verb  esc Close",
            "f1 Verb f2 Verb f3 Verb f4 Verb f5 Verb esc Close",
            "f1 Verb f2 Verb f3 Verb f4 Verb … esc Close",
            "f1 Verb … esc Close",
            "… esc Close",
            "esc Close",
        ):
            width = {43: 48, 19: 20, 11: 12, 9: 10, 54: 58}.get(len(line), len(line))
            await stage.resize(width, 2)
            assert stage.rows[0] == line
            stage.messages.clear()
            await stage.click(line.index("esc"), 0)
            if "…" in line:
                await stage.click(line.index("…"), 0)
            assert picked(stage) == ["close"]
        stage.widget.show(())
        await stage.pause()
        assert stage.rows[0] == ""


LABELS = ("Tools 36", "Tool", "Calls 2", "Response")


async def test_the_current_tab_is_in_sight_and_every_seen_tab_is_picked() -> None:
    async with showing(PaneTabs()) as stage:
        for width in (80, 38, 20):
            await stage.resize(width, 3)
            for current, name in enumerate(LABELS):
                stage.widget.show(LABELS, current)
                await stage.pause()
                assert name in stage.strips[0].text
                line = f"{stage.rows[0]} "
                seen = [index for index, label in enumerate(LABELS) if f" {label} " in line]
                stage.messages.clear()
                for index in seen:
                    await stage.click(line.index(f" {LABELS[index]} ") + 1, 0)
                assert [one.index for one in stage.posted(PaneTabs.Picked)] == seen


async def test_a_sign_tells_of_tabs_that_are_out_of_sight_and_a_click_beside_picks_nothing() -> (
    None
):
    async with showing(PaneTabs()) as stage:
        for width, current, ends in ((20, 0, " ›"), (20, 3, "‹ "), (80, 0, "  ")):
            await stage.resize(width, 3)
            stage.widget.show(LABELS, current)
            await stage.pause()
            assert stage.strips[0].text[0] + stage.strips[0].text[-1] == ends
        for x in (70, 0):
            await stage.click(x, 0)
        assert not stage.posted(PaneTabs.Picked)


class Bench(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5", "note('call')", "Call"),
        Binding("f6", "note('pane')", "Next pane", tooltip="to the next pane"),
        Binding("f7", "note('off')", "Off"),
        Binding("f9", "note('gone')", "Gone"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []
        self.has_gone = False

    def compose(self) -> ComposeResult:
        yield Input()
        yield KeyFooter()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if parameters == ("off",):
            return None
        return parameters != ("gone",) or self.has_gone

    def action_note(self, what: str) -> None:
        self.noted.append(what)


def line(app: App[None]) -> str:
    footer = app.query_one(KeyFooter)
    return "".join(segment.text for strip in [footer.render_line(0)] for segment in strip)


def place(app: App[None], display: str) -> Region:
    return next(at for key, at in app.query_one(KeyFooter).places if key.display == display)


async def click(pilot: Pilot[None], display: str) -> None:
    at = place(pilot.app, display)
    await pilot.click(offset=(at.x + 1, at.y))


async def test_each_key_with_what_it_does_is_pressed_by_a_click_and_not_from_the_gap() -> None:
    app = Bench()
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        await click(pilot, "f6")
        await pilot.pause()
        assert app.noted == ["pane"]
        await click(pilot, "f7")
        at = place(app, "f5")
        await pilot.click(offset=(at.right, at.y))
        await pilot.pause()
        assert app.noted == ["pane"]
        await pilot.pause()
        said = line(pilot.app)
        assert said.startswith("f5 Call f6 Next pane f7 Off ")
        assert len(said) == 60


async def test_under_the_mouse_a_key_stands_out_and_tells_more() -> None:
    app = Bench()
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        footer = app.query_one(KeyFooter)
        plain = footer.render_line(0)
        at = place(app, "f6")
        await pilot.hover(offset=(at.x + 1, at.y))
        await pilot.pause()
        assert footer.tooltip == "to the next pane"
        assert footer.render_line(0) != plain
        await pilot.hover(offset=(1, 1))
        await pilot.pause()
        assert footer.tooltip is None


async def test_a_key_that_comes_is_shown_without_a_layout() -> None:
    app = Bench()
    async with app.run_test(size=(80, 6)) as pilot:
        await pilot.pause()
        layouts = 0
        reflow = app.screen._compositor.reflow

        def counted(*given: object, **more: object) -> object:
            nonlocal layouts
            layouts += 1
            return reflow(*given, **more)  # type: ignore[arg-type]

        app.screen._compositor.reflow = counted  # type: ignore[method-assign,assignment]
        app.has_gone = True
        app.screen.refresh_bindings()
        await pilot.pause()
        await pilot.pause()
        assert "f9 Gone" in line(app)
        assert layouts == 0


def test_what_is_always_there_comes_before_what_stands_first() -> None:
    keys = [
        FooterKey("a", "a", "Something long", "other"),
        FooterKey("f5", "f5", "Call", "work('call')"),
        FooterKey("f1", "f1", "Help", "toggle_help"),
        FooterKey("^q", "^q", "Quit", "quit"),
    ]
    assert [key.key for key in fitting(keys, 24)] == ["f5", "f1", "^q"]
    assert fitting(keys, 3) == []
    restart = FooterKey("shift+f5", "shift+f5", "Restart", "restart")
    assert restart not in fitting([*keys, restart], 24)
    assert restart in fitting([*keys, restart], 24, "restart")
    assert fitting(keys, 80) == keys
    many = [*keys, *(FooterKey(str(n), str(n), "More", f"more({n})") for n in range(9))]
    assert fitting(many, 200) == [*keys, *many[4:7]]


@pytest.mark.slow
@pytest.mark.parametrize("size", first_quick([(80, 24), (100, 30), (120, 36)]))
async def test_presenting_every_answer_and_what_can_be_done_is_in_sight(
    size: tuple[int, int],
) -> None:
    async with showing(TourPanel(is_presenting=True), size=size) as stage:
        panel = stage.widget
        for step in STEPS:
            words = tour_words(begin(STEPS, step.id))
            panel.show(words)
            await stage.pilot.pause()
            for choice in words.choices:
                assert choice in stage.text, step.id
            assert "s Skip" in stage.text, step.id
            assert panel.max_scroll_y == 0, step.id
        assert panel.has_class("-roomy") == (size != (80, 24))


async def test_only_the_answers_that_there_are_have_keys() -> None:
    async with showing(TourPanel(is_presenting=True), size=(100, 30)) as stage:
        panel = stage.widget
        words = tour_words(begin(STEPS, STEPS[0].id))
        panel.show(words)
        await stage.pilot.pause()
        keys = [number for number in range(4) if panel.check_action("guess", (number,))]
        assert keys == list(range(len(words.choices)))
        assert 0 < len(keys) < 4


class _Said(Static):
    layouts = 0

    def refresh(self, *regions: object, layout: bool = False, **more: bool) -> _Said:
        self.layouts += layout
        return super().refresh(*regions, layout=layout, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("style", ["bold", "$text-error"])
async def test_the_same_words_cost_nothing_and_other_ones_are_shown(style: str) -> None:
    async with showing(_Said(markup=False)) as stage:
        line = stage.widget
        say(line, Content("plain"))
        await stage.pause()
        before = line.layouts
        say(line, Content("plain"))
        assert line.layouts == before
        # The same letters in another style are something else.
        say(line, Content.styled("plain", style))
        assert line.layouts == before + 1
        say(line, Content("other"))
        assert line.layouts == before + 2
        assert str(line.content) == "other"


def rows(stage: Stage[Paragraph]) -> list[str]:
    assert_harmless(stage.strips)
    return [row for row in stage.rows if row]


async def test_every_row_stands_behind_the_gutter() -> None:
    words = "one two three four five six seven\n┃ not ours"
    async with showing(Paragraph(words), size=(20, 12)) as stage:
        assert len(rows(stage)) > 2
        assert all(row.startswith("┃ ") for row in rows(stage))
        assert "┃ ┃ not ours" in rows(stage)


async def test_a_notice_of_our_own_ends_it() -> None:
    async with showing(Paragraph(""), size=(40, 8)) as stage:
        stage.widget.show("words", "cut: 5 of 9 characters")
        await stage.pilot.pause()
        assert rows(stage) == ["┃ words", "┃ cut: 5 of 9 characters"]


async def test_hostile_text() -> None:
    async with showing(Paragraph(""), size=(60, 16)) as stage:
        for payload in PAYLOADS:
            stage.widget.show(payload)
            await stage.pilot.pause()
            assert rows(stage)


WIDTH = 30


def lines(count: int) -> list[SheetLine]:
    return [SheetLine(((str(number), ""),)) for number in range(count)]


async def test_the_end_is_seen_only_after_scrolling_there() -> None:
    async with showing(SheetView(), size=(WIDTH, 10)) as stage:
        view = stage.widget
        view.set_lines(lines(11), WIDTH)
        await stage.pause()
        assert (view.end_seen, view.below) == (False, 1)
        view.scroll_to(y=1, animate=False)
        await stage.pause()
        assert (view.end_seen, view.below) == (True, 0)
        view.scroll_home(animate=False)
        await stage.pause()
        assert (view.end_seen, view.below) == (True, 1)
        view.set_lines(lines(12), WIDTH, keep_seen=True)
        await stage.pause()
        assert view.end_seen
        view.set_lines(lines(12), WIDTH)
        await stage.pause()
        assert not view.end_seen


async def test_the_end_of_one_long_line_counts_by_rows() -> None:
    async with showing(SheetView(), size=(WIDTH, 10)) as stage:
        stage.widget.set_lines([SheetLine((("x" * 2_000, ""),))], WIDTH)
        await stage.pause()
        assert not stage.widget.end_seen
        await stage.resize(100, 30)
        assert stage.widget.end_seen


async def test_the_end_is_seen_at_once_if_everything_fits_and_is_in_sight() -> None:
    async with showing(SheetView(), size=(WIDTH, 10)) as stage:
        stage.widget.display = False
        await stage.pause()
        stage.widget.set_lines(lines(1), WIDTH)
        await stage.pause()
        assert not stage.widget.end_seen
        stage.widget.display = True
        await stage.pause()
        assert stage.widget.end_seen
        stage.widget.set_lines(lines(2), WIDTH)
        await stage.pause()
        assert stage.widget.end_seen
        assert stage.widget.below == 0
