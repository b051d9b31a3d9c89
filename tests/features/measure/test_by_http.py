"""The probe server by Streamable HTTP, alone and with an agent."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from signoff.app.features.measure.drivers import DriverError, parse_driver
from signoff.app.features.measure.probes.http_server import PATH
from signoff.app.features.measure.probes.probe_server import log_lines

AGENTS = Path(__file__).parents[2] / "servers" / "agents"
WAIT = 60.0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[httpx2.Client, Path]]:
    """A client of a running server, and the file that changes its tools."""
    log, control = tmp_path / "log", tmp_path / "control"
    control.touch()
    words = ("-m", "signoff.app.features.measure.probes.http_server")
    more = ("--log", str(log), "--control", str(control), "--probes", "requests/elicit-form")
    process = subprocess.Popen((sys.executable, *words, *more), stdin=subprocess.PIPE)
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port_in(log)}", timeout=WAIT) as client:
            yield client, control
    finally:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(WAIT) == 0


def port_in(log: Path) -> int:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        for entry in log_lines(log.read_text() if log.exists() else ""):
            return int(entry["start"]["port"])
        time.sleep(0.05)
    raise AssertionError("it did not listen")


def request(method: str, params: dict[str, Any], identity: int | None = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return message if identity is None else {**message, "id": identity}


def events(response: httpx2.Response) -> Iterator[dict[str, Any]]:
    for line in response.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_a_question_and_the_result_come_on_the_stream_of_the_call(
    served: tuple[httpx2.Client, Path],
) -> None:
    client, _ = served
    listed = client.post(PATH, json=request("tools/list", {})).json()["result"]["tools"]
    call = request("tools/call", {"name": listed[0]["name"], "arguments": {}}, 2)
    with client.stream("POST", PATH, json=call) as response:
        assert response.headers["content-type"] == "text/event-stream"
        messages = events(response)
        asked = next(messages)
        assert asked["method"] == "elicitation/create"
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}
        assert client.post(PATH, json=answer).status_code == 202
        result = next(messages)
    assert result["id"] == 2
    assert "decline" in result["result"]["content"][0]["text"]


def test_a_change_of_the_tools_comes_on_the_stream_of_a_get(
    served: tuple[httpx2.Client, Path],
) -> None:
    client, control = served
    with client.stream("GET", PATH) as response:
        control.write_text("change-description\n")
        assert next(events(response))["method"] == "notifications/tools/list_changed"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [("/other", b"{}", 404), (PATH, b"no json", 400), (PATH, b"[]", 400), (PATH, b"{}", 202)],
)
def test_what_is_no_request_has_a_status(
    served: tuple[httpx2.Client, Path], path: str, body: bytes, status: int
) -> None:
    assert served[0].post(path, content=body).status_code == status


@pytest.mark.parametrize("network", ["--isolated", "--network"])
def test_an_agent_is_measured_by_http(network: str) -> None:
    signoff = shutil.which("signoff", path=str(Path(sys.executable).parent))
    assert signoff is not None
    agent = (sys.executable, str(AGENTS / "careless_http.py"))
    words = [signoff, "measure", "--json", "--http", network]
    ended = subprocess.run(
        [*words, "--only", "hints/none,answers/text", "--", *agent],
        capture_output=True,
        text=True,
        timeout=2 * WAIT,
    )
    if "not possible here" in ended.stderr:
        pytest.skip("no network of its own here")
    found = json.loads(ended.stdout)
    assert [one["did"] for one in found["cells"]] == ["ran", "ran"]
    assert "text-canary" in str(found["cells"][1]["model_got"])
    assert found["variables"] == []


DRIVER = """
title = "X"
program = "x"
version = ["{program}", "--version"]
package = "npm:x"
get = "npm install x"
licence = "MIT"
tool_name = "{tool}"
[[mode]]
name = "print"
transport = "TRANSPORT"
SURFACE = ["x", "{server_url}"]
"""


def test_a_mode_has_its_transport() -> None:
    def read(transport: str, surface: str) -> str:
        text = DRIVER.replace("TRANSPORT", transport).replace("SURFACE", surface)
        return parse_driver("x", text).modes[0].transport

    assert read("http", "headless") == "http"
    for transport, surface, words in (
        ("sse", "headless", "none of stdio, http"),
        ("http", "acp", "an ACP session is given its server on stdio"),
    ):
        with pytest.raises(DriverError, match=words):
            read(transport, surface)
