"""The screen of the audit log, in an app of its own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from signoff.app.features.audit.screen import AuditScreen, RecordList
from signoff.app.protocol.findings.findings import Severity
from signoff.app.storage.audit_log import AuditLog
from signoff.app.storage.auditing.chain import START, seal
from signoff.app.tui.text.pager import PagerScreen
from tests.approved import approved
from tests.tui.bench_stage import WIDE
from tests.tui.screen_stage import ScreenStage, screen_stage

PROSE = approved("tui-browse")

DEMO = {"name": "demo", "identity": "ab" * 32}
HOSTILE = "\x1b[2J[@click=app.quit]\u202eevil[/]"


@asynccontextmanager
async def staged(path: Path, size: tuple[int, int] = WIDE) -> AsyncIterator[ScreenStage]:
    async with screen_stage(size=size) as stage:
        await stage.opens(AuditScreen(path))
        await stage.until(lambda: stage.whole("#told"), "the records")
        yield stage


def rows(stage: ScreenStage) -> RecordList:
    return stage.screen.query_one(RecordList)


async def filter_by(stage: ScreenStage, words: str) -> None:
    await stage.press("slash")
    await stage.type(words)


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


def append(path: Path, tool: str) -> None:
    """As another Signoff does."""
    log = AuditLog(path)
    log.append("sent", Severity.NOTE, {"server": {"identity": DEMO["identity"]}, "tool": tool})
    log.close()


async def test_records_stand_one_a_line_and_the_chain_is_proved(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        lines = [line for line in stage.text.splitlines() if "demo" in line]
        assert len(lines) == 5
        assert "!  decided" in lines[2]
        assert "› " in lines[4]
        times = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
        said = [re.sub(times, "TIME", line.strip(" │")) for line in lines]
        PROSE.holds("log: a record a line", "\n".join(said))
        await stage.press("v")
        await stage.sees("Intact")
        PROSE.holds("log: an intact chain", stage.whole("#told"), HASH=path.read_text()[-67:-3])
        # What is appended does not overwrite a proof.
        append(path, "new_one")
        await stage.sees("new_one")
        assert "Intact" in stage.text


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
async def test_small_screens(path: Path, size: tuple[int, int]) -> None:
    async with staged(path, size) as stage:
        await stage.sees("5 records")
        lines = [line for line in stage.text.splitlines() if "wipe_all" in line]
        assert len(lines) == 3
        assert "approved by" in lines[1]


@pytest.mark.slow
async def test_enter_shows_the_whole_record_and_r_the_new_ones(path: Path) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        await stage.press("up", "up", "enter")
        await stage.is_open(PagerScreen)
        await stage.sees('"answer": "approve"')
        await stage.press("tab")
        await stage.sees('"seq":3,"event":"decided"')
        await stage.press("escape")
        await stage.sees("5 records")
        AuditLog(path).append("closed", Severity.NOTE, {"server": DEMO, "calls": 41})
        await stage.press("r")
        await stage.sees("6 records", "41 calls")


async def test_a_filter_as_one_types_and_escape_clears_it(path: Path) -> None:
    async with staged(path) as stage:
        await filter_by(stage, "severity:loud")
        await stage.sees("severity is note")
        PROSE.holds("log: a filter that cannot be read", stage.whole("#told"))
        await stage.press("escape")
        await stage.sees("5 records")
        await filter_by(stage, "tool:wipe* severity:error")
        await stage.sees("2 records of 5")
        assert "read_it" not in stage.text
        await stage.press("enter")
        assert rows(stage).has_focus
        await stage.press("escape")
        await stage.sees("5 records")
        # Letters in the filter are no commands.
        await filter_by(stage, "qvr")
        assert stage.screen.query_one(Input).value == "qvr"
        await stage.until(lambda: not rows(stage).row_count, "no row")
        PROSE.holds("log: nothing passes the filter", stage.seen("RecordList"))
        await stage.press("escape", "escape")
        await stage.is_back()


async def test_a_broken_chain_is_said_with_its_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"by":"you"', b'"by":"me!"'))
    async with staged(path) as stage:
        await stage.press("v")
        await stage.sees("Broken")
        PROSE.holds("log: a broken chain", stage.whole("#told"))
        assert stage.screen.query_one("#told").has_class("-broken")


async def test_what_a_log_holds_is_shown_and_never_obeyed(path: Path) -> None:
    log = AuditLog(path)
    log.append("asked", Severity.NOTE, {"server": {"name": HOSTILE}, "tool": HOSTILE})
    path.write_bytes(path.read_bytes() + b"\x1b[31m[/]rubbish\xff\n")
    async with staged(path) as stage:
        await stage.sees("7 records", "unreadable")
        assert all(char.isprintable() or char == "\n" for char in stage.text)
        assert "\u202e" not in stage.text
        for _ in range(2):
            await stage.press("enter")
            await stage.is_open(PagerScreen)
            await stage.press("tab")
            assert all(char.isprintable() or char == "\n" for char in stage.text)
            await stage.press("escape", "up")
        assert isinstance(stage.screen, AuditScreen)


async def test_a_log_that_is_not_there_is_empty_or_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    async with staged(path) as stage:
        PROSE.holds("log: no records", stage.seen("RecordList"))
        await stage.press("v")
        await stage.sees("not exist")
        PROSE.holds("log: no file", stage.whole("#told"))
    path.touch()
    async with staged(path) as stage:
        await stage.until(lambda: not rows(stage).row_count, "no row")
        append(path, "first")
        await stage.sees("1 record")
        path.unlink()
        append(path, "second")
        append(path, "third")
        await stage.sees("2 records")
        assert "first" not in stage.text


@pytest.mark.slow
async def test_ten_megabytes_open_at_once_and_older_records_come_as_one_goes_up(
    tmp_path: Path,
) -> None:
    path = tmp_path / "audit.jsonl"
    many(path, 18_000)
    assert path.stat().st_size > 10_000_000
    async with staged(path) as stage:
        await stage.sees("tool18000", "older ones above")
        # The whole would be parsed for much longer; what is read is its last page.
        before = rows(stage).row_count
        assert before < 2_000
        await stage.press("home")
        await stage.until(lambda: rows(stage).row_count > before, "older ones")
        assert rows(stage).cursor == rows(stage).row_count - before
        # Far up nothing moves.
        await stage.press("pagedown")
        count, cursor = rows(stage).row_count, rows(stage).cursor
        top = rows(stage).scroll_offset.y
        append(path, "new_one")
        await stage.until(lambda: rows(stage).row_count == count + 1, "the new one")
        assert (rows(stage).cursor, rows(stage).scroll_offset.y) == (cursor, top)
        stage.screen.query_one(Input).value = "tool:tool17"
        await stage.sees("1 record of 18,001")


async def test_what_is_appended_comes_below_and_the_cursor_on_the_last_goes_along(
    path: Path,
) -> None:
    async with staged(path) as stage:
        await stage.sees("5 records")
        append(path, "new_one")
        await stage.sees("6 records")
        (row,) = (line for line in stage.text.splitlines() if "new_one" in line)
        # The name stands in a record that was read before.
        assert ("› " in row, "demo" in row) == (True, True)
        await stage.press("up", "up")
        append(path, "new_two")
        await stage.sees("7 records")
        assert rows(stage).cursor == 3
        await stage.press("end", "enter")
        await stage.is_open(PagerScreen)
        assert "new_two" in stage.text
        await stage.press("escape")
        # It passes the filter first.
        await filter_by(stage, "tool:newer_*")
        await stage.until(lambda: not rows(stage).row_count, "no row")
        append(path, "other")
        append(path, "newer_one")
        await stage.sees("1 record of 9")
        assert rows(stage).row_count == 1
