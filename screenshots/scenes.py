"""The scenes of the README: each brings the program to where its picture is taken.

Scenes of one session follow each other in one run of the program, so that what was called before
is there as it would be for a person.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from textual.screen import Screen
from textual.widgets import Static

from screenshots import conversation
from screenshots.studio import Studio
from signoff.app.approval.approval import approve, deny
from signoff.app.approval.grants import Remember, Scope
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.policy_state import read_rulebook
from signoff.app.features.audit.screen import AuditScreen
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.app.features.policies.grants_screen import GrantList, GrantsScreen
from signoff.app.features.policies.screen import PolicyScreen
from signoff.app.tui.answers.links import LinkBody
from signoff.app.tui.answers.part_view import PartView
from signoff.app.tui.answers.reader import ReaderScreen
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.forms.form_row import FormRow
from signoff.widgets.images.image_view import ImageView
from signoff.widgets.json_tree.tree import JsonTree
from signoff.widgets.matrix.grid import MatrixGrid
from signoff.widgets.sheets import SheetView
from signoff.widgets.text_view.search_bar import SearchBar

WIDE = (120, 36)
FIRST_ROW = 8
"""Where an argument is that was scrolled to the top, under the lines that stay."""
ORDER: dict[str, JsonValue] = {
    "address": {"street": "Lindenallee 4", "post-code": "10115", "country": "DE"},
    "items": [{"article": "lamp", "count": 2, "gift": True}, {"article": "rope", "count": 1}],
    "payment": {"by": "invoice", "email": "ada@example.org"},
    "extras": ["wrapped", "insured"],
    "labels": {"for": "Ada"},
}


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture by name; `size` in columns and rows of the terminal."""

    name: str
    play: Callable[[Studio], Awaitable[None]]
    size: tuple[int, int] = WIDE


async def groups(studio: Studio) -> None:
    """Tools by what they claim, which hosts ask, and the page of one with its form filled in."""
    await studio.choose("launch_confetti")
    await studio.choose("delete_file")
    await studio.hosts_known()
    await studio.focus_field("path")
    await studio.enter("notes/todo.txt")
    pane = studio.workplace.tool_pane
    await studio.until("what stands there to be checked", lambda: pane.checked == pane.arguments)


async def dialog(studio: Studio) -> None:
    """The question about a call that may destroy, ready to be answered."""
    await studio.choose("migrate_database")
    question = await studio.ask()
    await studio.until("everything to be seen", lambda: question.can_approve)


async def narrow(studio: Studio) -> None:
    """Eighty columns: the panes as tabs, a form on the second, a line for what runs."""
    await studio.back()
    studio.consent()
    await studio.choose("create_record")
    running = studio.call("migrate_database", {}, last_progress=9)
    await studio.until_progress(running, 9)
    studio.clock.now += 1.3
    await studio.go("tool")
    await studio.focus_field("table")
    await studio.enter("orders")
    verdict = studio.app.screen.query_one("ToolPane .verdict", Static)
    await studio.until("the verdict", lambda: "Fill in data" in str(verdict.content))
    studio.app.screen.query("ToolPane > VerticalScroll").first().scroll_home(animate=False)
    await studio.redraw()


async def invalid(studio: Studio) -> None:
    """A structured answer that breaks its schema, marked where it does."""
    studio.consent()
    await studio.choose("generate_fantasy_character_broken")
    await studio.answer_of("generate_fantasy_character_broken", {"theme": "forest"})
    await studio.until("the tree", lambda: studio.app.screen.query(JsonTree))


async def image(studio: Studio) -> None:
    """A picture that a tool answered with, drawn in half blocks."""
    await studio.choose("capture_screenshot")
    await studio.answer_of("capture_screenshot", {"url": "https://example.org/"})
    await studio.go("answer")
    await studio.until("the image", lambda: _is_drawn(studio.app.screen))


