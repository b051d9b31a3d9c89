"""Words at a field of a form: origin, sent value, help, errors, and the server's texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from ...app.content.frozen import frozen
from ...app.content.json.jsonio import JsonValue
from ...app.content.text import cut, shortened, visible
from ...app.schemas.form.entries import (
    FieldEntry,
    FieldState,
    Origin,
    entry_for,
    is_plain,
    json_text,
    state_of,
    suggested_by,
)
from ...app.schemas.form.fields import Field, FieldKind
from ...app.schemas.form.merging import MISSING, exact
from .field_editors import MAX_EDITED

MAX_LABEL: Final = 60
"""Characters of one choice that are drawn."""
MAX_EXACT: Final = 200
"""Limit of characters for a second, sanitised drawing of a text with hidden characters."""
MAX_VALUE: Final = 40
"""Characters of an example or a default in the line of remarks."""
MAX_EXAMPLES: Final = 3
GLIMPSED: Final = 3
"""Members of a folded group that are named."""
CHOSEN: Final = (FieldKind.BOOLEAN, FieldKind.ENUM)
"""Kinds with a value out of a few, or many, that are known."""


def mark(field: Field, entry: FieldEntry) -> Content:
    """Describe the sent value and its origin."""
    state = state_of(field, entry)
    match state:
        case FieldState.NOT_SENT:
            return Content.styled("· not sent", "dim")
        case FieldState.NULL | FieldState.EMPTY if entry.origin is Origin.DEFAULT:
            return Content.styled(f"◌ default: {_SHORTER[state]}", "dim")
        case FieldState.NULL | FieldState.EMPTY if entry.origin is Origin.FILLED:
            return Content.styled(f"◐ filled: {_SHORTER[state]}", "dim")
        case FieldState.NULL | FieldState.EMPTY if entry.origin is Origin.EXAMPLE:
            return Content.styled(f"◎ example: {_SHORTER[state]}", "$text-primary")
        case FieldState.NULL | FieldState.EMPTY:
            return Content.styled(f"● {_SHORT[state]}", "$text-primary")
        case FieldState.DEFAULT:
            return Content.styled("◌ server's default", "dim")
        case FieldState.FILLED:
            return Content.styled("◐ filled by Signoff", "dim")
        case FieldState.EXAMPLE:
            return Content.styled("◎ server's example", "$text-primary")
        case _:
            return Content.styled("● you typed it", "$text-primary")


WRITTEN: Final = {"object": '{"key": "value"}', "map": '{"key": "value"}', "array": '["a", "b"]'}
"""How JSON is written, by the kind of value that is wanted."""
ANY_WRITTEN: Final = '"text", 1, true, {"key": "value"}'

_SHORT: Final = {FieldState.NULL: "null", FieldState.EMPTY: "empty string"}
_SHORTER: Final = {FieldState.NULL: "null", FieldState.EMPTY: "empty"}


def note(field: Field, entry: FieldEntry, default: FieldEntry | None, *, is_item: bool) -> str:
    """Type, the sent value if it is easily misread, the server's default and examples.

    An item of an array leaves its type to the array.
    """
    words = [] if is_item else [field.type_words]
    words += remarks(field, entry)
    words += default_words(field, default, entry)
    words += example_words(field, entry) or written_words(field, entry)
    return " · ".join(word for word in words if word)


def remarks(field: Field, entry: FieldEntry) -> list[str]:
    """List facts about a text that are easily overlooked."""
    if not entry.present:
        return ["a text is kept here but not sent"] if entry.text else []
    if entry.as_json and entry.text.strip() == "null":
        return ["sent as null"]
    if entry.as_json and field.kind is not FieldKind.JSON:
        return ["written as JSON"]
    if field.kind is not FieldKind.STRING:
        return []
    found = []
    if "\n" in entry.text:
        found.append(f"{entry.text.count(chr(10)) + 1} lines")
    if entry.text != entry.text.strip():
        found.append("blanks at an end")
    return found


def default_of(field: Field) -> FieldEntry | None:
    """Return the entry that ctrl+d sets: the default, or the only value; None without either."""
    if field.suggestion is MISSING:
        return None
    return entry_for(field, field.suggestion, suggested_by(field))


def default_words(field: Field, default: FieldEntry | None, entry: FieldEntry) -> list[str]:
    """The server's default, or the only allowed value, if the field has another."""
    if default is None or field.suggestion is MISSING or is_same_text(default, entry):
        return []
    what = "only value" if field.is_only else "default"
    return [f"{what}: {short(field.suggestion)} (ctrl+d)"]


