"""Resource links: their card, and the ways to open one."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Offset, Size
from textual.message import Message
from textual.screen import Screen

from ....widgets.bindings import bindings_of
from ....widgets.buttons import GuardedButton
from ....widgets.key_bar import BarKey
from ....widgets.sheets import SheetView, layout
from ...approval.questions.sheet import pieces_of
from ...approval.questions.value_lines import DESCRIPTION_LIMIT, URI_LIMIT, card_lines, uri_lines
from ...content.text import cut, sentence, spans, visible
from ...content.texts.sheet_line import SheetLine, labelled
from ...engine.calls.context import NOT_CONNECTED
from ...protocol.answers.content import LinkPart
from ...protocol.answers.links import URI_MAX, LinkFacts, LinkKind, look_at, size_words
from ...protocol.requests import ResourceRead
from ...protocol.server import Server
from ..approving.sheet_dialog import SheetDialog, keys_of_sheet
from ..base.external import find_program, open_outside
from ..text.pager import PagerScreen, PagerSection, plain_lines
from ..text.sections import text_lines as section_lines
from .body import Body, Copied

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ...calls.call import Call
    from ...engine.engine import Engine


class LinkBody(Body):
    """Draws one link. It leads nowhere by itself: `OpenWanted` is all that the key does."""

    class OpenWanted(Message):
        """The user wants to see the target of the link."""

        def __init__(self, part: LinkPart) -> None:
            super().__init__()
            self.part = part

    def __init__(self, part: LinkPart) -> None:
        super().__init__()
        self._part = part
        self.facts = look_at(part.uri)

    def compose(self) -> ComposeResult:
        yield CardSheet(list(card_lines(self._part, self.facts)))

    @property
    def words(self) -> str:
        size, is_size = size_words(self._part.size)
        mime = visible(cut(self._part.mime, 60).text)
        claimed = size.partition(" (")[0] if is_size else "malformed size"
        return "  ".join(word for word in ("resource link", mime, claimed) if word)

    @property
    def saves(self) -> str:
        return "link"

    @property
    def is_more(self) -> bool:
        part = self._part
        return len(part.uri) > URI_LIMIT or len(part.description) > DESCRIPTION_LIMIT

    def copied(self) -> Copied:
        return Copied(self._part.uri, "the URI")

    def full(self) -> Screen[None] | None:
        if not self.is_more:
            return None
        part = self._part
        cautions = "\n".join(self.facts.cautions) or "no problem found"
        sections = [
            PagerSection("uri", section_lines(part.uri)),
            PagerSection("description", section_lines(part.description)),
            PagerSection("cautions", plain_lines(cautions), is_ours=True),
        ]
        return PagerScreen(Content("resource link"), sections)

    def open_wanted(self) -> None:
        """The key for opening it was pressed."""
        self.post_message(self.OpenWanted(self._part))


class CardSheet(SheetView):
    """A sheet as high as its lines, scrolled by its container."""

    DEFAULT_CSS = "CardSheet { height: auto; width: 1fr; }"

    def __init__(self, lines: list[SheetLine]) -> None:
        super().__init__()
        self.set_lines(lines, 80)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return sum(1 for _ in layout(self._lines, width))


LEADS_OUT = (LinkKind.WEB, LinkKind.MAIL, LinkKind.FILE)
"""Links about which it is asked where to follow them; the others are the server's alone."""
NO_PROGRAM = "no desktop here, or no program that opens addresses"


async def follow_link(app: App[Any], engine: Engine, uri: str) -> None:
    """Ask where to follow a link, and do that. Run it in a worker."""
    if any(_is_about_to_read(call, uri) for call in engine.calls.values()):
        return
    facts = look_at(uri)
    program, way = "", LinkWay.READ
    if facts.kind in LEADS_OUT:
        program = find_program()
        last_click: Offset | None = getattr(app, "last_click", None)
        dialog = OutsideDialog(
            facts, engine.server, why_not="" if program else NO_PROGRAM, last_click=last_click
        )
        way = await app.push_screen_wait(dialog)
    match way:
        case LinkWay.LEAVE:
            return
        case LinkWay.COPY:
            app.copy_to_clipboard(uri)
            _say(app, "Copied the link as the server wrote it.")
        case LinkWay.READ:
            if engine.server.is_open:
                engine.read(uri)
            else:
                words = engine.server.ended_words or NOT_CONNECTED
                _say(app, f"Nothing was sent. {sentence(words, begins=True)}", "error")
        case LinkWay.OPEN:
            await _open(app, engine, uri, program)


