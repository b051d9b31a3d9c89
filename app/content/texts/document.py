"""A text of a server with its views, words, bytes and tables.

Tables are CSV, TSV, and JSON arrays of flat objects. The lines of a unified diff have colours;
every sign stays.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ..frozen import frozen
from ..json.jsonio import JsonError, JsonValue, parse, pretty
from ..text import cut, is_combining, is_dangerous, visible
from .highlight import StyledLine, json_pieces, log_pieces, safe_pieces, yaml_pieces
from .kinds import TextForm, TextKind, kind_of

MAX_ROWS = 20_000
MAX_COLUMNS = 60
MAX_CHARACTERS = 2_000_000
CELL_MAX = 200
"""Characters of one cell that are kept."""

MEASURED = 500
"""Rows by which columns are judged and laid out."""


@frozen
class TextTable:
    """Safe cells. `notice` describes the omission, "" if there is none."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notice: str = ""

    def is_number(self) -> tuple[bool, ...]:
        """For each column, True if it holds numbers, which are aligned right."""
        shown = self.rows[:MEASURED]
        return tuple(
            bool(shown) and all(_is_number(row[index]) for row in shown)
            for index in range(len(self.columns))
        )


@frozen
class TableRefused:
    """A text is not a table, for `reason`."""

    reason: str


def separated_table(text: str, delimiter: str = "") -> TextTable | TableRefused:
    """Read CSV (RFC 4180) or TSV; the first line names the columns.

    A `delimiter` of "" is guessed from the first line. The text is read up to the limits.
    """
    shown = cut(text, MAX_CHARACTERS)
    whole = shown.text.removeprefix("\ufeff")
    if shown.is_cut:
        # The last line may be torn.
        whole = whole[: whole.rfind("\n") + 1] or whole
    first = whole.split("\n", 1)[0]
    sign = delimiter or max(",;\t", key=first.count)
    try:
        reader = csv.reader(whole.splitlines(keepends=True), delimiter=sign)
        rows = [row for row in islice(reader, MAX_ROWS + 2) if row]
    except csv.Error as error:
        return TableRefused(f"not readable as a table: {visible(str(error))}")
    if len(rows) < 2:
        return TableRefused("no rows")
    return _table(rows[0], rows[1:], shown.notice)


def json_table(value: JsonValue) -> TextTable | TableRefused:
    """A table of an array of objects; none of their members may be an object or an array."""
    if not isinstance(value, list) or not value:
        return TableRefused("not an array of objects")
    columns: dict[str, None] = {}
    for item in value[:MAX_ROWS]:
        if not isinstance(item, dict) or not item:
            return TableRefused("not an array of objects")
        for name, member in item.items():
            if isinstance(member, dict | list):
                return TableRefused("not flat")
            columns.setdefault(name)
        if len(columns) > MAX_COLUMNS:
            return TableRefused(f"more than {MAX_COLUMNS} columns")
    names = list(columns)
    objects = [item for item in value[: MAX_ROWS + 1] if isinstance(item, dict)]
    rows = ([_written(item[name]) if name in item else "" for name in names] for item in objects)
    return _table(names, list(rows), "", total=len(value))


def _table(
    header: Sequence[str], rows: Sequence[Sequence[str]], notice: str, *, total: int = 0
) -> TextTable:
    count = min(len(header), MAX_COLUMNS)
    notices = [notice] if notice else []
    if len(header) > MAX_COLUMNS:
        notices.append(f"{MAX_COLUMNS} of {len(header):,} columns")
    if len(rows) > MAX_ROWS:
        of = f" of {total:,}" if total else ""
        notices.append(f"the first {MAX_ROWS:,}{of} rows")
    columns = tuple(_cell(name) or f"column {at + 1}" for at, name in enumerate(header[:count]))
    longer = sum(len(row) > len(header) for row in rows[:MAX_ROWS])
    if longer:
        notices.append(
            f"{longer:,} {'row has' if longer == 1 else 'rows have'} more cells than the header"
        )
    cells = tuple(
        tuple([_cell(value) for value in row[:count]] + [""] * (count - len(row)))
        for row in rows[:MAX_ROWS]
    )
    return TextTable(columns, cells, "; ".join(notices))


def _cell(text: str) -> str:
    if len(text) <= CELL_MAX and text.isprintable():
        return text
    shown = cut(text, CELL_MAX)
    return visible(shown.text, max_blanks=CELL_MAX) + ("…" if shown.is_cut else "")


def _written(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value)


def _is_number(text: str) -> bool:
    if not text:
        return True
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


_HEADER = re.compile(
    r"(?:diff |index |Index: |={20}|--- |\+\+\+ |old mode |new mode |new file |deleted file "
    r"|similarity |rename |copy |Binary files )"
)


def diff_style(line: str) -> str:
    """The style of one line: a rich style, or one of the names success, error, accent, ""."""
    if _HEADER.match(line):
        return "bold"
    return {"+": "success", "-": "error", "@": "accent", "\\": "muted"}.get(line[:1], "")


PARSED_AT_ONCE = 200_000
"""Characters of JSON that may be read where the screen waits for it."""
PARSED_MAX = 2_000_000

RENDERED, TABLE, TREE, PLAIN, RAW = "rendered", "table", "tree", "plain", "raw"

