from __future__ import annotations

import base64
import re
import sys
from subprocess import run

import pytest

from signoff.widgets.images.terminal_detection import (
    Graphics,
    Mode,
    Protocol,
    at_cell,
    iterm2,
    known_graphics,
)

KITTY, ITERM2, SIXEL = (Graphics(one) for one in Protocol)


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm-kitty"}, KITTY),
        ({"TERM": "xterm-kitty", "SSH_CONNECTION": "1"}, KITTY),
        ({"TERM": "xterm-ghostty"}, KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, ITERM2),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, ITERM2),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, ITERM2),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, None),
        ({"TERM": "foot"}, SIXEL),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "230401"}, SIXEL),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "210401"}, None),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "new"}, None),
        # Started from a shell in another terminal, whose variables came along.
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm", "VTE_VERSION": "7"}, None),
        ({"TERM": "xterm", "TERM_PROGRAM": "WezTerm", "XTERM_VERSION": "XTerm(379)"}, None),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, None),
        ({"TERM": "xterm-kitty", "STY": "1"}, None),
        ({}, None),
    ],
)
def test_what_the_environment_says(environ: dict[str, str], found: Graphics | None) -> None:
    assert known_graphics("auto", environ, is_terminal=True) == found
    if "TMUX" not in environ:
        assert known_graphics("on", environ, is_terminal=True) == found


@pytest.mark.parametrize(
    ("mode", "environ", "found"),
    [
        ("off", {"TERM": "xterm-kitty"}, None),
        ("on", {"TERM": "tmux-256color", "TMUX": "x"}, Graphics(Protocol.KITTY, in_tmux=True)),
        ("kitty", {"TERM": "tmux-256color", "TMUX": "x"}, Graphics(Protocol.KITTY, in_tmux=True)),
        ("kitty", {"TERM": "dumb"}, KITTY),
        ("iterm2", {"TERM": "xterm"}, ITERM2),
        ("sixel", {"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, SIXEL),
        ("sixel", {"NO_COLOR": "1"}, None),
    ],
)
def test_what_was_asked_for(mode: Mode, environ: dict[str, str], found: Graphics | None) -> None:
    assert known_graphics(mode, environ, is_terminal=True) == found
    assert known_graphics(mode, environ, is_terminal=False) is None


def test_without_a_terminal_half_blocks_remain() -> None:
    script = (
        "from signoff.widgets.images.terminal_detection import *;"
        "from signoff.app.platforms.terminal import pixel_size;"
        "found = [prepare_graphics(mode, pixel_size) for mode in ('auto', 'on', 'kitty')];"
        "print(found, graphics())"
    )
    done = run([sys.executable, "-c", script], capture_output=True, text=True, stdin=-3)
    assert done.stdout == "[False, False, False] None\n", done.stderr


def test_an_inline_image_has_its_size_in_cells() -> None:
    sequence = at_cell(4, 2, iterm2(b"png", 12, 5))
    found = re.fullmatch(r"\x1b7\x1b\[3;5H\x1b\]1337;File=([^:]*):([^\x07]*)\x07\x1b8", sequence)
    assert found is not None
    keys = dict(one.split("=") for one in found[1].split(";"))
    assert (keys["inline"], keys["width"], keys["height"]) == ("1", "12", "5")
    assert keys["size"] == "3"
    assert base64.b64decode(found[2]) == b"png"
