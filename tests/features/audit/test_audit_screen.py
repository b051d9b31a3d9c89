"""The screen of the audit log, in an app of its own."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input, Static

from signoff.app.features.audit.screen import AuditScreen, RecordList
from signoff.app.protocol.findings.findings import Severity
from signoff.app.storage.audit_log import AuditLog
from signoff.app.storage.auditing.chain import START, seal
from signoff.app.tui.text.pager import PagerScreen
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.regions import seen, whole

PROSE = approved("tui-browse")

DEMO = {"name": "demo", "identity": "ab" * 32}
HOSTILE = "\x1b[2J[@click=app.quit]\u202eevil[/]"


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("the bench")


class Stage:
    def __init__(self, app: Host, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def text(self) -> str:
        """Everything on the screen."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    @property
    def told(self) -> str:
        """The line below the records."""
        return whole(self.app.screen.query_one("#told", Static))

    @property
    def list(self) -> RecordList:
        return self.app.screen.query_one(RecordList)

    async def until(self, is_so: Callable[[], object]) -> None:
        for _ in range(400):
            if is_so():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(self.text)

    async def sees(self, words: str) -> None:
        await self.until(lambda: words in self.text)

    async def type(self, words: str) -> None:
        await self.pilot.press("slash")
        for char in words:
            await self.pilot.press({":": "colon", " ": "space", "*": "asterisk"}.get(char, char))


@asynccontextmanager
async def staged(path: Path, size: tuple[int, int] = (120, 36)) -> AsyncIterator[Stage]:
    app = Host()
    async with app.run_test(size=size) as pilot:
        await app.push_screen(AuditScreen(path))
        stage = Stage(app, pilot)
        await stage.until(lambda: app.screen.query_one("#told", Static).content)
        yield stage


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "audit.jsonl"
    log = AuditLog(place)
    log.append("opened", Severity.NOTE, {"server": DEMO, "trust": "trusted", "policy": "cautious"})
    log.append("asked", Severity.WARNING, {"server": DEMO, "tool": "wipe_all"})
    decision = {"answer": "approve", "by": "you", "basis": "asked"}
    by = {"identity": DEMO["identity"]}
    log.append("decided", Severity.ERROR, {"server": by, "tool": "wipe_all", "decision": decision})
    log.append("sent", Severity.ERROR, {"server": by, "tool": "wipe_all"})
    log.append("ended", Severity.NOTE, {"server": by, "tool": "read_it", "outcome": "ok"})
    log.close()
    return place


def many(path: Path, count: int) -> None:
    """A log of records in one write."""
    before, lines = START, []
    for seq in range(1, count + 1):
        fields = {"ts": "2026-11-21T12:00:00.000+00:00", "event": "sent", "severity": "note"}
        line = seal({**fields, "tool": f"tool{seq}", "filling": "x" * 300}, before, seq)
        before = line[-66:-2]
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


async def test_records_stand_one_a_line_the_newest_last(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        rows = [line for line in stage.text.splitlines() if "demo" in line]
        assert len(rows) == 5
        assert "!  decided" in rows[2]
        assert "› " in rows[4]
        times = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
        said = [re.sub(times, "TIME", row.strip(" │")) for row in rows]
        PROSE.holds("log: a record a line", "\n".join(said))


@pytest.mark.parametrize("size", first_quick([(80, 24), (60, 18)]))
async def test_small_screens(path: Path, size: tuple[int, int]) -> None:
    async with staged(path, size) as stage:
        await stage.sees("5 records")
        rows = [line for line in stage.text.splitlines() if "wipe_all" in line]
        assert len(rows) == 3
        assert "approved by" in rows[1]


@pytest.mark.slow
async def test_enter_shows_the_whole_record(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        await stage.pilot.press("up", "up", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, PagerScreen))
        await stage.sees('"answer": "approve"')
        await stage.pilot.press("tab")
        await stage.sees('"seq":3,"event":"decided"')
        await stage.pilot.press("escape")
        await stage.sees("5 records")


@pytest.mark.slow
async def test_a_filter_as_one_types_and_escape_clears_it(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        await stage.type("tool:wipe* severity:error")
        await stage.sees("2 records of 5")
        assert "read_it" not in stage.text
        await stage.pilot.press("enter")
        assert stage.list.has_focus
        await stage.pilot.press("escape")
        await stage.sees("5 records")
        assert isinstance(stage.app.screen, AuditScreen)
        await stage.pilot.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, AuditScreen))


async def test_a_filter_that_cannot_be_read_is_said(path: Path) -> None:
    async with staged(path) as stage:
        await stage.type("severity:loud")
        await stage.sees("severity is note")
        PROSE.holds("log: a filter that cannot be read", stage.told)
        await stage.pilot.press("escape")
        await stage.sees("5 records")


@pytest.mark.slow
async def test_a_filter_that_nothing_passes(path: Path) -> None:
    async with staged(path) as stage:
        await stage.type("nowhere")
        await stage.until(lambda: not stage.list.row_count)
        PROSE.holds("log: nothing passes the filter", seen(stage.list))


@pytest.mark.slow
async def test_letters_in_the_filter_are_no_commands(path: Path) -> None:
    async with staged(path) as stage:
        await stage.type("qvr")
        assert stage.app.screen.query_one(Input).value == "qvr"
        assert isinstance(stage.app.screen, AuditScreen)


