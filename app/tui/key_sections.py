"""What is looked at, in a few words, and the keys that work there: the nearest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode
from textual.screen import Screen

HERE: Final = "Here"
ON_THIS_SCREEN: Final = "On this screen"
EVERYWHERE: Final = "Everywhere"
MOVING: Final = "Moving about, and typing"
KNOWN_ELSEWHERE: Final = ("list", "text", "choice", "checklist", "select", "group", "search")
"""Beginnings of ids: moving about in lists and texts is as in other programs, and told last."""


class KeySection(NamedTuple):
    """Keys that belong together, each as it is written, with what it does."""

    head: str
    keys: tuple[tuple[str, str], ...]


def about(screen: Screen[Any]) -> tuple[str, Sequence[str]]:
    """What has the focus, and what it is there for: a head and paragraphs; empty if unknown."""
    chain = [screen] if screen.focused is None else screen.focused.ancestors_with_self
    text = next((node.HELP for node in chain if node.HELP and _is_ours(type(node))), None) or ""
    head, *paragraphs = re.split(r"\n\s*\n", text.strip())
    return head.lstrip("# "), [" ".join(one.split()) for one in paragraphs]


def key_sections(screen: Screen[Any]) -> Iterator[KeySection]:
    """The keys that work now, by how near they are; those that do the same stand together."""
    found: dict[str, dict[str, dict[str, None]]] = {
        head: {} for head in (HERE, ON_THIS_SCREEN, EVERYWHERE, MOVING)
    }
    told = set[str]()
    for one in _active(screen):
        binding = one.binding
        words = binding.tooltip or binding.description
        head = _head_of(one, screen)
        if not words or (words in told and words not in found[head]):
            continue
        told.add(words)
        found[head].setdefault(words, {})[screen.app.get_key_display(binding)] = None
    for head, rows in found.items():
        if rows:
            yield KeySection(head, tuple((", ".join(keys), words) for words, keys in rows.items()))


def _active(screen: Screen[Any]) -> Iterator[ActiveBinding]:
    app = screen.app
    active = [one for one in screen.active_bindings.values() if one.enabled]
    yield from active
    # Screens that take no keys of the app's take these all the same.
    for binding in Binding.make_bindings(app.BINDINGS):
        if binding.priority:
            yield ActiveBinding(app, binding, True)


def _head_of(one: ActiveBinding, screen: Screen[Any]) -> str:
    identity = (one.binding.id or "").partition(".")[0]
    is_enter = one.binding.key == "enter"
    if (identity in KNOWN_ELSEWHERE and not is_enter) or _is_of_textual(one):
        return MOVING
    if isinstance(one.node, App):
        return EVERYWHERE
    return ON_THIS_SCREEN if one.node is screen else HERE


def _is_of_textual(one: ActiveBinding) -> bool:
    """Whether the library brought the key along, as those of its text fields."""
    if one.node is one.node.app:
        return False
    for kind in type(one.node).__mro__:
        for binding in Binding.make_bindings(kind.__dict__.get("BINDINGS", ())):
            if binding.key == one.binding.key and binding.action == one.binding.action:
                return not _is_ours(kind)
    return False


def _is_ours(kind: type[DOMNode]) -> bool:
    return not kind.__module__.startswith("textual.")
