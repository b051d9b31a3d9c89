"""Large texts: opening and scrolling them in the reader, beside the obvious widgets.

Each case runs in a process of its own, which is killed after 30 seconds; a widget that did not
finish with 1 MB is not tried with 20 MB. Memory is the peak above what there was before the text
was shown, so that the text itself does not count.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure

LIMIT_SECONDS = 30.0
SIZES = (1, 20)
"""In MB."""
SHAPES = ("many lines", "one line", "JSON")
OURS = ("reader", "LineView")
OTHERS = ("Static", "TextArea", "RichLog", "Markdown")
PRESSES = 20
OPEN_TARGET = 0.150
PRESS_TARGET = 0.020
MEMORY_TARGET = 3.0
FIRST_WORDS = "first"


@dataclass(frozen=True, slots=True)
class Run:
    """What one process measured: seconds to open and for each key, bytes at the peak."""

    opened: float
    presses: list[float]
    memory: int


def measure(runs: int) -> list[Figure]:
    """Every size and shape in every widget; the others once only, since some take half a minute."""
    figures: list[Figure] = []
    gave_up: set[tuple[str, str]] = set()
    for size in SIZES:
        for shape in SHAPES:
            base: Run | None = None
            for widget in (*OURS, *OTHERS):
                if (widget, shape) in gave_up:
                    continue
                count = min(runs, 5) if widget in OURS else 1
                found = [_run(widget, size, shape) for _ in range(count)]
                done = [one for one in found if one is not None]
                name = f"{size} MB, {shape}: {widget}"
                if len(done) < len(found):
                    gave_up.add((widget, shape))
                    figures.append(Figure(name, [LIMIT_SECONDS], "", "not done, stopped"))
                    continue
                base = base or _middle(done)
                figures += _figures(name, size, done, base, is_ours=widget in OURS)
    return figures


def _figures(name: str, size: int, runs: list[Run], base: Run, *, is_ours: bool) -> list[Figure]:
    middle = _middle(runs)
    memory = f"+{middle.memory / 1e6:.0f} MB, {middle.memory / 1e6 / size:.1f} x the text"
    if not is_ours:
        memory += f", {middle.opened / base.opened:.1f} x the reader"
    return [
        Figure(
            f"{name} opens",
            [run.opened for run in runs],
            f"< {OPEN_TARGET * 1000:g} ms, < {MEMORY_TARGET:g} x" if is_ours else "",
            memory,
        ),
        Figure(
            f"{name}, page down",
            [press for run in runs for press in run.presses],
            f"< {PRESS_TARGET * 1000:g} ms" if is_ours else "",
            "" if is_ours else f"{_press(middle) / _press(base):.1f} x the reader",
        ),
    ]


def _middle(runs: list[Run]) -> Run:
    return sorted(runs, key=lambda run: run.opened)[len(runs) // 2]


def _press(run: Run) -> float:
    return sorted(run.presses)[len(run.presses) // 2]


def _run(widget: str, size: int, shape: str) -> Run | None:
    argv = [sys.executable, "-m", "tests.bench.texts", widget, str(size), shape]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=LIMIT_SECONDS, check=True)
    except subprocess.TimeoutExpired:
        return None
    return Run(**json.loads(done.stdout.splitlines()[-1]))


# In the process that is measured


def text_of(size: int, shape: str) -> str:
    """A text of so many MB; no two lines of it are the same."""
    length = size * 1_000_000
    if shape == "JSON":
        item = {"id": 1_000_000, "name": "something", "tags": ["a", "b"], "at": None}
        count = length // (len(json.dumps(item, indent=1)) + 2)
        return json.dumps(
            [FIRST_WORDS, *({**item, "id": number} for number in range(count))], indent=1
        )
    line = "2026-01-01 12:00:00 INFO something happened again, with the number {:07d} in it"
    end = " " if shape == "one line" else "\n"
    count = length // (len(line.format(0)) + 1)
    return end.join([FIRST_WORDS, *(line.format(number) for number in range(count))])


async def _measured(widget: str, text: str) -> Run:
    from textual import widgets
    from textual.app import App
    from textual.containers import VerticalScroll

    from signoff.app.content.texts.document import TextDocument
    from signoff.app.tui.answers.reader import ReaderScreen
    from signoff.widgets.text_view.line_view import LineView

    app: App[None] = App()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()

        async def show() -> Callable[[], object]:
            if widget == "reader":
                screen = ReaderScreen(TextDocument(text), view="plain")
                await app.push_screen(screen)
                return lambda: screen.query_one(LineView).action_page_down()
            if widget == "LineView":
                lines = LineView()
                await app.screen.mount(lines)
                lines.show_plain(text)
                return lines.action_page_down
            if widget == "TextArea":
                area = widgets.TextArea(text, read_only=True)
                await app.screen.mount(area)
                area.focus()
                return area.action_cursor_page_down
            if widget == "RichLog":
                log = widgets.RichLog(wrap=True, max_lines=None, auto_scroll=False)
                await app.screen.mount(log)
                log.write(text)
                return lambda: log.scroll_page_down(animate=False)
            scroll = VerticalScroll()
            await app.screen.mount(scroll)
            if widget == "Static":
                await scroll.mount(widgets.Static(text, markup=False))
            else:
                await scroll.mount(widgets.Markdown(text, open_links=False))
            return lambda: scroll.scroll_page_down(animate=False)

        before = _peak_from_now()
        start = time.perf_counter()
        page_down = await show()
        while FIRST_WORDS not in "".join(_seen(app)):
            await asyncio.sleep(0)
        opened = time.perf_counter() - start
        await pilot.pause()
        presses = []
        for _ in range(PRESSES):
            seen = _seen(app)
            start = time.perf_counter()
            page_down()
            await asyncio.sleep(0)
            while _seen(app) == seen and time.perf_counter() - start < 5:
                await asyncio.sleep(0)
            presses.append(time.perf_counter() - start)
        return Run(opened, presses, max(_peak() - before, 0))


def _seen(app: Any) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


def _peak_from_now() -> int:
    """Bytes in use; on Linux the peak begins anew, elsewhere it may hide what was needed before."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    if sys.platform == "win32":
        raise NotImplementedError
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _main(widget: str, size: str, shape: str) -> None:
    run = asyncio.run(_measured(widget, text_of(int(size), shape)))
    print(json.dumps({"opened": run.opened, "presses": run.presses, "memory": run.memory}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