async def form(studio: Studio) -> None:
    """Arguments of every shape: an object, an array of objects, a union, choices, a map."""
    studio.consent()
    await studio.choose("order_something")
    pane = studio.app.screen.query_one(ToolPane)
    pane.fill(dict(ORDER))
    await studio.go("tool")
    await studio.focus_field("items", 1, "count")
    await studio.pilot.press("f7")
    await studio.until("the rows", lambda: len(studio.app.screen.query(FormRow)) > 10)
    first = pane.form.query(FormRow).first()

    def is_on_top() -> bool:
        first.scroll_visible(top=True, animate=False, immediate=True)
        return first.region.y <= FIRST_ROW

    await studio.until("the first argument on top", is_on_top)


async def structured(studio: Studio) -> None:
    """An answer on the whole screen: errors in order, ghosts, and the schema of each place."""
    await studio.pilot.press("f7")
    await studio.answer_of("count_stock", {"shelves": 4, "mistakes": 4})
    await studio.open_first_part(StructuredScreen)
    await studio.pilot.press("f", "f")
    rules = studio.app.screen.query_one("#rules", JsonTree)
    await studio.until("the rule", lambda: (rules.path or ())[-1:] == ("count",))


async def reader(studio: Studio) -> None:
    """A difference on the whole screen, searched for a word."""
    await studio.back()
    await studio.answer_of("show_text", {"kind": "diff"})
    await studio.open_first_part(ReaderScreen)
    await studio.pilot.press("slash", *"salad")
    words = studio.app.screen.query_one(SearchBar)
    await studio.until("what was found", lambda: words.is_open)


async def parts(studio: Studio) -> None:
    """Parts for the user, for the assistant and for both."""
    await studio.pilot.press("escape")
    await studio.back()
    await studio.answer_of("speak_to_two", {})
    await studio.go("answer")
    await studio.pilot.press("f7")
    await studio.until("the parts", lambda: len(studio.app.screen.query(PartView)) == 4)


async def links(studio: Studio) -> None:
    """Links as cards, with the host where they lead set apart."""
    await studio.answer_of("show_links", {})
    await studio.go("answer")
    await studio.until("the links", lambda: len(studio.app.screen.query(LinkBody)) > 2)


async def progress(studio: Studio) -> None:
    """Two calls that run, one that was cancelled, and the answer of one that is done."""
    await studio.choose("migrate_database")
    pulse = studio.call("wait_without_total", {"seconds": 60}, last_progress=9)
    await studio.until_progress(pulse, 1)
    cancelled = studio.call(
        "bulk_process_files", {"directory": ".", "pattern": "**/*"}, last_progress=7
    )
    await studio.until_progress(cancelled, 7)
    studio.clock.now += 0.7
    studio.engine.cancel(cancelled)
    await studio.until_call(cancelled, "its end", lambda call: call.is_over)

    bar = studio.call("migrate_database", {}, last_progress=9)
    await studio.until_progress(bar, 9)
    await studio.until_progress(pulse, 9)
    studio.clock.now += 0.2
    await studio.answer_of(
        "update_user",
        {"id": "ada", "changes": {"name": "Ada Lovelace", "role": "editor"}},
    )
    studio.workplace.open_calls(is_open=True)
    await studio.redraw()
    await studio.until("the answer", lambda: studio.app.screen.query(JsonTree))


async def policy(studio: Studio) -> None:
    """Who decides: what every policy and host says of a destructive tool, and why."""
    await studio.choose("delete_file")
    await studio.open("ctrl+o", PolicyScreen)
    words = studio.app.screen.query_one("#detail SheetView", SheetView)
    await studio.until("the rules", lambda: words.region.height)


async def matrix(studio: Studio) -> None:
    """Every tool under every policy and host, and what two other hints would change."""
    await studio.back()
    await studio.choose("launch_confetti")
    screen = await studio.open("f2", MatrixScreen)
    grid = screen.query_one(MatrixGrid)
    names = [column.name for column in read_rulebook().columns]
    await studio.until("the tool", lambda: grid.row and grid.row.tool.name == "launch_confetti")
    await studio.pilot.press(*["right"] * (names.index("codex") - grid.column), "1", "2")


