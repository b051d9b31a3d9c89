"""Names that are not promised to anybody, and that the tests rely on all the same.

Textual has no public way to see the rows of a screen, or that it has drawn all it had to. When a
new version has changed one of these names, `tests/test_private_names.py` says which, and where to
look: everything else that fails then fails for that reason.
"""

from __future__ import annotations

from typing import NamedTuple


class Private(NamedTuple):
    """One name: of a module or of something alive, and where it is used for what."""

    owner: str
    """A module, or one of "app", "screen" and "loop": those of a program that runs."""
    name: str
    used: str


PRIVATE = (
    Private("textual._context", "active_app", "settled.py: the app whose test waits"),
    Private("screen", "_on_timer_update", "settled.py: draws now what the next tick would draw"),
    Private("app", "_resize_timer", "settled.py: whether a new size is still to be told"),
    Private("app", "_check_resize", "settled.py: tells a new size now"),
    Private("loop", "_ready", "settled.py: whether anything is left to run"),
    Private("textual.app", "wait_for_idle", "conftest.py: what settled.py takes the place of"),
    Private("textual.pilot", "wait_for_idle", "conftest.py: what settled.py takes the place of"),
    Private("textual._compositor", "Compositor", "drawing.py: draws what is read, and when"),
    Private("textual._context", "visible_screen_stack", "drawing.py: what shows from behind"),
    Private("app", "_background_screens", "drawing.py: what shows from behind"),
    Private("app", "_batch_count", "drawing.py: whether anything is about to be drawn"),
    Private("screen", "_dirty_widgets", "drawing.py: whether anything is about to be drawn"),
    Private("screen", "_layout_required", "drawing.py: whether anything is about to be drawn"),
    Private("screen", "_scroll_required", "drawing.py: whether anything is about to be drawn"),
    Private("screen", "_repaint_required", "drawing.py: whether anything is about to be drawn"),
    Private("screen", "_recompose_required", "drawing.py: whether anything is about to be drawn"),
    Private("textual.css.stylesheet", "parse", "sheets.py: keeps what comes of it"),
    Private("textual.css.stylesheet", "tokenize_values", "sheets.py: keeps what comes of it"),
    Private("screen", "_compositor", "the rows of a screen: BenchStage.strips and others"),
    Private("screen", "_refresh_layout", "test_fresh_sizes.py: lays out in between"),
    Private("screen", "_clear_arrangement_cache", "test_fresh_sizes.py: lays out in between"),
    Private("screen", "_layout_updates", "app/tui/fresh_sizes.py: when a size is worked out"),
    Private("app", "_notifications", "app/tui/app.py: nothing pops up twice at once"),
    Private("app", "_unnotify", "app/tui/app.py: nothing pops up twice at once"),
    Private("app", "_filters", "test_contrast.py, drawing.py: a screen without colour"),
    Private("textual.keys", "_character_to_key", "stage.py: the name of a key that is typed"),
    Private("textual.widgets._toast", "Toast", "bench_stage.py: what pops up"),
    Private("textual._xterm_parser", "XTermParser", "test_terminal_keys.py: keys as they are read"),
)
