"""From a task to what is known of it: the call that began it, or its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...protocol.answers.content import TextPart, read_answer
from ..call_sections import call_sections
from ..pager import PagerScreen, Section
from ..section_lines import raw_lines

if TYPE_CHECKING:
    from textual.app import App

    from ...content.json.jsonio import JsonValue
    from ...engine.task_list import KnownTask, TaskBook


async def open_task(app: App[object], book: TaskBook, task: KnownTask) -> str:
    """Open it over the screen; returns why there is nothing to open, in words."""
    call, state = task.call, task.state
    sections: list[Section] = []
    if call is None or (call.is_over and call.answer is None and not call.withheld):
        if state.is_ended:
            result = await book.result(task)
            if isinstance(result, str) and call is None:
                return f"No result: {result}."
            if not isinstance(result, str):
                sections += _result_sections(result)
        elif call is None:
            return "It has not ended: there is no result yet."
    if call is not None:
        sections += call_sections(call, book.version)
    else:
        sections.append(Section("task", raw_lines(state.raw)))
    app.push_screen(PagerScreen(Content.assemble(("Task", "bold"), f" · {task.about}"), sections))
    return ""


def _result_sections(result: dict[str, JsonValue]) -> list[Section]:
    found: list[Section] = []
    answer = read_answer(result)
    texts = [one.text for one in answer.parts if isinstance(one, TextPart)] if answer else []
    if texts:
        found.append(Section("result", "\n".join(texts)))
    return [*found, Section("raw result", raw_lines(result))]
