"""A form for the arguments of a template or a prompt, with the server's suggestions.

Only completions are requested from here; submitting leads on to the approval dialog.

A request leaves once nothing was typed for a moment. A newer one cancels it, and a response for
text that has changed since is dropped: nothing ever waits for the server.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ....widgets.bars import Verb, VerbBar
from ....widgets.bindings import bindings_of
from ....widgets.cells import server_text
from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.lists.row_list import KeyedList, RowList
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ...protocol.resources.offers import (
    Completion,
    Prompt,
    ResourceTemplate,
    schema_of_prompt,
    schema_of_template,
)
from ...schemas.form.fields import Place
from ...schemas.form.form import build_form
from ...tui.arguments.editing import AROUND_ROWS, LEAST_ROWS, FormDialog

if TYPE_CHECKING:
    from ...engine.resources import Offers

DEBOUNCE_SECONDS: Final = 0.15


@frozen
class Begun:
    """Text of the focused field, and of the others."""

    place: Place
    text: str
    others: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Of the variable or argument, also where the field is an item of a list."""
        return str(self.place[0])


def begun_in(form: ArgumentForm) -> Begun | None:
    """None if the focus is in no field of text."""
    place, values = form.focused_place, form.arguments
    if not place:
        return None
    value: JsonValue = values.get(str(place[0]))
    if len(place) > 1:
        at = place[1]
        is_item = isinstance(value, list) and isinstance(at, int) and at < len(value)
        value = value[at] if is_item and isinstance(value, list) and isinstance(at, int) else None
    if value is not None and not isinstance(value, str):
        return None
    others = tuple((name, one) for name, one in values.items() if isinstance(one, str))
    return Begun(place, value or "", others)


async def suggestions(
    offers: Offers, offer: Prompt | ResourceTemplate, form: ArgumentForm
) -> Completion | None:
    """Return the server's suggestions; None if not requested, or if the text changed since."""
    await asyncio.sleep(DEBOUNCE_SECONDS)
    begun = begun_in(form)
    if begun is None:
        return None
    found = await offers.complete(offer, begun.name, begun.text, dict(begun.others))
    return found if begun_in(form) == begun else None


