from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.transport.stdio.server_life import start_hint


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["nosuchprogram", "x"], "; not installed"),
        (["python server.py"], "; write the command without quotes: -- python server.py"),
        (["my server.py", "-v"], "; put the interpreter before the script: -- python 'my"),
        (["./nowhere/at-all"], ""),
    ],
)
def test_a_command_that_cannot_be_started_gets_a_word_of_help(
    argv: list[str], hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my server.py").touch()
    found = start_hint(argv, FileNotFoundError(2, "No such file or directory"))
    assert found.startswith(hint)
    assert bool(found) == bool(hint)
