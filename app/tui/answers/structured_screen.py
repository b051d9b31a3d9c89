"""structuredContent on the full screen: tree, schema, errors, search.

Also the words about structuredContent that the result pane shares.
"""

from __future__ import annotations

import asyncio
import json
from typing import ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ....widgets.bars import PaneTabs
from ....widgets.bindings import bindings_of
from ....widgets.json_tree.errors import ErrorList, PlacedError
from ....widgets.json_tree.tree import JsonTree, NodeError
from ....widgets.key_bar import BarKey
from ....widgets.labels import ClampedText
from ...content.json.jsonio import JsonError, JsonValue, Path, pointer, pretty
from ...content.labels import some_named
from ...content.text import cut, visible
from ...protocol.answers.copies import Copies, short
from ...protocol.answers.values import Hits, found, search
from ...protocol.answers.verdict_words import (
    Tone,
    claim,
    governing,
    headline,
    in_order,
    missing_names,
)
from ...schemas.schema import SchemaVerdict
from ..base.box_bar import HasBoxBar
from ..base.failures import TellsFailures
from ..base.screen_mixin import ScreenMixin
from .body import Copied, ShowsPart, copy_out

TONES = {
    Tone.GOOD: "bold $text-success",
    Tone.BAD: "bold $text-error",
    Tone.UNSURE: "bold $text-warning",
    Tone.QUIET: "$foreground-muted",
}


def verdict_line(verdict: SchemaVerdict | None, value: JsonValue, schema: JsonValue) -> Content:
    """Sign and sentence; the errors themselves are listed below or beside it."""
    spoken = headline(verdict, value, schema, is_listed=True)
    return Content.assemble((f"{spoken.sign} {spoken.words}", TONES[spoken.tone]))


def placed_errors(
    verdict: SchemaVerdict | None, value: JsonValue, schema: JsonValue
) -> list[PlacedError]:
    """The errors in the order of their places, in words."""
    if verdict is None:
        return []
    return [
        PlacedError(error.path, pointer(error.path), claim(error, value, schema).words)
        for error in in_order(verdict.errors, value, schema)
    ]


def schema_tree(verdict: SchemaVerdict | None, value: JsonValue, schema: JsonValue) -> JsonTree:
    """The tree of the value with the errors at their nodes."""
    errors = verdict.errors if verdict is not None else ()
    nodes = [
        NodeError(
            one.path,
            claim(one, value, schema).must,
            "/" + "/".join(str(step) for step in one.schema_path),
        )
        for one in errors
    ]
    return JsonTree(value, nodes, listed=missing_names(errors, value, schema))


def kind_words(value: JsonValue) -> str:
    """Describe the kind of a value in a few words."""
    words = short(value)
    return words.removeprefix("an ").removeprefix("a ") if isinstance(value, dict | list) else words


def json_text(value: JsonValue) -> str:
    """A value as JSON text: indented, or in one line if that would take seconds."""
    compact = json.dumps(value)
    if len(compact) > 1_000_000:
        return compact
    try:
        return pretty(value)
    except JsonError:
        return compact


def copy_of(value: JsonValue, path: Path) -> Copied | None:
    """The value at a place, for the clipboard: a string itself, anything else as JSON."""
    inside = found(value, path)
    if not inside:
        return None
    here = inside[0]
    where = pointer(path)
    if isinstance(here, str):
        return Copied(here, f"the string at {where}")
    return Copied(json_text(here), f"the value at {where}, as JSON")


def copies_line(copies: Copies) -> Content:
    """Describe how the text part compares."""
    style = "$text-warning" if copies.state == "differs" else "$foreground-muted"
    return Content.styled(copies.words, style)


KEYS: Final = (
    BarKey("structured.close"),
    BarKey("structured.next", "View", 2),
    BarKey("structured.error", "", 1),
    BarKey("structured.search", "", 1),
    BarKey("structured.copy", "", 2),
    BarKey("structured.copy-path", "", 3),
    BarKey("structured.save", "", 1),
)
WIDE_COLUMNS = 100
"""Least columns for the schema beside the data."""


