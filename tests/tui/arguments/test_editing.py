"""The person's own editor: which, on what file, and what comes back."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from signoff.app.tui.arguments.editing import edit
from signoff.app.tui.base.external import NotEdited, editor_command, split_words
from tests.tiers import first_quick


def script(folder: Path, code: str) -> list[str]:
    """An editor: `code` has the file's Path as `path`."""
    file = folder / "editor.py"
    start = "import os, sys, pathlib; path = pathlib.Path(sys.argv[-1])\n"
    file.write_text(start + code, encoding="utf-8")
    return [sys.executable, "-S", str(file)]


@pytest.fixture(autouse=True)
def own_temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def test_what_is_saved_comes_back_and_the_file_is_gone(
    tmp_path: Path, own_temp: Path
) -> None:
    editor = script(
        tmp_path,
        "(path.parent / 'backup~').write_bytes(path.read_bytes())\n"
        "facts = [oct(one.stat().st_mode & 0o777) for one in (path.parent, path)]\n"
        "text = path.read_text(encoding='utf-8')\n"
        "path.write_text(text.rstrip() + repr(facts) + path.name + '\\n', encoding='utf-8')\n",
    )
    edited = await edit('{"ä": 1}', editor)
    assert edited == "{\"ä\": 1}['0o700', '0o600']arguments.json"
    assert list(own_temp.iterdir()) == []


async def test_an_editor_that_changes_nothing(tmp_path: Path) -> None:
    for text in ("{}", "{}\n", "", '{"a": "\\ud800"}'):
        assert await edit(text, [*script(tmp_path, "")]) == text
    assert await edit('{"a": "\ud800"}', script(tmp_path, "")) == '{"a": "\\ud800"}'


async def test_broken_text_comes_back_whole(tmp_path: Path) -> None:
    editor = script(tmp_path, "path.write_bytes(b'\\xef\\xbb\\xbf{\"a\": \\xe9,\\r\\n')")
    assert await edit("{}", editor) == '{"a": \\xe9,\r'


@pytest.mark.parametrize(
    ("code", "words"),
    first_quick(
        [
            ("sys.exit(3)", "ended with status 3"),
            ("os.kill(os.getpid(), 15)", "ended with signal 15"),
            ("path.unlink()", "removed the file"),
            ("path.unlink(); path.symlink_to('/dev/zero')", "left no file"),
            ("path.unlink(); os.mkfifo(path)", "left no file"),
            ("path.unlink(); path.mkdir()", "left no file"),
            ("open(path, 'wb').truncate(3_000_000_000)", "characters are too many"),
            ("path.write_text('x' * 2_000_001)", "2,000,001 characters are too many"),
        ],
        3,
        several=True,
    ),
)
async def test_what_goes_wrong_leaves_the_arguments(
    tmp_path: Path, own_temp: Path, code: str, words: str
) -> None:
    with pytest.raises(NotEdited, match=words):
        await edit("{}", script(tmp_path, code))
    assert list(own_temp.iterdir()) == []


async def test_an_editor_that_cannot_be_started(tmp_path: Path, own_temp: Path) -> None:
    with pytest.raises(NotEdited, match="cannot be started"):
        await edit("{}", [str(tmp_path / "nothing")])
    assert list(own_temp.iterdir()) == []


async def test_one_that_stops_itself_is_continued(tmp_path: Path) -> None:
    editor = script(tmp_path, "os.kill(os.getpid(), 19); path.write_text('on')")
    async with asyncio.timeout(60):
        assert await edit("{}", editor) == "on"


@pytest.mark.parametrize(
    "first", first_quick(["", "import signal; signal.signal(1, signal.SIG_IGN)\n"])
)
async def test_leaving_ends_the_editor_and_removes_the_file(
    tmp_path: Path, own_temp: Path, first: str
) -> None:
    note = tmp_path / "pid"
    code = f"{first}pathlib.Path({str(note)!r}).write_text(str(os.getpid()))\n"
    code += "import time; time.sleep(60)"
    task = asyncio.create_task(edit("{}", script(tmp_path, code)))
    async with asyncio.timeout(60):
        while not (note.exists() and note.read_text(encoding="ascii")):
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(own_temp.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text(encoding="ascii")), 0)


def test_a_command_of_windows_keeps_its_backslashes() -> None:
    given = r'"C:\Program Files\Vim\vim.exe" -n'
    assert split_words(given, is_windows=True) == [r"C:\Program Files\Vim\vim.exe", "-n"]
    assert split_words("it's", is_windows=True) == ["it's"]
    with pytest.raises(ValueError, match="quotation"):
        split_words('"C:\\vim.exe', is_windows=True)


def test_which_editor(tmp_path: Path) -> None:
    mine = tmp_path / "my editor"
    mine.write_text("#!/bin/sh\n", encoding="ascii")
    mine.chmod(mine.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "vi").symlink_to(mine)
    here = {"PATH": str(tmp_path)}
    quoted = f"'{mine}' --wait"
    assert editor_command({**here, "EDITOR": quoted}) == [str(mine), "--wait"]
    assert editor_command({**here, "EDITOR": "nothing", "VISUAL": quoted})[1:] == ["--wait"]
    assert editor_command({**here, "VISUAL": " "}) == [str(tmp_path / "vi")]
    for variables, words in (
        ({"PATH": ""}, "no editor found: set EDITOR"),
        ({**here, "EDITOR": "nothing -x"}, r"\$EDITOR was not found: nothing -x"),
        ({**here, "VISUAL": "'open"}, r"\$VISUAL cannot be read: no closing quotation"),
    ):
        with pytest.raises(NotEdited, match=words):
            editor_command(variables)
