"""Resolution of hints by the demo: for clients that declare it, and nothing for all others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.protocol.extensions.tool_resolution import read_result
from signoff.app.protocol.hints import read_hints

IDENTIFIER = "io.modelcontextprotocol/tool-resolution"
_META = "io.modelcontextprotocol/"
WITHOUT = """
import signoff.app.demo.server as server
class Absent:
    tools = ()
    def __init__(self, sandbox): pass
    async def serve(self, ctx, call_next): return await call_next(ctx)
server.ToolResolution = Absent
from signoff.app.demo.__main__ import main
main()
"""
ARGUMENTS = {"path": "notes/todo.txt", "action": "read"}
EXTENSIONS: dict[str, Any] = {"extensions": {IDENTIFIER: {}}}
MODERN, LEGACY = "modern", "legacy"
Json = dict[str, Any]


def meta(capabilities: Json) -> Json:
    return {
        f"{_META}protocolVersion": "2026-07-28",
        f"{_META}clientInfo": {"name": "tests", "version": "1"},
        f"{_META}clientCapabilities": capabilities,
    }


def session(
    folder: Path, era: str, capabilities: Json, *requests: tuple[str, Json], code: str = ""
) -> list[bytes]:
    """The lines that answer these requests, after the first ones of a session."""
    argv = [sys.executable, *(("-c", code) if code else ("-m", "signoff.app.demo"))]
    environment = {**os.environ, "SIGNOFF_DEMO_DIR": str(folder)}
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    assert process.stdout is not None
    lines = []
    try:
        if era == LEGACY:
            client = {"name": "tests", "version": "1"}
            first = {"protocolVersion": "2025-11-25", "clientInfo": client}
            begin = ("initialize", {**first, "capabilities": capabilities})
        else:
            begin = ("server/discover", {})
        for number, (method, given) in enumerate((begin, *requests), 1):
            params = (
                given
                if era == LEGACY or "_meta" in given
                else {**given, "_meta": meta(capabilities)}
            )
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            if method == "initialize":
                told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                process.stdin.write(json.dumps(told).encode() + b"\n")
            process.stdin.flush()
            lines.append(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()
    return lines


def results(lines: list[bytes]) -> list[Json]:
    return [json.loads(line) for line in lines]


LIST: tuple[str, Json] = ("tools/list", {})


def resolve(name: str, **arguments: Any) -> tuple[str, Json]:
    return ("tools/resolve", {"name": name, "arguments": arguments})


@pytest.mark.slow
@pytest.mark.parametrize("era", [LEGACY, MODERN])
@pytest.mark.parametrize("tool", ["calculate_sum", "read_settings", "manage_nothing"])
def test_without_the_capability_a_session_is_the_same_byte_for_byte(
    tmp_path: Path, era: str, tool: str
) -> None:
    call: tuple[str, Json] = ("tools/call", {"name": tool, "arguments": {"a": 1, "b": 2}})
    requests: tuple[tuple[str, Json], ...] = (LIST, call, ("resources/list", {}))
    now = session(tmp_path, era, {}, *requests)
    assert now == session(tmp_path, era, {}, *requests, code=WITHOUT)
    assert all(IDENTIFIER.encode() not in line for line in now)


@pytest.mark.parametrize("era", [pytest.param(LEGACY, marks=pytest.mark.slow), MODERN])
def test_a_declaring_client_gets_the_tools_and_exact_hints(tmp_path: Path, era: str) -> None:
    actions = ("read", "append", "replace", "delete")
    asked = [resolve("manage_files", path="a", action=action) for action in actions]
    begun, listed, *answers = results(session(tmp_path, era, EXTENSIONS, LIST, *asked))
    assert begun["result"]["capabilities"]["extensions"][IDENTIFIER] == {}
    by_name = {tool["name"]: tool for tool in listed["result"]["tools"]}
    entry = by_name["manage_files"]
    assert entry["_meta"][IDENTIFIER] == {"resolvable": True}
    static = read_hints(entry["annotations"])
    effects = []
    for answer in answers:
        hints, found = read_result(answer["result"], "manage_files", static)
        assert not found
        assert hints is not None
        effects.append(hints.hints.effect.value)
    assert effects == ["read-only", "additive", "destructive", "destructive"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("resolve_worse", "resolution-weakens"),
        ("resolve_other_tool", "resolution-other-tool"),
        ("resolve_definition", "resolution-malformed"),
    ],
)
@pytest.mark.slow
def test_each_lie_breaks_the_draft(tmp_path: Path, name: str, code: str) -> None:
    asked = resolve(name, path="a", action="read")
    _, listed, answer = results(session(tmp_path, MODERN, EXTENSIONS, LIST, asked))
    entry = next(tool for tool in listed["result"]["tools"] if tool["name"] == name)
    _, found = read_result(answer["result"], name, read_hints(entry["annotations"]))
    assert {one.code for one in found} == {code}


def test_what_the_draft_refuses_is_refused(tmp_path: Path) -> None:
    asked = (
        resolve("no_such_tool", path="a", action="read"),
        resolve("calculate_sum", a=1, b=2),
        resolve("manage_files", path="a"),
        resolve("manage_files", path="a", action="eat"),
        resolve("manage_files", path="a", action="read", more=1),
        ("tools/resolve", {**resolve("manage_files", **ARGUMENTS)[1], "_meta": meta({})}),
    )
    _, *answers = results(session(tmp_path, MODERN, EXTENSIONS, *asked))
    assert [one["error"]["code"] for one in answers] == [*[-32602] * 5, -32021]
    assert answers[-1]["error"]["data"] == {"requiredCapabilities": EXTENSIONS}
