"""Files at the usual places of hosts: found, bounded, and never through a link to elsewhere."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from signoff.app.hosts.files.choosing import NoSuchServer, choose_server
from signoff.app.hosts.files.discovery import (
    find_files,
    is_kept,
    read_found,
    read_given,
    usual_places,
    with_plugins,
)
from signoff.app.hosts.files.problems import ERROR, NOTE
from signoff.app.hosts.files.servers import FileReport, Machine, as_read_by_all
from signoff.app.hosts.files.sharing import with_shadowed
from signoff.app.hosts.files.starting import prepare_start
from signoff.app.hosts.table import Host, HostPlace, UnknownHost, host_named, hosts, place_of
from tests.hosts.files.given import codes

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


ELECTRON = (
    "Claude/claude_desktop_config.json",
    "Code/User/mcp.json",
    "Code - Insiders/User/mcp.json",
    "Code/User/profiles/one/mcp.json",
    "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
)


@pytest.mark.parametrize("path", ELECTRON)
@pytest.mark.parametrize(
    ("value", "is_looked_at"),
    [("{home}/conf", True), ("{home}/conf/", True), ("{home}/.config", False), ("conf", False),
     ("", False)],
)  # fmt: skip
def test_the_folder_of_configuration_counts_beside_the_usual_one(
    machine: Machine, path: str, value: str, is_looked_at: bool
) -> None:
    usual = write(machine, f".config/{path}")
    other = write(machine, f"conf/{path}")
    environ = {"XDG_CONFIG_HOME": value.format(home=machine.home)}
    moved = Machine(machine.home, machine.folder, environ, "linux")
    found = [os.path.normpath(one.path) for one in find_files(moved)]
    assert sorted(found) == sorted([str(usual), str(other)] if is_looked_at else [str(usual)])
    elsewhere = Machine(machine.home, machine.folder, environ, "darwin")
    assert not find_files(elsewhere)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_every_place_that_is_looked_at_is_named(machine: Machine, platform: str) -> None:
    here = Machine(machine.home, machine.folder, {"APPDATA": "/app"}, platform)
    named = [one for paths in usual_places(here).values() for one in paths]
    assert all(one and "{" not in one for one in named)
    looked_at = [
        place
        for host in hosts().values()
        for place in host.place
        if not place.silent and place.on in ("", platform) and not place.path.startswith("{XDG")
    ]
    for place in looked_at:
        assert any(one.endswith(place.tail.rpartition("/")[2]) for one in named), place
    assert ("/app/Code/User/mcp.json" in named) is (platform == "win32")


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


def has_place(host: Host, place: HostPlace) -> bool:
    """True if a host reads this path, for itself or with others."""
    return any((one.path, one.on) == (place.path, place.on) for one in host.place)


def test_the_table_is_whole() -> None:
    for one in hosts().values():
        assert one.host in hosts(), one.id
        assert {place.scope for place in one.place} <= {
            *("user", "project", "local", "managed", "profile", "plugin")
        }
        assert {place.on for place in one.place} <= {"", "linux", "darwin", "win32"}
        assert {*one.instead.values()} <= hosts().keys()
        for place in one.place:
            if place.tail and "*" not in place.tail and not place.silent:
                of = place_of(f"/home/x/{place.tail}", "/home/x")
                assert of is not None
                first = next(each for each in hosts().values() if has_place(each, place))
                assert of[0].host == first.host, place


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


SETTINGS = '{"enabledPlugins": {"notes@market": true, "off@market": false}}'
CACHE = ".claude/plugins/cache/market"
FLAT = '{"notes": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/notes"}}'


def all_reports(machine: Machine) -> list[FileReport]:
    found = find_files(machine)
    inside = [one for one in found if one.path.startswith(machine.home)]
    files = [read_found(one, machine) for one in inside]
    kept = [one for one, at in zip(files, inside, strict=True) if is_kept(one, at.place)]
    return with_shadowed(with_plugins(kept, machine.folder))


def test_a_file_of_several_hosts_is_read_as_each_does(machine: Machine) -> None:
    entry = '{"mcpServers": {"a": {"command": "a-mcp", "env": {"KEY": "${HOME}"}}}}'
    write(machine, "work/inner/.mcp.json", entry)
    (file,) = all_reports(machine)
    assert file.host == "claude-code"
    read = {one.host: one.is_confirmed for one in file.others}
    assert read == {"vscode": True, "copilot-cli": True, "cursor": False, "windsurf": False}
    assert [one.host for one in as_read_by_all([file])] == ["claude-code", "copilot-cli", "vscode"]
    # Only VS Code does not fill this form; the entry is right for the host whose file it is.
    (server,) = file.servers
    (note,) = [one for one in server.problems if one.message.startswith("VS Code")]
    assert (note.code, note.level) == ("variable-syntax", NOTE)
    assert not any(one.level is ERROR for one in server.problems)


def test_a_file_of_several_hosts_is_that_of_the_host_that_was_asked_for(machine: Machine) -> None:
    write(machine, "work/inner/.mcp.json")
    (file,) = [one for one in reports(machine, "vscode", "vscode-portable") if one.servers]
    assert (file.host, file.others) == ("vscode", ())
    assert file.servers[0].host == "vscode"


def test_a_server_is_chosen_by_a_further_host_of_its_file(machine: Machine) -> None:
    write(machine, "work/inner/.mcp.json")
    files = all_reports(machine)
    assert choose_server(files, "a")[0].host == "claude-code"
    assert choose_server(files, "copilot-cli/a")[0].host == "copilot-cli"
    with pytest.raises(NoSuchServer):
        choose_server(files, "zed/a")


@pytest.mark.parametrize(
    ("path", "text", "host", "plugin"),
    [
        (f"{CACHE}/notes/1.0/.mcp.json", FLAT, "claude-code", "notes@market"),
        (f"{CACHE}/notes/1.0/.mcp.json", ONE, "claude-code", "notes@market"),
        (f"{CACHE}/notes/1.0/.claude-plugin/plugin.json", ONE, "claude-code", "notes@market"),
        (".codex/plugins/cache/m/tool/2/.mcp.json", ONE, "codex", "tool@m"),
        (".copilot/installed-plugins/m/tool/.mcp.json", ONE, "copilot-cli", "tool@m"),
    ],
)
def test_servers_of_plugins_are_found(
    machine: Machine, path: str, text: str, host: str, plugin: str
) -> None:
    write(machine, path, text)
    write(machine, ".claude/settings.json", SETTINGS)
    (file,) = [one for one in all_reports(machine) if one.servers]
    (server,) = file.servers
    assert (server.host, server.scope) == (host, "plugin")
    assert server.details["plugin"] == plugin
    assert server.is_effective
    assert "variable-host-only" not in codes(file)


def test_the_folder_of_a_plugin_is_filled_in(machine: Machine) -> None:
    path = write(machine, f"{CACHE}/notes/1.0/.mcp.json", FLAT)
    write(machine, ".claude/settings.json", SETTINGS)
    files = all_reports(machine)
    start = prepare_start(*choose_server(files, "notes"), machine, {})
    assert start.argv == (f"{path.parent}/bin/notes",)


@pytest.mark.parametrize(
    ("folder", "installed", "reason"),
    [
        ("notes/1.0", None, ""),
        ("notes/1.0", [{"installPath": "/elsewhere/market/notes/1.0"}], ""),
        ("notes/1.0", [{"installPath": f"/x/{CACHE}/notes/2.0"}], "another version"),
        (
            "notes/1.0",
            [{"installPath": f"/x/{CACHE}/notes/1.0", "projectPath": "/other"}],
            "another project",
        ),
        ("notes/1.0", "not a list", ""),
        ("off/1.0", None, "sets it to false"),
        ("new/1.0", None, "does not name it"),
    ],
)
def test_a_plugin_that_is_not_loaded_has_the_reason(
    machine: Machine, folder: str, installed: object, reason: str
) -> None:
    write(machine, f"{CACHE}/{folder}/.mcp.json")
    write(machine, ".claude/settings.json", SETTINGS)
    if installed is not None:
        text = json.dumps({"version": 2, "plugins": {"notes@market": installed}})
        write(machine, ".claude/plugins/installed_plugins.json", text)
    (server,) = next(one for one in all_reports(machine) if one.servers).servers
    found = [one.message for one in server.problems if one.code == "plugin-off"]
    assert server.is_effective is not bool(reason)
    assert bool(found) is bool(reason)
    assert reason in "".join(found)


def test_a_plugin_of_codex_is_turned_off_in_its_settings(machine: Machine) -> None:
    write(machine, ".codex/plugins/cache/m/tool/2/.mcp.json")
    write(machine, ".codex/config.toml", '[plugins."tool@m"]\nenabled = false\n')
    (server,) = next(one for one in all_reports(machine) if one.servers).servers
    assert not server.is_effective


def test_a_manifest_without_servers_is_left_out(machine: Machine) -> None:
    write(machine, f"{CACHE}/notes/1.0/.claude-plugin/plugin.json", '{"name": "notes"}')
    assert all_reports(machine) == []


@pytest.mark.parametrize("value", ['"./servers.json"', '["./a.json"]'])
def test_a_manifest_that_names_other_files_is_no_error(machine: Machine, value: str) -> None:
    path = write(
        machine,
        f"{CACHE}/notes/1.0/.claude-plugin/plugin.json",
        f'{{"name": "notes", "mcpServers": {value}}}',
    )
    report = read_given(str(path), None, machine)
    assert "servers-elsewhere" in codes(report)
    assert not any(one.level is ERROR for one in report.problems)
