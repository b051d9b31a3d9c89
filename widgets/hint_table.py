"""A tool's hints: declared values, defaults, effective values; as a table or in two lines."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from ..app.content.text import cut, visible
from ..app.protocol.findings.findings import Finding, Severity
from ..app.protocol.findings.model_texts import ADDRESSES_MODEL
from ..app.protocol.hints import USED_WORDS, Claim, Effect, Hint, Hints, used_words
from ..app.protocol.server import Trust
from ..app.protocol.tool import ToolDefinition
from .cells import fit, left
from .lists.finding_list import finding_lines

EFFECT_STYLES = {
    Effect.READ_ONLY: "bold $text-success",
    Effect.ADDITIVE: "bold $text-primary",
    Effect.DESTRUCTIVE: "bold $text-error",
    Effect.UNDECLARED: "bold $text-warning",
    Effect.CONTRADICTORY: "bold $text-error",
}

DECLARED = {
    Effect.READ_ONLY: "declared",
    Effect.ADDITIVE: "declared",
    Effect.DESTRUCTIVE: "declared",
    Effect.UNDECLARED: "destructive by default",
    Effect.CONTRADICTORY: "declared read-only and destructive",
}

DIM = "dim"
MUTED = "$foreground-muted"
GAP = 3
WIDE = 50
"""With fewer cells the column of defaults disappears; `(default)` still marks a default in use."""


class HintTable(Widget):
    """A headline in words and signs, and a table of the four hints.

    A claim is plain; an effective default is dim and marked `(default)`; a malformed claim is
    quoted and underlined; a meaningless hint gives the reason.
    """

    ALLOW_SELECT = True

    DEFAULT_CSS = """
    HintTable { width: 1fr; height: auto; }
    """

    def __init__(
        self,
        tool: ToolDefinition | None = None,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._hints = tool.hints if tool is not None else None
        self._overrides: dict[str, bool | None] = {}
        self._trust = Trust.TRUSTED
        self._drawn: dict[int, list[Content]] = {}
        """The lines by their width, as long as nothing else is shown."""

    def show(
        self,
        tool: ToolDefinition | None,
        overrides: Mapping[str, bool | None] | None = None,
        trust: Trust = Trust.TRUSTED,
    ) -> None:
        """Draw the hints of this tool; nothing for None.

        `overrides` are the user's what-if hints, by name, None for not set. The hints of a server
        that is not trusted would count only if it were.
        """
        hints = tool.hints if tool is not None else None
        shown = (hints, dict(overrides or {}), trust)
        if shown != (self._hints, self._overrides, self._trust):
            self._hints, self._overrides, self._trust = shown
            self._drawn.clear()
            self.refresh(layout=True)

    def lines_at(self, width: int) -> int:
        """Number of lines in so many cells."""
        return len(self._lines_at(width))

    def _lines_at(self, width: int) -> list[Content]:
        if width not in self._drawn:
            drawn = hint_lines(self._hints, width, self._overrides, self._trust)
            self._drawn = {width: drawn}
        return self._drawn[width]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.lines_at(width)

    def render(self) -> Content:
        return Content("\n").join(self._lines_at(self.content_size.width))


def hint_lines(
    hints: Hints | None,
    width: int,
    overrides: Mapping[str, bool | None] | None = None,
    trust: Trust = Trust.TRUSTED,
) -> list[Content]:
    """The headline, wrapped between its parts, and the table; each line fits in `width` cells."""
    if hints is None:
        return []
    table = _table(hints, width, trust)
    if overrides:
        table += _what_if(overrides, width)
    return [*_headline(hints, width), Content(""), *table]


def _what_if(overrides: Mapping[str, bool | None], width: int) -> list[Content]:
    """Draw the user's what-if hints, never in the columns of the server's."""
    return [
        Content.styled(fit(line, width), "$text-accent")
        for line in (
            what_if_words(overrides),
            "set by you, not by the server; it never makes a call milder",
        )
    ]


def what_if_words(overrides: Mapping[str, bool | None]) -> str:
    """The hints that the person has set."""
    said = ", ".join(
        f"{name} {'not set' if value is None else _word(value)}"
        for name, value in overrides.items()
    )
    return f"what if  {said}"


def brief_headline(hints: Hints, width: int) -> Content:
    """Effect, world and repeating in one line, and how many of the hints are claims."""
    claimed = sum(hint.claim in (Claim.TRUE, Claim.FALSE) for hint in hints)
    *_, world, repeating = _parts(hints)
    parts = [
        ((f"{hints.effect.sign} {hints.effect.value}", EFFECT_STYLES[hints.effect]),),
        world,
        repeating,
        ((f"{claimed} of 4 declared", MUTED),),
    ]
    line = Content()
    for part in parts:
        more = Content.assemble((" " * (GAP if line else 0), ""), *part)
        if line.cell_length + more.cell_length > width:
            break
        line = Content.assemble(line, more)
    return line


def _parts(hints: Hints) -> list[tuple[tuple[str, str], ...]]:
    """Effect, its origin, world, repeating: words and styles."""
    effect = hints.effect
    world = "↗ open world" if hints.is_open_world else "◇ closed world"
    return [
        ((f"{effect.sign} {effect.value}", EFFECT_STYLES[effect]),),
        ((DECLARED[effect], DIM if effect is Effect.UNDECLARED else ""),),
        _with_default(world, hints.open_world.is_default),
        _with_default(hints.repeating.words, hints.repeating_is_default),
    ]


def _headline(hints: Hints, width: int) -> list[Content]:
    parts = _parts(hints)
    lines: list[list[tuple[str, str]]] = [[]]
    used = 0
    for part in parts:
        cells = sum(cell_len(text) for text, _ in part)
        if used and used + GAP + cells > width:
            lines.append([])
            used = 0
        if used:
            lines[-1].append((" " * GAP, ""))
            used += GAP
        lines[-1].extend((fit(text, width), style) for text, style in part)
        used += cells
    return [Content.assemble(*line) for line in lines]


def _with_default(words: str, is_default: bool) -> tuple[tuple[str, str], ...]:
    return ((f"{words} (default)", DIM),) if is_default else ((words, MUTED),)


def _table(hints: Hints, width: int, trust: Trust) -> list[Content]:
    wide = width >= WIDE
    columns = (2, 14, 12, 11) if wide else (0, 12, 9, 0)
    used = USED_WORDS[trust]
    header = ("hint", "declared", "default", used)
    rows = [_line([(word, MUTED) for word in header], columns, width)]
    for hint in hints:
        cells = [
            (hint.name, ""),
            _claim(hint),
            (_word(hint.default), DIM),
            _used(hint, hints.effect),
        ]
        rows.append(_line(cells, columns, width))
    return rows


def _line(cells: list[tuple[str, str]], columns: tuple[int, int, int, int], width: int) -> Content:
    """Cells at their columns; only the text itself carries its style, not the padding."""
    indent, *widths = columns
    parts: list[tuple[str, str]] = [(" " * indent, "")]
    rest = width - sum(columns)
    for (text, style), cell_width in zip(cells, [*widths, max(0, rest)], strict=True):
        if cell_width == 0:
            continue
        last = len(parts) > 1 and cell_width == rest
        shown = fit(text, cell_width if last else cell_width - 1)
        parts.append((shown, style))
        parts.append((left("", cell_width - cell_len(shown)), ""))
    return Content.assemble(*parts).rstrip()


def _claim(hint: Hint) -> tuple[str, str]:
    match hint.claim:
        case Claim.MALFORMED:
            quoted = hint.malformed_as.startswith('"')
            shown = hint.malformed_as if quoted else f"“{hint.malformed_as}”"
            return shown, "underline $text-warning"
        case Claim.NOT_SET:
            return hint.claim.value, DIM
        case _:
            return hint.claim.value, ""


def _used(hint: Hint, effect: Effect) -> tuple[str, str]:
    words, role = used_words(hint, effect)
    return words, {"dim": DIM, "contradiction": "$text-error"}.get(role, "")


def _word(value: bool) -> str:
    return "true" if value else "false"


MORE = "f4 Hints, schemas"
_LONGEST = 400
"""Characters of a description that one line could show."""


class ToolBrief(Widget):
    """Hints and description, a line each, and findings, if any."""

    ALLOW_SELECT = True
    DEFAULT_CSS = """
    ToolBrief { width: 1fr; height: auto; }
    """

    class MoreWanted(Message):
        """The words with the key for the rest were clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tool: ToolDefinition | None = None
        self._overrides: dict[str, bool | None] = {}
        self._has_hints_only = False

    def show_hints_only(self, is_only: bool) -> None:
        """Leave out description and findings, which are shown whole below, or not."""
        if is_only is not self._has_hints_only:
            self._has_hints_only = is_only
            self.refresh(layout=True)

    @property
    def hint_rows(self) -> int:
        """Rows that the hints alone take."""
        return 1 + bool(self._overrides)

    def show(
        self, tool: ToolDefinition | None, overrides: Mapping[str, bool | None] | None = None
    ) -> None:
        """Draw this tool; `overrides` are the user's what-if hints."""
        shown = (tool, dict(overrides or {}))
        if shown != (self._tool, self._overrides):
            self._tool, self._overrides = shown
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render(self) -> Content:
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        only = self._has_hints_only
        return brief_lines(self._tool, width, self._overrides, has_hints_only=only)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is not None and not place.y and place.x >= self.content_size.width - len(MORE):
            self.post_message(self.MoreWanted())


