"""The law of layout: what holds on every screen, at every size, in every look.

Each rule reads a screen that is laid out, and returns what breaks it, a line each:

- `overlaps`: two widgets of one container do not share a cell.
- `hidden_parts`: a widget is inside its container, or the container scrolls.
- `cut_texts`: a text, a title or a word that does not fit ends with a mark.
- `lost_rows`: what is longer than its place scrolls to its end, and the screen shows that it does.
- `dead_keys`: a key in a footer or in a bar is bound.
- `unseen_focus`: the widget with the focus is drawn in another way than without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from signoff.widgets.bars import VerbBar
from signoff.widgets.key_bar import KEY
from signoff.widgets.labels import FrameLine
from tests.tui.looks import contrast

MORE: Final = re.compile(r"\d+ more|more below|▼|↓|↧")
"""Words on the screen that say that there are rows out of sight."""
SEEN: Final = 1.15
"""The contrast between two colours of a cell from which a change of it is seen."""
HUE: Final = 60
"""The difference of red, green or blue from which two colours of one brightness are told apart."""
WORD: Final = re.compile(r"\w[\w.,:'-]*\w|\w")
BESIDE_KEYS: Final = re.compile(r"[ ,·/]+")
ARROWS: Final = "←↑↓→"


def rows_of(screen: Screen[Any]) -> list[str]:
    """The rows of a screen as text."""
    return [strip.text for strip in screen._compositor.render_strips()]


def _name(widget: Widget) -> str:
    """The kind of a widget, with its id."""
    return f"{type(widget).__name__}{'#' + widget.id if widget.id else ''}"


def pops_up(widget: Widget) -> bool:
    """Whether it is a notice, or the place of notices."""
    return type(widget).__module__ == "textual.widgets._toast"


def _shown(screen: Screen[Any]) -> Iterator[Widget]:
    """Every widget that has a place on the screen, without what pops up."""
    for widget in screen.walk_children(Widget):
        around = [one for one in widget.ancestors_with_self if isinstance(one, Widget)]
        if all(one.display and one.visible and not pops_up(one) for one in around):
            yield widget


def in_sight(widget: Widget) -> Region:
    try:
        return widget.screen.find_widget(widget).visible_region
    except NoWidget:
        return Region()


def overlaps(screen: Screen[Any]) -> list[str]:
    """Siblings of one layer that share cells in sight."""
    found = []
    for parent in [screen, *_shown(screen)]:
        children = [one for one in parent.displayed_children if one.visible]
        children = [one for one in children if not pops_up(one)]
        children = [one for one in children if one.styles.overlay != "screen"]
        for at, one in enumerate(children):
            for other in children[at + 1 :]:
                shared = in_sight(one).intersection(in_sight(other))
                if one.layer == other.layer and shared.area:
                    found.append(f"{_name(one)} and {_name(other)} overlap in {shared}")
    return found


def hidden_parts(screen: Screen[Any]) -> list[str]:
    """Widgets that stand out of a container that cannot scroll to them."""
    found = []
    for widget in _shown(screen):
        parent = widget.parent
        if not isinstance(parent, Widget) or not widget.region.area or not parent.region.area:
            continue
        if widget.styles.overlay == "screen":
            continue
        room, place = parent.content_region, widget.region
        room = room.intersection(screen.region)
        if not parent.allow_vertical_scroll and (place.y < room.y or place.bottom > room.bottom):
            found.append(f"{_name(widget)}: rows out of {_name(parent)}: {place} in {room}")
        if not parent.allow_horizontal_scroll and (place.x < room.x or place.right > room.right):
            found.append(f"{_name(widget)}: columns out of {_name(parent)}: {place} in {room}")
    return found


def cut_texts(screen: Screen[Any]) -> list[str]:
    """Texts and titles of frames that end without a mark though there is more of them."""
    rows = rows_of(screen)
    found = []
    for widget in _shown(screen):
        place = in_sight(widget)
        if isinstance(widget, Static):
            found += _cut_static(widget, rows)
        if place.height < 2 or place != widget.region:
            continue
        for words, y in (
            (widget.border_title, place.y),
            (widget.border_subtitle, place.bottom - 1),
        ):
            plain = Content.from_markup(words).plain if words else ""
            row = rows[y][place.x : place.right]
            if plain.strip() and plain.strip() not in row and "…" not in row:
                found.append(f"{_name(widget)}: frame cuts {plain!r}: {row.strip()!r}")
    return found


def _cut_static(widget: Static, rows: list[str]) -> list[str]:
    width, height = widget.content_size
    text = str(widget.render()).rstrip()
    if not text:
        return []
    if not widget.region.area:
        return [f"{_name(widget)}: no room at all for {text[:60]!r}"]
    needed = widget.visual.get_height(widget.styles.get_rules(), width) if width else 0
    place = in_sight(widget)
    if place != widget.region:
        return []  # scrolled, or `hidden_parts` finds it
    is_marked = any("…" in row for row in rows[place.y : place.bottom])
    if needed > height and not is_marked:
        return [f"{_name(widget)}: {needed} rows in {height}: {text[:60]!r}"]
    if widget.styles.text_wrap == "nowrap" and not is_marked:
        wide = [line for line in text.split("\n") if cell_len(line) > width]
        return [f"{_name(widget)}: {width} columns for {line!r}" for line in wide]
    return []


def words_of(screen: Screen[Any]) -> set[str]:
    """The words that are drawn, none of them in part if the screen is wide."""
    return {one for row in rows_of(screen) for one in WORD.findall(row)}


def cut_words(screen: Screen[Any], known: set[str]) -> list[str]:
    """Words at the right edge of a widget that are a part of one of the words known.

    A long word may go on at the left edge of the next row.
    """
    rows = rows_of(screen)
    found = []
    for widget in _shown(screen):
        place = in_sight(widget).intersection(widget.scrollable_content_region)
        if not place.area or list(widget.displayed_children) or isinstance(widget, Input):
            continue
        inside = [_crop(rows[y], place) for y in place.line_range]
        joined = "".join(one.strip(" ▏│┃") for one in inside)
        if widget.is_scrollable:
            inside.pop()  # it may go on out of sight
        for row in inside:
            end = re.search(r"\w[\w.,:'-]*$", row)
            if end and len(row) == place.width and _is_part(end[0], joined, known):
                found.append(f"{_name(widget)}: {end[0]!r} is cut in {row.strip()!r}")
    return found


def _is_part(piece: str, text: str, known: set[str]) -> bool:
    """Whether a word known begins with the piece, and no such word is in the text."""
    wholes = [one for one in known if one.startswith(piece)]
    return bool(wholes) and not any(one in text for one in wholes)


def _crop(row: str, place: Region) -> str:
    return Strip([Segment(row)]).crop(place.x, place.right).text


def lost_rows(screen: Screen[Any]) -> list[str]:
    """What is longer than its place, and cannot be scrolled to its end or does not show it."""
    found = []
    text = "\n".join(rows_of(screen))
    for widget in _shown(screen):
        if not widget.is_scrollable or not in_sight(widget).area:
            continue
        room = widget.scrollable_content_region.height
        more = widget.virtual_size.height - room
        if more <= 0:
            continue
        if widget.styles.overflow_y == "hidden" or widget.max_scroll_y < more:
            found.append(f"{_name(widget)}: {more} rows cannot be reached")
        has_bar = widget.show_vertical_scrollbar and widget.scrollbar_size_vertical > 0
        if not has_bar and not MORE.search(text):
            found.append(f"{_name(widget)}: nothing shows that {more} rows are out of sight")
    return found


def dead_keys(screen: Screen[Any]) -> list[str]:
    """Keys that are drawn in a footer or in a bar, and are not bound."""
    display = screen.app.get_key_display
    bound = {display(one.binding).lower() for one in screen.active_bindings.values()}
    found = []
    for key in _bar_keys(screen):
        parts = [one for one in BESIDE_KEYS.split(key.lower()) if one not in ("", "pause")]
        if set(key) <= set(ARROWS):
            parts = [*key]
        if key.lower() not in bound and not bound.issuperset(parts):
            found.append(f"{key!r} is in a bar, and not bound")
    return found


def _bar_keys(screen: Screen[Any]) -> Iterator[str]:
    """The keys in the bars on frames, and before the verbs of a bar of verbs."""
    for widget in _shown(screen):
        if isinstance(widget, VerbBar):
            yield from (one.key for one in widget._verbs if one.key)
        words = [Content.from_markup(one) for one in (widget.border_subtitle,) if one]
        if isinstance(widget, FrameLine):
            words.append(widget.render())
        for one in words:
            for span in one.spans:
                if str(span.style) == KEY:
                    yield one.plain[span.start : span.end].strip()


Cells = list[list[tuple[str, Style | None]]]
"""What is drawn: of each row, the character of each cell and how it is drawn."""


def cells_of(screen: Screen[Any]) -> Cells:
    """What is drawn now."""
    return [
        [(char, segment.style) for segment in strip for char in segment.text]
        for strip in screen._compositor.render_strips()
    ]


def framed(widget: Widget) -> Region:
    """The cells of a widget in sight, with the nearest frame around it."""
    around = [one for one in widget.ancestors_with_self if isinstance(one, Widget)]
    frame = next((one for one in around if any(edge for edge, _ in one.styles.border)), widget)
    place = in_sight(frame).union(in_sight(widget))
    return place.intersection(widget.screen.region)


def unseen_focus(widget: Widget, place: Region, without: Cells, with_it: Cells) -> list[str]:
    """The widget, if nothing in its place is drawn in another way with the focus."""
    for y in place.line_range:
        for one, other in zip(
            without[y][place.x : place.right], with_it[y][place.x : place.right], strict=False
        ):
            if one != other and is_other(*one, *other):
                return []
    return [f"{_name(widget)}: its focus is not seen"]


def is_other(char: str, style: Style | None, other_char: str, other: Style | None) -> bool:
    """Whether a person sees the two cells as different."""
    if char != other_char or style is None or other is None:
        return True
    if any(
        getattr(style, name) != getattr(other, name) for name in ("bold", "reverse", "underline")
    ):
        return True
    fields = ["bgcolor"] if char.isspace() else ["bgcolor", "color"]
    return any(_differ(getattr(style, name), getattr(other, name)) for name in fields)


def _differ(one: Any, other: Any) -> bool:
    """Whether two colours are told apart: by their contrast, or by hue."""
    if one is None or other is None:
        return one is not other
    first, second = Color.from_rich_color(one), Color.from_rich_color(other)
    apart = (abs(first.r - second.r), abs(first.g - second.g), abs(first.b - second.b))
    return bool(contrast(first, second) > SEEN or max(apart) > HUE)


RULES: Final = (overlaps, hidden_parts, cut_texts, lost_rows, dead_keys)
"""The rules that read a screen as it is; the others compare it with itself."""
