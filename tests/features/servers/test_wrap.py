"""`signoff servers wrap` and `unwrap`: real files, their backups, and what stops a change."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from signoff.app.cli.targets.own_program import is_kept_for_some_time, own_program
from signoff.app.features.matrix.here import here_lines
from signoff.app.hosts.approvals.edits import Patch
from signoff.app.platforms.files import replace_whole
from signoff.app.storage.state_dir import StoreError, state_folder
from signoff.app.storage.wrapped_files import WrappedEntry, keep_backup, wrapped_entries, write_back
from tests.approved import approved
from tests.cli.running import Ended, run, whole
from tests.features.servers.test_servers import SECRET, Desk
from tests.features.servers.test_servers import desk as desk
from tests.hosts.files.machine import columns, runs
from tests.servers import raw

if sys.platform == "win32":
    pytest.skip("rights and links are those of POSIX", allow_module_level=True)

PROSE = approved("cli-servers")
CURSOR: Final = """{
  "mcpServers": {
    "notes": { "command": "uvx", "args": ["notes-mcp", "--token", "SECRET"] },
    "web": { "url": "https://web.example", "headers": { "X-Key": "SECRET" } },
    "old": { "url": "https://old.example/sse", "type": "sse" }
  }
}
"""
CODEX: Final = '[mcp_servers.notes]\ncommand = "uvx" # why\nenabled = false\n'


def backups() -> list[Path]:
    return sorted(Path(state_folder(), "wrapped").glob("*"))


def entry(file: Path, name: str = "notes") -> Any:
    return json.loads(file.read_text("utf-8"))["mcpServers"][name]


def wrap(desk: Desk, *words: str, status: int = 0) -> Ended:
    """Wrap without a question."""
    ended = desk.run("wrap", *words, "--yes")
    assert ended.status == status, ended.stderr
    return ended


def comes_back(desk: Desk, file: Path, before: bytes, *words: str) -> Ended:
    """Unwrap, and compare the file with what it was; no backup is left."""
    ended = desk.run("unwrap", *(words or ("cursor", "notes")), "--yes")
    assert (ended.status, file.read_bytes()) == (0, before), ended.stderr
    assert not backups()
    return ended


def test_a_server_is_wrapped_shown_and_unwrapped(desk: Desk) -> None:
    file = desk.write(".cursor/mcp.json", CURSOR)
    before = file.read_bytes()
    done = wrap(desk, "Cursor", "notes", "--as", "codex:exec")
    assert done.stderr == ""
    program, *first = own_program()
    words = [*first, "proxy", "--as", "codex:exec", "--"]
    assert entry(file) == {
        "command": program,
        "args": [*words, "uvx", "notes-mcp", "--token", SECRET],
    }
    backup = next(one for one in backups() if one.suffix == ".backup")
    assert backup.read_bytes() == before
    assert {stat.S_IMODE(one.stat().st_mode) for one in backups()} == {0o600}
    listed = desk.run()
    assert "uvx notes-mcp --token" in listed.stdout
    assert listed.stdout.count("(through signoff proxy)") == 1
    told = desk.run("--json").report["servers"]
    assert [(one["command"], one.get("through")) for one in told if one["name"] == "notes"] == [
        ("uvx", "signoff proxy")
    ]
    back = comes_back(desk, file, before)
    assert back.stderr == ""
    named = {"HOME": desk.home, "BACKUP": backup, "PROGRAM": '", "'.join(own_program())}
    PROSE.holds("wrapped", done.stdout, **named)
    PROSE.holds("unwrapped", back.stdout, **named)


def test_a_server_with_a_url_is_wrapped_shown_and_unwrapped(desk: Desk) -> None:
    file = desk.write(".cursor/mcp.json", CURSOR)
    before = file.read_bytes()
    done = wrap(desk, "cursor", "web", "--policy", "cautious", "--trust")
    assert SECRET not in done.stdout + done.stderr
    program, *first = own_program()
    options = ["--url", "https://web.example", "--header-env", "X-Key=SIGNOFF_HEADER_1"]
    assert entry(file, "web") == {
        "command": program,
        "args": [*first, "proxy", "--policy", "cautious", "--trust", *options],
        "env": {"SIGNOFF_HEADER_1": SECRET},
    }
    (found,) = [one for one in desk.run("--json").report["servers"] if one["name"] == "web"]
    assert (found["url"], found["through"]) == ("https://web.example", "signoff proxy")
    assert found["transport"] == "http"
    comes_back(desk, file, before, "cursor", "web")


def test_nothing_is_written_without_a_person_or_for_a_difference(desk: Desk) -> None:
    file = desk.write(".codex/config.toml", CODEX)
    asked = desk.run("wrap", "codex", "notes")
    assert asked.status == 3
    assert "--yes" in asked.stderr
    shown = desk.run("wrap", "codex", "notes", "--diff")
    assert shown.status == 0
    assert "+args = [" in shown.stdout
    report = desk.run("wrap", "codex", "notes", "--diff", "--json").report
    assert report["written"] is False
    assert report["files"][0]["servers"] == ["notes"]
    assert file.read_text("utf-8") == CODEX
    assert not backups()


def test_what_cannot_be_wrapped_is_an_error_with_advice(desk: Desk) -> None:
    desk.write(".cursor/mcp.json", CURSOR)
    desk.write("work/.cursor/mcp.json", '{"mcpServers": {"twice": {"command": "a"}}}')
    desk.write(".codex/config.toml", CODEX)
    wrap(desk, "codex", "notes")
    lines = []
    for words in (
        ("wrap", "cursor", "old"),
        ("wrap", "codex", "notes"),
        ("wrap", "cursor", "note"),
        ("wrap", "cursorr", "notes"),
        ("wrap", "cursor", "notes", "--policy", "cautiou"),
        ("wrap", "cursor", "notes", "--policy", "cautious", "--as", "codex"),
        ("unwrap", "cursor", "notes"),
        ("unwrap", "cursor"),
        ("unwrap", "cursor", "notes", "--all"),
    ):
        ended = desk.run(*words, "--yes")
        assert (ended.status, ended.stdout) == (2, "")
        lines.append(f"{' '.join(words)}: {ended.stderr}")
    PROSE.holds("not wrapped", "".join(lines), HOME=desk.home)


def test_one_name_in_two_files_needs_the_file(desk: Desk) -> None:
    text = '{"mcpServers": {"notes": {"command": "uvx"}}}'
    files = [desk.write(one, text) for one in ("x/a.json", "x/b.json")]
    both = [word for one in files for word in ("--config", str(one))]
    wrap(desk, "cursor", "notes", *both, status=2)
    wrap(desk, "cursor", "notes", "--config", str(files[1]))
    assert files[0].read_text("utf-8") == text
    # The one that is wrapped is meant.
    comes_back(desk, files[1], text.encode(), "cursor", "notes", *both)


def test_all_takes_back_every_file_of_the_machine(desk: Desk, tmp_path: Path) -> None:
    texts = {".cursor/mcp.json": CURSOR, ".codex/config.toml": CODEX}
    files = {desk.write(path, text): b"" for path, text in texts.items()}
    other = tmp_path / "elsewhere" / "other.json"
    other.parent.mkdir()
    other.write_text('{"mcpServers":{"notes":{"command":"a b"},"n2":{"command":"c"}}}', "utf-8")
    files[other] = b""
    files = {one: one.read_bytes() for one in files}
    for host in ("cursor", "codex"):
        wrap(desk, host, "notes")
    for name in ("notes", "n2"):
        wrap(desk, "claude-desktop", name, "--config", str(other))
    assert all(one.read_bytes() != data for one, data in files.items())
    assert len(wrapped_entries()) == 4
    back = desk.run("unwrap", "--all", "--yes", "--json")
    assert back.status == 0
    assert back.report["problems"] == []
    assert sorted(len(one["servers"]) for one in back.report["files"]) == [1, 1, 2]
    assert {one: one.read_bytes() for one in files} == files
    assert not backups()
    assert desk.run("unwrap", "--all").status == 0


def test_backups_of_what_was_unwrapped_by_hand_go_and_those_of_lost_files_stay(desk: Desk) -> None:
    files = [desk.write(one, CODEX) for one in (".codex/config.toml", "x/a.toml")]
    wrap(desk, "codex", "notes")
    wrap(desk, "codex", "notes", "--config", str(files[1]))
    files[0].write_text(CODEX, "utf-8")
    files[1].unlink()
    back = desk.run("unwrap", "--all", "--yes")
    assert back.status == 0
    assert "unwrapped by hand" in back.stderr
    left = [one for one in backups() if one.suffix == ".backup"]
    assert [one.read_text("utf-8") for one in left] == [CODEX]
    assert str(left[0]) in back.stderr.replace("\n  ", "").replace("\n", "")


def test_a_link_and_the_rights_stay_and_it_comes_back_without_the_state_folder(
    desk: Desk,
) -> None:
    real = desk.write("dots/cursor.json", CURSOR)
    real.chmod(0o640)
    before = real.read_bytes()
    link = desk.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)
    wrap(desk, "cursor", "notes")
    assert link.is_symlink()
    assert real.read_bytes() != before
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert os.listdir(real.parent) == ["cursor.json"]
    shutil.rmtree(state_folder())
    comes_back(desk, real, before)


@pytest.mark.parametrize("what", ["read-only", "of another user"])
def test_a_file_that_is_not_to_be_written_stays(desk: Desk, what: str) -> None:
    file = desk.write(".cursor/mcp.json", CURSOR)
    before = file.read_bytes()
    if what == "read-only":
        file.chmod(0o444)
    elif os.geteuid() == 0:
        os.chown(file, 1, -1)
    else:
        pytest.skip("only root gives a file away")
    ended = wrap(desk, "cursor", "notes", status=2)
    assert "read-only" in ended.stderr or "another user" in ended.stderr
    assert file.read_bytes() == before
    assert not backups()


def test_a_full_disk_changes_nothing(desk: Desk) -> None:
    file = desk.write(".cursor/mcp.json", f"{CURSOR}{' ' * 4_000}")
    before = file.read_bytes()
    program = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 10},) * 2)\n"
        "from signoff.app.cli.main import main\n"
        "main(sys.argv[1:])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "servers", "wrap", "cursor", "notes", "--yes"],
        env=whole(desk.work, {"HOME": str(desk.home)}),
        cwd=desk.work,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "nothing was changed" in ended.stderr
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == ["mcp.json"]
    assert not backups()


def test_a_file_that_changed_before_the_write_stays(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b"new")
    with pytest.raises(StoreError, match="changed in the meantime"):
        write_back(str(file), b"old", b"ours")
    assert file.read_bytes() == b"new"

    def changed() -> None:
        raise StoreError("changed")

    # The last comparison is after all is written, just before the exchange.
    with pytest.raises(StoreError):
        replace_whole(file, b"ours", check=changed)
    assert file.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["mcp.json"]


def test_damaged_facts_of_a_backup_are_left_out(tmp_path: Path) -> None:
    one = WrappedEntry(str(tmp_path / "a.json"), "cursor", "mcpServers", "", "a/b\u202e")
    keep_backup(one, b"{}")
    for text in ("{", "[]", '{"file": 1}', "\udcff"):
        broken = state_folder() / "wrapped" / f"{len(text)}{hash(text)}.json"
        broken.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert wrapped_entries() == [one]


def test_the_written_command_is_a_server_for_its_host_and_signoff_starts_the_real_one(
    desk: Desk,
) -> None:
    words = raw()
    text = json.dumps({"mcpServers": {"notes": {"command": words[0], "args": words[1:]}}})
    file = desk.write("x/mcp.json", text)
    wrap(desk, "cursor", "notes", "--policy", "cautious", "--config", str(file))
    shown = desk.run("show", "notes", "--json", "--config", str(file)).report
    assert (shown["argv"], shown["through"]) == (words, "signoff proxy")
    lines = desk.run("show", "notes", "--config", str(file)).stdout.splitlines()
    assert any(one.startswith("through ") for one in lines)
    written = entry(file)
    direct, behind = (
        [one["name"] for one in run(desk.work, "tools", "--json", "--", *argv).report["tools"]]
        for argv in (words, (written["command"], *written["args"]))
    )
    assert behind == direct


def test_the_matrix_names_the_proxy_and_finds_the_server_by_its_command() -> None:
    keys = {"command": "signoff", "args": ["proxy", "--", "npx", "-y", "notes"], "trust": True}
    files = {"/home/ada/.gemini/settings.json": {"mcpServers": {"notes": keys}}}
    shown = list(here_lines(columns(files), runs(files), lambda *_: Patch(""), "", ""))
    assert "Gemini CLI, notes (through signoff proxy)" in shown


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("/home/a/.cache/uv/archive-v0/x/bin/signoff", True),
        ("/home/a/.cache/pipx/x/bin/signoff", True),
        ("/home/a/.local/bin/signoff", False),
        ("/home/a/.local/share/uv/tools/signoff/bin/signoff", False),
    ],
)
def test_a_program_in_a_cache_is_known(program: str, expected: bool) -> None:
    assert is_kept_for_some_time(program) is expected
