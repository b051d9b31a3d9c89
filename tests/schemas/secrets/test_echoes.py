from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.schemas.secrets.masks import SecretScrubber
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("secrets")


def test_a_repeated_secret_is_taken_out_and_counted() -> None:
    echoes = SecretScrubber({"hunter2-and-more", "test", "1234", "ab"})
    PROSE.holds("echo: inside a word", echoes.text("it is xhunter2-and-morey"))
    PROSE.holds("echo: whole words", echoes.text("a test of testing 1234 and 12345"))
    assert echoes.count == 3
    assert echoes.value({"ab": [True, None, 1234, 1234.5, 7]}) == {
        "ab": [True, None, "[masked: 4 characters]", 1234.5, 7]
    }
    assert echoes.count == 4


def test_nothing_is_known() -> None:
    echoes = SecretScrubber(())
    assert echoes.value({"a": ["b", 1]}) == {"a": ["b", 1]}
    assert echoes.count == 0


@pytest.mark.parametrize(
    "secret", ['with "quotes"', "two\nlines", "b\\ack", "zero\u200bwidth", "ключ-от-всего"]
)
def test_a_secret_is_known_in_every_way_of_writing(secret: str) -> None:
    for way in (secret, json.dumps(secret), json.dumps(secret, ensure_ascii=False), repr(secret)):
        shown = SecretScrubber({secret}).text(f"<{way}>")
        assert secret[:4] not in shown
        assert secret[-4:] not in shown


@given(st.sets(st.text(min_size=8, max_size=20), max_size=3), json_values())
def test_no_long_secret_is_left(secrets: set[str], rest: Any) -> None:
    shown = SecretScrubber(secrets).value({"a": [*secrets, {"b" + one: rest for one in secrets}]})
    left = json.dumps(shown, ensure_ascii=False)
    for one in secrets:
        if one not in "[masked: 10 characters]" and one not in json.dumps(rest, ensure_ascii=False):
            assert json.dumps(one, ensure_ascii=False)[1:-1] not in left
