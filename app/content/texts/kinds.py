"""Detects the kind of a text: by its claimed MIME type, or by a cautious look.

A wrong guess costs nothing but colours: every kind can be shown as lines, and unchanged. The look
reads at most the first 64 KB and the last few characters. Markdown is recognised without a parser.
"""

from __future__ import annotations

import csv
import re
from enum import StrEnum

from ..frozen import frozen
from ..json.jsonio import JsonError, JsonValue, parse
from ..mime import essence

MAX_BYTES = 32_000
"""Bytes of UTF-8; a longer text is not laid out."""

_JSON_OR_XML = re.compile(r"\s*[{<]")
_LOG_LINE = re.compile(
    r"(?m)^(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\b"
    r"|@@ |diff --git |\+\+\+ )"
)
_SIGNS = (
    (2, re.compile(r"(?m)(?:\A\s*|\n[ \t]*\n)#{1,6} \S.*(?:\n[ \t]*(?:\n|\Z)|\Z|\n[^#\s])")),
    (2, re.compile(r"(?m)^ {0,3}```[ \t]*$")),
    (2, re.compile(r"(?m)\|[^|\n]*\n[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|[-:| \t]*$")),
    (2, re.compile(r"\[[^\]\n]{1,200}\]\((?:https?://|/|#|mailto:)[^)\s]{1,500}\)")),
    (1, re.compile(r"(?<!\*)\*\*(?=\S)[^*\n]{1,200}\*\*(?!\*)")),
    (1, re.compile(r"(?<!`)`[^`\n]{1,100}`(?!`)")),
    (1, re.compile(r"(?m)^> \S")),
    (1, re.compile(r"(?m)^(?:[-*+]|\d{1,3}\.) \S.*\n+(?:[-*+]|\d{1,3}\.) \S")),
)


def looks_like_markdown(text: str) -> bool:
    """A guess, on the side of no: JSON, XML, logs and patches are not Markdown."""
    if _JSON_OR_XML.match(text) or len(text.encode("utf-8", "replace")) > MAX_BYTES:
        return False
    if len(_LOG_LINE.findall(text)) * 3 > text.count("\n") + 1:
        return False
    if sum(weight for weight, sign in _SIGNS if sign.search(text)) < 2:
        return False
    try:
        parse(text)
    except JsonError:
        return True
    return False


LOOK = 64_000
"""Characters that are looked at."""

_LOOK_LINES = 20
_LINE_MAX = 4_000
_BOM = "\ufeff"


class TextForm(StrEnum):
    """Kinds of text; the value is the word that is shown."""

    MARKDOWN = "Markdown"
    DIFF = "diff"
    JSON = "JSON"
    JSON_LINES = "JSON lines"
    YAML = "YAML"
    XML = "XML"
    HTML = "HTML source"
    CSV = "CSV"
    TSV = "TSV"
    CODE = "code"
    LOG = "log lines"
    PLAIN = "plain text"


@frozen
class TextKind:
    """A kind, and for code the name of its language as pygments has it."""

    kind: TextForm
    language: str = ""

    @property
    def words(self) -> str:
        """The kind for a header: "Markdown", "python"; "" for plain text."""
        if self.kind is TextForm.PLAIN:
            return ""
        return self.language or self.kind.value


_TYPES = {
    "text/markdown": TextForm.MARKDOWN,
    "text/x-markdown": TextForm.MARKDOWN,
    "text/x-diff": TextForm.DIFF,
    "text/x-patch": TextForm.DIFF,
    "text/diff": TextForm.DIFF,
    "application/x-patch": TextForm.DIFF,
    "application/json": TextForm.JSON,
    "text/json": TextForm.JSON,
    "application/jsonl": TextForm.JSON_LINES,
    "application/x-jsonlines": TextForm.JSON_LINES,
    "application/x-ndjson": TextForm.JSON_LINES,
    "application/ndjson": TextForm.JSON_LINES,
    "application/yaml": TextForm.YAML,
    "application/x-yaml": TextForm.YAML,
    "text/yaml": TextForm.YAML,
    "text/x-yaml": TextForm.YAML,
    "application/xml": TextForm.XML,
    "text/xml": TextForm.XML,
    "text/html": TextForm.HTML,
    "application/xhtml+xml": TextForm.HTML,
    "text/csv": TextForm.CSV,
    "application/csv": TextForm.CSV,
    "text/tab-separated-values": TextForm.TSV,
    "text/x-log": TextForm.LOG,
}
_ENDINGS = {"+json": TextForm.JSON, "+yaml": TextForm.YAML, "+xml": TextForm.XML}
_LANGUAGES = {
    "application/ecmascript": "javascript",
    "application/javascript": "javascript",
    "application/sql": "sql",
    "application/toml": "toml",
    "application/typescript": "typescript",
    "application/x-httpd-php": "php",
    "application/x-javascript": "javascript",
    "application/x-perl": "perl",
    "application/x-python": "python",
    "application/x-python-code": "python",
    "application/x-ruby": "ruby",
    "application/x-sh": "bash",
    "application/x-shellscript": "bash",
    "application/x-sql": "sql",
    "application/x-typescript": "typescript",
    "text/css": "css",
    "text/javascript": "javascript",
    "text/typescript": "typescript",
    "text/x-c": "c",
    "text/x-c++": "cpp",
    "text/x-c++src": "cpp",
    "text/x-csrc": "c",
    "text/x-go": "go",
    "text/x-java": "java",
    "text/x-java-source": "java",
    "text/x-lua": "lua",
    "text/x-perl": "perl",
    "text/x-php": "php",
    "text/x-python": "python",
    "text/x-python-script": "python",
    "text/x-ruby": "ruby",
    "text/x-rust": "rust",
    "text/x-sh": "bash",
    "text/x-shellscript": "bash",
    "text/x-sql": "sql",
    "text/x-toml": "toml",
    "text/x-typescript": "typescript",
}
_SHEBANG = re.compile(
    r"#!\s*/\S{1,100}?(?:env\s+)?\b(python|bash|sh|node|perl|ruby)[\d.]*\s*$", re.M
)
_SHEBANG_LANGUAGES = {"sh": "bash", "node": "javascript"}

