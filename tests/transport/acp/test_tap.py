"""The tap: bytes pass unchanged both ways, each line is kept before it is passed on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.app.transport.acp.agent import McpServer
from signoff.app.transport.acp.tapped import Tap, Tapped

ECHO = (
    "import sys\n"
    "while data := sys.stdin.buffer.readline():\n"
    "    sys.stdout.buffer.write(data[::-1].strip() + b'\\n'); sys.stdout.flush()\n"
)


def start(server: McpServer, **given: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [server.command, *server.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **dict(server.env)},
    )


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def by(passed: list[Tapped], sender: str) -> list[Tapped]:
    return [one for one in passed if one.sender == sender]


def test_bytes_pass_unchanged_and_every_line_is_kept() -> None:
    sent = b'{"a": 1}\n\xff\x00 odd\n\n  {"b":\t2}  \n' + b"x" * 300_000 + b"\nno end"
    with Tap() as tap:
        process = start(
            tap.server(
                "s",
                python(
                    "import sys, shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"
                ),
            )
        )
        out, _ = process.communicate(sent, timeout=60)
        passed = list(tap.passed())
        assert out == sent
        assert process.returncode == 0
        for sender in ("agent", "server"):
            one = by(passed, sender)
            assert one[0].message == {"a": 1}
            assert one[1].message is None
            assert one[2].message == {"b": 2}
            assert len(one[3].text) == 300_000
            assert one[4].text == "no end"
        assert [one.text.split()[0] for one in by(passed, "tap")] == ["started", "ended"]
        assert list(tap.passed()) == []


def test_a_line_is_kept_before_the_server_answers_it() -> None:
    with Tap() as tap:
        process = start(tap.server("s", python(ECHO)))
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'"ab"\n')
        process.stdin.flush()
        process.stdout.readline()
        passed = list(tap.passed())
        assert [one.message for one in by(passed, "agent")] == ["ab"]
        assert [one.message for one in by(passed, "server")] == ["ba"]
        process.communicate(timeout=60)


def test_two_starts_have_files_of_their_own() -> None:
    with Tap() as tap:
        server = tap.server("s", python(ECHO))
        for _ in range(2):
            start(server).communicate(b"1\n", timeout=60)
        passed = by(list(tap.passed()), "agent")
        assert [one.message for one in passed] == [1, 1]
        assert len({one.process for one in passed}) == 2


def test_a_long_line_passes_and_only_its_size_is_kept() -> None:
    with Tap() as tap:
        process = start(
            tap.server(
                "s",
                python(
                    "import sys\n"
                    "print(sum(map(len, iter(lambda: sys.stdin.buffer.read(9999), b''))))"
                ),
            )
        )
        out, _ = process.communicate(b"y" * 17_000_000 + b"\n", timeout=60)
        assert out.strip() == b"17000001"
        assert "overlong > 17000000" in [one.text for one in tap.passed()]


def test_a_server_that_ends_first_ends_the_tap_with_its_status() -> None:
    with Tap() as tap:
        process = start(tap.server("s", python("raise SystemExit(7)")))
        assert process.wait(60) == 7
        process.communicate()


def test_a_server_that_cannot_start_is_told() -> None:
    with Tap() as tap:
        process = start(tap.server("s", ["/no/such"]))
        assert process.wait(60) == 127
        process.communicate()
        assert [one.text.split()[0] for one in tap.passed()] == ["failed"]


def test_the_environment_and_the_folder_are_those_of_the_server(tmp_path: Path) -> None:
    with Tap() as tap:
        code = "import os; print(os.getcwd(), os.environ['SECRET'])"
        process = start(tap.server("s", python(code), {"SECRET": "x"}, str(tmp_path)))
        out, _ = process.communicate(timeout=60)
        assert out.split() == [str(tmp_path).encode(), b"x"]


def test_a_signal_is_passed_to_the_server() -> None:
    if sys.platform == "win32":
        pytest.skip("no such signals")
    with Tap() as tap:
        code = "import time, sys; print('up', flush=True); time.sleep(600)"
        process = start(tap.server("s", python(code)))
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
        process.communicate()


def test_the_folder_is_private_and_removed() -> None:
    with Tap() as tap:
        folder = Path(tap.server("s", ["x"]).args[3])
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()
