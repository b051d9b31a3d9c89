"""All proxies of this user, followed: connected as they start, left as they end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any, Final, Protocol

from ...approval.approval import PUT_BACK, Decision, DecisionAnswer, withdrawn
from ...approval.questions.questions import AboutCall, Question, QuestionName
from ...content.json.jsonio import JsonValue
from ...content.text import visible
from ...platforms.daemon import in_daemon
from ...platforms.local_sockets import GONE, MESSAGE_MAX, hang_up, meet
from ...protocol.requests import CallName
from ...storage.fault_log import note_fault
from ...storage.state_dir import StoreError
from .hub import ProxyEntry, entries, remove
from .messages import (
    CALL,
    CLOSED,
    HELLO,
    NOTE,
    QUESTION,
    ShownQuestion,
    answer_message,
    read,
    read_question,
    written,
)

LOOK_SECONDS: Final = 0.5
ENDED_SECONDS: Final = 60.0
"""How long a proxy is shown after its end; its calls stay longer."""
_MEET_SECONDS: Final = 5.0
_ENDED_KEPT: Final = 50
_CALLS_KEPT: Final = 500


class Answering(Protocol):
    """Asks a person: dialogs, or lines on a terminal."""

    ends: dict[QuestionName, float]
    """When its proxy decides on a question by itself, on the monotonic clock."""

    asks_again: bool
    """Whether a question that was put back is asked again by itself, behind the others."""

    async def ask(self, question: Question) -> Decision:
        """Return the decision; withdrawn with PUT_BACK to leave the question open."""

    def void(self, call: QuestionName, reason: str) -> None:
        """A question can no longer be answered."""

    async def edit(self, question: AboutCall) -> dict[str, JsonValue] | None:
        """Return other arguments; None to ask again."""


@dataclass(eq=False)
class WatchedProxy:
    """One proxy, as it described itself last."""

    entry: ProxyEntry
    connection: Connection
    hello: dict[str, Any] = field(default_factory=dict)
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The newest message on each call, by number, with `at`: seconds since the epoch."""
    ends: dict[int, float] = field(default_factory=dict)
    """When the proxy denies a held call by itself, on the monotonic clock."""
    put_back: dict[int, asyncio.Event] = field(default_factory=dict)
    """Questions that were put back; setting the event asks again."""
    notes: list[str] = field(default_factory=list)
    asked: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    ended_at: float | None = None
    """On the monotonic clock; None while it runs."""

    @property
    def has_ended(self) -> bool:
        return self.ended_at is not None

    @property
    def is_shown(self) -> bool:
        """True for one that runs, and for a while after its end."""
        return self.ended_at is None or time.monotonic() < self.ended_at + ENDED_SECONDS

    def text(self, name: str) -> str:
        """A text of its description, safe to show."""
        return visible(str(self.hello.get(name, "")))

    @property
    def title(self) -> str:
        return f"{self.text('server')} {self.entry.pid}"

    def call_name(self, number: int) -> CallName:
        """The name of a call, which no other proxy has: two may be of servers of one name."""
        return CallName(f"{self.hello.get('server')} {self.entry.path.stem}", number)

    def send(self, message: dict[str, JsonValue]) -> None:
        with contextlib.suppress(*GONE, ValueError):
            self.connection.send_bytes(written(message))


