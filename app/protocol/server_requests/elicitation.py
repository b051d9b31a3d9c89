"""Elicitation requests: the fields of a form, or a visit to a URL.

Spec 2025-11-25, client/elicitation. All texts are raw until they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened, visible
from ...schemas.formats import format_note
from ...schemas.secrets.names import is_secret_name
from ..rpc import RpcError
from .capabilities import ELICIT as ELICIT

FIELDS_MAX: Final = 500
VISIT_REQUIRED: Final = -32042
VISITS_MAX: Final = 5
"""Of one error."""
_NAME_CELLS: Final = 40
FORMATS: Final = ("email", "uri", "date", "date-time")
"""Those that a field of an elicitation may have."""


class MalformedRequest(Exception):
    """A request that cannot be shown; the message gives the reason, in words that are safe to
    show.
    """


@frozen
class Elicitation:
    """One request. `schema` is that of the form; `url` and `id` are those of a visit."""

    message: str
    mode: Literal["form", "url"] = "form"
    schema: JsonValue = None
    url: str = ""
    id: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the form's fields, in the order of the server."""
        properties = self.schema.get("properties") if isinstance(self.schema, dict) else None
        return tuple(properties) if isinstance(properties, dict) else ()

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the fields that an answer has to have."""
        names = self.schema.get("required") if isinstance(self.schema, dict) else None
        known = self.fields
        return tuple(one for one in names if one in known) if isinstance(names, list) else ()

    @property
    def suggestions(self) -> dict[str, JsonValue]:
        """Defaults that the server declares, by field."""
        properties = self.schema.get("properties") if isinstance(self.schema, dict) else None
        given = properties if isinstance(properties, dict) else {}
        return {
            name: one["default"]
            for name, one in given.items()
            if isinstance(one, dict) and "default" in one
        }


def read_elicitation(params: JsonValue) -> Elicitation:
    """The params of `elicitation/create`. Raises MalformedRequest.

    A request without a mode is one for a form ("Clients MUST treat requests without a `mode` field
    as form mode").
    """
    given = params if isinstance(params, dict) else {}
    message, mode = given.get("message"), given.get("mode", "form")
    if not isinstance(message, str):
        raise MalformedRequest("an elicitation without a message")
    if mode == "url":
        url, identity = given.get("url"), given.get("elicitationId")
        if not isinstance(url, str) or not url:
            raise MalformedRequest("an elicitation of a visit without a URL")
        return Elicitation(
            message, "url", url=url, id=identity if isinstance(identity, str) else ""
        )
    if mode != "form":
        shown = f"“{shortened(mode, _NAME_CELLS)}”" if isinstance(mode, str) else "no text"
        raise MalformedRequest(f"an elicitation with an unknown mode: {shown}")
    schema = given.get("requestedSchema")
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        raise MalformedRequest("an elicitation without a requestedSchema that has properties")
    found = Elicitation(message, schema=schema)
    if len(found.fields) > FIELDS_MAX:
        count = len(found.fields)
        raise MalformedRequest(f"an elicitation of {count:,} fields; the limit is {FIELDS_MAX}")
    return found


def format_problems(
    elicitation: Elicitation, content: Mapping[str, JsonValue]
) -> tuple[tuple[str, str], ...]:
    """The fields whose text is not of the format that the server asks for, and why not.

    JSON Schema leaves formats unchecked; the fields of an elicitation have them in place of
    patterns, and a client checks an answer before it is sent (client/elicitation).
    """
    schema = elicitation.schema if isinstance(elicitation.schema, dict) else {}
    properties = schema.get("properties")
    given = properties if isinstance(properties, dict) else {}
    found = []
    for name, value in content.items():
        field = given.get(name)
        if isinstance(field, dict):
            found += [(name, note) for note in _format_notes(field, value)]
    return tuple(found)


def _format_notes(field: Mapping[str, JsonValue], value: JsonValue) -> list[str]:
    """Of a value, or of the elements of a list."""
    items = field.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [note for one in value for note in _format_notes(items, one)][:1]
    name = field.get("format")
    if name not in FORMATS or not isinstance(value, str):
        return []
    note = format_note(str(name), value)
    return [note] if note else []


def secrets_asked(elicitation: Elicitation) -> tuple[str, ...]:
    """The fields that look as if they were for a secret; safe to show.

    Spec, client/elicitation, "Security Considerations": servers MUST NOT use form mode to request
    sensitive information.
    """
    schema = elicitation.schema if isinstance(elicitation.schema, dict) else {}
    properties = schema.get("properties")
    given = properties if isinstance(properties, dict) else {}
    found = []
    for name, one in given.items():
        said = [name]
        if isinstance(one, dict):
            said += [text for key in ("title", "format") if isinstance(text := one.get(key), str)]
        if any(is_secret_name(text) for text in said):
            found.append(visible(shortened(name, _NAME_CELLS)))
    return tuple(found)


def visits_in(error: RpcError) -> tuple[dict[str, JsonValue], ...]:
    """The pages that have to be seen to before a request is made again: params for each.

    Spec 2025-11-25, client/elicitation, "URL Elicitation Required Error" (-32042).
    """
    data = error.data if isinstance(error.data, dict) else {}
    found = data.get("elicitations")
    if error.code != VISIT_REQUIRED or isinstance(error.code, bool) or not isinstance(found, list):
        return ()
    return tuple({"mode": "url", **one} for one in found[:VISITS_MAX] if isinstance(one, dict))


_OURS: Final = ("approve", "deny", "signoff", "ctrl+y", "approval")


def imitates(elicitation: Elicitation) -> str:
    """The word of Signoff's own dialogs that the server's message has; empty if it has none."""
    words = elicitation.message.casefold()
    return next((one for one in _OURS if one in words), "")
