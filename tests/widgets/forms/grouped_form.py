"""A form with groups of every kind, and its rows."""

from __future__ import annotations

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.fields import Place
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.forms.form_row import FormRow
from signoff.widgets.forms.group_row import AddRow, GroupRow
from tests.widgets.forms.form_app import FormApp

PERSON: JsonValue = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}
SCHEMA: JsonValue = {
    "type": "object",
    "additionalProperties": False,
    "required": ["people"],
    "properties": {
        "people": {"type": "array", "items": PERSON},
        "tags": {"type": "array", "items": {"type": "string"}},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        "where": {
            "type": "object",
            "description": "where it is",
            "properties": {"city": {"type": "string"}, "deep": PERSON},
        },
        "target": {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
            ]
        },
        "perms": {"type": "array", "items": {"enum": ["read", "write", "admin"]}},
        "limit": {"type": "integer", "default": 10, "examples": [20, 30]},
        "day": {"type": ["string", "null"], "format": "date"},
    },
}


def group(app: FormApp, *place: str | int) -> GroupRow:
    return next(row for row in app.query(GroupRow) if row.place == place)


def adder(app: FormApp, *place: str | int) -> AddRow:
    return next(row for row in app.query(AddRow) if row.place == place)


def leaf(app: FormApp, *place: str | int) -> FormField:
    return next(row for row in app.query(FormField) if row.place == place)


def focused_place(app: FormApp) -> Place | None:
    focused = app.focused
    if focused is None:
        return None
    rows = [one for one in focused.ancestors_with_self if isinstance(one, FormRow)]
    return rows[0].place if rows else None


async def press_on(app: FormApp, row: FormRow, *keys: str) -> None:
    row.focus()
    await app.pause()
    await app.press(*keys)


async def go_to(app: FormApp, *place: str | int) -> FormRow:
    """Focus a place, and wait until its row has the keys."""
    app.shown.focus_field(place)
    while focused_place(app) != place:
        await app.pause()
    return next(row for row in app.query(FormRow) if row.place == place)