class WatchedProxies:
    """Follows all proxies; on the event loop, with a thread for each connection."""

    def __init__(
        self,
        changed: Callable[[WatchedProxy], None],
        answering: Callable[[WatchedProxy], Answering | None],
    ) -> None:
        """`answering` makes who is asked for a proxy; None to answer nothing."""
        self.proxies: list[WatchedProxy] = []
        """Those that run, and those that have ended since this began."""
        self.problem = ""
        """Why none can be found, safe to show."""
        self._changed = changed
        self._make = answering
        self._answering: dict[WatchedProxy, Answering | None] = {}
        self._known: set[str] = set()
        self._meeting: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> list[WatchedProxy]:
        return [one for one in self.proxies if not one.has_ended]

    @property
    def open_questions(self) -> int:
        return sum(len(one.asked) for one in self.proxies)

    @property
    def put_back(self) -> int:
        """The number of questions that were put back."""
        return sum(len(one.put_back) for one in self.proxies)

    def take_up(self) -> None:
        """Ask the questions again that were put back."""
        for proxy in self.proxies:
            for event in proxy.put_back.values():
                event.set()

    async def run(self) -> None:
        """Look for proxies until this is cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Connect to the proxies that are new."""
        try:
            found = await in_daemon(lambda: list(entries()))
            self.problem = ""
        except (StoreError, OSError) as problem:
            found, self.problem = [], str(problem)
        new = [one for one in found if one.path.name not in self._known]
        self._known.update(one.path.name for one in new)
        # One that is stopped keeps none of the others waiting.
        meetings = [asyncio.create_task(self._meet(one)) for one in new]
        self._meeting.update(meetings)
        for meeting in meetings:
            meeting.add_done_callback(self._meeting.discard)
        if meetings:
            await asyncio.wait(meetings, timeout=LOOK_SECONDS)

    async def _meet(self, entry: ProxyEntry) -> None:
        try:
            async with asyncio.timeout(_MEET_SECONDS):
                connection = await in_daemon(lambda: meet(entry.address, entry.key))
        except (ConnectionRefusedError, FileNotFoundError):
            # Its process id is that of another program by now.
            remove(entry)
        except (*GONE, TimeoutError):
            self._known.discard(entry.path.name)
        else:
            self._begin(WatchedProxy(entry, connection))

    def close(self) -> None:
        """Let all go; questions that are open stay open at their proxies."""
        for proxy in self.proxies:
            for task in proxy.asked.values():
                task.cancel()
            hang_up(proxy.connection)

    def _begin(self, proxy: WatchedProxy) -> None:
        self.proxies.append(proxy)
        self._answering[proxy] = self._make(proxy)
        loop = asyncio.get_running_loop()

        def hear() -> None:
            try:
                while True:
                    message = read(proxy.connection.recv_bytes(MESSAGE_MAX))
                    loop.call_soon_threadsafe(self._take, proxy, message)
            except (*GONE, ValueError, RuntimeError):
                pass
            except Exception as problem:
                note_fault(problem, "while it heard a proxy")
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._end, proxy)

        threading.Thread(target=hear, name="proxy", daemon=True).start()

    def _end(self, proxy: WatchedProxy) -> None:
        proxy.ended_at = time.monotonic()
        for number in list(proxy.asked):
            self._void(proxy, number, "the proxy has ended")
        ended = [one for one in self.proxies if one.has_ended and not one.asked]
        for one in ended[:-_ENDED_KEPT]:
            self.proxies.remove(one)
            self._answering.pop(one, None)
        self._changed(proxy)

    def _take(self, proxy: WatchedProxy, message: dict[str, Any]) -> None:
        kind, number = message["kind"], message.get("number")
        if kind == HELLO:
            proxy.hello = message
        elif kind == CALL and isinstance(number, int):
            before = proxy.calls.pop(number, {})
            proxy.calls[number] = {**message, "at": before.get("at", time.time())}
            if len(proxy.calls) > _CALLS_KEPT:
                del proxy.calls[next(iter(proxy.calls))]
        elif kind == NOTE:
            proxy.notes.append(visible(str(message.get("words"))))
        elif kind == QUESTION:
            self._ask(proxy, message)
        elif kind == CLOSED and isinstance(number, int):
            self._void(proxy, number, visible(str(message.get("reason"))))
        self._changed(proxy)

    def _ask(self, proxy: WatchedProxy, message: dict[str, Any]) -> None:
        facts, seconds = message.get("facts"), message.get("seconds")
        number = facts.get("number") if isinstance(facts, dict) else None
        if isinstance(number, int) and isinstance(seconds, int | float):
            proxy.ends[number] = time.monotonic() + seconds
        answering = self._answering[proxy]
        if answering is None:
            return
        try:
            shown = read_question(message)
        except (KeyError, TypeError, ValueError) as problem:
            proxy.notes.append(f"a question could not be read: {visible(str(problem))}")
            return
        number = shown.question.call.number
        proxy.asked[number] = asyncio.create_task(self._answer(proxy, answering, shown))

    async def _answer(
        self, proxy: WatchedProxy, answering: Answering, shown: ShownQuestion
    ) -> None:
        number = shown.question.call.number
        name = proxy.call_name(number)
        arguments: dict[str, JsonValue] | None = None
        answering.ends[name] = time.monotonic() + shown.seconds
        try:
            question = replace(shown.question, call=name)
            while True:
                decision = await answering.ask(question)
                if decision == replace(withdrawn(PUT_BACK), seconds=decision.seconds):
                    await self._put_back(proxy, answering, number)
                    continue
                if decision.answer is DecisionAnswer.EDIT and isinstance(question, AboutCall):
                    arguments = await answering.edit(question)
                    if arguments is None:
                        continue
                break
        finally:
            answering.ends.pop(name, None)
            proxy.asked.pop(number, None)
            self._changed(proxy)
        if decision.answer is not DecisionAnswer.WITHDRAWN:
            proxy.send(answer_message(shown, decision, arguments))

    async def _put_back(self, proxy: WatchedProxy, answering: Answering, number: int) -> None:
        """Wait until a person wants to see the question again."""
        if answering.asks_again:
            return
        proxy.put_back[number] = event = asyncio.Event()
        self._changed(proxy)
        try:
            await event.wait()
        finally:
            proxy.put_back.pop(number, None)

    def _void(self, proxy: WatchedProxy, number: int, reason: str) -> None:
        answering = self._answering.get(proxy)
        proxy.ends.pop(number, None)
        if number in proxy.put_back:
            proxy.asked[number].cancel()
            return
        if number not in proxy.asked or answering is None:
            return
        answering.void(proxy.call_name(number), reason)
