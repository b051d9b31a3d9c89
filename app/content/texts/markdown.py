"""Untrusted Markdown as styled lines, within limits, and with nothing left out.

Markdown has many ways to hide: comments, raw HTML, link definitions, images, links whose words are
not their address, entities that turn into control characters. All of them are shown here. Pure
functions of plain values: callable in a worker process that can be killed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownContext, MarkdownElement, TextElement
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from ..frozen import frozen
from ..text import size, visible
from .kinds import MAX_BYTES

StyledLine: TypeAlias = list[tuple[str, str]]

MAX_BLOCKS = 300
MAX_COLUMNS = 40
MAX_NESTING = 20

_WIDTHS = (10, 500)
# The library drops blocks that are nested deeper than this; our limit must come first and refuse.
_PARSER_NESTING = 5 * MAX_NESTING
_CONTAINERS = frozenset({"blockquote_open", "list_item_open", "em_open", "strong_open", "s_open"})
_BLOCKS = frozenset(
    {"paragraph_open", "heading_open", "fence", "code_block", "hr", "list_item_open", "tr_open"}
)

# Weight only, no colours: it must be legible on every theme.
_THEME = Theme(
    {
        "markdown.code": "bold",
        "markdown.code_block": "none",
        "markdown.block_quote": "italic",
        "markdown.list": "none",
        "markdown.item.bullet": "bold",
        "markdown.item.number": "bold",
        "markdown.hr": "dim",
        "markdown.link": "underline",
        "markdown.link_url": "dim underline",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
        "markdown.h1": "bold underline",
        **{f"markdown.h{level}": "bold" for level in range(2, 7)},
    }
)

_LANGUAGE = re.compile(r"\s*+[\w+#.-]{0,20}+\s*+\Z")


@frozen
class MarkdownRefused:
    """A text is not laid out as Markdown, for `reason`; it can still be shown as it is."""

    reason: str


def markdown_lines(text: str, width: int) -> list[StyledLine] | MarkdownRefused:
    """Lay `text` out for `width` cells: lines of (text, rich style string), no trailing blanks.

    `text` has been made visible before; characters that Markdown itself reveals (entities, decoded
    addresses) are made visible here. Links are followed by their address, images and raw HTML are
    text. Never raises.
    """
    length = len(text.encode("utf-8", "replace"))
    if length > MAX_BYTES:
        return MarkdownRefused(f"{size(length)}, at most {size(MAX_BYTES)}")
    try:
        tokens = _parser().parse(text)
        refused = _beyond_limits(tokens)
        return refused or _laid_out(tokens, width)
    except Exception as error:  # the libraries promise nothing about a stranger's text
        return MarkdownRefused(f"cannot be laid out ({type(error).__name__})")


def _parser() -> MarkdownIt:
    options = {"html": False, "maxNesting": _PARSER_NESTING}
    parser = MarkdownIt("commonmark", options).enable(["strikethrough", "table"])
    return parser.disable(["image", "reference"])


def _beyond_limits(tokens: Sequence[Token]) -> MarkdownRefused | None:
    blocks = columns = 0
    nesting = 0
    for token in tokens:
        if token.type in _BLOCKS and not token.hidden:
            blocks += 1
        if token.type == "tr_open":
            columns = 0
        elif token.type in ("th_open", "td_open"):
            columns += 1
        inline = 0
        for child in token.children or ():
            inline += child.nesting if child.nesting else 0
            if nesting + inline > MAX_NESTING:
                return MarkdownRefused(f"nested more than {MAX_NESTING} levels deep")
        if token.type in _CONTAINERS:
            nesting += 1
        elif token.type.replace("_close", "_open") in _CONTAINERS:
            nesting -= 1
        if nesting > MAX_NESTING:
            return MarkdownRefused(f"nested more than {MAX_NESTING} levels deep")
        if blocks > MAX_BLOCKS:
            return MarkdownRefused(f"more than {MAX_BLOCKS} blocks")
        if columns > MAX_COLUMNS:
            return MarkdownRefused(f"a table of more than {MAX_COLUMNS} columns")
    return None


def _laid_out(tokens: list[Token], width: int) -> list[StyledLine]:
    _make_visible(tokens)
    document = _MarkdownDocument("", hyperlinks=False)
    document.parsed = tokens
    console = Console(
        file=io.StringIO(),
        width=min(max(width, _WIDTHS[0]), _WIDTHS[1]),
        color_system=None,
        force_terminal=False,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        theme=_THEME,
    )
    lines = [_styled(line) for line in console.render_lines(document, pad=False)]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def _make_visible(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.content:
            token.content = visible(token.content, multiline=True, max_blanks=MAX_BYTES)
        if token.type == "fence" and not _LANGUAGE.match(token.info):
            token.content = f"```{visible(token.info)}\n{token.content}"
        if "href" in token.attrs:
            title = f' "{token.attrs["title"]}"' if token.attrs.get("title") else ""
            token.attrs["href"] = visible(f"{token.attrs['href']}{title}")
        _make_visible(token.children or ())


def _styled(segments: Sequence[Segment]) -> StyledLine:
    line: StyledLine = []
    for segment in segments:
        style = str(segment.style or Style.null())
        if line and line[-1][1] == style:
            line[-1] = (line[-1][0] + segment.text, style)
        elif segment.text:
            line.append((segment.text, style))
    while line and not line[-1][0].strip(" "):
        line.pop()
    if line:
        line[-1] = (line[-1][0].rstrip(" "), line[-1][1])
    return line


class _Code(TextElement):
    """A code block as it is: no syntax colours, whose rules a server could make expensive."""

    style_name = "markdown.code_block"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Text(str(self.text).rstrip("\n").expandtabs(4))
        yield from (Text("  ").append_text(line) for line in code.split("\n", allow_blank=True))


class _Heading(TextElement):
    """A heading as one paragraph; a frame around it would be lines that a server can draw."""

    level: str

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> MarkdownElement:
        heading = cls()
        heading.level = token.tag
        return heading

    def on_enter(self, context: MarkdownContext) -> None:
        self.text = Text()
        context.enter_style(f"markdown.{self.level}")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text


class _MarkdownDocument(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
    }
