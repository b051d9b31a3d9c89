"""The tap: each line is kept before it is passed on; of the agent only what is one message."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.app.features.agent.tapped import CHANGED, Tap, Tapped
from signoff.app.transport.acp import McpServer
from signoff.app.transport.tap import FILES_MOST

HEAD = b'{"a": 1}\n\xff\x00 odd\n\n  {"b":\t2}  \n'
ECHO = (
    "import sys\n"
    "while data := sys.stdin.buffer.readline():\n"
    "    sys.stdout.buffer.write(data[::-1].strip() + b'\\n'); sys.stdout.flush()\n"
)


def start(server: McpServer) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [server.command, *server.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **dict(server.env)},
    )


def exchange(process: subprocess.Popen[bytes], line: bytes) -> bytes:
    """Write a line, and read one."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return process.stdout.readline()


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def by(passed: list[Tapped], sender: str) -> list[Tapped]:
    return [one for one in passed if one.sender == sender]


def test_the_servers_bytes_pass_unchanged_and_every_line_is_kept() -> None:
    sent = HEAD + b"x" * 300_000 + b"\nno end"
    with Tap() as tap:
        code = f"import sys\nsys.stdout.buffer.write({HEAD!r} + b'x' * 300_000 + b'\\nno end')"
        process = start(tap.server("s", python(code)))
        out, _ = process.communicate(timeout=60)
        passed = list(tap.passed())
        assert out == sent
        assert process.returncode == 0
        one = by(passed, "server")
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
        exchange(process, b'{"ab": 1}\n')
        passed = list(tap.passed())
        assert [one.message for one in by(passed, "agent")] == [{"ab": 1}]
        assert [one.text for one in by(passed, "server")] == ['}1 :"ba"{']
        process.communicate(timeout=60)


CALL = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "a"}}'
REFUSED = {
    "not JSON": b"tools/call",
    "not an object": b'"tools/call"',
    "a batch": b"[" + CALL + b"]",
    "NaN": CALL.replace(b'"a"', b'"a", "n": NaN'),
    "infinite": CALL.replace(b'"a"', b'"a", "n": 1e999'),
    "a long number": CALL.replace(b'"a"', b'"a", "n": ' + b"9" * 5_000),
    "two messages with a carriage return": b"{}\r" + CALL,
    "two messages with NEL": b"{}\xc2\x85" + CALL,
    "behind a form feed": b"\x0c" + CALL,
    "behind a byte order mark": b"\xef\xbb\xbf" + CALL,
    "not UTF-8": CALL.replace(b'"a"', b'"\xff"'),
    "deep": CALL.replace(b'"a"', b'"a", "n": ' + b"[" * 150 + b"]" * 150),
    "very deep": CALL.replace(b'"a"', b'"a", "n": ' + b"[" * 90_000 + b"]" * 90_000),
    "a method twice": CALL.replace(b'"method"', b'"method": "ping", "method"'),
    "a name twice": CALL.replace(b'"a"', b'"a", "name": "b"'),
    "arguments twice": CALL.replace(b'"a"', b'"a", "arguments": {"x": {"y": 1, "y": 2}}'),
    "capital letters": CALL.replace(b'"method"', b'"Method"'),
    "capital letters of a parameter": CALL.replace(b'"name"', b'"name": "b", "NAME"'),
    "a method that is no string": CALL.replace(b'"tools/call"', b'["tools/call"]'),
    "too many values": CALL.replace(b'"a"', b'"a", "n": [' + b"0," * 1_000_000 + b"0]"),
}


def test_what_readers_could_take_for_other_messages_is_refused_and_noted() -> None:
    with Tap() as tap:
        process = start(tap.server("s", python(ECHO)))
        lines = [*REFUSED.values(), b'{"last": 1}']
        out, _ = process.communicate(b"\n".join(lines) + b"\n", timeout=120)
        passed = list(tap.passed())
        *errors, last = sorted(out.splitlines(), key=lambda line: line == b'}1 :"tsal"{')
        assert last == b'}1 :"tsal"{'
        assert len(errors) == len(REFUSED)
        assert {json.loads(one)["error"]["code"] for one in errors} == {-32700}
        assert [one.message for one in by(passed, "agent")] == [{"last": 1}]
        notes = [one.text for one in by(passed, "tap")]
        assert sum(one.startswith("refused ") for one in notes) == len(REFUSED)


