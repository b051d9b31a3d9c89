"""The quick judge of schemas: right, or silent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.conditions import holds, obeys
from signoff.app.schemas.formats import format_note, shape_of
from signoff.app.schemas.schema import Answer, judge
from tests.schemas.form.test_form_properties import SUITE
from tests.schemas.schema_strategies import LOOSE, NONSENSE, input_schemas


def agree(schema: JsonValue, value: JsonValue) -> bool | None:
    """The answer, after a look at what the validator says."""
    answer = holds(schema, value, schema)
    if answer is not None:
        verdict = judge(schema, value).answer
        if verdict in (Answer.VALID, Answer.INVALID):
            assert answer is (verdict is Answer.VALID)
    return answer


@pytest.mark.slow
@settings(deadline=None)
@given(input_schemas(), LOOSE)
def test_it_never_contradicts_the_validator(schema: JsonValue, value: JsonValue) -> None:
    agree(schema, value)


@given(NONSENSE, LOOSE)
def test_it_never_raises(schema: JsonValue, value: JsonValue) -> None:
    holds(schema, value, schema)


@pytest.mark.slow
def test_it_knows_most_of_the_test_suite() -> None:
    # Base addresses that change inside a schema are not followed.
    left_out = ("is not a real identifier", "$id and $anchor and $ref", "a sibling $id")
    answers = [
        agree(case["schema"], instance)
        for case in SUITE
        if not any(words in case["from"] for words in left_out)
        for instance in case["instances"]
    ]
    assert len(answers) > 3_000
    assert answers.count(None) < len(answers) / 4


@pytest.mark.parametrize(
    ("pattern", "text", "answer"),
    [
        ("", "a", True),
        ("^.*$", "a", True),
        ("^x-", "x-a", True),
        ("^x-", "ax-", False),
        ("^x-.*$", "x-", True),
        ("^x-.+$", "x-", False),
        ("b$", "ab", True),
        ("^a\\.b$", "a.b", True),
        ("^a\\.b$", "aXb", False),
        ("lit", "a literal", True),
        ("^a\\d$", "a1", None),
        ("(a+)+$", "aaaa", None),
        ("[a-z]+", "a", None),
        ("a|b", "a", None),
    ],
)
def test_patterns_that_are_only_texts(pattern: str, text: str, answer: bool | None) -> None:
    assert obeys(pattern, text) is answer


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2026-02-28", "2026-02-30"),
        ("date", "2026-11-21", "20261121"),
        ("date-time", "2026-11-21T09:30:00.5+01:00", "2026-11-21"),
        ("time", "23:59:59Z", "24:00:00Z"),
        ("duration", "P1DT2H", "1 day"),
        ("email", "a@example.com", "a@"),
        ("hostname", "a-b.example", "-a"),
        ("ipv4", "192.0.2.1", "192.0.2.256"),
        ("ipv6", "::1", "1::2::3"),
        ("uri", "mailto:a@example.com", "/path"),
        ("uri-reference", "../a", "a b"),
        ("uuid", "F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6", "f81d4fae7dec41d0a76500a0c91e6bf6"),
        ("json-pointer", "/a~1b/0", "a"),
    ],
)
def test_formats(name: str, good: str, bad: str) -> None:
    assert format_note(name, good) == ""
    assert format_note(name, shape_of(name)) == ""
    assert format_note(name, bad).endswith(f"{shape_of(name)} expected")


@pytest.mark.parametrize("name", ["odd", None, ["date"], 5])
def test_unknown_formats_are_not_looked_at(name: object) -> None:
    assert (shape_of(name), format_note(name, "anything")) == ("", "")
