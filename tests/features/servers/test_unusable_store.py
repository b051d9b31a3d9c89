"""`signoff servers consents`, `recent` and `forget` with a store that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.presentation.exit_status import ExitStatus
from tests.cli.running import run
from tests.storage.stored import FILE


@pytest.mark.parametrize("words", [("consents",), ("recent",), ("forget", "x")])
def test_a_damaged_store_is_named_and_nothing_is_claimed(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    state = tmp_path / "state"
    (state / "signoff").mkdir(parents=True, mode=0o700)
    (state / "signoff" / FILE).write_bytes(b"no database " * 400)
    ended = run(tmp_path, "servers", *words, XDG_STATE_HOME=str(state))
    assert ended.status == ExitStatus.STORE_UNUSABLE
    assert "is damaged" in ended.stderr
    assert "forgotten" not in ended.stdout


@pytest.mark.parametrize("number", ["abc", "٣", "-1", "9" * 19, ""])
def test_an_id_that_is_no_number_revokes_nothing(tmp_path: Path, number: str) -> None:
    assert run(tmp_path, "grants", "revoke", "--", number).status == ExitStatus.USAGE
