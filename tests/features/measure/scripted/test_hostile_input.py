"""What a host sends to the scripted model, to the probe server and to its screen, and its files."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, cast

import pytest

from signoff.app.features.measure.probes import probe_server
from signoff.app.features.measure.probes.probe_server import ProbeServer
from signoff.app.features.measure.probes.probes import hint_probes
from signoff.app.features.measure.running.reached import read_reached
from signoff.app.features.measure.running.scratch import SharedFile, scratch
from signoff.app.features.measure.running.screen import CELL_MAX, Screen
from signoff.app.features.measure.running.short_runs import _run_setup
from signoff.app.features.measure.scripted.dialects import ModelRequest, Offered
from signoff.app.features.measure.scripted.model import (
    CONNECTIONS_MAX,
    OFFERED_MAX,
    QUESTION,
    Script,
    ScriptedModel,
)
from tests.tiers import first_quick

if sys.platform == "win32":
    pytest.skip("these attacks need POSIX", allow_module_level=True)

CHAT = "/v1/chat/completions"


def model() -> ScriptedModel:
    return ScriptedModel(Script("marker", lambda tool, server: ("", tool)))


async def ask(served: ScriptedModel, path: str, body: bytes, *, declared: int | None = None) -> int:
    """The status of the answer to a request; 0 if it is broken off."""
    port = int(served.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    length = len(body) if declared is None else declared
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.token}\r\n"
    writer.write(f"{head}Content-Length: {length}\r\n\r\n".encode() + body)
    await writer.drain()
    if declared is not None:
        writer.close()
        return 0
    status = int((await reader.readline()).split()[1])
    writer.close()
    return status


@pytest.mark.parametrize(
    "body",
    first_quick(
        [
            b"[" * 100_000,
            b'{"a":' * 500 + b"1" + b"}" * 500,
            b'{"messages": NaN}',
            b'{"messages": 1e999}',
            b"\xff",
            b"",
        ],
        2,
    ),
)
async def test_a_body_that_is_none_is_refused(body: bytes) -> None:
    async with model().serving() as served:
        assert await ask(served, CHAT, body) == 404
        assert await ask(served, CHAT, b'{"messages": []}') == 200
        assert len(served.not_understood) == 1


async def test_a_request_that_breaks_off_is_no_fault_of_this_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with model().serving() as served:
        await ask(served, CHAT, b"{", declared=1_000)
        await asyncio.sleep(0.3)
        assert await ask(served, "/nothing/" + "x" * 5_000, b"{}") == 404
    assert all(len(one) <= 300 for one in served.not_understood)
    assert capsys.readouterr().err == ""


async def test_only_so_many_connections_are_kept() -> None:
    async with model().serving() as served:
        port = int(served.url.rpartition(":")[2])
        opened = [
            await asyncio.open_connection("127.0.0.1", port) for _ in range(CONNECTIONS_MAX + 20)
        ]
        await asyncio.sleep(0.5)
        assert sum(reader.at_eof() for reader, _ in opened) >= 20
        for _, writer in opened:
            writer.close()
        await asyncio.sleep(0.3)
        assert await ask(served, CHAT, b'{"messages": []}') == 200


async def test_only_so_many_questions_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.app.features.measure.scripted.model.QUESTIONS_MAX", 2)
    heard = []

    async def on_question(asked: Any) -> bool:
        heard.append(asked)
        return True

    async with model().serving() as served:
        served.on_question = on_question
        for _ in range(4):
            assert await ask(served, QUESTION, b"{}") == 200
    assert len(heard) == 2


def test_only_so_many_tools_are_remembered() -> None:
    script = model().script
    many = tuple(Offered(f"t{at}", "", {"x": "y"}) for at in range(OFFERED_MAX + 5))
    script.step(ModelRequest(many, (), "marker", "m", is_streamed=False))
    assert len(script.offered) == OFFERED_MAX
    assert not any(one.parameters for one in script.offered.values())


def drawn(data: bytes) -> str:
    """The text of the screen after these bytes."""
    pytest.importorskip("pyte")
    one = Screen(cast(Any, None))
    reading, writing = os.pipe()
    one._fd = reading
    os.write(writing, data)
    one._read()
    os.close(reading)
    os.close(writing)
    return one.text


def test_half_of_a_wide_character_is_drawn_and_a_flood_of_combining_ones_stays_short() -> None:
    text = drawn("\u65e5\x1b[1;1Hx\x1b[2;1H\U0001f600\x1b[2;2Hy".encode())
    assert ("x" in text, "y" in text) == (True, True)
    assert len(drawn(b"a" + "\u0301".encode() * 5_000)) <= CELL_MAX


def test_a_message_of_any_depth_does_not_end_the_probe_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    lines = b"[" * 200_000 + b"\n" + ping
    stdin = io.TextIOWrapper(io.BytesIO(lines))
    monkeypatch.setattr(sys, "stdin", stdin)
    ProbeServer(hint_probes()[:1], str(log)).run()
    assert json.loads(capsys.readouterr().out)["id"] == 1
    numbers = [json.loads(line)["n"] for line in log.read_text().splitlines()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_full_log_ends_the_probe_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe_server, "LOG_MAX", 200)
    monkeypatch.setattr(os, "_exit", sys.exit)
    server = ProbeServer(hint_probes()[:1], str(tmp_path / "log"))
    with pytest.raises(SystemExit):
        _fill(server)
    assert (tmp_path / "log").stat().st_size < 400


def _fill(server: ProbeServer) -> None:
    for _ in range(50):
        server._note("in", {"x": "y" * 50})


def test_a_shared_file_that_is_cut_and_a_trace_that_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log"
    shared = SharedFile(path)
    path.write_text("four")
    assert (shared.read(), shared.doubt) == ("four", "")
    path.write_text("two")
    shared.look()
    assert shared.doubt == "became shorter"
    shared.close()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    assert read_reached(tmp_path / "pipe") == set()
    assert read_reached(tmp_path / "link") == set()


@pytest.mark.slow
async def test_a_setup_that_floods_and_leaves_a_process_ends() -> None:
    flood = "import os, subprocess, sys\nfor _ in range(500): os.write(1, b'x' * 100_000)\n"
    leave = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\nsys.exit(3)"
    began = time.monotonic()
    with scratch(()) as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr("signoff.app.features.measure.running.short_runs.SETUP_SECONDS", 3.0)
        words = (sys.executable, "-c", flood + leave)
        problem = await _run_setup(words, place.environment({}), place)
    assert problem.startswith("status 3: xxx")
    assert len(problem) < 400
    assert time.monotonic() - began < 20
    assert not place.root.exists()
