"""Resources screen: the server's resources, templates and prompts, with details.

`show_offers` opens it over the main screen and starts the chosen read or prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from ....widgets.bars import FilterInput, PaneTabs
from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ....widgets.lists.resource_list import OfferList, OfferRow
from ....widgets.sheets import SheetView
from ...content.json.jsonio import JsonValue
from ...content.text import sentence, visible
from ...content.texts.sheet_line import SheetLine
from ...engine.calls.context import NOT_CONNECTED
from ...engine.engine import Engine
from ...engine.events import CallChanged
from ...protocol.findings.findings import brief_with_code
from ...protocol.resources.offers import (
    Offer,
    OfferKind,
    Prompt,
    Resource,
    ResourceTemplate,
    matching,
)
from ...tui.base.browser_screen import BrowserScreen
from ...tui.base.context import ScreenContext, Shown
from .form import OfferFormScreen
from .response import response_lines
from .words import INDENT, offer_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from ...calls.call import Call
    from ...engine.events import EngineEvent

UPDATED: Final = "updated"
FOLLOWED: Final = "subscribed"


Row = OfferRow[Offer]


def row_of(offer: Offer, *, is_updated: bool = False, is_followed: bool = False) -> Row:
    """The row of a list."""
    mark = UPDATED if is_updated else FOLLOWED if is_followed else ""
    title = offer.title or offer.name or "(no name)"
    if isinstance(offer, Prompt):
        about = " ".join(f"{one.name}{'' if one.is_required else '?'}" for one in offer.arguments)
        return OfferRow(offer, offer.key, title, about, "", mark)
    return OfferRow(offer, offer.key, title, offer.key, offer.mime, mark)


def what_keys_do(offer: Offer, *, is_updated: bool, is_followed: bool) -> Sequence[BarKey]:
    """Enter, and `s` if it ends a subscription."""
    match offer:
        case Resource():
            again = " again, as it was updated" if is_updated else ""
            ends = (BarKey("offers.follow", "Unsubscribe", 1),) if is_followed else ()
            return (BarKey("enter", f"Read it{again}"), *ends)
        case Prompt(arguments=()):
            return (BarKey("enter", "Get it"),)
        case _:
            return (BarKey("enter", "Fill in its arguments"),)


class OffersScreen(BrowserScreen[Row, None]):
    """Reads and requests prompts, and shows their responses in the place of the details.

    Each is a call like any other: the main screen has it, too.
    """

    DEFAULT_CSS = """
    OffersScreen FilterInput { padding: 0 1; display: none; }
    OffersScreen FilterInput.-shown { display: block; }
    """

    ENTER_HELP = "Read this resource, or fill in the values of this prompt or template."
    HELP = """
# Resources, templates, prompts

The lists of the server, updated when they change. `enter` reads a resource or gets a prompt, with
the same approval as a call. The response is shown below the list, and among the calls of the main
screen. Arguments of a template or a prompt
are filled in first. Requests for suggestions while you type a value, `s` and `p` are sent without
asking.

