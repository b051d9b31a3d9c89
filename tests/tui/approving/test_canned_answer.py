"""What a file has for the form of an answer."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.tui.approving.answer_form import canned_answer

MODEL: dict[str, JsonValue] = {
    "role": "assistant",
    "content": {"type": "text", "text": "no"},
    "model": "some-model",
    "stopReason": "endTurn",
}


@pytest.mark.parametrize(
    ("kind", "given", "fields"),
    [
        ("sampling", {"text": "no"}, {"text": "no"}),
        ("sampling", MODEL, {"text": "no", "model": "some-model", "stopReason": "endTurn"}),
        ("sampling", {"sampling": ["decline", "no"], "elicitation": []}, {"text": "no"}),
        ("sampling", {"sampling": [{"text": "no", "model": "m"}]}, {"text": "no", "model": "m"}),
        ("elicitation", {"sure": True}, {"sure": True}),
        ("elicitation", {"action": "accept", "content": {"sure": True}}, {"sure": True}),
        ("elicitation", {"action": "go", "sure": True}, {"action": "go", "sure": True}),
        (
            "elicitation",
            {"elicitation": ["cancel", {"action": "accept", "content": {"sure": True}}]},
            {"sure": True},
        ),
    ],
)
def test_a_file_has_the_fields_in_several_ways(
    kind: str, given: dict[str, JsonValue], fields: dict[str, JsonValue]
) -> None:
    assert canned_answer(kind, given) == fields


@pytest.mark.parametrize(
    "given",
    [
        {"sampling": ["decline"]},
        {"elicitation": []},
        {"action": "decline"},
        {"action": "accept"},
    ],
)
def test_a_file_that_accepts_nothing_fills_in_nothing(given: dict[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match=r"accepts no|no content"):
        canned_answer("sampling", given)
