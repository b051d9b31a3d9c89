"""Suggestions for the field of a form that has the focus, asked of the server while one types.

A request leaves once nothing was typed for a moment. A newer one cancels it, and an answer to what
does not stand there any more is dropped: nothing ever waits for the server.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ...content.json.jsonio import JsonValue
from ...protocol.resources.offers import Completion, Prompt, ResourceTemplate
from ...schemas.form.fields import Place

if TYPE_CHECKING:
    from ....widgets.forms.argument_form import ArgumentForm
    from ...engine.resources import Offers

DEBOUNCE_SECONDS: Final = 0.15


@dataclass(frozen=True, slots=True)
class Begun:
    """What stands in the field that has the focus, and in the others."""

    place: Place
    text: str
    others: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Of the variable or argument, also where the field is an item of a list."""
        return str(self.place[0])


def begun_in(form: ArgumentForm) -> Begun | None:
    """None where the focus is in no field of text."""
    place, values = form.focused_place, form.arguments
    if not place:
        return None
    value: JsonValue = values.get(str(place[0]))
    if len(place) > 1:
        at = place[1]
        is_item = isinstance(value, list) and isinstance(at, int) and at < len(value)
        value = value[at] if is_item and isinstance(value, list) and isinstance(at, int) else None
    if value is not None and not isinstance(value, str):
        return None
    others = tuple((name, one) for name, one in values.items() if isinstance(one, str))
    return Begun(place, value or "", others)


async def suggestions(
    offers: Offers, offer: Prompt | ResourceTemplate, form: ArgumentForm
) -> Completion | None:
    """What the server suggests now; None where it is not asked, or something else stands there."""
    await asyncio.sleep(DEBOUNCE_SECONDS)
    begun = begun_in(form)
    if begun is None:
        return None
    found = await offers.complete(offer, begun.name, begun.text, dict(begun.others))
    return found if begun_in(form) == begun else None
