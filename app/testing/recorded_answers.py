"""What a recorded flow expects of an answer: what came, and the shape of what is never the same.

Times of about now and UUIDs are told by their look. Whatever else changes is found by a second run,
`signoff test --settle`; a recorded 42 is a 42 until then.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final

from ..calls.call import Call
from ..content.json.jsonio import JsonValue
from ..protocol.answers.content import TextPart, TextResourcePart
from ..schemas.schema import Answer as SchemaAnswer
from ..schemas.secrets.places import mask_arguments
from ..schemas.secrets.secrets import mask_text
from .settling import changes_by_look, matchers
from .text_shapes import pattern_of_now
from .value_shapes import shape_of
from .yaml_writing import escaped

LONGEST_TEXT: Final = 300
LONGEST_VALUE: Final = 800
"""Characters of a structured answer as JSON that are expected as they came; of more, the shape."""


def expected_of_answer(call: Call, when: datetime) -> dict[str, JsonValue]:
    """What is expected of the answer of a call that ended at some time; nothing secret."""
    answer, found = call.answer, dict[str, JsonValue]()
    if answer is None:
        return found
    if call.schema is not None and call.schema.answer is not SchemaAnswer.NO_SCHEMA:
        found["schema"] = call.schema.answer.value
    if answer.has_structured:
        found["structured"] = _structured(call, answer.structured, when)
        return found
    texts = [one.text for one in answer.parts if isinstance(one, TextPart | TextResourcePart)]
    whole = "\n".join(texts)
    if texts and len(whole) <= LONGEST_TEXT and _can_be_kept(whole) and mask_text(whole) == whole:
        pattern = pattern_of_now(whole, when)
        found["content"] = escaped({"regex": pattern} if pattern else {"equals": whole})
    return found


def _structured(call: Call, value: JsonValue, when: datetime) -> JsonValue:
    tool = call.request.tool
    masked = mask_arguments(value, None if tool is None else tool.output_schema)
    as_json = json.dumps(value, ensure_ascii=False)
    if masked.count or len(as_json) > LONGEST_VALUE or not _can_be_kept(as_json):
        return {"schema": shape_of(value)}
    several = matchers(escaped(value), changes_by_look(value, when))
    return several[0] if len(several) == 1 else several


def _can_be_kept(text: str) -> bool:
    """Whether a file can hold it: half a character cannot be written as UTF-8."""
    return not any("\ud800" <= char <= "\udfff" for char in text)
