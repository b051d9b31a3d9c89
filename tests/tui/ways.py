"""Every screen, and how it is come to from the bench of the bundled server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.command import CommandPalette
from textual.screen import Screen

from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.raw_messages import RawMessage
from signoff.app.features.audit.screen import AuditScreen
from signoff.app.features.matrix.archetypes_screen import ArchetypesScreen
from signoff.app.features.matrix.resolved_screen import ResolvedScreen
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.app.features.policies.grants_screen import GrantsScreen
from signoff.app.features.policies.screen import PolicyScreen
from signoff.app.features.resources.form import OfferFormScreen
from signoff.app.features.resources.screen import OffersScreen
from signoff.app.features.resources.tasks_screen import TasksScreen
from signoff.app.features.settings.screen import SettingsScreen
from signoff.app.features.settings.value_screen import ValueScreen
from signoff.app.features.tour.course import begin
from signoff.app.features.tour.list_screen import TourListScreen
from signoff.app.features.tour.steps import STEPS
from signoff.app.features.wire.composing import RawDialog, RawScreen
from signoff.app.features.wire.screen import WireScreen
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.extensions.tool_resolution import (
    MILDEST,
    Resolution,
    ResolutionStatus,
)
from signoff.app.protocol.resources.offers import OfferKind, ResourceTemplate, read_offers
from signoff.app.protocol.server import Server, Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.tui.answers.audio import PlayDialog
from signoff.app.tui.answers.blob import HexScreen
from signoff.app.tui.answers.exporting import Openable, SaveScreen, ViewerDialog
from signoff.app.tui.answers.image import ImageScreen
from signoff.app.tui.answers.links import OutsideDialog
from signoff.app.tui.answers.model_view_screen import ModelViewScreen
from signoff.app.tui.answers.pages import PageParameterScreen
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.answers.part_view import PartHeader
from signoff.app.tui.answers.reader import ReaderScreen
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.app.tui.approving.answer_form import AnswerFormScreen
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.form_dialog import FormQuestionDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.approving.trust_dialog import TrustDialog
from signoff.app.tui.arguments.arguments_screen import ArgumentsScreen
from signoff.app.tui.main.changes import ChangesScreen
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.text.command_screen import CommandScreen
from signoff.app.tui.text.keys_screen import KeysScreen
from signoff.app.tui.text.pager import PagerScreen
from signoff.app.tui.text.server_screen import ServerScreen
from tests.questions import of_server
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.widgets.tool_samples import definitions, entry

Step = Callable[[BenchStage], Awaitable[None]]


def by(*keys: str, tool: str = "delete_file") -> Step:
    """Keys on the bench, with a tool chosen."""

    async def open_it(stage: BenchStage) -> None:
        await stage.choose(tool)
        await stage.press(*keys)

    return open_it


def part(tool: str, key: str, says: str = "") -> Step:
    """A key on the first part of the answer of a tool whose header says this."""

    async def open_it(stage: BenchStage) -> None:
        call = await stage.call(tool)
        assert call.outcome is Outcome.OK
        await stage.rests()
        headers = [one for one in stage.app.screen.query(PartHeader) if says in str(one.render())]
        assert headers, stage.text
        headers[0].focus()
        await stage.until(lambda: stage.app.focused is headers[0], "the focus")
        await stage.press(key)

    return open_it


def pushed(make: Callable[[], Screen[Any]]) -> Step:
    """For what only a desktop or a loudspeaker would open."""

    async def open_it(stage: BenchStage) -> None:
        stage.app.push_screen(make())

    return open_it


def viewer() -> ViewerDialog:
    found = Openable("text/plain", ".txt")
    return ViewerDialog("a part", found, Path("part.txt"), 3, "/usr/bin/xdg-open")


def resolved() -> ResolvedScreen:
    """Over a tool that is resolved as read-only, whatever its arguments."""

    async def resolve(tool: ToolDefinition, arguments: dict[str, JsonValue]) -> Resolution:
        return Resolution(ResolutionStatus.RESOLVED, MILDEST, was_sent=True)

    (tool,) = definitions([entry("manage_files", destructive=True)])
    columns = (*built_ins(), *(read_host(name) for name in host_names()))
    return ResolvedScreen(tool, columns, "demo", resolve)


async def resolved_hints(stage: BenchStage) -> None:
    """The decisions by static hints and by resolved ones."""
    stage.app.push_screen(resolved())
    await stage.until(lambda: isinstance(stage.app.screen, ResolvedScreen), "the editor")
    await stage.press("f5")
    await stage.sees("hosts would decide", "openWorld")


def raw_dialog() -> RawDialog:
    message = RawMessage({"jsonrpc": "2.0", "method": "notifications/x"}, is_request=False)
    return RawDialog(message, Server("raw", "raw --flag", "raw", Trust.UNTRUSTED), "")


async def turning(stage: BenchStage) -> None:
    """The question where a cursor goes."""
    await stage.call("list_repositories")
    await stage.sees("next page with >")
    stage.app.screen.query_one(AnswerPane).focus()
    await stage.press("greater_than_sign")


async def offers(stage: BenchStage) -> None:
    """The resources, once they are listed."""
    await stage.until(lambda: stage.engine.offers.has_any, "the resources")
    await stage.press("P")


async def offer_form(stage: BenchStage) -> None:
    """The form of a template, of which the bundled server has none."""
    raw: JsonValue = {"uriTemplate": "demo://{kind}/{name}{?page}", "name": "any"}
    [template] = read_offers(OfferKind.TEMPLATE, [raw])
    assert isinstance(template, ResourceTemplate)
    stage.app.push_screen(OfferFormScreen(template, stage.engine.offers))


async def model_view(stage: BenchStage) -> None:
    """The model's view of an answer."""
    await stage.call("show_text")
    await stage.press("M")


