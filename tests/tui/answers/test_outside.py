"""Opening a link outside of Signoff takes a press that is meant, on an address that was seen."""

from __future__ import annotations

import shlex
import stat
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from signoff.app.protocol.answers.links import look_at
from signoff.app.protocol.server import Server, Trust
from signoff.app.tui.answers.links import LinkWay, OutsideDialog
from signoff.app.tui.base.external import find_program, open_outside
from tests.approved import approved
from tests.tui.clocks import MovedClock
from tests.tui.drawn import drawn
from tests.tui.stage import Scene, on_stage

TEXTS = approved("tui-links")
SERVER = Server("demo", "python -m signoff.app.demo", "stdio:demo", Trust.UNTRUSTED)
ADDRESS = "https://example.org/a?b=1#c"


class LinkScene(Scene):
    dialog: OutsideDialog

    @property
    def said(self) -> str:
        """All that is said of the address, with the title."""
        return f"{self.dialog.title_words()}\n{drawn(self.dialog.sheet)}"


def outside(
    uri: str = ADDRESS, *, size: tuple[int, int] = (80, 24), why_not: str = "", arm: bool = True
) -> AbstractAsyncContextManager[LinkScene]:
    clock = MovedClock()
    dialog = OutsideDialog(look_at(uri), SERVER, why_not=why_not, clock=clock)
    return on_stage(LinkScene, dialog, clock, size=size, is_armed=arm)


async def test_the_host_stands_apart_and_the_whole_address_is_there() -> None:
    async with outside("https://bank.example@xn--pple-43d.com:8443/" + "long/" * 40 + "end") as at:
        rows = [row.strip("│ ").strip() for row in at.text.split("\n")]
        joined = "".join(row.partition("┃ ")[2] for row in rows if "┃" in row)
        assert "bank.example@xn--pple-43d.com:8443/" + "long/" * 40 + "end" in joined
        TEXTS.holds("outside: a host that deceives", at.said)
        assert at.dialog.focused is at.dialog.leave


@pytest.mark.parametrize(
    ("deeds", "way"),
    [
        *((key, LinkWay.LEAVE) for key in ("enter", "escape", "q", "ctrl+c")),
        ("y", LinkWay.COPY),
        ("tab tab enter", LinkWay.READ),
        ("tab tab tab enter ~", LinkWay.OPEN),
    ],
)
async def test_what_each_key_does(deeds: str, way: LinkWay) -> None:
    async with outside() as at:
        await at.do(deeds)
        assert at.decisions == [way]


async def test_a_held_key_opens_nothing_and_one_press_only_once_it_stands_alone() -> None:
    async with outside() as at:
        await at.do("tab tab tab")
        assert at.dialog.focused is at.dialog.open
        await at.do("enter@0.033 enter*60")
        assert at.decisions == []
        await at.do("~1 enter")
        assert at.decisions == []
        await at.rest()
        assert at.decisions == [LinkWay.OPEN]


async def test_esc_leaves_it_at_once() -> None:
    async with outside(arm=False) as at:
        await at.do("tab@0.1 tab@0.1 tab@0.1 enter@0.1 y@0.1 q@0.1")
        assert at.decisions == []
        assert at.dialog.focused is at.dialog.leave
        await at.press("escape", after=0)
        assert at.decisions == [LinkWay.LEAVE]


@pytest.mark.parametrize(
    ("uri", "key"),
    [
        ("file:///etc/hostname", "outside: a file"),
        ("https://evil.example\\@bank.example/", "outside: a backslash"),
        ("mailto:a@example.org?attach=/etc/passwd", "outside: mail with a file"),
    ],
)
async def test_what_is_never_opened_has_no_button_for_it(uri: str, key: str) -> None:
    async with outside(uri) as at:
        assert not at.dialog.open.display
        TEXTS.holds(key, at.said)
        await at.press("tab", "tab", "tab")
        assert at.dialog.focused is at.dialog.leave
        at.dialog.open.post_message(at.dialog.open.Pressed(at.dialog.open))
        await at.rest()
        assert at.decisions == []


async def test_without_a_desktop_it_can_still_be_copied() -> None:
    async with outside(why_not="no desktop here") as at:
        TEXTS.holds("outside: no desktop", at.said)
        assert not at.dialog.open.display
        await at.press("y")
        assert at.decisions == [LinkWay.COPY]


async def test_what_is_below_has_to_be_seen_first() -> None:
    async with outside("https://example.org/" + "long/" * 500) as at:
        await at.press("tab", "tab", "tab", "enter")
        await at.rest()
        assert at.decisions == []
        (row,) = [row for row in at.text.split("\n") if "scroll" in row]
        TEXTS.holds("outside: not read to the end", row.strip("│╰├─┤╯ ").rpartition("─ ")[2])
        await at.press("end")
        await at.press("enter")
        await at.rest()
        assert at.decisions == [LinkWay.OPEN]


async def test_every_button_is_on_the_screen_and_a_change_of_the_size_makes_it_deaf_again() -> None:
    async with outside() as at:
        await at.press("tab", "tab", "tab")
        await at.resize(60, 18)
        assert not at.dialog.is_armed
        assert at.dialog.focused is at.dialog.leave
        await at.resize(40, 12)
        for button in (at.dialog.leave, at.dialog.copy, at.dialog.read, at.dialog.open):
            assert button.region.width > 3
            assert at.app.screen.region.contains_region(button.region)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for xdg-open: it writes down its arguments, one a line."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "xdg-open"
    script.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >> {shlex.quote(str(tmp_path / "opened"))}\n'
        f'case "$1" in *fails*) exit 3;; esac\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.setattr("sys.platform", "linux")
    return script


async def test_the_program_gets_exactly_the_address(program: Path, tmp_path: Path) -> None:
    assert find_program() == str(program)
    uri = "https://example.org/$(id);'&a=*#~"
    assert await open_outside(uri, str(program)) == ""
    assert (tmp_path / "opened").read_text() == f"{uri}\n"


async def test_a_program_that_fails_is_told(program: Path) -> None:
    words = await open_outside("https://example.org/fails", str(program))
    TEXTS.holds("outside: a program that fails", words, PROGRAM=program)
    none = program.with_name("none")
    words = await open_outside(ADDRESS, str(none))
    TEXTS.holds("outside: no such program", words, PROGRAM=none)


@pytest.mark.parametrize(
    "uri", ["javascript:alert(1)", "file:///etc/passwd", "--help", "-x", "data:text/html,x", ""]
)
async def test_nothing_else_ever_gets_there(program: Path, tmp_path: Path, uri: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        await open_outside(uri, str(program))
    assert not (tmp_path / "opened").exists()


def test_without_a_desktop_there_is_no_program(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert find_program() == ""
