"""The alternatives of a union: what to call them, and which one a value belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...content.json.jsonio import JsonValue
from .conditions import has_type, holds
from .fields import Field
from .form import Form
from .merging import Node
from .schema_source import Schemas, choices_of
from .subschemas import MISSING, Missing, exact
from .typewords import node_words

MAX_LABEL: Final = 60
"""Characters of a label."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative. `label` is the server's title, the value by which it is told apart from the
    others, or our words for its type; it has to be sanitised like any word of the server's."""

    label: str
    field: Field


def variants(form: Form, union: Field) -> tuple[Variant, ...]:
    """The alternatives of a field of `Kind.UNION`, in the order of the schema."""
    nodes = form.schemas.variants(union.node)
    labels = _labels(form.schemas, nodes)
    return tuple(
        Variant(label, form.maker.variant(union, node, MISSING))
        for label, node in zip(labels, nodes, strict=True)
    )


def _discriminated(schemas: Schemas, nodes: Sequence[Node]) -> list[str]:
    """For each alternative the value of the property that has another single value in every
    object; "" where there is no such property, and for what is no object."""
    tables = [node.words.get("properties") for node in nodes]
    objects = [table for table in tables if isinstance(table, dict)]
    for name in objects[0] if len(objects) > 1 else ():
        values = [_only_value(schemas, table.get(name, True)) for table in objects]
        if "" not in values and len(set(values)) == len(values):
            left = iter(values)
            return [next(left) if isinstance(table, dict) else "" for table in tables]
    return [""] * len(nodes)


def _only_value(schemas: Schemas, schema: JsonValue) -> str:
    choices = choices_of(schemas.node(schema))
    if choices is None or len(choices) != 1:
        return ""
    return choices[0] if isinstance(choices[0], str) else exact(choices[0])


def _labels(schemas: Schemas, nodes: Sequence[Node]) -> list[str]:
    titles = [node.words.get("title") for node in nodes]
    words = [node_words(node, schemas) for node in nodes]
    told_apart = _discriminated(schemas, nodes)
    words = [value or word for value, word in zip(told_apart, words, strict=True)]
    said = [
        title if isinstance(title, str) and title.strip() else word
        for title, word in zip(titles, words, strict=True)
    ]
    twice = {label for label, count in Counter(said).items() if count > 1}
    return [
        f"{label[:MAX_LABEL]} ({at})" if label in twice else label[:MAX_LABEL]
        for at, label in enumerate(said, 1)
    ]


def best_variant(schemas: Schemas, nodes: Sequence[Node], value: JsonValue | Missing) -> int:
    """The alternative that a value fits best; the first one where none does."""
    if value is MISSING:
        return 0
    scores = [_score(schemas, node, value) for node in nodes]
    return max(range(len(scores)), key=lambda at: (scores[at], -at), default=0)


def _score(schemas: Schemas, node: Node, value: JsonValue) -> tuple[int, int, int]:
    words = node.words
    if value is None and node.nullable:
        return 3, 0, 0
    answer = holds(words, value, schemas.root)
    if answer is not False:
        certainty = 3 if answer else 2
    else:
        certainty = 1 if has_type(value, words.get("type", "object")) else 0
    if not isinstance(value, dict):
        return certainty, 0, 0
    listed = words.get("properties")
    properties = listed if isinstance(listed, dict) else {}
    distinct = sum(
        1
        for name, one in properties.items()
        if name in value
        and choices_of(schemas.node(one)) is not None
        and holds(one, value[name], schemas.root)
    )
    return certainty, distinct, sum(name in value for name in properties)
