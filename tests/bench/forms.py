"""How long a form takes to open, beside an app that has nothing but one line to show."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.form import build_form
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.forms.form_row import FormRow
from tests.bench.figures import Figure, Samples
from tests.settled import wait_for_idle

TARGET_SECONDS = 0.050
LEAST = "an empty scroll view, one line"
AT_REST = ": at rest"
SIZE = (120, 36)


class _FormApp(App[None]):
    def compose(self) -> ComposeResult:
        yield ArgumentForm()


class _LeastApp(App[None]):
    def compose(self) -> ComposeResult:
        yield VerticalScroll()


def measure(runs: int = 10) -> list[Figure]:
    """Every schema read, its form built, mounted and painted; the least in turn with them."""
    samples = Samples()
    asyncio.run(_measure(samples, runs))
    least = samples.median(LEAST)
    figures = [samples.figure(LEAST)]
    for name in schemas():
        first = samples.median(name)
        met = "met" if first < TARGET_SECONDS else "MISSED"
        verdict = f"{first / least:.1f} x the least, {met}"
        figures.append(samples.figure(name, f"< {TARGET_SECONDS * 1000:g} ms", verdict))
        rest = samples.median(f"{name}{AT_REST}")
        figures.append(samples.figure(f"{name}{AT_REST}", "", f"{rest / least:.1f} x the least"))
    return figures


def schemas() -> dict[str, JsonValue]:
    """What is opened, by what it is."""
    return {
        "form: 3 strings": _flat(3),
        "form: 100 flat fields": _flat(100),
        "form: 40 properties, depth 10": nested(40, 10),
        "form: 40 properties, depth 10, all required": nested(40, 10, required=True),
        "form: as large as the largest real one, 12 KB": largest(),
    }


def _flat(count: int) -> JsonValue:
    kinds: list[JsonValue] = [
        {"type": "string", "description": "some words about it"},
        {"type": "boolean"},
        {"type": "integer", "default": 5},
        {"enum": ["a", "b", "c"]},
    ]
    return {
        "type": "object",
        "properties": {f"field_{n}": kinds[n % len(kinds)] for n in range(count)},
    }


def nested(count: int, depth: int, *, required: bool = False) -> JsonValue:
    """`count` properties on each level, the last of them an object of the same kind."""
    below: JsonValue = {"type": "string"}
    for level in range(depth):
        properties: dict[str, JsonValue] = {
            f"p{level}_{n}": {"type": "string", "description": f"number {n}"}
            for n in range(count - 1)
        }
        properties["inside"] = below
        below = {"type": "object", "properties": properties}
        if required:
            below["required"] = ["inside"]
    return below


def largest() -> JsonValue:
    """32 properties, an enum of 126 values, 6 levels, about 12 KB."""
    words = "What this is for, what it may be, and what happens when it is left out. "
    properties: dict[str, JsonValue] = {
        f"setting-{n}": {"type": ["string", "null"], "default": None, "description": words * 2}
        for n in range(24)
    }
    properties["timezone"] = {"enum": [f"Area/Some_Place_{n}" for n in range(126)]}
    properties["labels"] = {"type": "array", "items": {"type": "string"}, "description": words}
    properties["env"] = {"type": "object", "additionalProperties": {"type": "string"}}
    properties["filter"] = nested(3, 6)
    properties["rows"] = {"type": "array", "items": nested(4, 3)}
    properties["kind"] = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    }
    properties["limit"] = {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}
    properties["dry_run"] = {"type": "boolean", "default": False}
    return {"type": "object", "properties": properties, "required": ["timezone", "filter"]}


async def _measure(samples: Samples, runs: int) -> None:
    form, least = _FormApp(), _LeastApp()
    async with least.run_test(size=SIZE):
        for turn in range(runs + 2):
            _, rest = await _timed(least, lambda: _show_least(least), Static)
            if turn >= 2:
                samples.add(LEAST, rest)
    async with form.run_test(size=SIZE):
        for name, schema in schemas().items():
            for turn in range(runs + 2):
                _load(form, {})
                await wait_for_idle()
                first, rest = await _timed(form, partial(_load, form, schema), FormRow)
                if turn >= 2:
                    samples.add(name, first)
                    samples.add(f"{name}{AT_REST}", rest)


def _show_least(app: _LeastApp) -> None:
    view = app.query_one(VerticalScroll)
    view.remove_children()
    view.mount(Static("one line"))


def _load(app: _FormApp, schema: JsonValue) -> None:
    app.query_one(ArgumentForm).load(build_form(schema))


async def _timed(
    app: App[None], act: Callable[[], None], drawn: type[Widget]
) -> tuple[float, float]:
    """Seconds until the first paint with something in it, and until nothing is left to do."""
    started = time.perf_counter()
    act()
    while not any(one.region.height for one in app.query(drawn)):
        await asyncio.sleep(0)
        # Lays out and paints, as the timer of the screen does up to 17 ms later.
        app.screen._on_timer_update()
    first = time.perf_counter() - started
    await wait_for_idle()
    return first, time.perf_counter() - started


if __name__ == "__main__":
    for figure in measure():
        print(figure.as_line())
