"""A walk through everything that can go in and come out, which keeps what the screen shows."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from textual.widget import Widget
from textual.widgets import TextArea
from textual.worker import WorkerState

from signoff.app.calls.call import Call, Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.events import ServerChanged
from signoff.app.protocol.rpc import Oversized
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.answers.part_view import PartView
from signoff.app.tui.answers.reader import ReaderScreen
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.app.tui.arguments.arguments_screen import ArgumentsScreen
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.app.tui.tools.tool_scroll import ToolScroll
from signoff.widgets.forms.argument_form import ArgumentForm
from tests.tui.bench_stage import BenchStage, bench_stage

Arguments = dict[str, JsonValue]

NARROW_ONLY = ("broken",)
"""Sheets that would say the same words with more room."""

ORDER: Mapping[str, JsonValue] = {
    "address": {"street": "Lindenallee 4", "post-code": "10115", "country": "DE"},
    "items": [
        {"article": "lamp", "count": 2, "gift": True},
        {"article": "rope", "count": 1},
    ],
    "payment": {"by": "invoice", "email": "ada@example.org"},
    "extras": ["wrapped", "insured"],
    "note": None,
    "deliverAt": "2026-11-24T18:00:00Z",
    "labels": {"for": "Ada"},
    "place": [52.52, 13.4],
    "pickUp": False,
    "not-in-the-schema": {"kept": [1, 2]},
}

PLACES: tuple[tuple[str | int, ...], ...] = (
    ("items", 0, "article"),
    ("payment", "email"),
    ("place", 0),
)
"""What the form is scrolled to, one after the other."""

CONTENTS: tuple[tuple[str, str, Arguments, tuple[str, ...]], ...] = (
    ("texts", "show_text", {"kind": "diff"}, ("+dessert",)),
    ("texts", "show_text", {"kind": "csv"}, ("a, b",)),
    ("texts", "show_text", {"kind": "json"}, ("delete_file",)),
    ("texts", "show_markdown", {}, ("• asks before it deletes",)),
    ("texts", "hidden_characters", {}, ("pay<U+200B>pal",)),
    ("media", "show_image", {"kind": "png"}, ("160 x 100",)),
    ("media", "play_audio", {}, ("Hz", "peak")),
    ("media", "show_binary", {"size": 64}, ("0030",)),
    ("parts", "show_links", {}, ("demo://config/settings.json",)),
    ("parts", "speak_to_two", {}, ("The table is booked",)),
    ("parts", "show_many_parts", {"count": 24}, ("Part 4 of 24",)),
    ("broken", "show_broken_image", {"how": "not an image"}, ("no picture:",)),
    ("broken", "show_broken_image", {"how": "truncated"}, ("no picture:",)),
    ("broken", "show_broken_image", {"how": "bomb"}, ("no picture:",)),
    ("broken", "show_broken_image", {"how": "another type"}, ("claims image/jpeg",)),
    ("broken", "show_broken_image", {"how": "empty"}, ("no picture:",)),
    ("broken", "show_broken_audio", {"how": "not a sound"}, ("no kind of sound",)),
    ("broken", "show_broken_audio", {"how": "damaged header"}, ("65535 channels",)),
    ("broken", "show_broken_audio", {"how": "truncated"}, ("are there", "peak")),
    ("broken", "show_broken_audio", {"how": "another type"}, ("audio/mpeg", "peak")),
    ("broken", "strange_content", {}, ("unknown type “hologram”",)),
)
"""Sheet, tool, arguments, and words that are there once the answer is drawn."""


@dataclass
class Gallery:
    """Sheets by name and size; each has screens, one below the other."""

    stage: BenchStage
    sizes: tuple[tuple[int, int], ...]
    only: Sequence[str] = ()
    """The sheets that are wanted; empty for all."""
    sheets: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    async def take(
        self,
        sheet: str,
        title: str,
        of: Widget | None = None,
        *,
        again: Sequence[Callable[[], object]] = (),
    ) -> None:
        """Keep the screen, or the rows of a widget in which there is something, in all sizes.

        `again`: what to do where the size is another, each once the screen stays as it is.
        """
        for columns, rows in self.sizes[-1:] if sheet in NARROW_ONLY else self.sizes:
            await self.stage.resize(columns, rows)
            await self.rests()
            for step in again:
                step()
                await self.rests()
            lines = self.stage.text.split("\n")
            if of is not None:
                lines = lines[of.region.y : of.region.bottom]
                lines = [line for line in lines if line.strip(" │")]
            shown = "\n".join([f"── {title} ──", *lines, ""])
            self.sheets[f"{sheet}-{columns}x{rows}"].append(_still(shown))

    def wants(self, sheet: str) -> bool:
        return not self.only or sheet in self.only

    async def rests(self) -> None:
        """Wait until nothing is worked on, and the screen stays as it is."""
        seen: list[str] = []
        while len(seen) < 2:
            await asyncio.sleep(0.03)
            await self.stage.pilot.pause()
            now = self.stage.text
            is_same = bool(seen) and seen[-1] == now and not self._is_working()
            seen = [*seen, now] if is_same else [now]

    async def call(self, tool: str, arguments: Arguments) -> int:
        """Call a tool that nobody has to be asked about, and wait for the end."""
        engine = self.stage.engine
        definition = next(one for one in engine.tools if one.name == tool)
        call_id = engine.call(definition, arguments)
        await self.stage.until(lambda: engine.calls[call_id].is_over, f"the end of {tool}")
        return call_id

    async def answer(self, tool: str, arguments: Arguments, *words: str) -> None:
        """Call a tool that nobody has to be asked about; its answer is shown."""
        call_id = await self.call(tool, arguments)
        pane = self.stage.app.screen.query_one(AnswerPane)
        await self.stage.until(lambda: pane.drawn == call_id, f"the answer of {tool}")
        await self.stage.sees(*words)

    async def open_first(self, kind: type[object]) -> None:
        """The first part on the whole screen."""
        self.stage.app.screen.query(PartView).first().header.focus()
        await self.stage.press("enter")
        await self.stage.until(lambda: isinstance(self.stage.app.screen, kind), kind.__name__)

    def _is_working(self) -> bool:
        busy = (WorkerState.PENDING, WorkerState.RUNNING)
        return any(worker.state in busy for worker in self.stage.app.workers)


async def walk(*sizes: tuple[int, int], only: Sequence[str] = ()) -> dict[str, str]:
    """All sheets, or `only` some, in these sizes, of which the last is the smallest, as text."""
    async with bench_stage(is_demo=True, size=sizes[0], command="signoff-demo") as stage:
        stage.engine._connection.server = replace(stage.engine.server, pid=4711)
        stage.engine._publish(ServerChanged())
        gallery = Gallery(stage, sizes, only)
        await _what_goes_in(gallery)
        await _what_comes_out(gallery)
        await _on_the_whole_screen(gallery)
    return {name: "\n".join(screens) for name, screens in gallery.sheets.items()}


async def _what_goes_in(gallery: Gallery) -> None:
    stage = gallery.stage
    await stage.choose("order_something")
    pane, form = (stage.app.screen.query_one(one) for one in (ToolPane, ArgumentForm))
    assert isinstance(pane, ToolPane)
    assert isinstance(form, ArgumentForm)
    pane.fill(dict(ORDER))
    await stage.press("enter")
    for place in PLACES:
        # As little as possible is scrolled to a field, so it matters from where.
        go = (partial(_go_to_the_top, form), partial(form.focus_field, place))
        await gallery.take("form", f"the form at {'.'.join(map(str, place))}", again=go)

    last = stage.newest
    await stage.press("f5")
    await stage.end(after=last)
    await stage.until(lambda: pane.is_away, "the row of arguments")
    pane.focus_form()
    await stage.press("f11")
    await stage.until(lambda: isinstance(stage.app.screen, ArgumentsScreen), "the history")
    await stage.sees("in the form now", "answered")
    await gallery.take("form", "earlier arguments")
    await stage.press("escape")

    await stage.press("ctrl+j")
    await stage.until(lambda: form.in_json and isinstance(stage.app.focused, TextArea), "JSON")
    await stage.press("ctrl+home", "delete")
    await stage.sees("not JSON", "Enter a JSON object. Then it")
    await gallery.take("form", "the arguments as JSON, with a mistake")
    # Of no other form is there so much to lay out.
    await stage.choose("speak_to_two")


async def _what_comes_out(gallery: Gallery) -> None:
    stage = gallery.stage
    pane = stage.app.screen.query_one(AnswerPane)
    stage.app.screen.set_focus(pane)
    await stage.press("f7")
    for sheet, tool, arguments, words in CONTENTS:
        if not gallery.wants(sheet):
            # The calls after it have the same numbers all the same.
            await gallery.call(tool, arguments)
            continue
        await gallery.answer(tool, arguments, *words)
        said = ", ".join(f"{name} {value}" for name, value in arguments.items())
        await gallery.take(sheet, f"{tool} {said}".strip(), pane)

    await gallery.answer("count_stock", {"shelves": 4, "mistakes": 4}, "in 4 places")
    await gallery.take("structured", "count_stock with 4 mistakes", pane)
    pane.show(_oversized(stage))
    await stage.sees("cut: the first")
    await gallery.take("broken", "an answer that is too large", pane)


async def _on_the_whole_screen(gallery: Gallery) -> None:
    stage = gallery.stage
    await gallery.answer("count_stock", {"shelves": 4, "mistakes": 4}, "in 4 places")
    await gallery.open_first(StructuredScreen)
    await stage.press("f", "f")
    await gallery.take("structured", "the second mistake, on the whole screen")
    await stage.press("escape")
    if not gallery.wants("reader"):
        return
    for kind, needle in (("diff", "salad"), ("csv", "destructive")):
        await gallery.answer("show_text", {"kind": kind}, f"text/{'x-' * (kind == 'diff')}{kind}")
        await gallery.open_first(ReaderScreen)
        await stage.press("slash", *needle)
        await stage.sees("1 of ")
        await gallery.take("reader", f"{kind}, searched for {needle}")
        await stage.press("escape", "escape")
        await stage.until(lambda: len(stage.app.screen_stack) == 1, "the bench")


def _go_to_the_top(form: ArgumentForm) -> None:
    form.screen.set_focus(None)
    form.screen.query_one(ToolScroll).scroll_home(animate=False, immediate=True)


def _oversized(stage: BenchStage) -> Call:
    """The newest call, had its answer been too large to be read."""
    head = (
        b'{"jsonrpc": "2.0", "result": {"content": [{"type": "text", "text": "'
        + b"It goes on. " * 9
    )
    size = 100_000_000
    problem = f"one line of {size:,} bytes, over the limit of 64,000,000"
    return replace(
        stage.engine.calls[stage.newest],
        outcome=Outcome.UNREADABLE,
        reason=problem,
        answer=None,
        raw=None,
        schema=None,
        findings=(),
        oversized=Oversized(size, size, head, lambda: iter([head])),
    )


def _still(shown: str) -> str:
    """Without what differs from run to run; as wide as before."""
    shown = re.sub(r"\d\.\d s(?=  approved| *│?$)", "0.0 s", shown, flags=re.MULTILINE)
    shown = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d", "2026-11-21 10:42", shown)
    shown = re.sub(r"(?<![\d-])\d\d-\d\d \d\d:\d\d", "11-21 10:42", shown)
    # Where a scrollbar's thumb ends depends on rows that may not have been seen yet.
    shown = re.sub(r"[▁▂▃▄▅▆▇█]{2}(?=   │$)", "  ", shown, flags=re.MULTILINE)
    return re.sub(r"[▁▂▃▄▅▆▇█](?= ?│$)", " ", shown, flags=re.MULTILINE)
