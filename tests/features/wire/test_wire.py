"""`signoff wire`: a captured session read without a server and without a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.protocol.wire.capture import Capture
from signoff.app.protocol.wire.reading import read
from tests.approved import approved
from tests.cli.running import Ended, run

PROSE = approved("cli-wire")

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wire")
    file = folder / "session.jsonl"
    given = ("calculate_sum", "demo", "-a", "a=2", "-a", "b=3", "--json")
    assert run(folder, "call", *given, "--capture", str(file)).status == 0
    return file


def wire(capture: Path, *words: str) -> Ended:
    return run(capture.parent, "wire", str(capture), *words)


def test_each_message_is_a_line_and_the_filter_is_that_of_the_screen(capture: Path) -> None:
    everything = wire(capture)
    assert everything.status == 0, everything.stderr
    assert len(everything.stdout.splitlines()) == len(Capture(capture.read_bytes()))
    asked, answered = wire(capture, "method:tools/call").stdout.splitlines()
    assert "→   request" in asked
    assert all("tools/call calculate_sum" in line for line in (asked, answered))
    assert "call 1)" in asked
    assert "←   response" in answered
    assert wire(capture, "call:1", "from:client").stdout.splitlines() == [asked]


def test_nothing_found_and_nothing_meant_are_said(capture: Path) -> None:
    nothing = wire(capture, "words that nobody wrote")
    assert (nothing.status, nothing.stdout) == (0, "")
    PROSE.holds("wire: nothing found", nothing.stderr)
    odd = wire(capture, "call:x")
    assert (odd.status, odd.stdout) == (2, "")
    PROSE.holds("wire: a filter without a number", odd.stderr)
    missing = run(capture.parent, "wire", "nowhere.jsonl")
    assert (missing.status, missing.stdout) == (2, "")
    assert "no such file" in missing.stderr
    both = wire(capture, "--json", "--plain")
    assert both.status == 2


def test_json_is_a_capture_again_and_words_may_come_after_options(
    capture: Path, tmp_path: Path
) -> None:
    lines = wire(capture, "--json", "call:1").stdout
    assert lines == wire(capture, "call:1", "--json").stdout
    frames = Capture(lines.encode()).frames()
    assert [read(one).kind.value for one in frames] == ["request", "response"]
    assert json.loads(frames[1].raw)["result"]["content"] == [{"type": "text", "text": "5"}]
    (tmp_path / "part.jsonl").write_text(lines, encoding="utf-8")
    first, second = run(tmp_path, "wire", "part.jsonl").stdout.splitlines()
    assert (first.split()[0], second.split()[0]) == ("1", "2")
    assert "tools/call calculate_sum" in second


def test_a_page_is_written_whole_or_not_at_all(capture: Path, tmp_path: Path) -> None:
    page = tmp_path / "wire.html"
    done = wire(capture, "--html", str(page), "method:tools/call")
    assert done.status == 0
    PROSE.holds("wire: a page written", done.stdout, PAGE=page)
    text = page.read_text(encoding="utf-8")
    assert "calculate_sum" in text
    assert "<script" not in text
    refused = wire(capture, "--html", str(tmp_path))
    assert refused.status == 2
    PROSE.holds("wire: a folder in the way", refused.stderr, FOLDER=tmp_path)
