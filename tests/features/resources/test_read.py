"""`signoff read`, and what `signoff call` prints of links and resources."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import library

PROSE = approved("cli-call")

NOTE = "library://notes/1"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record"


def signoff(folder: Path, *words: str) -> Ended:
    server = [sys.executable, "-S", library.__file__, str(folder / "record")]
    return run(folder, *words, "--no-audit", "--no-memory", "--", *server)


def reads(record: Path) -> list[str]:
    if not record.exists():
        return []
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return [line["params"]["uri"] for line in lines if line["method"] == "resources/read"]


def test_it_reads_once_what_was_approved(tmp_path: Path, record: Path) -> None:
    ended = signoff(tmp_path, "read", NOTE, "--approve", "always")
    assert ended.status == 0
    assert f"reads    {NOTE}   resources/read" in ended.stdout
    assert "  ┃ read" in ended.stdout
    assert reads(record) == [NOTE]
    report = signoff(tmp_path, "read", NOTE, "--approve", "always", "--json").report
    assert (report["method"], report["arguments"]) == ("resources/read", {"uri": NOTE})
    assert report["result"]["contents"][0]["text"] == "read"
    ended = signoff(tmp_path, "read", "library://nothing", "--approve", "always")
    assert ended.status == 1
    PROSE.holds("read: no such resource", ended.stdout.splitlines()[-1])


@pytest.mark.parametrize("approve", ["never", "policy", "ask"])
def test_what_nobody_approves_is_not_read(tmp_path: Path, record: Path, approve: str) -> None:
    ended = signoff(tmp_path, "read", NOTE, "--approve", approve)
    assert ended.status == 3
    assert "nothing was sent" in ended.stdout
    assert reads(record) == []


def test_links_are_printed_with_all_that_is_said_of_them(tmp_path: Path, record: Path) -> None:
    ended = signoff(tmp_path, "call", "links", "--approve", "always")
    assert ended.status == 0
    for words in (
        "uri     library://notes/1\n",
        "name    note\n",
        "title   The first note\n",
        "type    text/plain\n",
        "size    4.4 MB (4,404,019 bytes)\n",
        "host    xn--pple-43d.com\n",
        "▲ Punycode: xn--pple-43d is drawn as “аpple” by browsers\n",
        "size    an impossible size: -1\n",
        "uri     library://odd/<U+202E><U+200B>?q=%zz#ä\n",
        "annotated for the user · priority 0.5\n",
    ):
        assert words in ended.stdout, words
    assert reads(record) == []
