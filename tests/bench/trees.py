"""A JSON value of 100,000 items in a tree: opening it, and a key in it, in a pseudo-terminal.

`python -m tests.bench.trees tree|screen objects|nested` is measured; f5 opens the value.
"""

from __future__ import annotations

import sys

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from signoff.app.content.json.jsonio import JsonValue
from tests.bench.figures import Figure, Samples
from tests.bench.places import Place
from tests.bench.timed_tty import Tty

ITEMS = 100_000
OPEN_TARGET, PRESS_TARGET = 0.150, 0.020
PRESSES = 10
GAP, REST = 0.06, 0.25
READY, SHOWN = "press f5", "item 0 of"
F5, UP, DOWN, PAGE_UP, PAGE_DOWN = b"\x1b[15~", b"\x1b[A", b"\x1b[B", b"\x1b[5~", b"\x1b[6~"
KINDS = {"tree": "JsonTree", "screen": "StructuredScreen"}
VALUES = ("objects", "nested")


def measure(place: Place, runs: int) -> list[Figure]:
    """The tree alone and the screen of it in turn, each in a program of its own."""
    samples = Samples()
    names: list[tuple[str, float]] = []
    for _ in range(min(runs, 5)):
        for kind, widget in KINDS.items():
            for shape in VALUES:
                name = f"{widget}, {ITEMS:,} {shape}"
                _round(samples, place, name, kind, shape)
    for widget in KINDS.values():
        for shape in VALUES:
            name = f"{widget}, {ITEMS:,} {shape}"
            names += [(f"{name}: opens", OPEN_TARGET), (f"{name}: opens, processor", 0.0)]
            names += [(f"{name}: down", PRESS_TARGET), (f"{name}: page down", PRESS_TARGET)]
            names.append((f"{name}: a key, processor", 0.0))
    return [_judged(samples, name, target) for name, target in names]


def _judged(samples: Samples, name: str, target: float) -> Figure:
    if not target:
        return samples.figure(name)
    met = "met" if samples.median(name) < target else "MISSED"
    return samples.figure(name, f"< {target * 1000:g} ms", met)


def _round(samples: Samples, place: Place, name: str, kind: str, shape: str) -> None:
    argv = [sys.executable, "-m", "tests.bench.trees", kind, shape]
    with Tty(argv, place.env, place.home) as tty:
        tty.seen(lambda text: READY in text)
        tty.quiet(0.5)
        before = tty.processor_seconds()
        tty.write(F5)
        samples.add(f"{name}: opens", tty.wait_until(lambda text: SHOWN in text))
        samples.add(f"{name}: opens, processor", tty.processor_seconds() - before)
        tty.quiet(1.0)
        before = tty.processor_seconds()
        for keys, words in (((DOWN, UP), "down"), ((PAGE_DOWN, PAGE_UP), "page down")):
            for key in keys * (PRESSES // 2):
                samples.add(f"{name}: {words}", tty.press(key, GAP, REST)[1])
        samples.add(f"{name}: a key, processor", (tty.processor_seconds() - before) / (2 * PRESSES))


# In the process that is measured


def value_of(shape: str) -> JsonValue:
    """So many items below a first line that says so."""
    first: JsonValue = f"{SHOWN} {ITEMS:,}"
    if shape == "objects":
        items: list[JsonValue] = [
            {"id": n, "name": f"entry {n}", "tags": ["a"]} for n in range(ITEMS)
        ]
        return [first, *items]
    groups: list[JsonValue] = [
        {f"key_{n}": list(range(n, n + 50)) for n in range(at, at + 20)}
        for at in range(0, ITEMS // 50, 20)
    ]
    return [first, *groups]


class _TreeApp(App[None]):
    BINDINGS = [Binding("f5", "open", "Open"), Binding("ctrl+q", "quit", "Quit")]  # noqa: RUF012

    def __init__(self, kind: str, shape: str) -> None:
        super().__init__()
        self._kind = kind
        self._value = value_of(shape)

    def compose(self) -> ComposeResult:
        yield Static(READY)

    def action_open(self) -> None:
        if self._kind == "tree":
            from signoff.widgets.json_tree.tree import JsonTree

            tree = JsonTree(self._value)
            self.mount(tree)
            self.screen.set_focus(tree)
        else:
            from signoff.app.tui.answers.structured_screen import StructuredScreen

            self.push_screen(StructuredScreen(self._value, None))


def _main(kind: str, shape: str) -> None:
    if kind == "tree":
        import signoff.widgets.json_tree.tree
    else:
        import signoff.app.tui.answers.structured_screen  # noqa: F401
    _TreeApp(kind, shape).run()


if __name__ == "__main__":
    _main(*sys.argv[1:])
