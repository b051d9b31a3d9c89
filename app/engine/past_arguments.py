"""Earlier arguments of a server's tools: on disk, or for this session only.

Keeping them never blocks a call: a thread of its own writes them soon after the call has ended, and
problems are only noted.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..approval.snapshot import Snapshot
from ..calls.argument_history import KeptArguments, document_of, is_worth_keeping
from ..calls.call import Call
from ..content.json.jsonio import JsonValue
from ..storage.arguments import ArgumentBook, Noted
from ..storage.database import Database, database_of_session
from ..storage.fault_log import note_fault
from ..storage.state_dir import StoreError
from ..storage.store import Store

T = TypeVar("T")

TOGETHER_SECONDS = 0.2
"""What ends within this time is written at once: each writing waits for the disk."""
TOGETHER_MAX = 100
"""Different arguments written at once: other programs have to wait for the writing."""


class PastArguments:
    """Of one server. Every method may be called from any thread; only `note` returns at once."""

    def __init__(
        self,
        identity: str,
        open_store: Callable[[], Store | None],
        clock: Callable[[], float],
        on_problem: Callable[[str], None],
        *,
        keeps: bool = True,
    ) -> None:
        """`open_store` gives the store, or None if nothing is to be kept on disk; `keeps`: whether
        arguments are kept at all.
        """
        self._keeps = keeps
        self._identity = identity
        self._open_store = open_store
        self._clock = clock
        self._on_problem = on_problem
        self._said: set[str] = set()
        self._lock = threading.Lock()
        self._writer: ThreadPoolExecutor | None = None
        self._ended: list[tuple[Call, float]] = []
        """Ended calls that are still to be written, and when they ended."""
        self._is_wanted = threading.Event()
        """Somebody waits for it to be written."""
        self._session: tuple[Database, ArgumentBook] | None = None
        self._is_closed = False

    @property
    def problem(self) -> str:
        """Reason why nothing is kept on disk; empty if there is none."""
        store = self._open_store()
        return "this run stores nothing" if store is None else store.problem

    def note(self, call: Call) -> None:
        """Keep the arguments of a call that ended, and how it did."""
        if not self._keeps or call.tool is None or not is_worth_keeping(call):
            return
        with self._lock:
            if self._is_closed:
                return
            if self._writer is None:
                self._writer = ThreadPoolExecutor(1, "arguments")
            self._ended.append((call, self._clock()))
            if len(self._ended) == 1:
                self._writer.submit(self._keep)

    def all(self, tool: str) -> tuple[KeptArguments, ...]:
        """Presets of a tool by name, then its earlier arguments, newest first."""
        self._settle()
        found = list(self._kept_on_disk(tool))
        if self._session is not None:
            found += self._session[1].all(self._identity, tool)
        return tuple(sorted(found, key=_place))

    def preset(self, tool: str, name: str) -> KeptArguments | None:
        """The preset of that name."""
        return next((one for one in self.all(tool) if one.name == name), None)

    def give_name(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        name: str,
        of: KeptArguments | None,
        schema: JsonValue = None,
    ) -> bool:
        """Keep arguments as a preset, replacing one of that name; False: for this session only.

        `of`: their entry in the history, if any; `schema`: the input schema of the tool, which may
        mark some of them secret. Raises ValueError, in words, if they are too large or the presets
        too many, and StoreError.
        """
        document = (
            of.document if of is not None else document_of(json.dumps(dict(arguments)), schema)
        )
        if document.text is None:
            raise ValueError(f"{document.size:,} characters: too large to be kept")
        return self._write(
            lambda book: book.give_name(
                self._identity,
                tool,
                document,
                name,
                self._clock(),
                although_invalid=of is not None and of.although_invalid,
                outcome=of.outcome if of is not None else "",
                was_sent=of is not None and of.was_sent,
            )
        )

    def remove(self, kept: KeptArguments) -> bool:
        """Forget a preset, or arguments of the history. Raises StoreError."""
        self._settle()
        book = self._book(is_on_disk=kept.is_on_disk)
        return book is not None and book.remove(kept.id)

    def clear(self, tool: str) -> int:
        """Forget the history of a tool, not its presets; returns how many. Raises StoreError."""
        self._settle()
        books = (self._book(is_on_disk=True), self._book(is_on_disk=False))
        return sum(book.clear(self._identity, tool) for book in books if book is not None)

    def close(self) -> None:
        """Write pending entries and forget those of this session only."""
        with self._lock:
            self._is_closed = True
            self._is_wanted.set()
            writer, self._writer = self._writer, None
        if writer is not None:
            writer.shutdown()
        if self._session is not None:
            self._session[0].close()

    def _keep(self) -> None:
        """Write the entries that are pending now, and those that soon follow."""
        self._is_wanted.wait(TOGETHER_SECONDS)
        with self._lock:
            ended, self._ended = self._ended, []
            if not self._is_closed:
                self._is_wanted.clear()
        alike: dict[tuple[Snapshot, bool], tuple[Call, float, int]] = {}
        for call, at in ended:
            key = call.snapshot, call.although_invalid
            _, _, times = alike.pop(key, (call, at, 0))
            alike[key] = call, at, times + 1
        kinds = list(alike.values())
        for start in range(0, len(kinds), TOGETHER_MAX):
            self._note(kinds[start : start + TOGETHER_MAX])

    def _note(self, kinds: Sequence[tuple[Call, float, int]]) -> None:
        try:
            noted = [_noted(*one) for one in kinds]
            self._write(lambda book: book.add(self._identity, noted))
        except Exception as problem:
            # No caller waits for this thread, and no failure here is worth a call.
            is_expected = isinstance(problem, StoreError)
            doing = "while it kept the arguments of a call"
            self._say(str(problem) if is_expected else note_fault(problem, doing))

    def _write(self, action: Callable[[ArgumentBook], None]) -> bool:
        """On disk if possible, else for this session; False for the latter. Raises StoreError."""
        store = self._open_store()
        if store is not None and not store.problem:
            try:
                action(store.arguments)
            except StoreError as problem:
                self._say(str(problem))
            else:
                return True
        with self._lock:
            if self._session is None:
                database = database_of_session()
                self._session = database, ArgumentBook(database, is_on_disk=False)
        action(self._session[1])
        return False

    def _kept_on_disk(self, tool: str) -> tuple[KeptArguments, ...]:
        store = self._open_store()
        if store is None:
            return ()
        try:
            return store.arguments.all(self._identity, tool)
        except StoreError as problem:
            self._say(str(problem))
            return ()

    def _book(self, *, is_on_disk: bool) -> ArgumentBook | None:
        if not is_on_disk:
            return self._session[1] if self._session is not None else None
        store = self._open_store()
        return store.arguments if store is not None else None

    def _settle(self) -> None:
        """Wait until pending entries have been written."""
        with self._lock:
            if self._ended:
                self._is_wanted.set()
            done = self._writer.submit(int) if self._writer is not None else None
        if done is not None:
            done.result()

    def _say(self, problem: str) -> None:
        if problem not in self._said:
            self._said.add(problem)
            self._on_problem(f"arguments are kept for this session only: {problem}")


def _noted(call: Call, at: float, times: int) -> Noted:
    """So many calls with the same arguments, by the last of them."""
    schema = call.request.definition.input_schema
    return Noted(
        call.request.name,
        document_of(call.snapshot.arguments_json, schema),
        at,
        outcome=call.outcome.value if call.outcome is not None else "",
        was_sent=call.sent,
        although_invalid=call.although_invalid,
        times=times,
    )


def _place(kept: KeptArguments) -> tuple[bool, str, float]:
    return (not kept.is_preset, kept.name, 0.0 if kept.is_preset else -kept.at)
