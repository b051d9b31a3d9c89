from __future__ import annotations

import pytest

from signoff.app.tui.answers.exporting import look_at
from tests.approved import approved


@pytest.mark.parametrize(
    "head",
    [
        b"\x7fELF\x02",
        b"MZ\x90",
        b"\xcf\xfa\xed\xfe",
        b"#!/bin/sh",
        b"[Desktop Entry]\nExec=x",
        b"L\x00\x00\x00\x01\x14\x02\x00",
        b"<html>",
        b"<svg onload='x'>",
        b"<?xml version='1.0'?><html xmlns='x'>",
        b"%!PS",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"\xca\xfe\xba\xbe",
        b"SQLite format 3\x00",
        b"\x00\x01\x02\x03",
    ],
)
@pytest.mark.parametrize("claimed", ["", "image/png", "text/plain"])
def test_what_may_run_or_is_not_known_is_refused(head: bytes, claimed: str) -> None:
    assert look_at(head, claimed).refusal


def test_pictures_and_sounds_are_asked_about() -> None:
    found = look_at(b"\x89PNG\r\n\x1a\n", "image/png")
    assert (found.found, found.suffix) == ("image/png", ".png")
    assert not found.refusal
    assert not found.warning
    assert not found.disagreement


def test_the_bytes_decide_and_the_claim_is_told() -> None:
    found = look_at(b"\x89PNG\r\n\x1a\n", "application/x-sh")
    assert found.suffix == ".png"
    approved("tui-saving").holds("open: another type than claimed", found.disagreement)


def test_what_is_risky_takes_a_second_look() -> None:
    assert "scripts" in look_at(b"%PDF-1.7", "application/pdf").warning


@pytest.mark.parametrize("claimed", ["text/html", "application/x-sh", "text/csv", "", "text/x-py"])
def test_text_is_opened_as_plain_text_whatever_it_claims(claimed: str) -> None:
    found = look_at(b"import os", claimed)
    assert (found.found, found.suffix, found.refusal) == ("text/plain", ".txt", "")
