"""The sandbox and the tools that act in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from signoff.app.demo.sandbox import OutsideSandbox, Sandbox
from tests.demo.peer import Peer
from tests.tiers import examples


@pytest.mark.parametrize(
    "path", ["../victim.txt", "/etc/hostname", "notes/../../victim.txt", ".", "x" * 999]
)
def test_paths_out_of_the_sandbox_are_refused(peer: Peer, sandbox_dir: Path, path: str) -> None:
    victim = sandbox_dir.parent / "victim.txt"
    victim.write_text("precious")
    reply = peer.call("delete_file", path=path)
    assert reply.result["isError"] is True
    assert "sandbox" in reply.text
    assert victim.read_text() == "precious"


def test_links_out_of_the_sandbox_are_refused(
    peer: Peer, sandbox_dir: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hush-hush")
    (sandbox_dir / "folder-link").symlink_to(tmp_path)
    (sandbox_dir / "file-link.txt").symlink_to(secret)
    for path in ("folder-link/secret.txt", "file-link.txt"):
        assert peer.call("delete_file", path=path).result["isError"] is True
    assert "link" not in peer.call("search_files", pattern="**/*").text
    for name, arguments in (
        ("get_config_file", {"path": "folder-link/secret.txt"}),
        ("append_note", {"path": "file-link.txt", "text": "x"}),
        ("bulk_process_files", {"directory": "folder-link"}),
    ):
        assert peer.call(name, **arguments).result["isError"] is True
    assert secret.read_text() == "hush-hush"


def test_a_configured_folder_is_seeded_only_while_empty_and_kept(tmp_path: Path) -> None:
    fresh = Sandbox(str(tmp_path / "fresh"))
    assert (fresh.root / "notes/todo.txt").exists()
    fresh.close()
    assert (tmp_path / "fresh/notes/todo.txt").exists()

    used = tmp_path / "used"
    used.mkdir()
    (used / "mine.txt").write_text("mine")
    assert [name for name, _ in Sandbox(str(used)).files()] == ["mine.txt"]


def test_a_temporary_folder_is_made_late_and_removed() -> None:
    sandbox = Sandbox()
    sandbox.close()
    root = sandbox.root
    assert (root / "reports").is_dir()
    sandbox.close()
    assert not root.exists()


@given(
    st.one_of(st.text(), st.lists(st.sampled_from(["..", ".", "a", "", "/", "~"])).map("/".join))
)
@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_path_leads_out(tmp_path: Path, path: str) -> None:
    sandbox = Sandbox(str(tmp_path))
    try:
        place = sandbox.path(path)
    except OutsideSandbox:
        return
    assert place.resolve().is_relative_to(sandbox.root)
    assert place != sandbox.root