async def grants(studio: Studio) -> None:
    """What was approved for more than one call, and a tool that was denied."""
    await studio.pilot.press("0")
    await studio.back()
    week, month = Remember(Scope.UNTIL, 7), Remember(Scope.UNTIL, 30)
    exact, session = Remember(Scope.ARGUMENTS), Remember(Scope.SESSION)
    note: dict[str, JsonValue] = {"table": "notes", "data": {"title": "Milk"}}
    await _call(studio, 0, exact, "delete_file", {"path": "notes/todo.txt"}, times=2)
    await _call(studio, 2, month, "create_record", note, times=4)
    await _call(studio, 50, session, "increment_counter", {"id": "visits"}, times=8)
    await _call(studio, 20, week, "shape_shifter", {"note": "hello"}, times=2)
    studio.decide(replace(deny("you", "denied for this session"), for_session=True))
    await studio.answer_of("github_delete_branch", {"repo": "acme/anvil", "branch": "main"})
    await _call(studio, 11, week, "send_message", {"to": "ada", "text": "Done."})
    studio.clock.now += 42
    screen = await studio.open("f10", GrantsScreen)
    rows = screen.query_one(GrantList)
    await studio.until("the approvals", lambda: rows.highlighted)
    await studio.pilot.press("end", "end")
    about = screen.query_one(".about", Static)
    await studio.until("all about one", lambda: "delete_file" in str(about.content))


async def changed(studio: Studio) -> None:
    """A tool that is no longer what was approved, with the words that were hidden in it."""
    await studio.back()
    studio.decide(approve("you"))
    await studio.answer_of("change_definition", {"change": "reword", "announce": True})
    shown = [tool for tool in studio.engine.tools if tool.name == "shape_shifter"]
    await studio.until(
        "the change", lambda: studio.engine.memory.changes_since_approval(shown[0])[0]
    )
    await studio.choose("shape_shifter")
    await studio.ask()


async def audit(studio: Studio) -> None:
    """The log of all that, as far as it is about one tool."""
    await studio.back()
    screen = await studio.open("ctrl+l", AuditScreen)
    await studio.pilot.press("slash")
    await studio.enter("shape_shifter")
    await studio.pilot.press("enter")
    told = screen.query_one("#told", Static)
    await studio.until("the records", lambda: " of " in str(told.content))


async def _call(
    studio: Studio,
    minutes: int,
    remember: Remember,
    name: str,
    arguments: dict[str, JsonValue],
    times: int = 1,
) -> None:
    """Approve a call, so many minutes later, and make it again and again."""
    studio.clock.now += 60 * minutes
    studio.decide(replace(approve("you"), remember=remember))
    for _ in range(times):
        await studio.answer_of(name, arguments)


def _is_drawn(screen: Screen[Any]) -> bool:
    """Whether an image stands there, which is higher than the words that stand in for it."""
    return any(view.size.height > 2 for view in screen.query(ImageView))


SESSIONS = (
    (
        Scene("groups", groups, (120, 36)),
        Scene("dialog", dialog),
        Scene("narrow", narrow, (80, 24)),
    ),
    (
        Scene("invalid", invalid),
        Scene("image", image, (84, 34)),
        Scene("progress", progress, (148, 44)),
    ),
    (
        Scene("form", form, (88, 44)),
        Scene("structured", structured),
        Scene("reader", reader, (84, 24)),
        Scene("parts", parts, (84, 24)),
        Scene("links", links, (84, 34)),
    ),
    (
        Scene("written", conversation.written, (100, 34)),
        Scene("asked", conversation.asked, (100, 34)),
        Scene("page", conversation.page, (100, 34)),
        Scene("sampling", conversation.sampling, (100, 34)),
        Scene("resources", conversation.resources, (100, 34)),
        Scene("wire", conversation.wire),
    ),
    (
        Scene("policy", policy),
        Scene("matrix", matrix),
        Scene("grants", grants, (100, 30)),
        Scene("changed", changed),
        Scene("audit", audit, (120, 30)),
    ),
)
