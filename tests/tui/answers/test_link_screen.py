"""Links of a response: a card that leads nowhere by itself, and consent before it does."""

from __future__ import annotations

import json
import shlex
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.questions.value_lines import URI_LIMIT
from signoff.app.calls.call import Outcome
from signoff.app.protocol.answers.content import LinkPart
from signoff.app.protocol.answers.links import look_at
from signoff.app.protocol.server import Server, Trust
from signoff.app.tui.answers.links import LinkBody, LinkWay, OutsideDialog
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.base.external import find_program, open_outside
from tests.approved import approved
from tests.servers import library
from tests.tui.answer_stage import BodyStage, body_stage
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.tui.clocks import MovedClock, arm, press_slowly
from tests.tui.drawn import drawn
from tests.tui.stage import Scene, on_stage

TEXTS = approved("tui-links")
WEB = "https://xn--pple-43d.com:8443/a?b=1"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record"


@pytest.fixture
def opened_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the stand-in for xdg-open was given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "xdg-open"
    script.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >> {shlex.quote(str(tmp_path / "opened"))}\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("DISPLAY", ":9")
    return tmp_path / "opened"


def sent(record: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["method"] in ("resources/read", "tools/call")]


@asynccontextmanager
async def at_link(
    record: Path, number: int, size: tuple[int, int] = NARROW
) -> AsyncIterator[BenchStage]:
    """The answer with all links, and the focus on one of them, counted from 1."""
    argv = (sys.executable, "-S", library.__file__, str(record))
    async with bench_stage(argv=argv, size=size, keeps=True) as stage:
        await stage.call("links")
        await stage.sees("part 1 of 5")
        if size != NARROW:
            stage.app.screen.query_one("#answer").focus()
        for _ in range(number):
            await stage.press("tab")
        yield stage


async def answered(stage: BenchStage, *keys: str) -> None:
    """Wait until the dialog hears, then press."""
    dialog = stage.app.screen
    assert isinstance(dialog, ApprovalDialog | OutsideDialog)
    await arm(stage, dialog)
    await press_slowly(stage, *keys)


async def asks(stage: BenchStage, kind: type[ApprovalDialog] | type[OutsideDialog]) -> None:
    await stage.is_open(kind)


async def test_denying_sends_nothing_and_goes_back_to_the_link(
    record: Path,
) -> None:
    async with at_link(record, 1, NARROW) as stage:
        await stage.press("o", "o", "o")
        await asks(stage, ApprovalDialog)
        await stage.sees('"uri": "library://notes/1"')
        assert "Edit" not in stage.text
        await answered(stage, "escape")
        call = await stage.end()
        assert call.id == 2
        assert call.outcome is Outcome.DENIED
        await stage.sees("part 1 of 5")
    assert [one["method"] for one in sent(record)] == ["tools/call"]


async def test_approving_sends_one_read_of_the_very_uri(record: Path) -> None:
    async with at_link(record, 3) as stage:
        await stage.press("o")
        await asks(stage, ApprovalDialog)
        await stage.sees("<U+202E>")
        await answered(stage, "ctrl+y", "ctrl+y")
        call = await stage.end()
        assert call.outcome is Outcome.OK
        await stage.sees("library://odd/<U+202E><U+200B>?q=%zz#ä", "┃ odd")
    assert sent(record)[1:] == [{"method": "resources/read", "params": {"uri": library.ODD}}]


@pytest.mark.slow
async def test_what_is_remembered_of_a_read_is_its_uri_at_most(record: Path) -> None:
    async with at_link(record, 1) as stage:
        await stage.press("o")
        await asks(stage, ApprovalDialog)
        await stage.sees("(•) no")
        assert "this tool" not in stage.text
        await answered(stage, "tab", "tab", "right", "right")
        await stage.sees("this URI")
        await answered(stage, "ctrl+y", "ctrl+y")
        await stage.end()
        (grant,) = stage.engine.memory.grants()
    assert grant.arguments_digest is not None
    assert grant.session is not None


@pytest.mark.slow
async def test_a_script_is_only_ever_read_from_the_server(record: Path, opened_file: Path) -> None:
    async with at_link(record, 5) as stage:
        await stage.press("o")
        await asks(stage, ApprovalDialog)
        await stage.sees("javascript:alert(1)")
        await answered(stage, "escape")
        await stage.end()
    assert not opened_file.exists()


@pytest.mark.slow
async def test_a_file_is_shown_and_not_opened(record: Path, opened_file: Path) -> None:
    async with at_link(record, 4) as stage:
        await stage.press("o")
        await asks(stage, OutsideDialog)
        await stage.sees("┃ /etc/hostname")
        assert "Open in" not in stage.text
        await answered(stage, "y")
        await stage.until(lambda: stage.app.clipboard, "the copy")
        TEXTS.holds("told: copied", stage.toasts)
        assert stage.app.clipboard == "file:///etc/hostname"
    assert not opened_file.exists()
    assert [one["method"] for one in sent(record)] == ["tools/call"]


