"""From a link in an answer to what it leads to: asked about, sent once, never opened by itself."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.tui.answers.links import OutsideDialog
from signoff.app.tui.approving.approval import ApprovalDialog
from tests.approved import approved
from tests.servers import library
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.tui.clocks import arm, press_slowly

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
