"""The keys at the foot: drawn once, clicked where they stand."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input

from signoff.widgets.key_footer import FooterKey, KeyFooter, fitting


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
