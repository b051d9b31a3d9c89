"""Several servers in one command: each opened, read and closed by itself, all at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from ..content.frozen import frozen
from ..content.text import visible
from ..engine.engine import Engine
from .exit_status import ExitStatus
from .live import NotConnected, Options, opened
from .printing import print_error

T = TypeVar("T")

AT_ONCE: Final = 32
"""Servers that run at the same time; the others wait for one of them to end."""


@frozen
class ServerOptions:
    """One of several servers; `options` is None if it was not started."""

    name: str
    shown: str
    """Its command or its URL, masked and safe to show."""
    options: Options | None
    problem: str = ""
    """Why it was not started."""
    status: int = ExitStatus.OK


@frozen
class SeveralOptions:
    """The servers of a command, and its output."""

    servers: tuple[ServerOptions, ...]
    as_json: bool = False


@frozen
class ServerResult(Generic[T]):
    """The result on one server, or the problem that left none."""

    name: str
    shown: str
    result: T | None = None
    problem: str = ""
    """Safe to show; empty if there is a result."""
    status: int = ExitStatus.OK

    def as_json(self) -> dict[str, str]:
        """A server without a result, as reports have it."""
        return {"name": self.name, "command": self.shown, "problem": self.problem}


async def on_each(
    servers: Sequence[ServerOptions], work: Callable[[Engine, Options], Awaitable[T]]
) -> list[ServerResult[T]]:
    """Open each server, do the work on it and close it; the results are in the order given.

    What goes wrong on one server is its own result, and affects no other.
    """
    places = asyncio.Semaphore(AT_ONCE)

    async def one(server: ServerOptions) -> ServerResult[T]:
        if server.options is None:
            return ServerResult(server.name, server.shown, None, server.problem, int(server.status))
        async with places:
            try:
                async with opened(server.options) as engine:
                    result = await work(engine, server.options)
            except NotConnected as problem:
                words = visible(" ".join(str(problem).split("\n")))
                return ServerResult(server.name, server.shown, None, words, ExitStatus.LOST)
        return ServerResult(server.name, server.shown, result)

    tasks = [asyncio.create_task(one(server)) for server in servers]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        # Where one has failed, as for a closed pipe, the others end their servers in order.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def print_problems(results: Sequence[ServerResult[T]]) -> None:
    """Print on standard error which servers have no result, and why."""
    for one in results:
        if one.problem:
            is_named = one.problem.startswith(f"{one.name} ")
            print_error(one.problem if is_named else f"{one.name}: {one.problem}")


def status_of_all(results: Sequence[ServerResult[T]], own: Sequence[int] = ()) -> int:
    """The exit status: that of the results first, then that of servers without one.

    `own` are the statuses of the results. A server without consent counts before one that could
    not be reached.
    """
    missing = [one.status for one in results if one.problem]
    order = [*sorted((int(one) for one in own if one), reverse=True)]
    order += [one for one in missing if one == ExitStatus.NOT_APPROVED]
    return next(iter([*order, *missing]), ExitStatus.OK)
