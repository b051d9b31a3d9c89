from __future__ import annotations

import copy
import hashlib
import json
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json import jsonio
from signoff.app.content.json.jsonio import (
    JsonError,
    JsonValue,
    Limits,
    canonical,
    digest,
    first_difference,
    parse,
    pointer,
    pretty,
    pretty_spans,
    same,
)

# A raw pair of surrogates in a str and the character it means cannot be told apart in JSON.
TEXT = st.text(st.characters(codec=None, exclude_categories=["Cs"]), max_size=8) | st.just("\ud800")
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def reversed_names(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: reversed_names(value[name]) for name in reversed(value)}
    return [reversed_names(item) for item in value] if isinstance(value, list) else value


def typed(value: Any) -> Any:
    """`value` with types, so that 1, 1.0 and true differ under ==."""
    if isinstance(value, dict):
        return {name: typed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return (type(value), repr(value))


@given(VALUES)
def test_canonical_reads_back_as_itself(value: Any) -> None:
    assert typed(parse(canonical(value)).value) == typed(value)
    assert typed(parse(canonical(value).encode()).value) == typed(value)


@pytest.mark.slow
@given(VALUES)
def test_canonical_ignores_the_order_of_names(value: Any) -> None:
    assert canonical(reversed_names(value)) == canonical(value)
    assert canonical(value).isascii()


@pytest.mark.slow
@given(VALUES, VALUES)
def test_canonical_differs_for_different_values(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) == (typed(one) == typed(other))
    assert (digest(one) == digest(other)) == (typed(one) == typed(other))


@given(VALUES, st.integers(1, 3), st.integers(0, 5), st.integers(0, 9))
def test_the_digest_is_that_of_the_canonical_form_however_it_is_written(
    value: Any, piece: int, items: int, short: int
) -> None:
    text = canonical(value)
    expected = (hashlib.sha256(text.encode()).hexdigest(), len(text))
    with mock.patch.multiple(jsonio, _PIECE=piece, _ITEMS=items, _SHORT=short):
        assert jsonio.digest_and_size(value) == expected
    assert jsonio.digest_and_size(value) == expected


def test_a_bytearray_is_emptied_when_it_was_read() -> None:
    data = bytearray(b'{"a": [1, 2]}')
    assert parse(data).value == {"a": [1, 2]}
    assert data == b""


@given(VALUES)
def test_pretty_reads_back_and_can_be_encoded(value: Any) -> None:
    assert typed(parse(pretty(value).encode()).value) == typed(value)


@given(VALUES)
def test_pretty_lines_are_safe_and_correspond(value: Any) -> None:
    lines = pretty_spans(value)
    assert len(lines) == pretty(value).count("\n") + 1
    for line in lines:
        text = "".join(span.text for span in line)
        assert text.isprintable()
        assert "    " not in text.lstrip(" ")


@pytest.mark.slow
@given(VALUES)
def test_a_value_is_the_same_as_its_copy(value: Any) -> None:
    assert same(value, reversed_names(copy.deepcopy(value)))


@pytest.mark.slow
@given(VALUES, VALUES)
def test_equality_is_symmetric(one: Any, other: Any) -> None:
    assert same(one, other) == same(other, one)
    assert same(one, other) or canonical(one) != canonical(other)


def test_equality_is_that_of_json() -> None:
    assert same(1, 1.0)
    assert not same(True, 1)
    assert not same(False, 0)
    assert not same(None, False)
    assert not same("1", 1)
    assert canonical(1) != canonical(1.0)


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        (1, 2, ()),
        ({"a": [1, 2]}, {"a": [1, 3]}, ("a", 1)),
        ({"a": [1]}, {"a": [1, 3]}, ("a", 1)),
        ({"a": [1, 2]}, {"a": [1]}, ("a", 1)),
        ({"a": 1, "b": 2}, {"a": 1}, ("b",)),
        ({"a": 1}, {"a": 1, "b": 2}, ("b",)),
        ({"a": {"x": 1}, "b": 1}, {"a": {"x": 2}, "b": 2}, ("a", "x")),
        ({"a": None}, {}, ("a",)),
        ([], {}, ()),
        ([[], [0]], [[], [False]], (1, 0)),
    ],
)
def test_first_difference(one: JsonValue, other: JsonValue, path: tuple[str | int, ...]) -> None:
    assert first_difference(one, other) == path