def is_same_text(one: FieldEntry, other: FieldEntry) -> bool:
    """True if two entries of one field read as the same value, whatever their origin."""
    return (one.present, one.as_json, one.text) == (other.present, other.as_json, other.text)


def example_words(field: Field, entry: FieldEntry) -> list[str]:
    """Show the server's examples, while nothing else is typed, and how to take one."""
    offered = field.examples[:MAX_EXAMPLES]
    at = example_at(field, entry)
    if not offered or at is None:
        return []
    if at >= 0:
        return [f"example {at + 1} of {len(offered)} (→ the next)"] if len(offered) > 1 else []
    key = "press → to use one" if len(offered) > 1 else "press → to use it"
    return [f"for example: {', '.join(short(one) for one in offered)} ({key})"]


def written_words(field: Field, entry: FieldEntry) -> list[str]:
    """Show how to write a value of JSON, while none is typed and the server shows none."""
    if field.kind is not FieldKind.JSON or entry.text:
        return []
    shapes = (shape for kind, shape in WRITTEN.items() if field.type_words.startswith(kind))
    return [f"as in {next(shapes, ANY_WRITTEN)}"]


def example_at(field: Field, entry: FieldEntry) -> int | None:
    """Index of the example in a field: -1 if it is empty, None if it has other text."""
    if not entry.text or not entry.present:
        return -1
    for at, example in enumerate(field.examples[:MAX_EXAMPLES]):
        if is_same_text(entry, entry_for(field, example, entry.origin)):
            return at
    return None


def example_clicked(field: Field, line: str, x: int) -> int | None:
    """Index of the example in cell `x` of a line of remarks; None if there is none."""
    for at, example in enumerate(field.examples[:MAX_EXAMPLES]):
        label = short(example)
        start = line.find(label)
        if start < 0:
            continue
        left = cell_len(line[:start])
        if left <= x < left + cell_len(label):
            return at
    return None


def short(value: JsonValue) -> str:
    """A value in a few characters of JSON, safe to show."""
    if isinstance(value, str):
        value = value[: MAX_VALUE + 1]
    return shortened(json_text(value).replace("\n", " "), MAX_VALUE)


def glimpse(group: JsonValue) -> str:
    """The first members of an object or array in a few characters, safe to show."""
    if isinstance(group, dict):
        parts = [f"{_name(key)}: {_member(one)}" for key, one in islice(group.items(), GLIMPSED)]
    elif isinstance(group, list):
        parts = [_member(one) for one in group[:GLIMPSED]]
    else:
        return short(group)
    return ", ".join([*parts, *(["…"] if len(group) > GLIMPSED else [])])


def _name(key: str) -> str:
    return shortened(key, MAX_VALUE)


def _member(value: JsonValue) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return "[…]" if value else "[]"
    return short(value)


def hidden_words(entry: FieldEntry) -> list[str]:
    """Repeat a text that holds invisible characters, with names for them."""
    if not entry.present or is_plain(entry.text[:MAX_EDITED]):
        return []
    return [f"holds hidden characters: {visible(entry.text[:MAX_EXACT])}"]


def placeholder(field: Field, entry: FieldEntry) -> str:
    """Text of an empty editor."""
    if entry.present and field.kind is FieldKind.STRING and not entry.as_json:
        return "empty string"
    state = "required" if field.required else "not sent"
    return f"{state}, like {field.shape}" if field.shape else state


def server_words(field: Field) -> str:
    """Title, description and pattern, sanitised; several lines."""
    lines = [visible(field.title)] if field.title and field.title != field.name else []
    if field.description:
        lines.append(visible(field.description, multiline=True))
    if field.pattern:
        lines.append(f"pattern {visible(field.pattern)}")
    return "\n".join(lines)


def asked_line(field: Field, width: int) -> Content:
    """What a server wants, on one line: its description behind the gutter, else the type."""
    if not field.description:
        return Content.styled(f" {field.type_words}", "$foreground-muted").truncate(width)
    words = Content(visible(field.description))
    return Content.styled(" ┃ ", "$foreground-muted") + words.truncate(max(2, width - 4))


