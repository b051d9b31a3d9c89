"""Roots: read from the command line, told as the protocol has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.protocol.server_requests.capabilities import Root, read_root, roots_result


def test_a_folder_becomes_a_file_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_root("a b") == Root((tmp_path / "a b").as_uri(), "a b")
    assert read_root("work=a") == Root((tmp_path / "a").as_uri(), "work")
    assert read_root("/x=y/z") == Root(Path("/x=y/z").as_uri(), "z")
    assert read_root("file:///w") == Root("file:///w")
    assert read_root("n=file:///w") == Root("file:///w", "n")


@pytest.mark.parametrize("given", ["", " ", "name="])
def test_nothing_is_no_root(given: str) -> None:
    with pytest.raises(ValueError, match="give a folder"):
        read_root(given)


def test_what_the_server_is_told() -> None:
    told = roots_result([Root("file:///w", "w"), Root("file:///v")])
    assert told == {"roots": [{"uri": "file:///w", "name": "w"}, {"uri": "file:///v"}]}