async def tasks(stage: BenchStage) -> None:
    """The tasks of the bundled server, which says of none in this revision."""
    stage.app.push_screen(TasksScreen(stage.engine))


async def value(stage: BenchStage) -> None:
    """The values of the first setting, once the settings are read."""
    await show(stage, SettingsScreen)
    screen = stage.app.screen
    assert isinstance(screen, SettingsScreen)
    await stage.until(lambda: screen.current and screen.row_list.has_focus, "the settings")
    await stage.press("enter")


WAYS: dict[type[Screen[Any]], Step] = {
    MainScreen: by(),
    CommandPalette: by("ctrl+p"),
    AuditScreen: by("ctrl+l"),
    GrantsScreen: by("f10"),
    SettingsScreen: by("comma"),
    ValueScreen: value,
    PolicyScreen: by("ctrl+o"),
    WireScreen: by("W"),
    RawScreen: by("W", "n"),
    MatrixScreen: by("f2"),
    ResolvedScreen: resolved_hints,
    ArchetypesScreen: by("A"),
    OffersScreen: offers,
    OfferFormScreen: offer_form,
    TasksScreen: tasks,
    PageParameterScreen: turning,
    PagerScreen: by("f4"),
    ModelViewScreen: model_view,
    ChangesScreen: by("D"),
    ServerScreen: by("f9"),
    CommandScreen: by("Y"),
    ArgumentsScreen: by("f11"),
    ReaderScreen: part("show_text", "enter"),
    ImageScreen: part("show_image", "enter", "image"),
    HexScreen: part("show_binary", "enter"),
    StructuredScreen: part("count_stock", "enter", "structured"),
    SaveScreen: part("show_text", "s"),
    TourListScreen: pushed(lambda: TourListScreen(begin(STEPS))),
    ApprovalDialog: by("f12"),
    TrustDialog: by("ctrl+t", "ctrl+t"),
    FormQuestionDialog: pushed(lambda: FormQuestionDialog(of_server())),
    AnswerFormScreen: pushed(lambda: AnswerFormScreen(of_server())),
    KeysScreen: by("ctrl+l", "question_mark"),
    OutsideDialog: part("show_links", "o", "1.0 MB"),
    ViewerDialog: pushed(viewer),
    RawDialog: pushed(raw_dialog),
    PlayDialog: pushed(lambda: PlayDialog("a sound", "/usr/bin/aplay")),
}

TINY, ROOMY = (30, 8), (120, 36)


@asynccontextmanager
async def opened(size: tuple[int, int] = ROOMY) -> AsyncIterator[BenchStage]:
    async with bench_stage(is_demo=True, trust=Trust.TRUSTED, keeps=True, size=size) as stage:
        yield stage


async def show(stage: BenchStage, kind: type[Screen[Any]]) -> None:
    await WAYS[kind](stage)
    await stage.until(lambda: type(stage.app.screen) is kind, kind.__name__)


def is_same(text: str, before: str) -> bool:
    """But for what a dialog counts down, and says of its own deafness."""

    def still(one: str) -> list[str]:
        rows = one.split("\n")
        counted = ("denies in", "cancels in", "moment")
        return [row for row in rows if not any(one in row for one in counted)]

    return still(text) == still(before)


def listens(stage: BenchStage) -> bool:
    dialog: Any = stage.app.screen
    return isinstance(dialog, GuardedDialog) and bool(dialog.is_armed)