_BY_LINE: dict[TextForm, Callable[[str], StyledLine]] = {
    TextForm.JSON: json_pieces,
    TextForm.JSON_LINES: json_pieces,
    TextForm.YAML: yaml_pieces,
    TextForm.LOG: log_pieces,
}
_LANGUAGES = {TextForm.XML: "xml", TextForm.HTML: "html"}
_QUOTE = json.encoder.encode_basestring
_ESCAPES = re.compile(r"(?:\\(?:u[0-9a-f]{4}|.))+")


class NotTold:
    """The mark of a value that was not read yet: None is a JSON value."""


NOT_TOLD = NotTold()


@dataclass(slots=True)
class TextDocument:
    """A raw text and its MIME type as claimed; the rest follows from them, lazily."""

    text: str
    mime: str = ""
    kind: TextKind = field(init=False)
    trouble: str = ""
    """Why it is not what it claims to be, in our own words; "" if nothing is wrong."""
    _value: JsonValue | NotTold = field(init=False, default=NOT_TOLD)
    _laid_out: str = field(init=False, default="")
    _table: TextTable | TableRefused | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.kind = kind_of(self.text, self.mime)

    @property
    def views(self) -> tuple[str, ...]:
        """The ways to show it, the best one first. Reads no more than may be read at once."""
        kind = self.kind.kind
        if kind is TextForm.JSON:
            if len(self.text) > PARSED_MAX:
                return (RENDERED, PLAIN, RAW)
            if len(self.text) > PARSED_AT_ONCE and not self.is_parsed:
                return (TREE, RENDERED, PLAIN, RAW)
            if self.trouble or not self.parse():
                return (RENDERED, PLAIN, RAW)
            table = (TABLE,) if isinstance(self.table(), TextTable) else ()
            return (TREE, *table, RENDERED, PLAIN, RAW)
        if kind in (TextForm.CSV, TextForm.TSV):
            return (TABLE, PLAIN, RAW)
        if kind is TextForm.PLAIN:
            return (PLAIN, RAW)
        return (RENDERED, PLAIN, RAW)

    @property
    def is_parsed(self) -> bool:
        return self._value is not NOT_TOLD

    @property
    def value(self) -> JsonValue:
        """The JSON value, once it was read."""
        return None if isinstance(self._value, NotTold) else self._value

    def parse(self) -> bool:
        """Read it as JSON; whether that is possible. May be called in a thread."""
        if self.is_parsed:
            return True
        if self.trouble:
            return False
        try:
            self._value = parse(self.text).value
        except JsonError as error:
            self.trouble = f"not JSON: {error.reason}"
        return not self.trouble

    @property
    def can_be_laid_out(self) -> bool:
        """True if `lay_out` still has something to do."""
        is_json = self.kind.kind is TextForm.JSON and len(self.text) <= PARSED_MAX
        return is_json and not self.trouble and not self._laid_out

    @property
    def laid_out(self) -> str:
        """JSON on lines of its own once that is done, else the text as it came."""
        if self.can_be_laid_out and len(self.text) <= PARSED_AT_ONCE:
            return self.lay_out()
        return self._laid_out or self.text

    def lay_out(self) -> str:
        """Put JSON on lines of its own. May be called in a thread."""
        if self.can_be_laid_out and self.parse():
            try:
                self._laid_out = pretty(self.value)
            except JsonError as error:
                self.trouble = f"cannot be laid out: {error.reason}"
        return self._laid_out or self.text

    def table(self) -> TextTable | TableRefused:
        """The table that it spells out. May be called in a thread."""
        if self._table is None:
            kind = self.kind.kind
            if kind is TextForm.TSV:
                self._table = separated_table(self.text, "\t")
            elif kind is TextForm.CSV:
                self._table = separated_table(self.text)
            elif kind is TextForm.JSON and self.parse():
                self._table = json_table(self.value)
            else:
                self._table = TableRefused("not a table")
        return self._table

    @property
    def language(self) -> str:
        """Name in pygments, if its colours need more than one line; "" otherwise."""
        return self.kind.language or _LANGUAGES.get(self.kind.kind, "")

    @property
    def dress(self) -> Callable[[str], StyledLine] | None:
        """Colours for one line, where a line by itself suffices for them."""
        if self.kind.kind is TextForm.DIFF:
            return _diff_pieces
        return _BY_LINE.get(self.kind.kind)


def raw_pieces(line: str) -> StyledLine:
    """A line as it came, its line break included, as the inside of a JSON string.

    Whatever is invisible is an escape; the lines of a text, one after another between quotes, are
    JSON that reads as this text.
    """
    written = _QUOTE(line)[1:-1]
    if not written.isascii():
        written = "".join(
            json.dumps(char)[1:-1] if is_dangerous(char) or is_combining(char) else char
            for char in written
        )
    elif "\x7f" in written:
        written = written.replace("\x7f", "\\u007f")
    if "\\" not in written:
        return [(written, "")] if written else []
    found: StyledLine = []
    done = 0
    for match in _ESCAPES.finditer(written):
        if match.start() > done:
            found.append((written[done : match.start()], ""))
        found.append((match.group(), "warning"))
        done = match.end()
    return [*found, (written[done:], "")] if done < len(written) else found


def _diff_pieces(line: str) -> StyledLine:
    return safe_pieces(line, diff_style(line))
