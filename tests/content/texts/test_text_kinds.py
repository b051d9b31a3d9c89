from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.texts.kinds import LOOK, Kind, kind_of

ROWS = "name,size,owner\n" + "".join(f"file{n},{n},me\n" for n in range(30))
PATCH = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("text/markdown", Kind.MARKDOWN),
        ("Text/Markdown; charset=utf-8", Kind.MARKDOWN),
        ("application/json", Kind.JSON),
        ("application/vnd.api+json; x=y", Kind.JSON),
        ("application/x-ndjson", Kind.JSON_LINES),
        ("application/yaml", Kind.YAML),
        ("image/svg+xml", Kind.XML),
        ("text/html", Kind.HTML),
        ("text/csv", Kind.CSV),
        ("text/tab-separated-values", Kind.TSV),
        ("text/x-patch", Kind.DIFF),
        ("text/x-python", Kind.CODE),
        ("text/x-log", Kind.LOG),
    ],
)
def test_the_claimed_type_comes_first(mime: str, kind: Kind) -> None:
    assert kind_of("anything", mime).kind is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Kind.PLAIN),
        ("Hello, world.\nHow are you?", Kind.PLAIN),
        ("42", Kind.PLAIN),
        ('"text"', Kind.PLAIN),
        ('{"a": [1]}', Kind.JSON),
        ("\ufeff[1, 2]", Kind.JSON),
        ("{not json}", Kind.PLAIN),
        ("[link] see below", Kind.PLAIN),
        ('{"a":1}\n{"a":2}\n', Kind.JSON_LINES),
        ('{"a":1}\n', Kind.JSON),
        ("[INFO] one\n[WARN] two\n", Kind.LOG),
        ("2026-01-01 10:00:00 a\n2026-01-01 10:00:01 b\n", Kind.LOG),
        ("<html><body>x</body></html>", Kind.HTML),
        ("<!DOCTYPE html>\n<p>x</p>", Kind.HTML),
        ('<?xml version="1.0"?>\n<a/>', Kind.XML),
        ("<a b='c'><d/></a>\n", Kind.XML),
        ("<3 you all", Kind.PLAIN),
        (PATCH, Kind.DIFF),
        ("Here is the patch:\n\n" + PATCH, Kind.DIFF),
        ("diff --git a/x b/x\nindex 1..2\n", Kind.DIFF),
        ("---\nname: x\nlist:\n  - a\n", Kind.YAML),
        ("name: x\nother: y\n", Kind.PLAIN),
        (ROWS, Kind.CSV),
        (ROWS.replace(",", "\t"), Kind.TSV),
        (ROWS.replace(",", ";"), Kind.CSV),
        ("One, two, three.\nFour, five, six.\nSeven, eight, nine.", Kind.PLAIN),
        ("# Title\n\nSome **bold** words.\n", Kind.MARKDOWN),
        ("#!/usr/bin/env python3\nprint(1)\n", Kind.CODE),
        ("#!/bin/sh\nls\n", Kind.CODE),
    ],
)
def test_a_cautious_look(text: str, kind: Kind) -> None:
    assert kind_of(text).kind is kind
    assert kind_of(text, "text/plain").kind is kind


def test_languages() -> None:
    assert kind_of("#!/bin/sh\n").language == "bash"
    assert kind_of("x", "application/javascript").words == "javascript"


def test_large_json_is_known_by_both_ends() -> None:
    value = json.dumps([{"id": n, "text": "x" * 50} for n in range(2_000)])
    assert len(value) > LOOK
    assert kind_of(value).kind is Kind.JSON
    assert kind_of(json.dumps(json.loads(value), indent=1)).kind is Kind.JSON
    assert kind_of(value[:-1]).kind is Kind.PLAIN
    lines = "\n".join(json.dumps({"id": n, "text": "x" * 50}) for n in range(2_000))
    assert kind_of(lines).kind is Kind.JSON_LINES


@pytest.mark.parametrize(
    "unit",
    ["a", "#", "*", "[", "{", '{"', "<", "<a ", "|", "-", "--- a\n", ",", "a,b,c\n", "\n", "`"],
)
def test_the_look_is_quick_whatever_it_looks_at(unit: str) -> None:
    text = (unit * 200_000)[:200_000]
    start = time.perf_counter()
    kind_of(text)
    assert time.perf_counter() - start < 5


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_is_of_some_kind(text: str, mime: str) -> None:
    found = kind_of(text, mime)
    assert found.words.isprintable()
