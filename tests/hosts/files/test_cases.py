"""Every server, every problem and every switch of the cases, and none of their secrets."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from signoff.app.features.servers.command import check_lines, server_lines, servers_json
from signoff.app.hosts.files.servers import ConfiguredServer
from tests.hosts.files.given import HOME, LEVELS, cases, found, switches

CASES: Final = cases()
DIFFERENT: Final[dict[tuple[str, str], str]] = {
    ("claude-settings-01.json", "broad_rule"): "measured: mcp__* has no effect where a rule allows",
}
"""Expectations that are not held, by file and problem or server, with the reason."""
ERRORS_BEYOND: Final = {
    ("codex-03.toml", "two-containers"): "the servers of two other containers have errors already",
    ("opencode-03.json", "wrong-container"): "the file has an error already",
}
"""Errors that are found and not expected: each is one more place of an expected one."""
MASK: Final = re.compile(r"\[masked: [^\]]*\]")


def plain(url: str | None) -> str | None:
    return url and MASK.sub("<secret>", url)


def values(server: ConfiguredServer) -> dict[str, Any]:
    """A server under the names of `expected.json`."""
    return {
        **{name: server.details.get(name) for name in ("container", "project", "derived", "cwd")},
        **server.details,
        "transport": server.transport,
        "url": plain(server.url),
        "command": server.command,
        "args_count": len(server.args),
        "env_names": list(server.env),
        "header_names": list(server.headers),
        "variables": list(server.variables),
        "enabled": server.is_enabled,
        "effective": server.is_effective,
        "scope": server.scope,
    }


@pytest.mark.parametrize("file", CASES)
def test_every_server_is_found(file: str) -> None:
    expected = CASES[file].expected["servers"]
    servers = list(CASES[file].read().servers)
    assert sorted(one.name for one in servers) == sorted(one["name"] for one in expected)
    for one in expected:
        of = next(
            each
            for each in servers
            if each.name == one["name"]
            and one.get("project") in (None, each.details.get("project"))
        )
        servers.remove(of)
        have = values(of)
        for key, wanted in {"effective": True, **one}.items():
            if key == "name" or (key == "args_count" and wanted is None):
                continue
            if isinstance(wanted, list):
                assert sorted(have.get(key) or ()) == sorted(wanted), (one["name"], key)
            else:
                assert have.get(key) == wanted, (one["name"], key)


@pytest.mark.parametrize("file", CASES)
def test_every_problem_is_found(file: str) -> None:
    report = CASES[file].read()
    have = {(code, name): one.level.value for (code, name), one in found(report).items()}
    wanted = {
        (one["kind"].replace("_", "-"), one["server"]): LEVELS[one["level"]]
        for one in CASES[file].expected["problems"]
        if (file, one["kind"]) not in DIFFERENT
    }
    assert {key: have.get(key) for key in wanted} == wanted
    beyond = {code for (code, name), level in have.items() if level == "error"}
    beyond -= {code for code, _ in wanted}
    assert beyond == {code for of, code in ERRORS_BEYOND if of == file}


@pytest.mark.parametrize("file", CASES)
def test_the_groups_are_those_of_the_cases(file: str) -> None:
    groups = {
        one["kind"].replace("_", "-"): one["group"] for one in CASES[file].expected["problems"]
    }
    for (code, _), one in found(CASES[file].read()).items():
        assert one.group == groups.get(code, one.group)


@pytest.mark.parametrize("file", CASES)
def test_every_switch_is_found(file: str) -> None:
    assert switches(CASES[file].read()) == CASES[file].expected["switches"]


@pytest.mark.parametrize("file", CASES)
def test_no_secret_leaves(file: str) -> None:
    case = CASES[file]
    report = case.read()
    shown = [
        json.dumps(servers_json([report])),
        *server_lines([report], HOME, f"{HOME}/project"),
        *check_lines([report], HOME, f"{HOME}/project"),
        repr(report),
    ]
    assert not [secret for secret in case.secrets if any(secret in one for one in shown)]


def test_problems_have_lines_inside_their_files() -> None:
    for case in CASES.values():
        lines = case.data.count(b"\n") + 1
        for one in found(case.read()).values():
            assert 0 <= one.line <= lines, (case.path, one)


def test_every_code_has_a_group_of_the_cases() -> None:
    kinds = {one["kind"] for case in CASES.values() for one in case.expected["problems"]}
    assert len(kinds) > 60
