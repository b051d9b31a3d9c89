"""What is said of structuredContent, in the answer and on the full screen."""

from __future__ import annotations

import json

from textual.content import Content

from ....widgets.json.error_list import PlacedError
from ....widgets.json.tree import JsonTree, NodeError
from ...content.json.jsonio import JsonError, JsonValue, Path, pointer, pretty
from ...protocol.answers.copies import Copies, short
from ...protocol.answers.values import found
from ...protocol.answers.verdict_words import Tone, claim, headline, in_order, missing_names
from ...schemas.schema import SchemaVerdict
from .body import Copied

TONES = {
    Tone.GOOD: "bold $text-success",
    Tone.BAD: "bold $text-error",
    Tone.UNSURE: "bold $text-warning",
    Tone.QUIET: "$foreground-muted",
}


def verdict_line(verdict: SchemaVerdict | None, value: JsonValue, schema: JsonValue) -> Content:
    """Sign and sentence; the errors themselves are listed below or beside it."""
    spoken = headline(verdict, value, schema, is_listed=True)
    return Content.assemble((f"{spoken.sign} {spoken.words}", TONES[spoken.tone]))


def placed_errors(
    verdict: SchemaVerdict | None, value: JsonValue, schema: JsonValue
) -> list[PlacedError]:
    """The errors in the order of their places, in words."""
    if verdict is None:
        return []
    return [
        PlacedError(error.path, pointer(error.path), claim(error, value, schema).words)
        for error in in_order(verdict.errors, value, schema)
    ]


def schema_tree(verdict: SchemaVerdict | None, value: JsonValue, schema: JsonValue) -> JsonTree:
    """The tree of the value with the errors at their nodes."""
    errors = verdict.errors if verdict is not None else ()
    nodes = [
        NodeError(
            one.path,
            claim(one, value, schema).must,
            "/" + "/".join(str(step) for step in one.schema_path),
        )
        for one in errors
    ]
    return JsonTree(value, nodes, listed=missing_names(errors, value, schema))


def kind_words(value: JsonValue) -> str:
    """What a value is, in a few words."""
    words = short(value)
    return words.removeprefix("an ").removeprefix("a ") if isinstance(value, dict | list) else words


def json_text(value: JsonValue) -> str:
    """A value as JSON text: indented, or in one line where that would take seconds."""
    compact = json.dumps(value)
    if len(compact) > 1_000_000:
        return compact
    try:
        return pretty(value)
    except JsonError:
        return compact


def copy_of(value: JsonValue, path: Path) -> Copied | None:
    """The value at a place, for the clipboard: a string itself, anything else as JSON."""
    inside = found(value, path)
    if not inside:
        return None
    here = inside[0]
    where = pointer(path)
    if isinstance(here, str):
        return Copied(here, f"the string at {where}")
    return Copied(json_text(here), f"the value at {where}, as JSON")


def copies_line(copies: Copies) -> Content:
    """How the text beside it compares."""
    style = "$text-warning" if copies.state == "differs" else "$foreground-muted"
    return Content.styled(copies.words, style)
