from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.texts.kinds import LOOK, TextForm, kind_of

ROWS = "name,size,owner\n" + "".join(f"file{n},{n},me\n" for n in range(30))
PATCH = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("text/markdown", TextForm.MARKDOWN),
        ("Text/Markdown; charset=utf-8", TextForm.MARKDOWN),
        ("application/json", TextForm.JSON),
        ("application/vnd.api+json; x=y", TextForm.JSON),
        ("application/x-ndjson", TextForm.JSON_LINES),
        ("application/yaml", TextForm.YAML),
        ("image/svg+xml", TextForm.XML),
        ("text/html", TextForm.HTML),
        ("text/csv", TextForm.CSV),
        ("text/tab-separated-values", TextForm.TSV),
        ("text/x-patch", TextForm.DIFF),
        ("text/x-python", TextForm.CODE),
        ("text/x-log", TextForm.LOG),
    ],
)
def test_the_claimed_type_comes_first(mime: str, kind: TextForm) -> None:
    assert kind_of("anything", mime).kind is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", TextForm.PLAIN),
        ("Hello, world.\nHow are you?", TextForm.PLAIN),
        ("42", TextForm.PLAIN),
        ('"text"', TextForm.PLAIN),
        ('{"a": [1]}', TextForm.JSON),
        ("\ufeff[1, 2]", TextForm.JSON),
        ("{not json}", TextForm.PLAIN),
        ("[link] see below", TextForm.PLAIN),
        ('{"a":1}\n{"a":2}\n', TextForm.JSON_LINES),
        ('{"a":1}\n', TextForm.JSON),
        ("[INFO] one\n[WARN] two\n", TextForm.LOG),
        ("2026-01-01 10:00:00 a\n2026-01-01 10:00:01 b\n", TextForm.LOG),
        ("<html><body>x</body></html>", TextForm.HTML),
        ("<!DOCTYPE html>\n<p>x</p>", TextForm.HTML),
        ('<?xml version="1.0"?>\n<a/>', TextForm.XML),
        ("<a b='c'><d/></a>\n", TextForm.XML),
        ("<3 you all", TextForm.PLAIN),
        (PATCH, TextForm.DIFF),
        ("Here is the patch:\n\n" + PATCH, TextForm.DIFF),
        ("diff --git a/x b/x\nindex 1..2\n", TextForm.DIFF),
        ("---\nname: x\nlist:\n  - a\n", TextForm.YAML),
        ("name: x\nother: y\n", TextForm.PLAIN),
        (ROWS, TextForm.CSV),
        (ROWS.replace(",", "\t"), TextForm.TSV),
        (ROWS.replace(",", ";"), TextForm.CSV),
        ("One, two, three.\nFour, five, six.\nSeven, eight, nine.", TextForm.PLAIN),
        ("# Title\n\nSome **bold** words.\n", TextForm.MARKDOWN),
        ("#!/usr/bin/env python3\nprint(1)\n", TextForm.CODE),
        ("#!/bin/sh\nls\n", TextForm.CODE),
    ],
)
def test_a_cautious_look(text: str, kind: TextForm) -> None:
    assert kind_of(text).kind is kind
    assert kind_of(text, "text/plain").kind is kind


def test_languages() -> None:
    assert kind_of("#!/bin/sh\n").language == "bash"
    assert kind_of("x", "application/javascript").words == "javascript"


def test_large_json_is_known_by_both_ends() -> None:
    value = json.dumps([{"id": n, "text": "x" * 50} for n in range(2_000)])
    assert len(value) > LOOK
    assert kind_of(value).kind is TextForm.JSON
    assert kind_of(json.dumps(json.loads(value), indent=1)).kind is TextForm.JSON
    assert kind_of(value[:-1]).kind is TextForm.PLAIN
    lines = "\n".join(json.dumps({"id": n, "text": "x" * 50}) for n in range(2_000))
    assert kind_of(lines).kind is TextForm.JSON_LINES


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
