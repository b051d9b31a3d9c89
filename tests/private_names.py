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
    Private("screen", "_refresh_layout", "test_screen_mixin.py: lays out in between"),
    Private("screen", "_clear_arrangement_cache", "test_screen_mixin.py: lays out in between"),
    Private("app", "_filters", "test_contrast.py, drawing.py: a screen without colour"),
    Private("textual.keys", "_character_to_key", "stage.py: the name of a key that is typed"),
    Private("textual.widgets._toast", "Toast", "bench_stage.py: what pops up"),
    Private("textual._xterm_parser", "XTermParser", "test_terminal_keys.py: keys as they are read"),
)

PROGRAM = (
    Private("textual._xterm_parser:XTermParser", "parse", "tui/terminal: reads keys until told"),
    Private("textual.app:App", "_background_screens", "tui/window.py: shows no screen behind"),
    Private("textual.app:App", "_close_messages_no_wait", "tui/failures.py: ends after a fault"),
    Private("textual.app:App", "_driver", "tui/window.py, images: writes pictures, suspends"),
    Private("textual.app:App", "_fatal_error", "tui/failures.py: prints no traceback"),
    Private("textual.app:App", "_handle_exception", "tui/failures.py: keeps the trace in a file"),
    Private("textual.app:App", "_keymap", "widgets/key_bar.py: the keys that a person has chosen"),
    Private("textual.app:App", "_notifications", "tui/app.py: nothing pops up twice at once"),
    Private("textual.app:App", "_return_code", "tui/failures.py: the exit status of a fault"),
    Private("textual.app:App", "_unnotify", "tui/app.py: nothing pops up twice at once"),
    Private("textual.dom:DOMNode", "_bindings", "tui/main: keys that a widget has by itself"),
    Private(
        "textual.screen:Screen", "_forward_event", "tui/approving: a dialog hears nothing early"
    ),
    Private("textual.screen:Screen", "_layout_updates", "tui/screen_mixin.py: sizes anew"),
    Private("textual.widget:Widget", "_focus_sort_key", "forms/form_row.py: the order of the rows"),
    Private("textual.widgets:TextArea", "_on_key", "forms/field_editors.py: shows every character"),
    Private("textual.widgets:TextArea", "_on_paste", "forms/field_editors.py: pastes as it is"),
    Private("argparse:ArgumentParser", "_actions", "cli/options/parser.py: what was meant"),
    Private("argparse:ArgumentParser", "_check_value", "cli/options/parser.py: what was meant"),
    Private("argparse:ArgumentParser", "_option_string_actions", "cli/options/parser.py: the same"),
    Private("argparse:ArgumentParser", "_positionals", "cli/command_line.py: a heading of help"),
    Private("argparse", "_ActionsContainer", "cli/options/server.py: a type"),
    Private("argparse", "_ArgumentGroup", "cli/options/parser.py: a type"),
    Private("argparse:ArgumentParser", "_print_message", "cli/options/parser.py: prints a help"),
    Private("argparse", "_SubParsersAction", "cli/options/parser.py: a type"),
    Private("re", "_constants", "approval/policies/patterns.py: looks at a pattern"),
    Private("re", "_parser", "approval/policies/patterns.py: looks at a pattern"),
    Private("threading", "_shutdown", "cli/process.py: the end without taking all apart"),
    Private("atexit", "_run_exitfuncs", "cli/process.py: the end without taking all apart"),
    Private("httpx2:AsyncClient", "_transport_for_url", "http/client.py: names the proxy between"),
    Private("jsonschema.exceptions", "_Error", "schemas: a type"),
    Private("jsonschema:Draft202012Validator", "_resolver", "schemas/unknown.py: references"),
)
"""Names of others that the program relies on; on POSIX also those of `POSIX_DRIVER`."""
POSIX_DRIVER = (
    Private(
        "textual.drivers.linux_driver:LinuxDriver", "_app", "tells of stops and the background"
    ),
    Private("textual.drivers.linux_driver:LinuxDriver", "_debug", "how keys are read"),
    Private(
        "textual.drivers.linux_driver:LinuxDriver",
        "_disable_mouse_support",
        "no mouse for the shell",
    ),
    Private("textual.drivers.linux_driver:LinuxDriver", "_loop", "tells on the loop"),
    Private(
        "textual.drivers.linux_driver:LinuxDriver", "_sigcont_application", "goes on after a stop"
    ),
    Private(
        "textual.drivers.linux_driver:LinuxDriver",
        "_sigtstp_application",
        "stops as the shell does",
    ),
)
NOT_CHECKED = {"_pool", "_proxy_url", "_exit"}
"""Asked for with a default, and `os._exit`, which is documented."""