class SuggestionList(KeyedList[str], can_focus=False):
    """Raw values. Takes no keys, so that typing goes on; a click takes a row.

    It is hidden while it is empty.
    """

    DEFAULT_CSS = """
    SuggestionList { height: auto; max-height: 5; display: none; background: $panel; }
    SuggestionList.-shown { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._is_taken = False
        """The one under the cursor is."""

    def rows_changed(self) -> None:
        self._is_taken = False
        self.set_class(bool(self._rows), "-shown")

    def step(self, by: int) -> str | None:
        """Take the next one, or the one before, around the end; None if there is none."""
        if self.cursor is None:
            return None
        at = self.cursor if self._is_taken or by < 0 else -1
        self._is_taken = True
        self.move_cursor((at + by) % self.row_count)
        self.refresh()
        return self.highlighted

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        self._is_taken = True
        self.row_chosen(index)

    def row_style(self, under_cursor: bool) -> Style:
        # Nothing is chosen until it is taken.
        return super().row_style(under_cursor and self._is_taken)

    def paint(self, row: str, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        sign = "› " if under_cursor and self._is_taken else "  "
        return [Segment(sign, base), *server_text(row, max(1, width - 2), base)]


SUGGESTED_ROWS = 6
_URI_SHOWN = 400


class OfferFormScreen(FormDialog["dict[str, JsonValue] | None"]):
    """Dismissed with the values, or None if nothing is wanted any more."""

    DEFAULT_CSS = """
    OfferFormScreen { align: center middle; background: $background 70%; }
    OfferFormScreen > Vertical {
        width: 100%; max-width: 116; height: auto; max-height: 100%;
        padding: 0 1; border: round $primary; background: $surface;
    }
    OfferFormScreen VerticalScroll { height: auto; }
    OfferFormScreen ArgumentForm { height: auto; overflow-y: hidden; }
    OfferFormScreen .suggested { height: auto; color: $text-muted; display: none; }
    OfferFormScreen .suggested.-shown { display: block; }
    OfferFormScreen .status { height: auto; max-height: 4; color: $text-muted; margin-top: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("offer_form")

    def __init__(self, offer: Prompt | ResourceTemplate, offers: Offers) -> None:
        super().__init__()
        self._offer = offer
        self._offers = offers
        if isinstance(offer, Prompt):
            self._schema = schema_of_prompt(offer)
        else:
            assert offer.template is not None
            self._schema = schema_of_template(offer.template)
        self._form = ArgumentForm(build_form(self._schema), verb=None)
        self._suggested_for: Place | None = None
        self._taken: str | None = None
        """The suggestion that was put into the field last."""

    def compose(self) -> ComposeResult:
        with Vertical():
            with VerticalScroll(can_focus=False):
                yield self._form
            yield SuggestionList()
            yield Static(classes="suggested", markup=False)
            yield Static(classes="status", markup=False)
            go = Verb("go", "Go on", "f5", is_main=True)
            yield VerbBar([go, Verb("back", "Back", "esc")])

    def on_mount(self) -> None:
        box = self.query_one(Vertical)
        what = "prompt" if isinstance(self._offer, Prompt) else "template"
        box.border_title = Content.assemble(f"{what} ", (self._offer.title_shown, "bold"))
        self._show_outcome(self._form.arguments)
        self._form.focus_field()

    def on_resize(self, event: events.Resize) -> None:
        # Five suggestions, and the line about them, keep the fields in sight.
        around = AROUND_ROWS + (SUGGESTED_ROWS if self._offers.can_complete else 0)
        rows = self.app.size.height - around
        self.query_one(VerticalScroll).styles.max_height = max(rows, LEAST_ROWS)

    def action_go(self) -> None:
        self._form.submit()

    def action_suggest(self, step: int) -> None:
        """Put the next suggestion into the field for which they came."""
        value = self.query_one(SuggestionList).step(step)
        if value is not None:
            self._use_suggestion(value)

    @on(RowList.Chosen, "SuggestionList")
    def _suggestion_clicked(self, message: RowList.Chosen[str]) -> None:
        message.stop()
        self._use_suggestion(message.row)

    def on_descendant_focus(self) -> None:
        # The form knows the new place only once the focus has settled.
        self.call_after_refresh(self._suggest_elsewhere)

    @on(VerbBar.Picked)
    def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        if message.name == "go":
            self.action_go()
        else:
            self.action_back()

    @on(ArgumentForm.Changed)
    def _changed(self, message: ArgumentForm.Changed) -> None:
        message.stop()
        self._show_outcome(message.arguments)
        self._check_values(message.arguments)
        begun = begun_in(self._form)
        # What was taken from the suggestions asks for no others, so that the next can be taken.
        if begun is None or begun.text != self._taken:
            self._suggest()

    @on(ArgumentForm.Submitted)
    def _submitted(self, message: ArgumentForm.Submitted) -> None:
        message.stop()
        self.dismiss(message.arguments)

    @work(exclusive=True, group="suggest", exit_on_error=False)
    async def _suggest(self) -> None:
        if not self._offers.can_complete:
            return
        found = await suggestions(self._offers, self._offer, self._form)
        if found is None:
            return
        self._taken, self._suggested_for = None, self._form.focused_place
        self.query_one(SuggestionList).show_anew(found.values)
        rest = f" · {found.rest_words}" if found.rest_words else ""
        odd = " · not all of them are as the protocol has it" if found.is_odd else ""
        head = "f8: use a suggestion of the server" if found.values else "nothing is suggested"
        self._say_suggested(f"{head}{rest}{odd}")

    def _suggest_elsewhere(self) -> None:
        """Drop the suggestions after the focus moved to another field."""
        place = self._form.focused_place if self.is_attached else None
        if place is not None and place != self._suggested_for:
            self._suggested_for = place
            self.query_one(SuggestionList).show_anew(())
            self._say_suggested("")
            self._suggest()

    def _say_suggested(self, words: str) -> None:
        line = self.query_one(".suggested", Static)
        line.update(Content(words))
        line.set_class(bool(words), "-shown")

    def _use_suggestion(self, value: str) -> None:
        if self._suggested_for is not None:
            self._taken = value
            self._form.put_example(self._suggested_for, value)

    def _show_outcome(self, values: dict[str, JsonValue]) -> None:
        """Show the URI or the request that the current values give."""
        words = "Only requests for suggestions are sent here. f5: go on, as the policy decides."
        template = self._offer.template if isinstance(self._offer, ResourceTemplate) else None
        if template is not None:
            words = f"f5: read ┃ {shortened(template.expand(values), _URI_SHOWN)}"
        self.query_one(".status", Static).update(Content(words))
