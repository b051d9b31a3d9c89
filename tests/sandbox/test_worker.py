from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest

from signoff.app.sandbox import worker
from signoff.app.sandbox.worker import (
    WorkerStopped,
    judge_arguments_in_worker,
    judge_in_worker,
    run_limited,
)
from signoff.app.sandbox.worker_side import WorkerLimits
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.approved import approved

PROSE = approved("schemas")

ROOT = Path(__file__).parents[2]
SMALL = WorkerLimits(wall_seconds=0.4)
REDOS: dict[str, Any] = {"pattern": "^(a+)+$"}
EVIL = "a" * 60 + "!"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the limits are POSIX")


@pytest.fixture(autouse=True)
def _no_worker_stays() -> Iterator[None]:
    yield
    worker.shut_down()


def spin() -> None:
    while True:
        pass


def eat(size: int) -> int:
    return len(bytearray(size))


def fail(words: str) -> None:
    raise LookupError(words)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def shout() -> str:
    print("on stdout", flush=True)
    os.write(1, b"on the descriptor")
    os.write(2, b"on stderr")
    return "answered"


def unpicklable() -> Any:
    return lambda: None


def interrupt_myself() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "still here"


def session_and_path() -> tuple[bool, bool]:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    return os.getsid(0) == os.getpid(), os.getcwd() in sys.path


def alive(pid: int) -> bool:
    """A zombie counts as dead: it runs nothing."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def wait_until_dead(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


async def test_the_result_comes_back() -> None:
    assert await run_limited(divmod, 7, 2) == (3, 1)


async def test_a_worker_is_used_again() -> None:
    assert await run_limited(os.getpid) == await run_limited(os.getpid) != os.getpid()


async def test_what_the_function_raises_comes_back() -> None:
    with pytest.raises(LookupError, match="words"):
        await run_limited(fail, "words")


async def test_a_result_that_cannot_travel_is_an_error() -> None:
    with pytest.raises(Exception, match="pickle"):
        await run_limited(unpicklable)
    assert await run_limited(divmod, 7, 2) == (3, 1)


async def test_what_a_function_prints_does_not_disturb_the_answer() -> None:
    assert await run_limited(shout) == "answered"


async def test_the_worker_ignores_ctrl_c() -> None:
    assert await run_limited(interrupt_myself) == "still here"


async def test_the_worker_has_its_own_session_and_not_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "pickle", "runpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    assert await run_limited(session_and_path) == (True, False)


async def test_too_much_time_kills_the_worker() -> None:
    pid = await run_limited(os.getpid)
    with pytest.raises(WorkerStopped) as stopped:
        await run_limited(spin, limits=SMALL)
    assert stopped.value.reason == "took longer than 0.4 s"
    assert wait_until_dead(pid, 2)
    assert await run_limited(os.getpid) != pid


@pytest.mark.slow
async def test_processor_time_counts_from_the_start_of_each_run() -> None:
    limits = WorkerLimits(wall_seconds=20, cpu_seconds=0.5)
    pid = await run_limited(os.getpid)
    for _ in range(4):
        assert await run_limited(_burn, 0.4, limits=limits) == pid
    with pytest.raises(WorkerStopped) as stopped:
        await run_limited(spin, limits=limits)
    PROSE.holds("worker: too much processor time", stopped.value.reason)


def _burn(seconds: float) -> int:
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass
    return os.getpid()


async def test_too_much_memory_is_refused() -> None:
    with pytest.raises(WorkerStopped) as stopped:
        await run_limited(eat, 600 * 2**20)
    assert stopped.value.reason == "needed more than 512 MB"
    assert await run_limited(eat, 100) == 100


async def test_a_crash_is_told() -> None:
    with pytest.raises(WorkerStopped) as stopped:
        await run_limited(crash)
    assert "ended unexpectedly" in stopped.value.reason


async def test_a_worker_that_died_while_idle_is_replaced() -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    pid = await run_limited(os.getpid)
    os.kill(pid, signal.SIGKILL)
    assert wait_until_dead(pid, 2)
    assert await run_limited(os.getpid) != pid


async def test_cancelling_kills_the_worker() -> None:
    pid = await run_limited(os.getpid)
    with anyio.move_on_after(0.2) as scope:
        await run_limited(spin)
    assert scope.cancelled_caught
    assert wait_until_dead(pid, 2)


async def test_two_run_at_once_and_the_third_waits() -> None:
    pids: list[int] = []

    async def one() -> None:
        pids.append(await run_limited(_burn, 0.1))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(one)
    assert len(pids) == 5
    assert len(set(pids)) == 2


async def test_the_loop_stays_free_while_a_worker_is_busy() -> None:
    beats = 0
    async with anyio.create_task_group() as group:

        async def beat() -> None:
            nonlocal beats
            while True:
                await anyio.sleep(0.01)
                beats += 1

        group.start_soon(beat)
        with contextlib.suppress(WorkerStopped):
            await run_limited(judge, REDOS, EVIL, limits=SMALL)
        group.cancel_scope.cancel()
    assert beats >= 10


async def test_data_nested_too_deeply_is_told() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    verdict = await judge_in_worker({"type": "array"}, deep)
    assert verdict.answer is SchemaAnswer.NOT_VALIDATED
    assert "too deeply" in verdict.reason
    while deep:
        deep = deep[0]


@pytest.mark.parametrize(
    ("schema", "value", "answer"),
    [
        ({"type": "integer"}, 1, SchemaAnswer.VALID),
        ({"type": "integer"}, "1", SchemaAnswer.INVALID),
        ({"$schema": "urn:unknown"}, 1, SchemaAnswer.NOT_VALIDATED),
        (None, 1, SchemaAnswer.NO_SCHEMA),
    ],
)
async def test_verdicts(schema: Any, value: Any, answer: SchemaAnswer) -> None:
    assert (await judge_in_worker(schema, value)).answer is answer


async def test_a_value_of_the_greatest_depth_is_validated_under_a_recursive_schema() -> None:
    schema: Any = {"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "integer"}]}
    value: Any = 1
    for _ in range(99):
        value = [value]
    assert (await judge_in_worker(schema, value)).answer is SchemaAnswer.VALID


async def test_a_hostile_pattern_and_a_flood_of_references_are_not_validated() -> None:
    flood = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    schema: dict[str, Any] = {"$ref": "#/$defs/d0", "$defs": {**flood, "d30": {}}}
    start = time.monotonic()
    for hostile in (REDOS, schema):
        with pytest.raises(WorkerStopped, match="took longer"):
            await run_limited(judge, hostile, EVIL, limits=SMALL)
    assert time.monotonic() - start < 40


@pytest.mark.slow
async def test_a_hostile_pattern_ends_under_the_default_limits() -> None:
    verdict = await judge_in_worker(REDOS, EVIL)
    assert verdict.answer is SchemaAnswer.NOT_VALIDATED
    assert "processor time" in verdict.reason or "took longer" in verdict.reason


async def test_a_remote_reference_is_not_fetched() -> None:
    asked: list[str] = []

    class Trap(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = HTTPServer(("127.0.0.1", 0), Trap)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/schema.json"
        for schema in ({"$ref": url}, {"$id": url, "$ref": "other.json"}, {"$dynamicRef": url}):
            verdict = await judge_in_worker(dict(schema), 1)
            assert verdict.answer is SchemaAnswer.NOT_VALIDATED
            PROSE.holds("worker: a reference", verdict.reason.partition("; ")[2])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert asked == []


async def test_a_warm_worker_answers_at_once() -> None:
    await worker.warm_up()
    with anyio.fail_after(20):
        assert (await judge_in_worker({"type": "null"}, None)).answer is SchemaAnswer.VALID


SCRIPT = """
import os, sys, anyio
sys.path.insert(0, sys.argv[1])
from signoff.app.sandbox.worker import run_limited
from signoff.app.sandbox.worker_side import WorkerLimits
from tests.sandbox.test_worker import spin

