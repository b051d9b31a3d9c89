"""`--capture` and `signoff replay`: a session is written down, and served again."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from signoff.app.protocol.wire.capture import Capture
from signoff.app.protocol.wire.reading import read
from signoff.app.transport.capture_file import CaptureFile
from signoff.app.transport.events import Ended, Listing
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.cli.running import run
from tests.servers import raw
from tests.transport.linked import Heard, Made

PROSE = approved("cli-wire")

pytestmark = pytest.mark.timeout(120)
REPLAY = (sys.executable, "-m", "signoff.app", "replay")


async def session(argv: list[str], calls: list[tuple[str, object]], capture: Path | None) -> Heard:
    """One link from its greeting to its end; what came for each call is in `heard.replies`."""
    link = StdioLink(argv)
    if capture is not None:
        link.wire.sink = CaptureFile(capture)
    link.begin()
    heard = Heard(link)
    link.attach(heard)
    heard.made = []  # type: ignore[attr-defined]
    try:
        await heard.one(Listing)
        for name, arguments in calls:
            made = Made()
            reply = await made.make(link, name, arguments)  # type: ignore[arg-type]
            progress = [{**one, "progressToken": 0} for one in made.progress]
            heard.made.append((reply, progress))  # type: ignore[attr-defined]
    finally:
        await link.close()
        link.wire.close()
    return heard


@pytest.mark.slow
def test_a_session_of_the_demo_is_served_again_as_it_was(tmp_path: Path) -> None:
    capture = tmp_path / "session.jsonl"
    given = ("calculate_sum", "-a", "a=2", "-a", "b=3", "--json")
    first = run(tmp_path, "call", *given, "demo", "--capture", str(capture))
    assert (first.status, capture.stat().st_mode & 0o777) == (0, 0o600)
    again = run(tmp_path, "call", *given, "--approve", "always", "--", *REPLAY, str(capture))
    assert again.status == 0, again.stderr
    assert again.report["result"] == first.report["result"]
    listed = run(tmp_path, "tools", "demo", "--json").report["tools"]
    replayed = run(tmp_path, "tools", "--json", "--", *REPLAY, str(capture)).report["tools"]
    assert [one["definition"] for one in replayed] == [one["definition"] for one in listed]
    other = run(
        *(tmp_path, "call", "calculate_sum", "-a", "a=2", "-a", "b=9", "--json"),
        *("--approve", "always", "--", *REPLAY, str(capture)),
    )
    PROSE.holds("replay: other params", other.report["reason"])
    assert other.status == 1


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_answers_come_in_their_order_with_their_progress(era: str, tmp_path: Path) -> None:
    capture = tmp_path / "session.jsonl"
    calls: list[tuple[str, object]] = [
        ("echo", {"text": "one"}),
        ("slow", {"steps": 3, "seconds": 0.1}),
        ("error", {}),
        ("echo", {"text": "two"}),
        ("is_error", {}),
        ("echo", {"text": "one"}),
    ]
    server = raw("--with", "all", "--era", era)
    was = await session(server, calls, capture)
    now = await session([*REPLAY, str(capture)], calls, None)
    assert now.made == was.made  # type: ignore[attr-defined]
    assert now.made[1][1]  # type: ignore[attr-defined]
    assert now.of(Listing)[0].entries == was.of(Listing)[0].entries
    frames = Capture(capture.read_bytes()).frames()
    assert [one.number for one in frames] == list(range(1, len(frames) + 1))
    assert "tools/call" in [read(one).method for one in frames]


async def test_a_server_that_died_dies_again(tmp_path: Path) -> None:
    capture = tmp_path / "session.jsonl"
    was = await session(raw("--with", "all"), [("crash", {})], capture)
    now = await session([*REPLAY, str(capture)], [("crash", {})], None)
    assert (was.made[0][0].lost, now.made[0][0].lost) == (True, True)  # type: ignore[attr-defined]
    assert [one.code for one in now.of(Ended)] == [one.code for one in was.of(Ended)]


def test_a_capture_that_cannot_be_written_begun_or_read(tmp_path: Path) -> None:
    given = ("call", "calculate_sum", "-a", "a=2", "-a", "b=3", "demo", "--json")
    # A full disk stops no call.
    ended = run(tmp_path, *given, "--capture", "/dev/full")
    assert ended.status == 0
    PROSE.holds("capture: a full disk", ended.stderr)
    assert ended.report["result"]["content"] == [{"type": "text", "text": "5"}]
    none = run(tmp_path, "tools", "demo", "--capture", str(tmp_path / "no" / "file"))
    assert (none.status, "--capture" in none.stderr) == (2, True)
    other = tmp_path / "other.jsonl"
    for text in ("hello\n", json.dumps({"n": 1}) + "\n", "[" * 100_000 + "\n", ""):
        other.write_text(text, encoding="utf-8")
        ended = run(tmp_path, "replay", str(other))
        assert (ended.status, ended.stdout) == (2, ""), text[:20]
        assert "signoff: " in ended.stderr


SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


async def test_a_call_with_masked_values_is_an_error_with_the_reason(tmp_path: Path) -> None:
    """What `signoff wire --json` saves has no secrets: the other calls are replayed."""
    capture, saved = tmp_path / "whole.jsonl", tmp_path / "saved.jsonl"
    calls: list[tuple[str, object]] = [("echo", {"text": "a"}), ("echo", {"text": SECRET})]
    await session(raw("--with", "all"), calls, capture)
    listed = await asyncio.to_thread(run, tmp_path, "wire", str(capture), "--json")
    saved.write_text(listed.stdout, encoding="utf-8")
    assert SECRET in capture.read_text("utf-8")
    assert SECRET not in saved.read_text("utf-8")
    heard = await session([*REPLAY, str(saved)], calls, None)
    (first, _), (second, _) = heard.made  # type: ignore[attr-defined]
    assert "masked" not in str(first)
    assert "masked values" in str(second)
    whole = await session([*REPLAY, str(capture)], calls, None)
    assert SECRET in str(whole.made[1])  # type: ignore[attr-defined]
