"""Which entries are servers of a session, and how they are named apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from signoff.app.cli.targets.session import PreparedSession
from signoff.app.cli.targets.several import (
    all_servers,
    named_apart,
    shown_server,
    tell_apart,
    without_doubles,
)
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.hosts.files.choosing import servers_of
from signoff.app.hosts.files.discovery import read_given
from signoff.app.hosts.files.servers import FileReport, Machine
from signoff.app.hosts.table import host_named
from signoff.app.presentation.grants import identity_lines
from signoff.app.storage.settings.values import Settings


def file(folder: Path, host: str, servers: dict[str, dict[str, Any]]) -> FileReport:
    place = folder / f"{host}.json"
    place.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    machine = Machine(str(folder), str(folder), {}, "linux")
    return read_given(str(place), host_named(host), machine)


def test_entries_that_a_host_would_not_load_are_left_out(tmp_path: Path) -> None:
    found = file(
        tmp_path,
        "cline",
        {"a": {"command": "x"}, "off": {"command": "y", "disabled": True}, "none": {"args": []}},
    )
    assert [one.name for one, _ in all_servers([found], str(tmp_path))] == ["a"]


def test_the_same_entry_of_two_hosts_is_one_server(tmp_path: Path) -> None:
    same, env = (
        {"command": "x", "args": ["-y"]},
        {"command": "x", "args": ["-y"], "env": {"A": "1"}},
    )
    files = [
        file(tmp_path, "cursor", {"a": same, "b": env}),
        file(tmp_path, "windsurf", {"a": same, "b": {**env, "env": {"A": "2"}}}),
    ]
    found = without_doubles(servers_of(files))
    assert [(one.host, one.name) for one, _ in found] == [
        ("cursor", "a"),
        ("cursor", "b"),
        ("windsurf", "b"),
    ]


def test_servers_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    files = [
        file(tmp_path, "cursor", {"a": {"command": "x"}, "b": {"command": "x"}}),
        file(tmp_path, "windsurf", {"a": {"command": "y"}}),
    ]
    names = [name for name, _ in named_apart(servers_of([*files, files[1]]))]
    assert names[:2] == ["cursor/a", "b"]
    assert len(set(names)) == len(names)
    assert all(name.startswith("windsurf/a") for name in names[2:])


def test_a_name_writes_nothing_on_the_terminal(tmp_path: Path) -> None:
    found = file(tmp_path, "cursor", {"a\x1b[31m\u202e": {"command": "x"}, "": {"command": "z"}})
    names = [name for name, _ in named_apart(servers_of([found]))]
    assert all(name.isprintable() and name for name in names)


def test_the_same_start_under_two_names_is_remembered_apart(tmp_path: Path) -> None:
    def session(name: str, *argv: str) -> PreparedSession:
        return PreparedSession(SessionConfig(Target(name, argv=argv)), Settings())

    sessions = [session("one", "x", "-y"), session("two", "x", "-y"), session("three", "z")]
    before = [one.config.target.link().identity for one in sessions]
    assert before[0] == before[1]
    tell_apart(sessions)
    after = [one.config.target.link().identity for one in sessions]
    assert len(set(after)) == 3
    assert after[2] == before[2]
    for identity in after:
        assert identity_lines(identity)[0] in ("x -y", "z")


def test_the_same_address_under_two_names_is_remembered_apart() -> None:
    urls = [Target(name, url="http://localhost:1/mcp") for name in ("one", "two")]
    sessions = [PreparedSession(SessionConfig(one), Settings()) for one in urls]
    tell_apart(sessions)
    found = [one.config.target.link().identity for one in sessions]
    assert len(set(found)) == 2
    assert all(one.startswith("http:") for one in found)


def test_a_name_that_looks_like_a_number_of_another_is_free_for_one_alone(tmp_path: Path) -> None:
    names = ("", "(no name)", "(no name) 2", "a", "a 2")
    found = file(tmp_path, "cursor", {name: {"command": name or "x"} for name in names})
    shown = [name for name, _ in named_apart(servers_of([found, found]))]
    assert len(set(shown)) == len(shown) == 10


def test_names_that_look_alike_are_marked() -> None:
    plain, cyrillic, blank = map(shown_server, ("alpha", "\u0430lpha", "alpha "))
    assert plain == "alpha"
    assert "Cyrillic" in cyrillic
    assert blank not in (plain, plain + " ")
    assert (
        shown_server("\u043f\u0440\u0438\u0432\u0435\u0442")
        == "\u043f\u0440\u0438\u0432\u0435\u0442"
    )
    assert shown_server("my-server_2") == "my-server_2"
