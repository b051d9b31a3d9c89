"""A footer of the keys that work now, as many as fit, the most important of them always."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.binding import ActiveBinding
from textual.content import Content
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget

from ..app.content.frozen import frozen

ALWAYS: Final = (
    frozenset({"call", "submit"}),
    frozenset({"open('servers')"}),
    frozenset({"open('matrix')"}),
    frozenset({"toggle_help", "app.toggle_help"}),
    frozenset({"quit", "app.quit"}),
)
"""Actions whose keys are never left out for others, the first of all first."""
CLOSE: Final = "Close"
"""What leads back from a screen, whose key is not left out for others either."""
MOST: Final = 7
"""Keys, at most: the help has them all."""
GAP: Final = 1


@frozen
class FooterKey:
    """A key in the footer: the key, its notation, and its action."""

    key: str
    display: str
    description: str
    action: str
    is_enabled: bool = True
    tooltip: str = ""

    @property
    def cells(self) -> int:
        """Number of cells with the gap behind it."""
        words = f"{self.display} {self.description}".rstrip()
        return cell_len(words) + GAP


class KeyFooter(Widget, can_focus=False):
    """Shows whole keys only; the others are in the help and in the palette.

    One line that draws itself: Textual's footer makes each key again as a widget whenever one of
    them comes or goes, which costs the whole screen a layout several times a call.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "key-footer--key",
        "key-footer--description",
        "key-footer--hovered",
    }
    DEFAULT_CSS = """
    KeyFooter {
        dock: bottom;
        height: 1;
        text-wrap: nowrap;
        color: $footer-foreground;
        background: $footer-background;
        & .key-footer--key {
            color: $footer-key-foreground;
            background: $footer-key-background;
            text-style: bold;
        }
        & .key-footer--description {
            color: $footer-description-foreground;
            background: $footer-description-background;
        }
        & .key-footer--hovered {
            color: $footer-key-foreground;
            background: $block-hover-background;
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[FooterKey, ...] = ()
        self._urgent = ""
        self._hovered: FooterKey | None = None
        self._is_stale = False

    def show_urgent(self, action: str) -> None:
        """Never leave the key of this action out for others; empty: of none."""
        if action != self._urgent:
            self._urgent = action
            self.refresh()

    @property
    def places(self) -> list[tuple[FooterKey, Region]]:
        """The keys that are shown, each with its cells on the screen."""
        left, top = self.content_region.offset
        return [(key, Region(left + x, top, width, 1)) for key, x, width in self._placed()]

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)
        self._bindings_changed(self.screen)

    def _bindings_changed(self, screen: Screen[Any]) -> None:
        if self.is_attached and screen is self.screen and not self._is_stale:
            self._is_stale = True
            # Not after a refresh: a screen that closes in the meantime would lose it.
            self.call_later(self._renew)

    def _renew(self) -> None:
        self._is_stale = False
        if not self.is_attached or not self.app.app_focus:
            return
        keys = tuple(self._active_keys())
        if keys != self._keys:
            self._keys = keys
            self._hovered = None
            self.tooltip = None
            self.refresh()

    def _active_keys(self) -> list[FooterKey]:
        active = self.screen.active_bindings
        shown = dict[str, ActiveBinding]()
        for one in active.values():
            if one.binding.show:
                shown.setdefault(one.binding.action, one)
        return [self._key_of(one) for one in shown.values()]

    def _key_of(self, active: ActiveBinding) -> FooterKey:
        binding = active.binding
        return FooterKey(
            binding.key,
            self.app.get_key_display(binding),
            binding.description,
            binding.action,
            active.enabled,
            active.tooltip,
        )

    def render(self) -> Content:
        width = self.content_size.width
        plain = self.get_visual_style("key-footer--description")
        pieces: list[Any] = []
        at = 0
        for key, x, cells in self._placed():
            pieces.append((" " * (x - at), plain))
            pieces.append(self._drawn(key))
            at = x + cells
        pieces.append((" " * max(0, width - at), plain))
        return Content.assemble(*pieces)

    def _drawn(self, key: FooterKey) -> Content:
        is_hovered = key is self._hovered
        over = "key-footer--hovered"
        sign = self.get_visual_style("key-footer--key", *[over] * is_hovered)
        words = self.get_visual_style(over if is_hovered else "key-footer--description")
        description = f" {key.description}" if key.description else ""
        drawn = Content.assemble((key.display, sign), (description, words))
        return drawn if key.is_enabled else drawn.stylize("dim")

    def _placed(self) -> list[tuple[FooterKey, int, int]]:
        """Each key that fits, with its first cell and its width without the gap."""
        width = self.content_size.width
        placed = []
        at = 0
        for key in fitting(self._keys, width, self._urgent):
            cells = key.cells - GAP
            placed.append((key, at, cells))
            at += cells + GAP
        return placed

    def _key_at(self, x: int) -> FooterKey | None:
        for key, left, cells in self._placed():
            if left <= x < left + cells:
                return key
        return None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(self._key_at(event.x))

    def on_leave(self) -> None:
        self._hover(None)

    def _hover(self, key: FooterKey | None) -> None:
        if key is not self._hovered:
            self._hovered = key
            self.tooltip = (key.tooltip or None) if key is not None else None
            self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        key = self._key_at(event.x)
        if key is None:
            return
        if key.is_enabled:
            self.app.simulate_key(key.key)
        else:
            self.app.bell()


def fitting(keys: Sequence[FooterKey], width: int, urgent: str = "") -> list[FooterKey]:
    """The most important keys that fit in so many cells, up to seven, in their order.

    `urgent`: the action whose key comes before all others.
    """
    room = width
    kept = set[FooterKey]()
    for key in sorted(keys, key=lambda one: -1 if one.action == urgent else _rank(one)):
        if len(kept) < MOST and key.cells <= room:
            kept.add(key)
            room -= key.cells
    return [key for key in keys if key in kept]


def _rank(key: FooterKey) -> int:
    found = (at for at, actions in enumerate(ALWAYS) if key.action in actions)
    is_kept = key.description == CLOSE
    others = len(ALWAYS) + 1
    return next(found, len(ALWAYS) if is_kept else others)
