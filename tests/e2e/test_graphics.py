"""Real pixels in a real pseudo-terminal: what is sent to it, and that it is asked nothing."""

from __future__ import annotations

import base64
import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.e2e.program import signoff
from tests.e2e.steps import choose, wait_for_start
from tests.e2e.terminal import Terminal

PLACEHOLDER = "\U0010eeee"
COMMAND = re.compile(rb"\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\")
ASKED = (b"\x1b[c", b"\x1b[0c", b"\x1b[16t", b"\x1b[14t", b"a=q", b"\x1b[>q")
"""What programs ask to find out about graphics; the answers come in among the keys."""


def open_demo(folder: Path, **env: str) -> Terminal:
    env = {"SIGNOFF_DEMO_DIR": str(folder), **env}
    return Terminal(signoff("demo"), 80, 30, env=env)


def call_for_a_picture(terminal: Terminal) -> None:
    wait_for_start(terminal)
    assert b"\x1b_G" not in terminal.raw
    choose(terminal, "show_image")
    terminal.press("f5")
    terminal.wait_for(r"image +PNG +160 x 100")


@pytest.mark.timeout(120)
def test_a_kitty_gets_the_picture_and_cells_of_text(tmp_path: Path) -> None:
    with open_demo(tmp_path, TERM="xterm-kitty") as terminal:
        call_for_a_picture(terminal)
        terminal.wait_for(PLACEHOLDER)
        terminal.settle()
        raw = terminal.raw
        assert not any(one in raw for one in ASKED)
        commands = [
            (dict(key.split(b"=") for key in found[1].split(b",")), found[2])
            for found in COMMAND.finditer(raw)
        ]
        # It is sent again for each size that it gets while the page is laid out.
        begun = [at for at, (keys, _) in enumerate(commands) if keys.get(b"a") == b"T"]
        commands = commands[begun[-1] :]
        first = commands[0][0]
        assert (first[b"a"], first[b"U"], first[b"f"]) == (b"T", b"1", b"100")
        assert all(keys[b"q"] == b"2" for keys, _ in commands)
        data = b"".join(piece for keys, piece in commands if keys.get(b"a") != b"d")
        picture = Image.open(BytesIO(base64.b64decode(data)))
        assert picture.width / picture.height == pytest.approx(1.6, abs=0.02)
        x, y = terminal.find(PLACEHOLDER)
        assert int(str(terminal.cell(x, y).fg), 16) == int(first[b"i"])

        # Whatever comes in front covers it like text, and it is back when that goes.
        terminal.press("f9")
        terminal.wait_for(lambda text: PLACEHOLDER not in text and re.search(r"protocol +20", text))
        terminal.press("escape")
        terminal.wait_for(PLACEHOLDER)
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0
        assert b"a=d,d=I,i=" + first[b"i"] in terminal.raw


@pytest.mark.timeout(120)
def test_in_tmux_half_blocks_are_drawn(tmp_path: Path) -> None:
    with open_demo(tmp_path, TERM="xterm-kitty", TMUX="/tmp/tmux,1,0") as terminal:
        call_for_a_picture(terminal)
        terminal.wait_for("▀{20}")
        assert b"\x1b_G" not in terminal.raw
        assert not any(one in terminal.raw for one in ASKED)
