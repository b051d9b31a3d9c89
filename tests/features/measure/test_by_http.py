"""The probe server by Streamable HTTP, alone and with an agent."""

from __future__ import annotations

import json
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
from tests.features.measure.apart import AGENTS, measured_apart, report_of
from tests.tiers import first_quick

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


def test_what_comes_on_the_stream_of_a_call_and_of_a_get(
    served: tuple[httpx2.Client, Path],
) -> None:
    client, control = served
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
    with client.stream("GET", PATH) as response:
        control.write_text("change-description\n")
        assert next(events(response))["method"] == "notifications/tools/list_changed"
    for path, body, status in (
        ("/other", b"{}", 404),
        (PATH, b"no json", 400),
        (PATH, b"[]", 400),
        (PATH, b"{}", 202),
    ):
        assert client.post(path, content=body).status_code == status


@pytest.mark.parametrize("network", first_quick(["--isolated", "--network"]))
def test_an_agent_is_measured_by_http(network: str) -> None:
    words = ("--json", "--http", network, "--only", "hints/none,answers/text")
    ended = measured_apart(*words, agent=AGENTS / "careless_http.py")
    if "not possible here" in ended.stderr:
        pytest.skip("no network of its own here")
    found = report_of(ended)
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


@pytest.mark.parametrize(
    ("transport", "surface", "words"),
    [
        ("sse", "headless", "none of stdio, http"),
        ("http", "acp", "an ACP session is given its server on stdio"),
    ],
)
def test_a_mode_has_its_transport(transport: str, surface: str, words: str) -> None:
    by_http = DRIVER.replace("TRANSPORT", "http").replace("SURFACE", "headless")
    assert parse_driver("x", by_http).modes[0].transport == "http"
    with pytest.raises(DriverError, match=words):
        parse_driver("x", DRIVER.replace("TRANSPORT", transport).replace("SURFACE", surface))