def _is_about_to_read(call: Call, uri: str) -> bool:
    """True if it is being asked already: a key that is held down asks once."""
    is_open = not call.is_over and not call.sent
    return is_open and call.request == ResourceRead(uri)


async def _open(app: App[Any], engine: Engine, uri: str, program: str) -> None:
    if not engine.consent.log_opened_outside(uri, program):
        words = sentence(engine.ledger.problem)
        _say(
            app,
            f"A link that is not logged is not opened: {words}",
            "error",
        )
        return
    problem = await open_outside(uri, program)
    if problem:
        _say(app, f"Not opened: {sentence(problem)}", "error")
    else:
        _say(app, "Opened outside Signoff. The audit log records it.")


def _say(app: App[Any], words: str, severity: SeverityLevel = "information") -> None:
    app.notify(words, severity=severity, timeout=6, markup=False)


_PROGRAMS = {LinkKind.WEB: "browser", LinkKind.MAIL: "mail program"}


class LinkWay(StrEnum):
    """Ways to follow a link."""

    LEAVE = "leave"
    COPY = "copy"
    READ = "read from the server"
    OPEN = "open outside"


class OutsideDialog(SheetDialog[LinkWay], inherit_bindings=False):
    """Asks how to follow a link; opening it takes a deliberate press.

    `why_not`: reason why nothing can be opened outside now, in words of our own; empty if it can.
    `guard`: keyword arguments of SheetDialog.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*SheetDialog.BINDINGS, *bindings_of("outside")]

    doing = "opening"

    def __init__(
        self, facts: LinkFacts, server: Server, *, why_not: str = "", **guard: Any
    ) -> None:
        self.leave = GuardedButton("Leave it", id="leave")
        self.copy = GuardedButton("Copy", id="copy")
        self.read = GuardedButton("Read from the server", id="read")
        self.open = GuardedButton(f"Open in {_PROGRAMS.get(facts.kind, '')}", id="open")
        super().__init__((self.leave, self.copy, self.read, self.open), **guard)
        self._facts = facts
        self._why_not = facts.why_not or why_not
        self._server = server
        self.open.display = self.is_possible

    @property
    def is_possible(self) -> bool:
        return not self._why_not

    def title_words(self) -> str:
        program = _PROGRAMS.get(self._facts.kind, "")
        return f"Open in your {program}?" if self.is_possible else "A link out of this server"

    def lines(self, columns: int) -> Iterator[SheetLine]:
        return outside_lines(self._facts, self._server, self._why_not, columns)

    def keys_said(self) -> tuple[BarKey, ...]:
        return keys_of_sheet("Leave it", BarKey("outside.copy", "Copy", 1))

    def label_buttons(self, width: int) -> None:
        self.read.label = "Read" if width < 60 else "Read from server"
        if width < 80:
            self.open.label = "Open"

    def result_of(self, button: GuardedButton) -> LinkWay:
        ways = {self.copy: LinkWay.COPY, self.read: LinkWay.READ, self.open: LinkWay.OPEN}
        return ways.get(button, LinkWay.LEAVE)

    def action_copy(self) -> None:
        if self.is_armed:
            self.answer(LinkWay.COPY)


def outside_lines(
    facts: LinkFacts, server: Server, why_not: str, columns: int
) -> Iterator[SheetLine]:
    """Describe the origin, target and problems of a link, and the effect of opening it."""
    indent = 9 if columns >= 40 else 0
    yield labelled(
        "server",
        indent,
        *pieces_of(spans(server.name), "strong"),
        ("  ", ""),
        *pieces_of(spans(server.command)),
        exact=True,
    )
    yield labelled("", indent, ("sent this link; nothing was fetched from it", "dim"))
    yield from uri_lines(facts, indent, URI_MAX, "too long to be opened")
    yield SheetLine()
    if why_not:
        yield SheetLine(((f"It is not opened outside: {why_not}.", "noticed"),))
    else:
        program = _PROGRAMS[facts.kind]
        sees = "the host sees your visit" if facts.host else "nothing is sent yet"
        yield SheetLine(((f"Opening starts your {program} with exactly this; {sees}.", ""),))
    yield SheetLine((("Reading asks this server for it, if the policy allows it.", "dim"),))