def brief_lines(
    tool: ToolDefinition | None,
    width: int,
    overrides: Mapping[str, bool | None] | None = None,
    *,
    has_hints_only: bool = False,
) -> list[Content]:
    """One line for the hints, and one each for description, findings and what-if."""
    if tool is None or width <= 0:
        return []
    room = width - len(MORE) - 2
    hints = brief_headline(tool.hints, room)
    lines = [
        Content.assemble(
            hints.pad_right(max(0, width - len(MORE) - hints.cell_length)), (MORE, MUTED)
        )
    ]
    if tool.description.strip() and not has_hints_only:
        lines.append(_first_line(tool.description.strip(), width))
    if tool.findings and not has_hints_only:
        lines.append(_found(tool.findings, width))
    if overrides:
        lines.append(Content.styled(fit(what_if_words(overrides), width), "$text-accent"))
    return lines


def _first_line(text: str, width: int) -> Content:
    """As much of a description as one line takes, behind the gutter of server text."""
    shortened = cut(text, _LONGEST)
    shown = visible(" ".join(shortened.text.split()))
    room = width - 2
    more = " … f4"
    if shortened.is_cut or cell_len(shown) > room:
        shown = fit(shown, room - len(more) + 1).removesuffix("…").rstrip() + more
    return Content.assemble(("┃ ", MUTED), shown)


def _found(findings: tuple[Finding, ...], width: int) -> Content:
    """The first of the worst, and how many there are."""
    order = list(Severity)
    worst = max(findings, key=lambda one: (order.index(one.severity), one.code == ADDRESSES_MODEL))
    more = f" · {len(findings) - 1:,} more, f4" if len(findings) > 1 else ""
    line = finding_lines([worst], 10_000)[0].truncate(max(8, width - len(more)), ellipsis=True)
    return Content.assemble(line, (more, MUTED))
