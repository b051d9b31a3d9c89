from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.hints import (
    EFFECT_MEANINGS,
    EFFECT_SIGNS,
    HINT_KEYS,
    Claim,
    Effect,
    Repeating,
    read_hints,
)
from tests.approved import approved
from tests.content.json_values import json_values, nested

PROSE = approved("protocol")

DEFAULTS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
VALUES = json_values()
ANNOTATIONS = st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans() | VALUES) | VALUES


def without_malformed(annotations: Any) -> Any:
    if not isinstance(annotations, dict):
        return {}
    return {key: value for key, value in annotations.items() if isinstance(value, bool)}


@pytest.mark.parametrize(
    ("annotations", "effect"),
    [
        ({}, Effect.UNDECLARED),
        ({"readOnlyHint": True}, Effect.READ_ONLY),
        ({"readOnlyHint": True, "destructiveHint": False}, Effect.READ_ONLY),
        ({"readOnlyHint": True, "destructiveHint": True}, Effect.CONTRADICTORY),
        ({"readOnlyHint": False}, Effect.UNDECLARED),
        ({"destructiveHint": True}, Effect.DESTRUCTIVE),
        ({"destructiveHint": False}, Effect.ADDITIVE),
        ({"readOnlyHint": False, "destructiveHint": False}, Effect.ADDITIVE),
        ({"readOnlyHint": "true"}, Effect.UNDECLARED),
        ({"readOnlyHint": 1}, Effect.UNDECLARED),
        ({"destructiveHint": 0}, Effect.UNDECLARED),
        ({"destructiveHint": "false"}, Effect.UNDECLARED),
        ({"idempotentHint": True, "openWorldHint": False}, Effect.UNDECLARED),
        (None, Effect.UNDECLARED),
        ([True], Effect.UNDECLARED),
        ("readOnlyHint", Effect.UNDECLARED),
    ],
)
def test_what_the_claims_add_up_to(annotations: Any, effect: Effect) -> None:
    assert read_hints(annotations).effect is effect


def test_silence_means_the_defaults_of_the_specification() -> None:
    hints = read_hints({})
    assert {f"{hint.name}Hint": hint.effective for hint in hints} == DEFAULTS
    assert all(hint.claim is Claim.NOT_SET and hint.is_default for hint in hints)


@given(ANNOTATIONS)
def test_only_literal_booleans_count(annotations: Any) -> None:
    given = read_hints(annotations)
    cleaned = read_hints(without_malformed(annotations))
    assert given.effect is cleaned.effect
    assert [hint.effective for hint in given] == [hint.effective for hint in cleaned]
    assert given.is_repeatable == cleaned.is_repeatable
    assert given.is_open_world == cleaned.is_open_world


@given(ANNOTATIONS)
def test_a_claim_is_kept_as_it_was_made(annotations: Any) -> None:
    claims = annotations if isinstance(annotations, dict) else {}
    for key, hint in zip(HINT_KEYS, read_hints(annotations), strict=True):
        assert hint.name == key.removesuffix("Hint")
        if key not in claims:
            assert hint.claim is Claim.NOT_SET
        elif isinstance(claims[key], bool):
            assert hint.claim.value == str(claims[key]).lower()
            assert hint.effective is claims[key]
        else:
            assert hint.claim is Claim.MALFORMED
            assert hint.malformed_as
        assert bool(hint.malformed_as) == (hint.claim is Claim.MALFORMED)


@given(ANNOTATIONS)
def test_what_a_malformed_claim_shows_is_short_and_inert(annotations: Any) -> None:
    for hint in read_hints(annotations):
        assert len(hint.malformed_as) <= 400
        assert all(unicodedata.category(char) not in ("Cc", "Cf") for char in hint.malformed_as)


@given(ANNOTATIONS)
def test_destructive_and_idempotent_mean_something_only_when_it_writes(annotations: Any) -> None:
    hints = read_hints(annotations)
    writes = not hints.read_only.effective
    assert (hints.destructive.meaningful, hints.idempotent.meaningful) == (writes, writes)
    assert hints.read_only.meaningful
    assert hints.open_world.meaningful


@given(ANNOTATIONS)
def test_what_may_destroy_is_never_called_mild(annotations: Any) -> None:
    hints = read_hints(annotations)
    destroys = hints.destructive.claim is Claim.TRUE or (
        not hints.read_only.effective and hints.destructive.effective
    )
    assert hints.effect.may_destroy == destroys


def test_repeating_is_fine_for_what_reads_or_says_so() -> None:
    assert read_hints({"readOnlyHint": True}).is_repeatable
    assert read_hints({"idempotentHint": True}).is_repeatable
    assert not read_hints({}).is_repeatable
    contradictory: JsonValue = {
        "readOnlyHint": True,
        "destructiveHint": True,
        "idempotentHint": True,
    }
    assert not read_hints(contradictory).is_repeatable


@pytest.mark.parametrize("said", [{}, {"idempotentHint": False}, {"idempotentHint": True}])
def test_a_read_only_tool_is_never_called_idempotent(said: dict[str, Any]) -> None:
    hints = read_hints({"readOnlyHint": True, **said})
    assert hints.repeating is Repeating.HARMLESS
    assert "idempotent" not in hints.repeating.words
    PROSE.holds("hints: repeating a reader", hints.repeating_said)


@given(ANNOTATIONS)
def test_what_is_said_of_repeating_was_said(annotations: Any) -> None:
    hints = read_hints(annotations)
    said = hints.repeating_said
    if "is declared idempotent" in said:
        assert hints.idempotent.claim is Claim.TRUE
    if "is declared not idempotent" in said:
        assert hints.idempotent.claim is Claim.FALSE
    if "is not declared idempotent" in said:
        assert hints.idempotent.claim in (Claim.NOT_SET, Claim.MALFORMED)
    if "read-only" in said:
        assert hints.read_only.claim is Claim.TRUE
    assert hints.is_repeatable is (said in ("is declared read-only", "is declared idempotent"))


def test_a_claim_that_cannot_even_be_written_is_malformed_like_others() -> None:
    hint = read_hints({"readOnlyHint": nested(100_000)}).read_only
    assert hint.claim is Claim.MALFORMED
    assert hint.malformed_as == "an unwritable list"


def test_as_json_names_claim_default_and_effect() -> None:
    shown = read_hints({"readOnlyHint": "yes", "openWorldHint": False}).as_json()
    assert shown["readOnly"] == {
        "claimed": "malformed",
        "default": False,
        "effective": False,
        "meaningful": True,
        "malformed_as": '"yes"',
    }
    assert shown["openWorld"] == {
        "claimed": False,
        "default": True,
        "effective": False,
        "meaningful": True,
    }
    destructive = shown["destructive"]
    assert isinstance(destructive, dict)
    assert destructive["claimed"] is None


def test_every_effect_has_a_sign_and_a_meaning_of_its_own() -> None:
    for table in (EFFECT_SIGNS, EFFECT_MEANINGS):
        assert set(table) == set(Effect)
        assert len(set(table.values())) == len(Effect)
