"""The scenes of what a server offers beside its tools, and of what it asks for."""

from __future__ import annotations

from screenshots.studio import Studio
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.resources.screen import OffersScreen
from signoff.app.features.wire.screen import WireScreen
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.form_dialog import FormQuestionDialog
from signoff.widgets.forms.form_row import FormRow
from signoff.widgets.lists.tool_list import ToolList


async def written(studio: Studio) -> None:
    """The form of what a server asks for, with a field filled in."""
    question = await _asked_by(studio, "ask_every_field", {})
    assert isinstance(question, FormQuestionDialog)
    await studio.until("the fields", lambda: question.query(FormRow))
    await studio.until("the keys of the form", lambda: question.is_filling)


async def asked(studio: Studio) -> None:
    """What a server asks for, as it would be sent."""
    screen = studio.app.screen
    assert isinstance(screen, FormQuestionDialog)
    await studio.pilot.press("f5")
    # The values are checked beside the screen.
    await studio.until("the end of the form", lambda: not screen.is_filling)
    await studio.listen(screen)
    await studio.until("the answer", lambda: screen.question.snapshot.arguments())


async def page(studio: Studio) -> None:
    """A page that a server wants opened, its host set apart."""
    await studio.back()
    await _asked_by(studio, "open_page", {})


async def sampling(studio: Studio) -> None:
    """What a server wants a model to say."""
    await studio.back()
    await _asked_by(studio, "let_the_model_use_tools", {})


async def resources(studio: Studio) -> None:
    """What a server offers beside its tools."""
    await studio.back()
    studio.app.screen.query_one(ToolList).focus()
    await studio.open("P", OffersScreen)


async def wire(studio: Studio) -> None:
    """Every message that crossed."""
    await studio.back()
    await studio.open("W", WireScreen)


async def _asked_by(studio: Studio, tool: str, arguments: dict[str, JsonValue]) -> ApprovalDialog:
    """Call a tool, approved, and wait for the question that it asks on its part."""
    studio.engine.approver = studio.dialogs
    calls = studio.engine.calls
    # Their responses would come between.
    await studio.until(
        "the ends of other calls", lambda: all(one.is_over for one in calls.values())
    )
    studio.call(tool, arguments)
    await studio.until("the question", lambda: isinstance(studio.app.screen, ApprovalDialog))
    question = studio.app.screen
    assert isinstance(question, ApprovalDialog)
    await studio.listen(question)
    return question