async def main():
    print(await run_limited(os.getpid), flush=True)
    if sys.argv[2] == "busy":
        await run_limited(spin, limits=WorkerLimits(wall_seconds=20, cpu_seconds=1))
    elif sys.argv[2] == "idle":
        await anyio.sleep(30)

anyio.run(main)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("state", ["busy", "idle", "ended"])
def test_no_worker_survives_its_parent(state: str, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(SCRIPT)
    with subprocess.Popen(
        [sys.executable, str(script), str(ROOT), state], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        if state == "ended":
            assert parent.wait(20) == 0
        else:
            assert alive(pid)
            if state == "busy":
                _wait_until_busy(pid)
            parent.kill()
    assert wait_until_dead(pid, 6)


def _wait_until_busy(pid: int) -> None:
    def ticks() -> int:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])

    start = ticks()
    deadline = time.monotonic() + 10
    while ticks() - start < 40:
        assert time.monotonic() < deadline
        time.sleep(0.02)


async def test_what_a_plain_schema_allows_needs_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def refuse(how: object, schema: object, value: object) -> object:
        asked.append(value)
        raise WorkerStopped("no worker")

    monkeypatch.setattr(worker, "run_limited", refuse)
    schema: Any = {"type": "object", "properties": {"text": {"type": "string"}}}
    assert (await judge_in_worker(schema, {"text": "a"})).answer is SchemaAnswer.VALID
    assert (await judge_arguments_in_worker(schema, {"text": "a"})).answer is SchemaAnswer.VALID
    assert not asked
    assert (await judge_in_worker(schema, {"text": 1})).answer is SchemaAnswer.NOT_VALIDATED
    odd: Any = {"type": "string", "pattern": "^a"}
    assert (await judge_arguments_in_worker(odd, "a")).answer is SchemaAnswer.NOT_VALIDATED
    assert len(asked) == 2
