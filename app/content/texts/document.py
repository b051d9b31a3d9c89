"""A text of a server with its views, words and bytes.

Also the colours of a unified diff, line by line; every sign stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ..codepoints import is_combining, is_dangerous
from ..json.jsonio import JsonError, JsonValue, parse, pretty
from .highlight import StyledLine, json_pieces, log_pieces, safe_pieces, yaml_pieces
from .kinds import Kind, TextKind, kind_of
from .tables import Table, TableRefused, json_table, separated_table

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

_BY_LINE: dict[Kind, Callable[[str], StyledLine]] = {
    Kind.JSON: json_pieces,
    Kind.JSON_LINES: json_pieces,
    Kind.YAML: yaml_pieces,
    Kind.LOG: log_pieces,
}
_LANGUAGES = {Kind.XML: "xml", Kind.HTML: "html"}
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
    _table: Table | TableRefused | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.kind = kind_of(self.text, self.mime)

    @property
    def views(self) -> tuple[str, ...]:
        """The ways to show it, the best one first. Reads no more than may be read at once."""
        kind = self.kind.kind
        if kind is Kind.JSON:
            if len(self.text) > PARSED_MAX:
                return (RENDERED, PLAIN, RAW)
            if len(self.text) > PARSED_AT_ONCE and not self.is_parsed:
                return (TREE, RENDERED, PLAIN, RAW)
            if self.trouble or not self.parse():
                return (RENDERED, PLAIN, RAW)
            table = (TABLE,) if isinstance(self.table(), Table) else ()
            return (TREE, *table, RENDERED, PLAIN, RAW)
        if kind in (Kind.CSV, Kind.TSV):
            return (TABLE, PLAIN, RAW)
        if kind is Kind.PLAIN:
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
        is_json = self.kind.kind is Kind.JSON and len(self.text) <= PARSED_MAX
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

    def table(self) -> Table | TableRefused:
        """The table that it spells out. May be called in a thread."""
        if self._table is None:
            kind = self.kind.kind
            if kind is Kind.TSV:
                self._table = separated_table(self.text, "\t")
            elif kind is Kind.CSV:
                self._table = separated_table(self.text)
            elif kind is Kind.JSON and self.parse():
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
        if self.kind.kind is Kind.DIFF:
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