_DIFF = re.compile(r"(?m)^--- \S.*\n\+\+\+ \S.*\n@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}")
_GIT_DIFF = re.compile(r"diff --git \S+ \S+")
_HTML = re.compile(r"(?i)<(?:!doctype html|html)\b")
_XML = re.compile(r"<(?:\?xml\s|!DOCTYPE\s|[A-Za-z][\w:.-]{0,100}(?:\s[^<>]{0,2000})?/?>)")
_JSON_START = re.compile(r'\{\s*+["}]|\[\s*+(?:[\[\]{"-]|\d|true\b|false\b|null\b)')
_LOG_START = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b"
)
_YAML_LINE = re.compile(r"\s*(?:#|-(?:\s|$)|[\w.\"'/-]{1,100}:(?:\s|$)|\.\.\.$|---$|$)")
_HEADER_CELL = re.compile(r"[A-Za-z_][\w .()/%#-]{0,40}(?<![ .])$")


def kind_of(text: str, mime: str = "") -> TextKind:
    """The kind of a raw text. `mime` is the server's claim, raw; "" if there is none."""
    claimed = essence(mime)
    if (kind := _TYPES.get(claimed)) is not None:
        return TextKind(kind)
    if (language := _LANGUAGES.get(claimed)) is not None:
        return TextKind(TextForm.CODE, language)
    for ending, kind in _ENDINGS.items():
        if claimed.endswith(ending):
            return TextKind(kind)
    return _look(text)


def _look(text: str) -> TextKind:
    head = text[:LOOK].removeprefix(_BOM)
    is_whole = len(text) <= LOOK
    body = head.lstrip()
    if not body:
        return TextKind(TextForm.PLAIN)
    lines = [line[:_LINE_MAX] for line in body.split("\n", _LOOK_LINES)[:_LOOK_LINES]]
    if match := _SHEBANG.match(lines[0]):
        name = match.group(1)
        return TextKind(TextForm.CODE, _SHEBANG_LANGUAGES.get(name, name))
    if body[0] in "{[" and (kind := _json_kind(body, text, is_whole)) is not None:
        return TextKind(kind)
    if body[0] == "<" and text[-LOOK:].rstrip().endswith(">"):
        if _HTML.match(body):
            return TextKind(TextForm.HTML)
        if _XML.match(body):
            return TextKind(TextForm.XML)
    if _GIT_DIFF.match(body) or _DIFF.search(head):
        return TextKind(TextForm.DIFF)
    if _is_log(lines):
        return TextKind(TextForm.LOG)
    if lines[0].rstrip() == "---" and len(lines) > 2 and _is_yaml(lines):
        return TextKind(TextForm.YAML)
    if (kind := _separated(lines[:-1] if len(lines) == _LOOK_LINES else lines)) is not None:
        return TextKind(kind)
    if looks_like_markdown(head):
        return TextKind(TextForm.MARKDOWN)
    return TextKind(TextForm.PLAIN)


def _json_kind(body: str, text: str, is_whole: bool) -> TextForm | None:
    if not _JSON_START.match(body):
        return None
    if is_whole and _parses(body) is not None:
        return TextForm.JSON
    first, found, rest = body.partition("\n")
    if found and isinstance(_parses(first), dict):
        second = rest.lstrip().split("\n", 1)
        if len(second) == 1 and not second[0].strip():
            return TextForm.JSON
        if len(second) == 1 and not is_whole:
            return TextForm.JSON_LINES
        return TextForm.JSON_LINES if isinstance(_parses(second[0]), dict) else None
    closing = "}" if body[0] == "{" else "]"
    if not is_whole and text[-LOOK:].rstrip().endswith(closing) and not _is_log([first]):
        return TextForm.JSON
    return None


def _parses(text: str) -> JsonValue:
    """The object or array that a text spells out; None for anything else."""
    try:
        value = parse(text).value
    except JsonError:
        return None
    return value if isinstance(value, dict | list) else None


def _is_log(lines: list[str]) -> bool:
    count = sum(1 for line in lines if _LOG_START.match(line))
    return count >= 2 and count * 2 >= len(lines)


def _is_yaml(lines: list[str]) -> bool:
    return all(_YAML_LINE.match(line) or line.startswith("  ") for line in lines) and any(
        ":" in line for line in lines
    )


def _separated(lines: list[str]) -> TextForm | None:
    """CSV or TSV where every line has as many cells as the header, whose cells are short names."""
    rows = [line.rstrip("\r") for line in lines if line.strip()]
    if len(rows) < 3:
        return None
    for delimiter, kind, least in (
        (",", TextForm.CSV, 3),
        ("\t", TextForm.TSV, 2),
        (";", TextForm.CSV, 3),
    ):
        if delimiter not in rows[0]:
            continue
        try:
            cells = list(csv.reader(rows, delimiter=delimiter, strict=True))
        except csv.Error:
            continue
        count = len(cells[0])
        if count < least or any(len(row) != count for row in cells):
            continue
        if all(_HEADER_CELL.match(cell) for cell in cells[0]):
            return kind
    return None
