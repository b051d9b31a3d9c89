from __future__ import annotations

import json

import pytest
from hypothesis import given

from signoff.app.content.json.jsonio import JsonValue, same
from signoff.app.protocol.answers.copies import COMPARED_LIMIT, Copies, compare_copies, short
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("answers")


@pytest.mark.parametrize(
    ("text", "structured", "words"),
    [
        ('{"name":"A"}', {"name": "B"}, "$.name is “A” in the text and “B” in structuredContent"),
        ("{}", {"a": 1}, "$.a is missing in the text and 1 in structuredContent"),
        ('{"a":1,"b":2}', {"a": 1}, "$.b is 2 in the text and missing in structuredContent"),
        ('{"a":[1,2]}', {"a": [1, 3]}, "$.a[1] is 2 in the text and 3 in structuredContent"),
        ('{"a":1}', {"a": True}, "$.a is 1 in the text and true in structuredContent"),
        ('{"a":[]}', {"a": {}}, "is an array of 0 items in the text and an object with 0 prop"),
        ("[]", {"a": 1}, "$ is an array of 0 items in the text and an object with 1 property"),
        ('{"a":"\\u202ex"}', {"a": "x"}, "$.a is “<U+202E>x” in the text and “x”"),
    ],
)
def test_the_place_and_both_values(text: str, structured: JsonValue, words: str) -> None:
    copies = compare_copies([text], structured)
    assert copies.state == "differs"
    assert words in copies.words
    assert [one.code for one in copies.findings] == ["text-copy-differs"]


def test_long_texts_are_cut_around_what_differs() -> None:
    common = "a" * 500
    copies = compare_copies([json.dumps({"t": common + "X" * 99})], {"t": common + "Y" * 99})
    assert copies.in_text == "“…" + "a" * 10 + "X" * 30 + "…”"
    assert copies.in_structured == "“…" + "a" * 10 + "Y" * 30 + "…”"


def test_the_first_copy_is_the_one_compared_and_one_good_copy_is_enough() -> None:
    assert compare_copies(['{"a":1}', '{"a":2}'], {"a": 3}).in_text == "1"
    assert compare_copies(['{"a":1}', '{"a":3}'], {"a": 3}) == Copies("same")


def test_texts_that_are_no_json_are_no_copy() -> None:
    copies = compare_copies(["hello", "{broken", "12"], {"a": 1})
    assert copies == Copies("none")
    assert copies.words == "no text part repeats it"
    assert copies.findings == ()


def test_a_huge_copy_is_not_compared_and_says_so() -> None:
    text = json.dumps({"a": "x" * COMPARED_LIMIT})
    copies = compare_copies([text], {"a": "x" * COMPARED_LIMIT})
    PROSE.holds("copy: too long", copies.words)
    assert copies.findings == ()


def test_many_copies_share_the_limit() -> None:
    text = json.dumps({"a": "x" * (COMPARED_LIMIT // 2)})
    assert compare_copies([text] * 3, {"a": "y"}).state == "skipped"
    assert compare_copies([text], {"a": "y"}).state == "differs"


@pytest.mark.parametrize(
    ("value", "text"), [("two words", "two words"), (3, "3"), (None, "null"), (True, "true")]
)
def test_a_wrapped_scalar_is_the_same(value: JsonValue, text: str) -> None:
    assert compare_copies([text], {"result": value}) == Copies("same")


def test_a_wrapped_array_is_the_same_as_one_text_or_as_a_text_for_each_item() -> None:
    items: JsonValue = [{"b": 1, "a": 2.0}, "two words", 3]
    assert compare_copies(['[{"a": 2, "b": 1}, "two words", 3]'], {"result": items}) == Copies(
        "same"
    )
    each = ['{\n  "a": 2, "b": 1\n}', "two words", "3"]
    assert compare_copies(each, {"result": items}) == Copies("same")
    assert compare_copies(each[:2], {"result": items}).state != "same"
    assert compare_copies([*each[:2], "4"], {"result": items}).state != "same"
    assert compare_copies([], {"result": []}) == Copies("none")


@given(json_values(), json_values())
def test_total_and_right_about_equality(left: JsonValue, right: JsonValue) -> None:
    wrapped, other = {"a": left}, {"a": right}
    assert compare_copies([json.dumps(wrapped)], wrapped).state == "same"
    copies = compare_copies([json.dumps(wrapped)], other)
    assert (copies.state == "same") == same(left, right)
    assert copies.words.isprintable()


@given(json_values())
def test_short_is_short_and_safe(value: JsonValue) -> None:
    words = short(value)
    assert words.isprintable()
    assert len(words) <= 500
