"""`signoff experimental digest`: the digests of a record in a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run

RECORD = {"flagged_step": 2, "sequence": ["search", "open_document", "send_email"], "window": 3}
DIGEST = "sha256:0503307fcfdc6dd705dfe161a8442a31f167a0396ddeeac68883dad72f1944b7"
"""Case B2 of the draft's examples."""


def test_both_digests_are_printed_and_the_expected_one_is_marked(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text(json.dumps(RECORD), encoding="utf-8")
    command = ("experimental", "digest", "record.json")
    plain = run(tmp_path, *command)
    assert plain.status == 0
    assert f"jcs/rfc8785   {DIGEST}\n" in plain.stdout
    marked = run(tmp_path, *command, "--expect", DIGEST)
    assert (marked.status, f"{DIGEST}   matched" in marked.stdout) == (0, True)
    report = run(tmp_path, *command, "--expect", DIGEST, "--json").report
    assert report["matched"] == "jcs/rfc8785"
    assert report["digests"]["cbor/rfc8949"].startswith("sha256:")


def test_another_digest_ends_with_4(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text("{}", encoding="utf-8")
    ended = run(tmp_path, "experimental", "digest", "record.json", "--expect", DIGEST)
    assert ended.status == 4
    assert "No canonicalization" in ended.stdout


def test_a_form_without_a_digest_has_its_reason(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text("[1.0]", encoding="utf-8")
    ended = run(tmp_path, "experimental", "digest", "record.json")
    assert ended.status == 0
    assert "cbor/rfc8949   cannot be derived" in ended.stdout


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        ("x", (), "not JSON"),
        (None, (), "record.json"),
        ("{}", ("--expect", "abc"), "64 hexadecimal digits"),
    ],
)
def test_what_cannot_be_used_ends_with_2(
    tmp_path: Path, text: str | None, more: tuple[str, ...], words: str
) -> None:
    if text is not None:
        (tmp_path / "record.json").write_text(text, encoding="utf-8")
    ended = run(tmp_path, "experimental", "digest", "record.json", *more)
    assert ended.status == 2
    assert words in ended.stderr