async def test_the_chain_is_proved(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        await stage.pilot.press("v")
        await stage.sees("Intact")
        PROSE.holds("log: an intact chain", stage.told, HASH=path.read_text()[-67:-3])


async def test_a_broken_chain_is_said_with_its_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"by":"you"', b'"by":"me!"'))
    async with staged(path) as stage:
        await stage.sees("5 records")
        await stage.pilot.press("v")
        await stage.sees("Broken")
        PROSE.holds("log: a broken chain", stage.told)
        assert stage.app.screen.query_one("#told").has_class("-broken")


@pytest.mark.slow
async def test_new_records_show_on_request(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        AuditLog(path).append("closed", Severity.NOTE, {"server": DEMO, "calls": 41})
        await stage.pilot.press("r")
        await stage.sees("6 records")
        assert "41 calls" in stage.text


async def test_what_a_log_holds_is_shown_and_never_obeyed(path: Path) -> None:
    log = AuditLog(path)
    log.append("asked", Severity.NOTE, {"server": {"name": HOSTILE}, "tool": HOSTILE})
    path.write_bytes(path.read_bytes() + b"\x1b[31m[/]rubbish\xff\n")
    async with staged(path) as stage:
        await stage.sees("7 records")
        assert "unreadable" in stage.text
        assert all(char.isprintable() or char == "\n" for char in stage.text)
        assert "\u202e" not in stage.text
        for _ in range(2):
            await stage.pilot.press("enter")
            await stage.until(lambda: isinstance(stage.app.screen, PagerScreen))
            await stage.pilot.press("tab")
            await stage.pilot.pause()
            assert all(char.isprintable() or char == "\n" for char in stage.text)
            await stage.pilot.press("escape", "up")
        assert isinstance(stage.app.screen, AuditScreen)


async def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    async with staged(tmp_path / "none") as stage:
        await stage.until(lambda: "0 records" in stage.told or "logged" in stage.text)
        PROSE.holds("log: no records", seen(stage.list))
        await stage.pilot.press("v")
        await stage.sees("not exist")
        PROSE.holds("log: no file", stage.told)


@pytest.mark.slow
async def test_ten_megabytes_open_at_once_and_older_records_come_as_one_goes_up(
    tmp_path: Path,
) -> None:
    path = tmp_path / "audit.jsonl"
    many(path, 18_000)
    assert path.stat().st_size > 10_000_000
    started = time.perf_counter()
    async with staged(path) as stage:
        await stage.sees("tool18000")
        # The whole would be parsed for much longer; what is read is its last page.
        assert stage.list.row_count < 2_000
        assert time.perf_counter() - started < 20
        before = stage.list.row_count
        await stage.pilot.press("home")
        await stage.until(lambda: stage.list.row_count > before)
        assert stage.list.cursor == stage.list.row_count - before
        stage.app.screen.query_one(Input).value = "tool:tool17"
        await stage.sees("1 record of 18,000")


def append(path: Path, tool: str) -> None:
    """As another Signoff does."""
    log = AuditLog(path)
    log.append("sent", Severity.NOTE, {"server": {"identity": DEMO["identity"]}, "tool": tool})
    log.close()


async def test_what_is_appended_comes_below_and_the_cursor_on_the_last_goes_along(
    path: Path,
) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        append(path, "new_one")
        await stage.sees("6 records")
        (row,) = (line for line in stage.text.splitlines() if "new_one" in line)
        assert "› " in row
        # The name stands in a record that was read before.
        assert "demo" in row
        await stage.pilot.press("up", "up")
        append(path, "new_two")
        await stage.sees("7 records")
        assert stage.list.cursor == 3
        await stage.pilot.press("end", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, PagerScreen))
        assert "new_two" in stage.text


@pytest.mark.slow
async def test_what_is_appended_passes_the_filter_first(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        await stage.type("tool:new_*")
        await stage.until(lambda: not stage.list.row_count)
        append(path, "other")
        append(path, "new_one")
        await stage.sees("1 record of 7")
        assert stage.list.row_count == 1


async def test_an_empty_log_and_one_that_was_replaced_are_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    path.touch()
    async with staged(path) as stage:
        await stage.until(lambda: not stage.list.row_count)
        append(path, "first")
        await stage.sees("1 record")
        path.unlink()
        append(path, "second")
        append(path, "third")
        await stage.sees("2 records")
        assert "first" not in stage.text


async def test_a_proof_is_not_written_over_by_what_is_appended(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        await stage.pilot.press("v")
        await stage.sees("Intact")
        append(path, "new_one")
        await stage.sees("new_one")
        assert "Intact" in stage.text


@pytest.mark.slow
async def test_far_up_in_a_long_log_nothing_moves(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    many(path, 3_000)
    async with staged(path) as stage:
        await stage.sees("older ones above")
        await stage.pilot.press("home")
        await stage.until(lambda: stage.list.row_count > 1_500)
        await stage.pilot.press("pagedown")
        count, cursor = stage.list.row_count, stage.list.cursor
        top = stage.list.scroll_offset.y
        append(path, "new_one")
        await stage.until(lambda: stage.list.row_count == count + 1)
        assert (stage.list.cursor, stage.list.scroll_offset.y) == (cursor, top)