@pytest.mark.parametrize("depth", [99, 100])
def test_depth_up_to_the_limit(depth: int) -> None:
    parse("[" * depth + "]" * depth)
    parse('{"a":' * depth + "1" + "}" * depth)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b'"\xff"', "not UTF-8: byte 0xff at offset 1"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b"[" * 101 + b"]" * 101, "more than 100 levels"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "more than 100 levels"),
        (b"[" * 10**6, "more than 100 levels"),
        (b"9" * 10**5, "more than 1,000 digits"),
        (b"-" + b"9" * 1001, "more than 1,000 digits"),
        (b"0." + b"9" * 10**5, "more than 1,000 digits"),
        (b"[" + b"[]," * 10**6 + b"1]", "more than 1,000,000 values"),
        (b'"' + b" " * 16_000_000, "too large: 16.0 MB"),
        (b'"' + b'\\"' * 10**6, "unterminated string starting at line 1, column 1"),
        (b"NaN", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"1e999", "too large for a double"),
        (b"{} {}", "extra data at line 1, column 4"),
        (b'{"a":1,}', "line 1, column [78]"),
        (b'"\x1b"', "control character"),
        (b"'a'", "expecting value"),
    ],
)
def test_refused(data: bytes, reason: str) -> None:
    with pytest.raises(JsonError, match=reason) as caught:
        parse(data)
    assert caught.value.reason.isprintable()


def test_limits_are_exact_and_configurable() -> None:
    limits = Limits(size=40, depth=2, nodes=4, int_digits=3)
    parse("[[1,2]]", limits)
    for data in ("[[1,2,3]]", "[[[1]]]", "1234", '"' + "x" * 40 + '"', '"' + "é" * 20 + '"'):
        with pytest.raises(JsonError):
            parse(data, limits)
    parse("[-123]", limits)


def test_brackets_and_commas_in_strings_do_not_count() -> None:
    text = '[{,"\\' * 400
    assert parse(json.dumps({text: text}), Limits(depth=1, nodes=2)).value == {text: text}


def test_values_are_counted_not_names() -> None:
    data = ' { "a" : [ ] , "b" : { } , "c" : [ 1 , 2 ] } '
    parse(data, Limits(nodes=6))
    with pytest.raises(JsonError, match="more than 5 values"):
        parse(data, Limits(nodes=5))


def test_a_raised_depth_limit_never_lets_the_recursion_error_out() -> None:
    with pytest.raises(JsonError, match="deep"):
        parse("[" * 200_000 + "]" * 200_000, Limits(depth=10**9))


def test_writing_too_deep_a_value_is_a_json_error() -> None:
    value: JsonValue = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(JsonError, match="deep"):
        canonical(value)


def test_not_a_number_cannot_be_written() -> None:
    with pytest.raises(JsonError):
        canonical(float("nan"))


def test_byte_order_mark_is_tolerated() -> None:
    assert parse(b"\xef\xbb\xbf{}").value == {}
    assert parse("\ufeff[1]").value == [1]


def test_lone_surrogates_are_data() -> None:
    value = parse(b'"\\ud800"').value
    assert value == "\ud800"
    assert canonical(value) == '"\\ud800"'
    assert pretty(value) == '"\\ud800"'


def test_repeated_names_at_any_level() -> None:
    parsed = parse('{"a":1,"a":2,"b":[{"c":1,"c":1,"c":3}]}')
    assert parsed.value == {"a": 2, "b": [{"c": 3}]}
    assert sorted(parsed.duplicates) == ["a", "c"]


def test_at_most_twenty_repeated_names() -> None:
    members = ",".join(f'"k{n}":1,"k{n}":2' for n in range(100))
    assert len(parse("{" + members + "}").duplicates) == 20


def test_error_position() -> None:
    with pytest.raises(JsonError) as caught:
        parse('{"a": x}')
    assert caught.value.position == 6


def test_pretty_lines_keep_indentation_and_mark_the_rest() -> None:
    lines = pretty_spans({"a\nb": ["x" + " " * 600 + "y\x1b\u202e\ud800"]})
    assert ["".join(span.text for span in line) for line in lines] == [
        "{",
        '  "a\\nb": [',
        '    "x␠×600y\\u001b<U+202E>\\ud800"',
        "  ]",
        "}",
    ]
    assert [span.text for span in lines[2] if span.mark] == ["␠×600", "\\u001b", "<U+202E>\\ud800"]
    assert not any(span.mark for span in lines[1])


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ((), "$"),
        (("abilities", 0), "$.abilities[0]"),
        (("a b",), '$["a b"]'),
        (("",), '$[""]'),
        (("0",), '$["0"]'),
        (("\u202e\x1b",), '$["<U+202E>\\u001b"]'),
        (("x" * 500,), '$["' + "x" * 128 + '"…]'),
    ],
)
def test_pointer(path: tuple[str | int, ...], words: str) -> None:
    assert pointer(path) == words
