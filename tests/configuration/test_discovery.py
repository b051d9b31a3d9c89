"""Files at the usual places of hosts: found, bounded, and never through a link to elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from signoff.app.configuration.discovery import Machine, find_files, read_found, read_given
from signoff.app.configuration.hosts import UnknownHost, host_named, hosts, place_of
from signoff.app.configuration.servers import FileReport
from signoff.app.configuration.shadowing import with_shadowed
from tests.configuration.given import codes

ONE = '{"mcpServers": {"a": {"command": "a-mcp"}}}'


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home, folder = tmp_path / "home", tmp_path / "home" / "work" / "inner"
    folder.mkdir(parents=True)
    (tmp_path / "home" / "work" / ".git").mkdir()
    return Machine(str(home), str(folder), {"HOME": str(home)}, "linux")


def write(machine: Machine, path: str, text: str = ONE) -> Path:
    file = Path(machine.home, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def reports(machine: Machine, *only: str) -> list[FileReport]:
    found = find_files(machine, [hosts()[one] for one in only])
    inside = [one for one in found if one.path.startswith(machine.home)]
    return [read_found(one, machine) for one in inside]


def test_files_are_found_at_home_in_the_project_and_above_it(machine: Machine) -> None:
    for path in (".cursor/mcp.json", ".codeium/windsurf/mcp_config.json", "work/.mcp.json"):
        write(machine, path)
    write(machine, "work/inner/.vscode/mcp.json", '{"servers": {}}')
    write(machine, ".config/Code/User/profiles/x/mcp.json", '{"servers": {}}')
    write(machine, ".mcp.json")
    found = {(one.host, one.scope): one for one in reports(machine)}
    assert set(found) == {
        ("cursor", "user"),
        ("windsurf", "user"),
        ("claude-code", "project"),
        ("vscode", "project"),
        ("vscode", "profile"),
    }
    assert found["claude-code", "project"].file.endswith("work/.mcp.json")


def test_a_variable_moves_the_files(machine: Machine) -> None:
    write(machine, "elsewhere/config.toml", '[mcp_servers.a]\ncommand = "x"\n')
    moved = Machine(
        machine.home, machine.folder, {"CODEX_HOME": f"{machine.home}/elsewhere"}, "linux"
    )
    (report,) = reports(moved, "codex")
    assert report.servers[0].name == "a"


def test_places_of_other_platforms_are_not_looked_at(machine: Machine) -> None:
    write(machine, "Library/Application Support/Claude/claude_desktop_config.json")
    assert reports(machine, "claude-desktop") == []
    mac = Machine(machine.home, machine.folder, {}, "darwin")
    assert len(reports(mac, "claude-desktop")) == 1


def test_a_server_of_the_project_hides_that_of_the_user(machine: Machine) -> None:
    write(machine, "work/.mcp.json")
    write(machine, ".claude.json")
    files = with_shadowed(reports(machine, "claude-code", "claude-user"))
    assert {one.scope: one.servers[0].is_effective for one in files} == {
        "project": True,
        "user": False,
    }
    assert any("shadowed" in codes(one) for one in files)


def test_a_link_inside_its_folder_is_followed_and_one_to_elsewhere_is_not(
    machine: Machine, tmp_path: Path
) -> None:
    if sys.platform == "win32":
        pytest.skip("links need rights on Windows")
    outside = tmp_path / "outside.json"
    outside.write_text(ONE)
    inner = Path(machine.folder)
    write(machine, "dots/cursor.json")
    Path(machine.home, ".cursor").mkdir()
    Path(machine.home, ".cursor/mcp.json").symlink_to(Path(machine.home, "dots/cursor.json"))
    (inner / ".cursor").symlink_to(tmp_path)
    tmp_path.joinpath("mcp.json").write_text(ONE)
    by_scope = {one.scope: one for one in reports(machine, "cursor")}
    assert len(by_scope["user"].servers) == 1
    assert (codes(by_scope["project"]), by_scope["project"].servers) == ({"not-read"}, ())
    (inner / ".mcp.json").symlink_to(outside)
    assert codes(read_given(str(inner / ".mcp.json"), None, machine)) == {"not-read"}


@pytest.mark.parametrize("kind", ["fifo", "folder", "loop", "unreadable", "device"])
def test_what_is_not_a_readable_file_is_one_problem(machine: Machine, kind: str) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has none of these")
    file = Path(machine.folder, ".mcp.json")
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "loop":
        file.symlink_to(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        if os.geteuid() == 0:
            pytest.skip("root reads everything")
        file.write_text(ONE)
        file.chmod(0)
    assert codes(read_given(str(file), None, machine)) == {"not-read"}
    assert [codes(one) for one in reports(machine, "claude-code")] == [{"not-read"}]


def test_100_megabytes_are_refused_without_being_read(machine: Machine) -> None:
    file = Path(machine.folder, ".mcp.json")
    with file.open("wb") as opened:
        opened.truncate(100_000_000)
    report = read_given(str(file), None, machine)
    assert codes(report) == {"too-large"}


def test_the_table_is_whole() -> None:
    for one in hosts().values():
        assert one.host in hosts(), one.id
        assert {place.scope for place in one.place} <= {
            *("user", "project", "local", "managed", "profile")
        }
        assert {place.on for place in one.place} <= {"", "linux", "darwin", "win32"}
        assert {*one.instead.values()} <= hosts().keys()
        for place in one.place:
            if place.tail and "*" not in place.tail and not place.silent:
                of = place_of(f"/home/x/{place.tail}", "/home/x")
                assert of is not None
                assert of[0].host == one.host, place


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("cursor", "cursor"),
        ("Claude Code", "claude-code"),
        ("claude-code plugin", "claude-plugin"),
        ("mcp registry", "mcp-registry"),
        ("gemini", "gemini-cli"),
    ],
)
def test_a_host_has_several_names(name: str, id_: str) -> None:
    assert host_named(name).id == id_


def test_an_unknown_host_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownHost) as refused:
        host_named("cursr\u001b")
    assert "cursor" in str(refused.value)
    assert "\u001b" not in str(refused.value)