class StructuredScreen(HasBoxBar, ScreenMixin, ModalScreen[None], ShowsPart, TellsFailures):
    """All of it. On fewer than 100 columns data, schema and errors are three views."""

    # Opaque: what lies below is not drawn for each paint, only to be covered.
    DEFAULT_CSS = """
    StructuredScreen { align: center middle; background: $background; }
    StructuredScreen > Vertical {
        width: 100%; height: 100%; border: round $primary; background: $surface; padding: 0 1;
    }
    StructuredScreen #verdict { height: auto; max-height: 4; }
    StructuredScreen #about { height: 2; color: $text-muted; }
    StructuredScreen #rules-about { height: 2; color: $text-muted; }
    StructuredScreen.-wide #rules-about { height: 3; }
    StructuredScreen Input { display: none; }
    StructuredScreen Input.-open { display: block; }
    StructuredScreen #views { height: 1fr; }
    StructuredScreen .view { display: none; height: 1fr; }
    StructuredScreen .view.-current { display: block; }
    StructuredScreen .view > JsonTree { height: 1fr; }
    StructuredScreen #errors-view > ErrorList { height: 1fr; }
    StructuredScreen.-wide #views {
        layout: grid; grid-size: 2 2; grid-columns: 3fr 2fr; grid-rows: 1fr auto; grid-gutter: 0 1;
    }
    StructuredScreen.-wide .view { display: block; height: 100%; }
    StructuredScreen.-wide #rules-view {
        row-span: 2; border-left: solid $primary; padding-left: 1;
    }
    StructuredScreen.-wide #errors-view { height: auto; max-height: 8; }
    StructuredScreen.-wide #errors-view > ErrorList { height: auto; max-height: 8; }
    StructuredScreen.-wide #errors-view.-empty { display: none; }
    StructuredScreen.-wide PaneTabs { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("structured")
    BOX_KEYS = KEYS

    def __init__(
        self,
        structured: JsonValue,
        verdict: SchemaVerdict | None,
        *,
        output_schema: JsonValue = None,
        copies: Copies | None = None,
        tool: str = "",
    ) -> None:
        super().__init__()
        self._value = structured
        self._verdict = verdict
        self._schema = output_schema
        self._copies = copies or Copies()
        self._tool = tool
        self._errors = placed_errors(verdict, structured, output_schema)
        self._current = 0
        self._hits = Hits(())
        self._hit = -1
        self._needle = ""
        self._searched: JsonTree | None = None

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content.assemble(
                "structuredContent of ", (visible(cut(self._tool, 80).text), "bold")
            )
            copies = ClampedText(id="copies")
            copies.update(copies_line(self._copies))
            line = verdict_line(self._verdict, self._value, self._schema)
            yield Static(line, id="verdict", markup=False)
            yield copies
            yield PaneTabs()
            with Container(id="views"):
                with Vertical(id="data-view", classes="view"):
                    tree = schema_tree(self._verdict, self._value, self._schema)
                    tree.id = "data"
                    yield tree
                with Vertical(id="rules-view", classes="view"):
                    yield Static(id="rules-about", markup=False)
                    if self._schema is not None:
                        yield JsonTree(self._schema, id="rules")
                with Vertical(id="errors-view", classes="view"):
                    hidden = self._verdict.more if self._verdict is not None else 0
                    if self._errors:
                        yield ErrorList(self._errors, hidden, offers_all=False)
                    else:
                        yield Static("no errors", markup=False)
            yield Static(id="about", markup=False)
            yield Input(placeholder="look for a name or a value", select_on_focus=True)

    def on_mount(self) -> None:
        self.query_one("#errors-view").set_class(not self._errors, "-empty")
        self._arrange()
        self._tell(self._data.path or ())
        self._data.focus()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange()

    @property
    def _data(self) -> JsonTree:
        return self.query_one("#data", JsonTree)

    @property
    def _tree(self) -> JsonTree:
        """The tree that the keys are for: the schema's if it has the focus."""
        for tree in self.query("#rules").results(JsonTree):
            if tree.has_focus or (self._searched is tree and self._current == 1):
                return tree
        return self._data

    def _arrange(self) -> None:
        self.set_class(self.app.size.width >= WIDE_COLUMNS, "-wide")
        for index, view in enumerate(self.query(".view")):
            view.set_class(index == self._current, "-current")
        count = len(self._errors) + (self._verdict.more if self._verdict is not None else 0)
        self.query_one(PaneTabs).show(["Data", "Schema", f"Errors {count:,}"], self._current)

    def _show_view(self, index: int) -> None:
        self._current = index
        self.set_focus(None)
        self._arrange()
        view = self.query(".view")[index]
        for widget in view.query(JsonTree).results(JsonTree):
            widget.focus()
        for listed in view.query(ErrorList).results(ErrorList):
            listed.focus()
        self.call_after_refresh(self._tell, self._data.path or ())

    def action_turn(self, step: int) -> None:
        views = [0]
        if self._schema is not None or not self.has_class("-wide"):
            views.append(1)
        if self._errors or not self.has_class("-wide"):
            views.append(2)
        at = views.index(self._current) if self._current in views else 0
        self._show_view(views[(at + step) % len(views)])

    def action_back(self) -> None:
        field = self.query_one(Input)
        if field.has_class("-open"):
            self._close_search()
        else:
            self.dismiss()

    def action_error(self, step: int) -> None:
        if not self._data.go_to_error(step):
            self._say("no errors")
            return
        self._show_view(0)

    @on(PaneTabs.Picked)
    def _tab_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        self._show_view(message.index)

    @on(ErrorList.Picked)
    def _error_picked(self, message: ErrorList.Picked) -> None:
        message.stop()
        self._show_view(0)
        # A tree that was not in sight knows only then how high it is.
        self.call_after_refresh(self._data.select, message.path)

    @on(JsonTree.Highlighted)
    def _highlighted(self, message: JsonTree.Highlighted) -> None:
        message.stop()
        if message.tree is self._data:
            self._tell(message.path)
            for listed in self.query(ErrorList):
                listed.point_at(message.path)

    def _tell(self, path: Path) -> None:
        """Show the errors at a place of the data, and the schema of that place."""
        pieces: list[str | tuple[str, str]] = [pointer(path)]
        for error in self._errors:
            if error.path == path:
                pieces += ["  ", (error.claim, "$text-error")]
        if 0 <= self._hit < len(self._hits.paths) and self._hits.paths[self._hit] == path:
            limit = f", {self._hits.limit}" if self._hits.limit else ""
            pieces.append(f"  hit {self._hit + 1:,} of {len(self._hits.paths):,}{limit}")
        self.query_one("#about", Static).update(Content.assemble(*pieces), layout=False)
        about = self.query_one("#rules-about", Static)
        if self._schema is None:
            about.update("The tool has no output schema.", layout=False)
            return
        places = governing(self._schema, path)
        if not places:
            about.update(Content(f"The schema does not describe {pointer(path)}."), layout=False)
            return
        words = f"schema of {pointer(path)}: {some_named(places, 1, _place_words)}"
        about.update(Content(words), layout=False)
        for tree in self.query("#rules").results(JsonTree):
            tree.select(places[0], opens=True)

    # Search

    def action_search(self) -> None:
        self._searched = self._tree
        field = self.query_one(Input)
        field.add_class("-open")
        field.focus()

    @on(Input.Submitted)
    def _search_wanted(self, message: Input.Submitted) -> None:
        message.stop()
        self._needle = message.value
        self._close_search()
        self._search(message.value)

    @work(exclusive=True, group="search", exit_on_error=False)
    async def _search(self, needle: str) -> None:
        tree = self._searched or self._data
        # In a thread: it holds the lock for short times only, so that keys go on working.
        self._hits = await asyncio.to_thread(search, tree.value, needle)
        self._hit = -1
        if self._hits.paths:
            self.action_hit(1)
        elif needle:
            limit = f"; {self._hits.limit}" if self._hits.limit else ""
            where = "data" if tree is self._data else "schema"
            words = f"“{visible(cut(needle, 60).text)}” was not found in the {where}{limit}"
            self._say(words)

    def action_hit(self, step: int) -> None:
        paths = self._hits.paths
        if not paths:
            self._say("nothing was looked for" if not self._needle else "nothing was found")
            return
        tree = self._searched or self._data
        self._hit = (self._hit + step) % len(paths)
        tree.select(paths[self._hit])
        if tree is self._data:
            self._tell(paths[self._hit])

    def _close_search(self) -> None:
        self.query_one(Input).remove_class("-open")
        tree = self._searched or self._data
        tree.focus()

    # Copying

    def action_copy_value(self) -> None:
        tree = self._tree
        if tree.path is None:
            return
        copied = copy_of(tree.value, tree.path)
        if copied is None:
            self._say("nothing to copy: the property is missing")
        else:
            copy_out(self, copied, otherwise="s: save everything")

    def action_copy_path(self) -> None:
        path = self._tree.path
        if path is not None:
            copy_out(self, Copied(_exact(path), "the path"))

    def _say(self, words: str) -> None:
        self.notify(words, timeout=4, markup=False)


def _place_words(place: Path) -> str:
    """A place in a schema as a JSON pointer; safe to show."""
    return visible(cut("#" + "".join(f"/{step}" for step in place), 300).text)


def _exact(path: Path) -> str:
    """A path that names every member in full."""
    parts = [
        f"[{step}]"
        if isinstance(step, int)
        else f".{step}"
        if step.isidentifier() and step.isascii()
        else f"[{json.dumps(step)}]"
        for step in path
    ]
    return "$" + "".join(parts)
