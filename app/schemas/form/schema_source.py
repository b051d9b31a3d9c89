"""The schemas inside one input schema, each read once and only when needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...content.json.jsonio import JsonValue
from ..evaluator import holds
from .merging import (
    MAX_CHOICES,
    MISSING,
    OF_THE_WHOLE,
    Missing,
    Node,
    SchemaCondition,
    every,
    joined,
    read_node,
    target_of,
)

MAX_VARIANTS: Final = 50
"""Alternatives to choose from; a union of more is edited as JSON."""
MAX_UNFOLDED: Final = 100
"""Alternatives, and alternatives of alternatives, that are looked at."""
MAX_BRANCHES: Final = 2_000
"""The same in all unions of a form together."""
MAX_WORK: Final = 200_000
"""Keywords, properties and branches behind references that are looked at in one form."""
MAX_ROUNDS: Final = 4
"""Conditions inside the branches of conditions that are followed."""


class Schemas:
    """Reads schemas below `root`, lazily: unused ones cost nothing."""

    def __init__(self, root: JsonValue) -> None:
        self.root = root
        self._targets: dict[str, tuple[JsonValue | Missing]] = {}
        self._work = 0
        self._branches = 0
        # Keyed by identity; each value holds on to its key.
        self._nodes: dict[int, tuple[JsonValue, Node]] = {}
        self._variants: dict[int, tuple[Node, tuple[Node, ...]]] = {}
        self._both: dict[tuple[int, int], tuple[JsonValue, JsonValue, JsonValue]] = {}
        self._active: dict[tuple[int, tuple[int, ...]], tuple[Node, Node]] = {}

    def find(self, ref: str) -> JsonValue | Missing:
        """Resolve a reference; MISSING after very many, or very large ones.

        Schemas that refer to each other can be made to mean any number of properties.
        """
        target = self._targets.get(ref)
        if target is None:
            target = self._targets[ref] = (target_of(ref, self.root),)
        self._work += _size(target[0])
        return target[0] if self._work <= MAX_WORK else MISSING

    def node(self, schema: JsonValue) -> Node:
        known = self._nodes.get(id(schema))
        if known is None:
            known = self._nodes[id(schema)] = (schema, read_node(schema, self.find))
        return known[1]

    def both(self, left: JsonValue, right: JsonValue) -> JsonValue:
        """Return a schema for values that obey both; always the same one for the same two."""
        key = (id(left), id(right))
        if key not in self._both:
            self._both[key] = (left, right, every(left, right))
        return self._both[key][2]

    def variants(self, node: Node) -> tuple[Node, ...]:
        """The alternatives of a union; itself alone if there is nothing to choose.

        Empty when there are more than `MAX_VARIANTS`, or none is possible.
        """
        if choices_of(node) is not None or not (node.unions or _kinds(node)):
            return (node,)
        known = self._variants.get(id(node))
        if known is None:
            known = self._variants[id(node)] = (node, tuple(self._unfolded(node)))
        return known[1]

    def _unfolded(self, node: Node) -> list[Node]:
        found: list[Node] = []
        pending, looked_at = [(0, node)], 0
        while pending:
            depth, one = pending.pop()
            kinds = _kinds(one)
            if choices_of(one) is not None or depth > MAX_ROUNDS or not (one.unions or kinds):
                found.append(one)
                if len(found) > MAX_VARIANTS:
                    return []
                continue
            branches = one.unions[0] if one.unions else tuple({"type": kind} for kind in kinds)
            looked_at += len(branches)
            self._branches += len(branches)
            if looked_at > MAX_UNFOLDED or self._branches > MAX_BRANCHES:
                return []
            own = {key: value for key, value in one.words.items() if key not in OF_THE_WHOLE}
            bare = replace(one, words=own, unions=one.unions[1:])
            below = [joined(bare, [branch], self.find) for branch in branches]
            pending += [(depth + 1, each) for each in reversed(below) if not each.fault]
        return found

    def active(self, node: Node, value: JsonValue) -> Node:
        """The node together with everything that its conditions ask for at this value."""
        for _ in range(MAX_ROUNDS):
            if not node.conditions:
                break
            asked = [_branch(one, holds(one.test, value, self.root)) for one in node.conditions]
            extra = [one for one in asked if one is not True]
            key = (id(node), tuple(map(id, extra)))
            if key not in self._active:
                bare = replace(node, conditions=())
                self._active[key] = (node, joined(bare, extra, self.find) if extra else bare)
            node = self._active[key][1]
        return node


def _size(schema: JsonValue | Missing) -> int:
    if not isinstance(schema, dict):
        return 1
    return len(schema) + sum(len(one) for one in schema.values() if isinstance(one, dict | list))


def _branch(condition: SchemaCondition, answer: bool | None) -> JsonValue:
    if answer is None:
        return True
    return condition.then if answer else condition.otherwise


def _kinds(node: Node) -> list[JsonValue]:
    kinds = node.words.get("type")
    return kinds if isinstance(kinds, list) else []


def choices_of(node: Node) -> tuple[JsonValue, ...] | None:
    """The values to choose from, a `const` or an `enum`; None where any value may be typed."""
    words = node.words
    if "const" in words:
        return (words["const"],)
    values = words.get("enum", MISSING)
    if isinstance(values, list):
        if not 0 < len(values) <= MAX_CHOICES:
            return None
        if node.nullable and not any(value is None for value in values):
            return (*values, None)
        return tuple(values)
    return (None,) if words.get("type") == "null" else None
