"""Which calls go as tasks, and for how long their results are to be kept.

Spec 2025-11-25, basic/utilities/tasks: the client asks for it, with `task` beside the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..protocol.requests import Request
    from .surroundings import Surroundings

KEPT_SECONDS: Final = 600.0


def task_ttl(around: Surroundings, request: Request) -> int | None:
    """The `ttl` that a call is sent with, in milliseconds; None where it goes as no task.

    The server is to keep the result for longer than the call may take, since no limit runs while a
    person is asked.
    """
    tool = request.tool
    if tool is None or not around.server.runs_tasks:
        return None
    if not tool.reach.runs_as_task(where_it_may=around.as_task):
        return None
    return round((around.limits.absolute + KEPT_SECONDS) * 1_000)
