"""The installed `signoff proxy` between a real client and a real server, whoever dies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.servers import raw

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]
PROXY = [sys.executable, "-m", "signoff.app", "proxy"]
SECONDS = 60.0
KILLED = 128 + 9
"""The exit status after SIGKILL, which Windows does not have."""
STAGES = ("before a list", "with a held call", "with a call on its way")


class HostStage:
    """A host: writes lines, reads answers, and knows the processes of its proxy."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.received = folder / "received"
        self.state = folder / "state"
        env = {**os.environ, "XDG_STATE_HOME": str(self.state), "HOME": str(folder)}
        words = [*PROXY, *options, "--", *raw("--received", str(self.received))]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
        )
        self.family: list[psutil.Process] = []

    def write(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, identity: int) -> dict[str, Any]:
        """The response to a request; other messages are left out."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == identity and "method" not in message:
                return message
        raise AssertionError(f"no response to {identity}")

    def begin(self, stage: str) -> None:
        """Come to a stage; its processes are known then."""
        info = {"name": "test-host", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        self.write(id=0, method="initialize", params=params)
        self.answer(0)
        self.write(method="notifications/initialized")
        if stage != STAGES[0]:
            self.write(id=1, method="tools/list")
            self.answer(1)
        if stage == STAGES[1]:
            self.call(2, "delete_thing")
            self.until(lambda: "asked" in self.logged())
        elif stage == STAGES[2]:
            self.call(2, "slow", seconds=30, steps=1)
            self.until(lambda: "slow" in self.got())
        own = psutil.Process(self.process.pid)
        self.family = [own, *own.children(recursive=True)]

    def call(self, identity: int, name: str, **arguments: Any) -> None:
        params = {"name": name, "arguments": arguments}
        self.write(id=identity, method="tools/call", params=params)

    def got(self) -> str:
        """The lines that the server has received."""
        return self.received.read_text() if self.received.exists() else ""

    def logged(self) -> list[str]:
        """The events of the audit log."""
        log = self.state / "signoff" / "audit.jsonl"
        lines = log.read_text().splitlines() if log.exists() else []
        return [json.loads(line)["event"] for line in lines]

    @staticmethod
    def until(is_so: Any) -> None:
        end = time.monotonic() + SECONDS
        while not is_so():
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.05)

    def all_end(self) -> None:
        """Wait until nothing of it runs any more."""
        _, alive = psutil.wait_procs(self.family, timeout=SECONDS)
        assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]

    def close(self) -> None:
        for one in (self.process.stdin, self.process.stdout, self.process.stderr):
            if one is not None:
                one.close()
        for process in self.family:
            if process.is_running():
                process.kill()
        self.process.wait(SECONDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def hosted(folder: Path, *options: str) -> Iterator[HostStage]:
    stage = HostStage(folder, *options)
    try:
        yield stage
    finally:
        stage.close()


def options_of(stage: str) -> tuple[str, ...]:
    return ("--policy", "cautious") if stage != STAGES[2] else ()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_proxy_leaves_no_server(folder: Path, stage: str) -> None:
    for host in hosted(folder, *options_of(stage)):
        host.begin(stage)
        host.process.kill()
        host.all_end()
        assert "delete_thing" not in host.got()


@pytest.mark.parametrize("stage", STAGES)
def test_a_host_that_is_gone_leaves_nothing(folder: Path, stage: str) -> None:
    for host in hosted(folder, *options_of(stage)):
        host.begin(stage)
        assert host.process.stdin is not None
        assert host.process.stdout is not None
        host.process.stdin.close()
        host.process.stdout.close()
        host.all_end()
        assert "delete_thing" not in host.got()
        proxies = host.state / "signoff" / "proxies"
        assert not list(proxies.glob("*"))


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_server_ends_the_proxy_with_its_status(folder: Path, stage: str) -> None:
    for host in hosted(folder, *options_of(stage)):
        host.begin(stage)
        server = next(one for one in host.family if str(host.received) in one.cmdline()[-1])
        if server.pid == host.process.pid:
            server = host.family[1]
        server.kill()
        if stage == STAGES[1]:
            words = host.answer(2)["result"]["content"][0]["text"]
            assert "killed by SIGKILL" in words
            assert "The server got nothing" in words
        assert host.process.wait(SECONDS) == KILLED
        assert "delete_thing" not in host.got()


def test_a_session_is_recorded_and_captured_and_both_are_used_again(folder: Path) -> None:
    flow, capture = folder / "agent.flow.yaml", folder / "session.jsonl"
    for host in hosted(folder, "--record", str(flow), "--capture", str(capture)):
        host.begin(STAGES[0])
        host.write(id=1, method="tools/list")
        host.answer(1)
        host.call(2, "echo", text="a")
        host.answer(2)
        assert host.process.stdin is not None
        host.process.stdin.close()
        assert host.process.wait(SECONDS) == 0
    signoff = [sys.executable, "-m", "signoff.app"]
    tested = subprocess.run(
        [*signoff, "test", str(flow)], capture_output=True, text=True, timeout=2 * SECONDS
    )
    assert tested.returncode == 0, tested.stdout + tested.stderr
    replay = ["--", *signoff, "replay", str(capture)]
    again = subprocess.run(
        [*signoff, "tools", *replay],
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
    )
    assert again.returncode == 0, again.stdout + again.stderr
    assert "delete_thing" in again.stdout


def test_the_baseline_of_what_a_host_got_is_that_of_its_server(folder: Path) -> None:
    baseline = folder / "agent.baseline"
    for _ in range(2):
        for host in hosted(folder, "--write-baseline", str(baseline)):
            host.begin("listed")
            host.call(2, "echo", text="a")
            host.answer(2)
            assert host.process.stdin is not None
            host.process.stdin.close()
            assert host.process.wait(SECONDS) == 0
    again = folder / "agent-2.baseline"
    assert again.read_bytes() == baseline.read_bytes()
    signoff = [sys.executable, "-m", "signoff.app", "decide", "--baseline", str(baseline)]
    compared = subprocess.run(
        [*signoff, "--json", "--", *raw("--received", str(folder / "more"))],
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
    )
    assert compared.returncode == 0, compared.stdout + compared.stderr
    report = json.loads(compared.stdout)
    assert report["baseline"] == str(baseline)
    assert report["difference"]["counts"] == dict.fromkeys(report["difference"]["counts"], 0)
    assert not report["difference"]["only_in_baseline"]


def test_a_host_that_ends_with_its_answer_leaves_the_outcome_in_the_log(folder: Path) -> None:
    for host in hosted(folder):
        host.begin("with a list")
        host.call(2, "delete_thing")
        assert "result" in host.answer(2)
        assert host.process.stdin is not None
        assert host.process.stdout is not None
        host.process.stdin.close()
        host.process.stdout.close()
        host.process.wait(SECONDS)
        log = (host.state / "signoff" / "audit.jsonl").read_text("utf-8").splitlines()
        outcomes = [one["outcome"] for one in map(json.loads, log) if "outcome" in one]
        assert outcomes == ["ok"]
