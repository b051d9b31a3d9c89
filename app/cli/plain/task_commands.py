"""The command about the tasks that a server keeps."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from ...content.text import count, visible
from ...engine.task_list import KnownTask, TaskBook
from .desk import Desk, NotDone
from .listing import gutter

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue

_SHOWN = 40


async def tasks(desk: Desk, rest: str) -> None:
    """`tasks`, `tasks result ID`, `tasks cancel ID`."""
    book = TaskBook(desk.bench)
    verb, _, begin = rest.strip().partition(" ")
    known = (await book.list()).tasks
    if not verb:
        _list(desk, known)
        return
    if verb not in ("result", "cancel"):
        raise NotDone("tasks, tasks result ID, or tasks cancel ID.")
    task = _chosen(known, begin.strip())
    if verb == "cancel":
        if task.call is None and task.state.id != begin.strip():
            raise NotDone("It was not begun in this session: write the whole of its id.")
        if why := await book.cancel(task):
            raise NotDone(f"Not cancelled: {why}.")
        desk.say("The server was told to cancel it.")
        return
    result = await book.result(task) if task.state.is_ended else "it has not ended"
    if isinstance(result, str):
        raise NotDone(f"No result: {result}.")
    desk.console.say_all(gutter(desk.hiding().said(_written(result)), 4_000))


def _list(desk: Desk, known: tuple[KnownTask, ...]) -> None:
    more = f", the first {_SHOWN}" if len(known) > _SHOWN else ""
    no_list = "" if desk.bench.server.lists_tasks else "; the server has no list of them"
    desk.say(f"{count(len(known), 'task')}{more}{no_list}")
    now = time.time()
    for task in known[:_SHOWN]:
        state = task.state
        words = [state.words, task.about, desk.hiding().said(state.message)]
        words += [state.kept_words(now), task.problem]
        desk.say(f"  {visible(state.id)}")
        desk.say(f"    {' · '.join(word for word in words if word)}")


def _chosen(known: tuple[KnownTask, ...], begin: str) -> KnownTask:
    """By the beginning of its id, which no other one has; the list moves. Raises NotDone."""
    found = [one for one in known if begin and one.state.id.startswith(begin)]
    exact = [one for one in found if one.state.id == begin]
    if len(exact or found) != 1:
        raise NotDone("Name one task by its id, or by the beginning of it; tasks lists them.")
    return (exact or found)[0]


def _written(result: dict[str, JsonValue]) -> str:
    return json.dumps(result, indent=2, ensure_ascii=False)