def test_the_error_for_a_refused_message_has_its_id_and_stands_between_lines() -> None:
    server = "import sys, time\nprint('{', end='', flush=True)\nsys.stdin.readline()\nprint('}')"
    with Tap() as tap:
        process = start(tap.server("s", python(server)))
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.read(1) == b"{"
        out, _ = process.communicate(REFUSED["deep"] + b"\n" + CALL + b"\n", timeout=60)
        assert out.startswith(b"}")
        assert json.loads(out.splitlines()[1])["id"] == 7


def test_a_line_within_the_limits_passes_with_escapes_for_what_is_not_ascii() -> None:
    message = {"method": "tools/call", "params": {"name": "\u2028\x85\u00e9\U0001f600", "n": 2**60}}
    with Tap() as tap:
        code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
        process = start(tap.server("s", python(code)))
        sent = json.dumps(message, ensure_ascii=False).encode()
        out, _ = process.communicate(sent + b"\r\n", timeout=60)
        assert out.isascii()
        assert json.loads(out) == message
        assert [one.message for one in by(list(tap.passed()), "agent")] == [message]


@pytest.mark.parametrize("way", ["removed", "cut"])
def test_nothing_passes_once_the_copies_are_not_as_they_were_left(way: str) -> None:
    with Tap() as tap:
        server = tap.server("s", python(ECHO))
        process = start(server)
        exchange(process, b"{}\n")
        assert len(by(list(tap.passed()), "agent")) == 1
        for path in Path(server.args[3]).iterdir():
            path.unlink() if way == "removed" else path.write_bytes(b"")
        out, _ = process.communicate(CALL + b"\n", timeout=60)
        assert json.loads(out)["error"]["message"].endswith("could not be kept")
        assert [one.text for one in tap.passed()] == [CHANGED]
        assert list(tap.passed()) == []


def test_a_server_is_not_started_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with Tap() as tap:
        server = tap.server("s", python("raise SystemExit(0)"))
        folder = Path(server.args[3])
        for number in range(FILES_MOST):
            (folder / f"{number}.tap").touch()
        process = start(server)
        process.communicate(timeout=60)
        assert process.returncode == 127
        notes = [one.text for one in tap.passed()]
        assert len(notes) == 1
        assert notes[0].startswith("refused more than")


def test_two_starts_have_files_of_their_own() -> None:
    with Tap() as tap:
        server = tap.server("s", python(ECHO))
        for _ in range(2):
            start(server).communicate(b'{"a": 1}\n', timeout=60)
        passed = by(list(tap.passed()), "agent")
        assert [one.message for one in passed] == [{"a": 1}, {"a": 1}]
        assert len({one.process for one in passed}) == 2


def test_of_a_long_line_only_the_size_is_kept() -> None:
    with Tap() as tap:
        process = start(tap.server("s", python("print('y' * 17_000_000)")))
        out, _ = process.communicate(b"y" * 17_000_000 + b"\n", timeout=60)
        assert len([one for one in out.splitlines() if len(one) == 17_000_000]) == 1
        notes = [one.text[:28] for one in tap.passed()]
        assert "overlong < 17000000" in notes
        assert "refused a line of 17,000,000" in notes


@pytest.mark.parametrize(
    ("command", "status"), [(python("raise SystemExit(7)"), 7), (["/no/such"], 127)]
)
def test_a_server_that_ends_first_or_cannot_start_ends_the_tap_with_its_status(
    command: list[str], status: int
) -> None:
    with Tap() as tap:
        process = start(tap.server("s", command))
        assert process.wait(60) == status
        process.communicate()
        notes = [one.text.split()[0] for one in tap.passed()]
        assert notes == (["failed"] if status == 127 else ["started", "ended"])


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
