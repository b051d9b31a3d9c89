"""Completion: what a server suggests for a value that is being typed.

Spec 2025-11-25 and 2026-07-28, server/utilities/completion: at most a hundred values, how many
there are, and whether there are more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.text import count
from .values import Prompt, ResourceTemplate

COMPLETE: Final = "completion/complete"
VALUES_MAX: Final = 100
VALUE_MAX: Final = 2_000
"""Characters of one value; what is longer is left out."""
_CONTEXT_SINCE: Final = "2025-06-18"


@dataclass(frozen=True, slots=True)
class Completion:
    """What was suggested. The values are raw, and are put into the field as they are."""

    values: tuple[str, ...] = ()
    total: int | None = None
    has_more: bool = False
    is_odd: bool = False
    """Whether something in it was not as the protocol has it."""

    @property
    def rest_words(self) -> str:
        """How many there are beside those that came; empty where these are all."""
        shown = len(self.values)
        if self.total is not None and self.total > shown:
            return f"{self.total - shown:,} more of {count(self.total, 'value')}"
        return "there are more" if self.has_more else ""


def completion_params(
    offer: Prompt | ResourceTemplate,
    argument: str,
    begun: str,
    others: Mapping[str, str],
    version: str,
) -> dict[str, JsonValue]:
    """What is asked for a value that begins so; `others` are those that are filled in already."""
    ref: dict[str, JsonValue] = {"type": "ref/prompt", "name": offer.name}
    if isinstance(offer, ResourceTemplate):
        ref = {"type": "ref/resource", "uri": offer.uri_template}
    params: dict[str, JsonValue] = {"ref": ref, "argument": {"name": argument, "value": begun}}
    filled: dict[str, JsonValue] = {key: one for key, one in others.items() if key != argument}
    if filled and version >= _CONTEXT_SINCE:
        params["context"] = {"arguments": filled}
    return params


def read_completion(result: JsonValue) -> Completion:
    """The suggestions in a raw result; what is malformed is left out."""
    found = result.get("completion") if isinstance(result, dict) else None
    values = found.get("values") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(values, list):
        return Completion(is_odd=True)
    texts = [one for one in values if isinstance(one, str) and len(one) <= VALUE_MAX]
    total, has_more = found.get("total"), found.get("hasMore")
    is_count = isinstance(total, int) and not isinstance(total, bool) and total >= 0
    return Completion(
        tuple(dict.fromkeys(texts[:VALUES_MAX])),
        total if isinstance(total, int) and is_count else None,
        has_more is True or len(texts) > VALUES_MAX,
        is_odd=len(texts) < len(values) or (total is not None and not is_count),
    )