def values_of(field: Field) -> tuple[JsonValue, ...]:
    """Return the choices, in the order of the schema."""
    return (True, False) if field.kind is FieldKind.BOOLEAN else field.choices


def labels_of(field: Field) -> list[str]:
    """One line for each choice: its value, strings bare if there is nothing else; and the
    server's words for it."""
    values = values_of(field)
    bare = all(isinstance(value, str) and value.strip() for value in values)
    labels = []
    for index, value in enumerate(values):
        words = value if bare and isinstance(value, str) else json_text(value).replace("\n", " ")
        told = field.labels[index] if index < len(field.labels) else ""
        if told and told != words:
            words = f"{words} - {told}"
        shortened = cut(words, MAX_LABEL)
        labels.append(visible(shortened.text) + ("…" if shortened.is_cut else ""))
    return labels


def index_of(field: Field, entry: FieldEntry) -> int | None:
    """Index of an entry's choice; None for none of them."""
    if not entry.present:
        return None
    texts = (exact(value) for value in values_of(field))
    return next((index for index, text in enumerate(texts) if text == entry.text), None)


NARROW: Final = 50
"""Below this width the names are above their values."""
WIDE: Final = 60
"""From this width on every level is indented by two columns, below it by one."""
NAME_WIDTH: Final = 20
MAX_NAME: Final = 128
NAME_LINES: Final = 3
TOLD_LINES: Final = 3
"""Lines of a server's words in a row that has little room."""


@frozen
class Columns:
    """Columns of a row, by depth and width: guide, name, content."""

    indent: int
    start: int
    """The column at which names end and values begin."""
    is_narrow: bool

    @classmethod
    def of(cls, width: int, depth: int) -> Columns:
        indent = min(depth * (2 if width >= WIDE else 1), width // 4)
        if width < NARROW:
            return cls(indent, indent, True)
        return cls(indent, min(indent + NAME_WIDTH, max(NAME_WIDTH, width // 2)), False)

    def guide(self, depth: int) -> Content:
        """A thin line for each level, as many as fit."""
        step = max(1, self.indent // depth) if depth else 1
        return Content(("│" + " " * (step - 1)) * min(depth, self.indent // step)).pad_right(
            self.indent % step if depth else 0
        )


@frozen
class FieldProblems:
    """Errors at a row, in words that are safe to show."""

    lines: tuple[str, ...] = ()
    inside: int = 0
    """Problems in rows that are folded away below this one."""
    notes: tuple[str, ...] = ()
    """Hints on a likely mistake, shown out of the way."""

    @property
    def is_wrong(self) -> bool:
        return bool(self.lines or self.inside)

    def contents(self) -> list[Content]:
        lines = list(self.lines)
        if self.inside:
            lines.append(f"{self.inside:,} problem{'s' * (self.inside > 1)} inside")
        wrong = [Content.styled(f"✗ {line}", "bold $text-error") for line in lines]
        return wrong + [Content.styled(f"? {line}", "$text-warning") for line in self.notes]


def is_marked(field: Field) -> bool:
    """True if a star marks it as required; an existing item or entry has none."""
    return field.required and not field.is_item and not field.is_key_free


def name_content(name: str, width: int, style: str = "") -> list[Content]:
    """A name of the server's or of the person's in a few lines, cut and sanitised."""
    shortened = cut(name, MAX_NAME)
    shown = visible(shortened.text) + ("…" if shortened.is_cut else "")
    return Content.styled(shown or '""', style).wrap(width)[:NAME_LINES]


def told_lines(told: str, width: int, *, is_roomy: bool) -> list[Content]:
    """A server's words behind a gutter; the first of them if there is little room."""
    if not told:
        return []
    lines = list(Content.styled(told, "$foreground-muted").wrap(max(2, width - 4)))
    if not is_roomy and len(lines) > TOLD_LINES:
        more = f" … f4: {len(lines) - TOLD_LINES:,} more"
        kept = lines[TOLD_LINES - 1].truncate(max(1, width - 4 - len(more)))
        last = Content.assemble(kept, (more, "$foreground-muted"))
        lines = [*lines[: TOLD_LINES - 1], last]
    gutter = Content.styled(" ┃ ", "$foreground-muted")
    return [gutter + line for line in lines]


def wrapped(paragraphs: Sequence[Content], width: int) -> list[Content]:
    """Lines of at most `width` cells."""
    return [line for paragraph in paragraphs for line in paragraph.wrap(max(2, width))]
