"""The sandbox and the tools that act in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.demo.sandbox import OutsideSandbox, Sandbox
from tests.demo.peer import Peer


def test_delete_is_destructive_yet_idempotent(peer: Peer, sandbox_dir: Path) -> None:
    assert peer.call("search_files", query="exists to be deleted").data["matches"]
    assert (sandbox_dir / "drafts/letter.txt").exists()
    assert peer.call("delete_file", path="drafts/letter.txt").data["deleted"] is True
    assert not (sandbox_dir / "drafts/letter.txt").exists()
    assert peer.call("delete_file", path="drafts/letter.txt").data["deleted"] is False


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
    assert peer.call("search_files", query="hush-hush").data["matches"] == []
    assert peer.call("search_files", query="hush", folder="folder-link").result["isError"] is True
    assert secret.read_text() == "hush-hush"


def test_search_finds_lines_and_respects_its_limits(peer: Peer) -> None:
    everywhere = peer.call("search_files", query="MONTH").data
    assert [match["path"] for match in everywhere["matches"]] == [
        "reports/2025-q4.csv",
        "reports/2026-q1.csv",
    ]
    assert peer.call("search_files", query="MONTH", caseSensitive=True).data["matches"] == []
    assert peer.call("search_files", query="month", folder="notes").data["matches"] == []
    cut = peer.call("search_files", query="month", maxResults=1).data
    assert (len(cut["matches"]), cut["truncated"]) == (1, True)
    assert peer.call("search", query="month").data == everywhere


def test_confetti_replaces_the_last_throw(peer: Peer, sandbox_dir: Path) -> None:
    peer.call("launch_confetti", pieces=100)
    reply = peer.call("launch_confetti", pieces=5, festive=False)
    thrown = (sandbox_dir / "confetti.txt").read_text(encoding="utf-8")
    assert sum(not mark.isspace() for mark in thrown) == 5
    assert (reply.text + "\n").endswith("\n\n" + thrown)


def test_bulk_processing_reports_each_file(peer: Peer, sandbox_dir: Path) -> None:
    reply = peer.call("bulk_process_files", count=4, fileSeconds=0)
    assert [(p["progress"], p["total"]) for p in reply.progress] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert reply.progress[0]["message"] == "processed/file-001.txt"
    before = sorted((sandbox_dir / "processed").iterdir())
    contents = [file.read_text() for file in before]
    peer.call("bulk_process_files", count=4, fileSeconds=0)
    assert [file.read_text() for file in sorted((sandbox_dir / "processed").iterdir())] == contents


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
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_no_path_leads_out(tmp_path: Path, path: str) -> None:
    sandbox = Sandbox(str(tmp_path))
    try:
        place = sandbox.path(path)
    except OutsideSandbox:
        return
    assert place.resolve().is_relative_to(sandbox.root)
    assert place != sandbox.root