@pytest.mark.slow
async def test_an_address_is_opened_after_consent_and_logged(
    record: Path, opened_file: Path, tmp_path: Path
) -> None:
    async with at_link(record, 2) as stage:
        await stage.press("o")
        await asks(stage, OutsideDialog)
        await stage.sees("┃ xn--pple-43d.com", f"┃ {WEB}", "Punycode", "port 8443")
        await answered(stage, "escape")
        await stage.sees("part 2 of 5")
        assert not opened_file.exists()
        await stage.press("o", "o", "o")
        await asks(stage, OutsideDialog)
        await answered(stage, "tab", "tab", "tab", "enter")
        await stage.is_told("Opened")
        TEXTS.holds("told: opened outside", stage.toasts)
        assert opened_file.read_text() == f"{WEB}\n"
        logged = Path(stage.engine.ledger.place).read_text(encoding="ascii").splitlines()
    events = [json.loads(line) for line in logged]
    (event,) = [one for one in events if one["event"] == "opened-outside"]
    assert event["uri"] == WEB
    assert [one["method"] for one in sent(record)] == ["tools/call"]


@pytest.mark.slow
async def test_an_address_can_be_read_from_the_server_instead(
    record: Path, opened_file: Path
) -> None:
    async with at_link(record, 2) as stage:
        await stage.press("o")
        await asks(stage, OutsideDialog)
        await answered(stage, "tab", "tab", "enter")
        await asks(stage, ApprovalDialog)
        await stage.sees("┃ xn--pple-43d.com", f'"uri": "{WEB}"')
        await answered(stage, "end", "ctrl+y", "ctrl+y")
        call = await stage.end()
        assert call.outcome is Outcome.PROTOCOL_ERROR
        await stage.sees("(code -32002)")
    assert not opened_file.exists()
    assert sent(record)[1:] == [{"method": "resources/read", "params": {"uri": WEB}}]


PART = LinkPart(
    "https://example.org/a",
    "name [@click=app.bell]x[/]",
    "A title",
    "First line\nsecond \x1b[31m line",
    "text/plain",
    4_404_019,
)


def card(
    part: LinkPart = PART, size: tuple[int, int] = (80, 24)
) -> AbstractAsyncContextManager[BodyStage[LinkBody]]:
    return body_stage(LinkBody(part), size)


async def test_everything_that_is_said_is_shown_safely() -> None:
    async with card() as at:
        TEXTS.holds("card: all that is said", drawn(at.body))
        assert at.body.words == "resource link  text/plain  4.4 MB"
        assert at.body.full() is None


async def test_the_uri_is_copied_as_it_came() -> None:
    uri = "demo://\u202ea"
    async with card(replace(PART, uri=uri)) as at:
        assert at.body.copied().text == uri
        assert "uri          ┃ demo://<U+202E>a" in at.rows


async def test_a_long_uri_goes_on_in_the_next_rows() -> None:
    uri = "demo://" + "0123456789" * 30
    async with card(replace(PART, uri=uri), (60, 30)) as at:
        found = "".join(row.partition("┃ ")[2] for row in at.rows)
        assert uri in found


async def test_what_is_cut_says_so_and_is_whole_in_full() -> None:
    async with card(replace(PART, uri="demo:" + "a" * 5_000), (80, 50)) as at:
        cut = drawn(at.body).split("\n")[-2:]
        TEXTS.holds("card: a long URI", "\n".join(cut), LIMIT=f"{URI_LIMIT:,}")
        assert at.body.full() is not None


@pytest.mark.parametrize(
    ("uri", "key"),
    [
        ("javascript:alert(1)", "card: a script"),
        ("demo://a", "card: of the server"),
        ("https://a b/", "card: blanks in the URI"),
        ("mailto:a@b.example?attach=x", "card: a mail with a file"),
        ("", "card: no URI"),
        ("file:///etc/my%20file", "card: a file"),
    ],
)
async def test_what_can_be_done_with_it_is_said(uri: str, key: str) -> None:
    async with card(replace(PART, uri=uri)) as at:
        TEXTS.holds(key, drawn(at.body).partition("bytes)\n")[2])


async def test_it_follows_nothing_by_itself() -> None:
    async with card() as at:
        await at.pilot.click(LinkBody, offset=(15, 7))
        await at.press("enter", "tab", "space")
        assert not at.stage.posted(LinkBody.OpenWanted)
        at.body.open_wanted()
        await at.pilot.pause()
        assert [one.part for one in at.stage.posted(LinkBody.OpenWanted)] == [PART]


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
