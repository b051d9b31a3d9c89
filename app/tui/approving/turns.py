"""Turns of dialogs: one question at a time, over all servers."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import count
from typing import Protocol


class Waits(Hashable, Protocol):
    """An approver with questions that wait for their dialog."""

    @property
    def own_waiting(self) -> int:
        """The number of its questions that will still be asked."""

    def show_waiting(self, number: int) -> None:
        """Show in its open dialog, if there is one, how many questions wait behind it."""


@dataclass(slots=True)
class _Place:
    """A place in the queue; the lowest `tag` is next, of equal ones the earliest."""

    tag: int
    number: int
    turn: asyncio.Future[None]


class DialogTurns:
    """Gives turns in order of arrival; a server that asks often lets the others go between.

    It is a fair queue: a question's tag is one above that of the server's question before it, and
    at least that of the question that is asked now. So the first question of a server waits for at
    most one of each other server, however many those have asked.
    """

    def __init__(self) -> None:
        self._owners: list[Waits] = []
        self._places: list[_Place] = []
        self._numbers = count()
        self._now = 0
        """The tag of the newest turn."""
        self._tags: dict[Waits, int] = {}
        """The tag of the newest question of each approver."""
        self._is_taken = False

    def add(self, owner: Waits) -> None:
        """Add an approver, whose questions are counted from now on."""
        self._owners.append(owner)

    @property
    def waiting(self) -> int:
        """The number of questions that will still be asked, of all servers."""
        return sum(one.own_waiting for one in self._owners)

    def tell_waiting(self) -> None:
        """Show the number in the open dialog, whichever server it is of."""
        number = self.waiting
        for one in self._owners:
            one.show_waiting(number)

    async def take(self, owner: Waits) -> None:
        """Wait for a turn; `give` ends it."""
        tag = max(self._now, self._tags.get(owner, 0) + 1)
        self._tags[owner] = tag
        if not self._is_taken:
            self._is_taken = True
            self._now = tag
            return
        place = _Place(tag, next(self._numbers), asyncio.get_running_loop().create_future())
        self._places.append(place)
        try:
            await place.turn
        except asyncio.CancelledError:
            if place in self._places:
                self._places.remove(place)
            else:
                # Its turn had come in the same moment.
                self.give()
            raise

    def give(self) -> None:
        """End a turn; the next one begins."""
        if not self._places:
            self._is_taken = False
            return
        place = min(self._places, key=lambda one: (one.tag, one.number))
        self._places.remove(place)
        self._now = place.tag
        place.turn.set_result(None)