`s`: subscribe to a resource. When the server reports a change, the resource is marked `updated`.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("offers")

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        kinds = engine.offers.kinds
        self._kind = kinds[0] if kinds else OfferKind.RESOURCE
        self._at: dict[OfferKind, str] = {}
        """The key under the cursor, by list."""
        self._asked: dict[tuple[OfferKind, str], int] = {}
        """The newest call for an offer, by its list and key."""
        self._end = engine.subscribe(self._heard)
        self._is_untouched = True
        """True until a key or a click: the first list may still come."""

    def compose_list(self) -> ComposeResult:
        yield PaneTabs()
        yield FilterInput(placeholder="filter", compact=True, id="filter")
        yield OfferList[Offer]()

    def on_mount(self) -> None:
        self.show_changes()

    def on_unmount(self) -> None:
        self._end()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseDown)):
            self._is_untouched = False
        await super().on_event(event)

    def show_changes(self) -> None:
        """Update the lists and marks; the cursor stays."""
        if not self.query(PaneTabs):
            # It is being closed.
            return
        kinds = self._engine.offers.kinds
        if kinds and (self._kind not in kinds or self._is_untouched):
            self._kind = kinds[0]
        labels = [f"{kind.plural} {len(self._engine.offers.of(kind)):,}" for kind in kinds]
        current = kinds.index(self._kind) if self._kind in kinds else 0
        self.query_one(PaneTabs).show(labels, current)
        server = visible(self._engine.server.name)
        self.draw_head(("Resources and prompts", "bold"), f" of {server}")
        self._draw_list()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "follow":
            return isinstance(self._offer, Resource) and self._engine.offers.can_subscribe
        return super().check_action(action, parameters)

    def action_turn(self, step: int) -> None:
        kinds = self._engine.offers.kinds
        if kinds:
            at = kinds.index(self._kind) if self._kind in kinds else 0
            self._turn_to(kinds[(at + step) % len(kinds)])

    def choose(self, row: Row) -> None:
        offer = row.item
        if words := self._no_server():
            self.say(f"Nothing can be asked. {words}", "error")
        elif isinstance(offer, Resource):
            if offer.uri:
                self._ask(offer, lambda: self._engine.read(offer.uri))
            else:
                self.say("This entry has no address, so it cannot be read.", "warning")
        elif isinstance(offer, ResourceTemplate) and offer.template is None:
            self.say("Invalid URI template (RFC 6570).", "warning")
        elif isinstance(offer, Prompt) and not offer.arguments:
            self._ask(offer, lambda: self._engine.get_prompt(offer.name, {}))
        else:
            screen = OfferFormScreen(offer, self._engine.offers)
            self.app.push_screen(screen, lambda values: self._filled_in(offer, values))

    @work(exclusive=True, group="follow", exit_on_error=False)
    async def action_follow(self) -> None:
        offer, offers = self._offer, self._engine.offers
        if not isinstance(offer, Resource):
            return
        ends = offers.is_subscribed(offer.uri)
        why = await (offers.unsubscribe if ends else offers.subscribe)(offer.uri)
        if why:
            self.say(f"Not {'ended' if ends else 'subscribed'}: {sentence(why)}", "warning")
        else:
            words = "Subscription ended" if ends else "Subscribed: “updated” marks a change"
            self.say(f"{words}.")

    @work(exclusive=True, group="ping", exit_on_error=False)
    async def action_ping(self) -> None:
        took, problem = await self._engine.offers.ping()
        if problem:
            self.say(f"No ping response: {sentence(problem)}", "error")
        else:
            self.say(f"The server responded after {took * 1000:,.1f} ms.")

    @on(PaneTabs.Picked)
    def _tab_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        self._turn_to(self._engine.offers.kinds[message.index])

    def row_highlighted(self, row: Row | None) -> None:
        # Another list may be shown by now.
        if self.current is not None:
            self._at[self._kind] = self.current.key
        self.draw_detail()
        self.refresh_bindings()

    def filter_changed(self, words: str) -> None:
        self._draw_list()

    def describe(self, row: Row | None) -> list[SheetLine]:
        lines = list(offer_lines(row.item)) if row is not None else []
        call = self._call_of(row)
        if call is not None:
            lines = [*response_lines(call), SheetLine(), *lines]
        return [*lines, *(brief_with_code(one, INDENT) for one in self._engine.offers.findings)]

    def draw_detail(self) -> None:
        row, call = self.current, self._call_of(self.current)
        about = None if row is None else (row.key, call and (call.id, call.state))
        self.show_detail(self.describe(row), about=about)

    def name_of(self, row: Row) -> str:
        return row.item.title_shown

    def keys_of(self, row: Row) -> Sequence[BarKey]:
        uri, offers = getattr(row.item, "uri", ""), self._engine.offers
        return what_keys_do(
            row.item, is_updated=uri in offers.updated, is_followed=offers.is_subscribed(uri)
        )

    @property
    def _offer(self) -> Offer | None:
        """The highlighted one."""
        return self.current.item if self.current is not None else None

    def _turn_to(self, kind: OfferKind) -> None:
        self._kind = kind
        self.show_changes()

    def _filled_in(self, offer: Offer, values: dict[str, JsonValue] | None) -> None:
        if values is None:
            return
        if words := self._no_server():
            self.say(f"Nothing was sent. {words}", "error")
        elif isinstance(offer, ResourceTemplate) and offer.template is not None:
            uri = offer.template.expand(values)
            self._ask(offer, lambda: self._engine.read(uri))
        else:
            self._ask(offer, lambda: self._engine.get_prompt(offer.name, values))

    def _no_server(self) -> str:
        """Why the server can be asked nothing; empty if it can."""
        server = self._engine.server
        if server.is_open:
            return ""
        return sentence(server.ended_words or NOT_CONNECTED, begins=True)

    def _ask(self, offer: Offer, begin: Callable[[], int]) -> None:
        self._asked[self._kind, offer.key] = begin()
        self.draw_detail()

    def _heard(self, event: EngineEvent) -> None:
        if isinstance(event, CallChanged) and event.call.id in self._asked.values():
            self.call_later(self._show_response)

    def _show_response(self) -> None:
        if self.query(SheetView):
            self.draw_detail()

    def _call_of(self, row: Row | None) -> Call | None:
        """The newest call for an offer."""
        call_id = self._asked.get((self._kind, row.key)) if row is not None else None
        return None if call_id is None else self._engine.calls.get(call_id)

    def _draw_list(self) -> None:
        offers = self._engine.offers
        all_of = offers.of(self._kind)
        rows = [
            row_of(
                one,
                is_updated=isinstance(one, Resource) and one.uri in offers.updated,
                is_followed=isinstance(one, Resource) and offers.is_subscribed(one.uri),
            )
            for one in matching(all_of, self.filter_words)
        ]
        empty = "none of them has these words: esc clears the filter" if all_of else "none"
        self.row_list.empty = empty
        self.row_list.show_at(rows, self._at.get(self._kind))


def show_offers(screen: Screen[None], engine: Engine) -> OffersScreen:
    """Open the lists over the main screen; a choice starts a call like any other."""
    opened = OffersScreen(engine)
    screen.app.push_screen(opened)
    return opened


def show(context: ScreenContext) -> Shown:
    """Open the lists of what the server offers beside tools."""
    opened = show_offers(context.screen, context.engine)

    def update() -> None:
        # Once it is mounted: before, it shows them as they are by then anyway.
        if opened.is_mounted:
            opened.show_changes()

    return opened, update


def can_show(engine: Engine) -> bool:
    """True if the server has any."""
    return engine.offers.has_any
