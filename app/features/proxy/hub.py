"""Where those who watch a proxy connect: they see its calls, and answer its questions.

Each proxy of this user has a file in the folder `proxies` of the state folder, with the address and
the key; both are removed at its end. What a killed one left is removed by the next who looks.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from ...approval.approval import Decision, DecisionAnswer, deny, withdrawn
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...platforms.files import replace_whole
from ...platforms.local_sockets import (
    GONE,
    MESSAGE_MAX,
    SOCKET,
    MeetingPlace,
    hang_up,
    remove_left,
)
from ...storage.fault_log import note_fault
from ...storage.state_dir import private_folder, state_folder
from .messages import ANSWER, CLOSED, read, read_answer, written

FOLDER: Final = "proxies"
ENDING: Final = ".json"
_CALLS_KEPT: Final = 500
_WAITING_MAX: Final = 5_000
"""Messages that may wait for a watcher; one that is slower is let go."""
_END_SECONDS: Final = 0.5
_ACCEPT_PAUSE: Final = 0.05
_BY: Final = ("you", "time limit")
"""Who can have decided where a watcher answers."""


@frozen
class ProxyEntry:
    """A proxy that runs, as its file describes it."""

    pid: int
    address: str
    key: bytes
    path: Path


def entries() -> Iterator[ProxyEntry]:
    """The proxies of this user that run, the oldest first; files of others are removed.

    Raises StoreError if the folder is not private.
    """
    folder = private_folder(state_folder() / FOLDER)
    for path in sorted(folder.glob(f"*{ENDING}"), key=_age):
        try:
            found = json.loads(path.read_bytes())
            entry = ProxyEntry(
                int(found["pid"]), str(found["address"]), bytes.fromhex(found["key"]), path
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if _is_alive(entry.pid):
            yield entry
        else:
            remove(entry)
    for left in folder.glob(f"*{SOCKET}"):
        pid = left.name.partition("-")[0]
        if pid.isdecimal() and not _is_alive(int(pid)):
            remove_left(str(left))


def _age(path: Path) -> tuple[float, str]:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime, path.name
    return 0.0, path.name


def _is_alive(pid: int) -> bool:
    import psutil

    return psutil.pid_exists(pid)


def remove(entry: ProxyEntry) -> None:
    """Remove what a proxy that was killed left."""
    with contextlib.suppress(OSError):
        entry.path.unlink()
    remove_left(entry.address)


@dataclass(slots=True)
class OpenQuestion:
    """A question without an answer yet."""

    message: dict[str, JsonValue]
    answer: asyncio.Future[tuple[Decision, dict[str, JsonValue] | None]]
    ends_at: float


class _Watcher:
    """One that watches: a thread writes to it, since it may be slow to read."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._outbox: queue.Queue[bytes | None] = queue.Queue(_WAITING_MAX)
        self._writer = threading.Thread(target=self._write, name="to-watcher", daemon=True)
        self._writer.start()

    def send(self, data: bytes) -> None:
        try:
            self._outbox.put_nowait(data)
        except queue.Full:
            hang_up(self.connection)

    def end(self) -> None:
        """Send what waits, for a moment, and hang up."""
        with contextlib.suppress(queue.Full):
            self._outbox.put_nowait(None)
        self._writer.join(_END_SECONDS)
        hang_up(self.connection)

    def _write(self) -> None:
        with contextlib.suppress(*GONE, ValueError, TypeError):
            while (data := self._outbox.get()) is not None:
                self.connection.send_bytes(data)


class WatchHub:
    """The proxy's side; everything but the threads of its own is on the event loop."""

    def __init__(self, hello: Callable[[], dict[str, JsonValue]]) -> None:
        """`hello` describes the proxy as it is now."""
        self._hello = hello
        self._loop = asyncio.get_running_loop()
        self._watchers: list[_Watcher] = []
        self._calls: dict[int, dict[str, JsonValue]] = {}
        self._notes: deque[dict[str, JsonValue]] = deque(maxlen=50)
        self._asked: dict[int, OpenQuestion] = {}
        self._place: MeetingPlace | None = None
        self._entry: Path | None = None

    @property
    def watchers(self) -> int:
        return len(self._watchers)

    def open(self) -> None:
        """Let watchers connect. Raises OSError and StoreError."""
        folder = private_folder(state_folder() / FOLDER)
        self._place = place = MeetingPlace(folder)
        self._entry = folder / f"{os.getpid()}-{secrets.token_hex(4)}{ENDING}"
        entry = {"pid": os.getpid(), "address": place.address, "key": place.key.hex()}
        replace_whole(self._entry, json.dumps(entry).encode())
        threading.Thread(target=self._accept, args=(place,), name="watchers", daemon=True).start()

    def close(self) -> None:
        """Remove the place; questions are withdrawn."""
        for number in list(self._asked):
            self.void(number, "the proxy is closing")
        if self._entry is not None:
            with contextlib.suppress(OSError):
                self._entry.unlink()
        if self._place is not None:
            self._place.close()
        for watcher in self._watchers:
            watcher.end()

    def tell_hello(self) -> None:
        """Describe the proxy again: something of it has changed."""
        self._tell(self._hello())

    def tell_call(self, number: int, message: dict[str, JsonValue]) -> None:
        """Show a call as it is now."""
        self._calls.pop(number, None)
        self._calls[number] = message
        if len(self._calls) > _CALLS_KEPT:
            del self._calls[next(iter(self._calls))]
        self._tell(message)

    def tell_note(self, message: dict[str, JsonValue]) -> None:
        """Show a finding."""
        self._notes.append(message)
        self._tell(message)

    async def ask(
        self, number: int, message: dict[str, JsonValue], seconds: float
    ) -> tuple[Decision, dict[str, JsonValue] | None]:
        """Ask all watchers, those that come later, too; the first answer counts.

        Denied after so many seconds. Returns the decision, and other arguments if some were given.
        """
        asked = OpenQuestion(message, self._loop.create_future(), time.monotonic() + seconds)
        self._asked[number] = asked
        self._tell(message)
        try:
            return await asyncio.wait_for(asked.answer, seconds)
        except TimeoutError:
            who = "no signoff watch runs" if not self._watchers else "no answer came"
            return deny("time limit", f"{who}, and after {seconds:g} s it is denied"), None
        finally:
            self._asked.pop(number, None)
            self._tell({"kind": CLOSED, "number": number, "reason": "it was answered"})

    def void(self, number: int, reason: str) -> None:
        """A question needs no answer any more: nothing is sent."""
        asked = self._asked.get(number)
        if asked is not None and not asked.answer.done():
            asked.answer.set_result((withdrawn(reason), None))
            self._tell({"kind": CLOSED, "number": number, "reason": reason})

    def _tell(self, message: dict[str, Any]) -> None:
        if self._watchers:
            data = written(message)
            for one in self._watchers:
                one.send(data)

    def _accept(self, place: MeetingPlace) -> None:
        """A thread: one watcher after the other."""
        while True:
            try:
                connection = place.accept()
            except GONE:
                if self._entry is None or not self._entry.exists():
                    return
                time.sleep(_ACCEPT_PAUSE)
                continue
            # A silent one keeps none of the others waiting.
            threading.Thread(
                target=self._meet, args=(place, connection), name="watcher", daemon=True
            ).start()

    def _meet(self, place: MeetingPlace, connection: Connection) -> None:
        """A thread: one that has connected, until it leaves."""
        if place.is_ours(connection):
            watcher = _Watcher(connection)
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._welcome, watcher)
                self._hear(watcher)

    def _welcome(self, watcher: _Watcher) -> None:
        self._watchers.append(watcher)
        watcher.send(written(self._hello()))
        for message in (*self._notes, *self._calls.values()):
            watcher.send(written(message))
        for asked in self._asked.values():
            left = max(0.0, asked.ends_at - time.monotonic())
            watcher.send(written({**asked.message, "seconds": left}))

    def _hear(self, watcher: _Watcher) -> None:
        try:
            while True:
                message = read(watcher.connection.recv_bytes(MESSAGE_MAX))
                self._loop.call_soon_threadsafe(self._take, message)
        except (*GONE, ValueError, RuntimeError):
            hang_up(watcher.connection)
        except Exception as problem:
            note_fault(problem, "while it heard a watcher")
        finally:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._leave, watcher)

    def _leave(self, watcher: _Watcher) -> None:
        with contextlib.suppress(ValueError):
            self._watchers.remove(watcher)
            self.tell_hello()

    def _take(self, message: dict[str, Any]) -> None:
        """Take an answer: the first one counts, and only to the very question that is open."""
        if message.get("kind") != ANSWER:
            return
        number = message.get("number")
        asked = self._asked.get(number) if isinstance(number, int) else None
        if asked is None or asked.answer.done() or message.get("digest") != asked.message["digest"]:
            return
        try:
            decision = read_answer(message)
        except (KeyError, TypeError, ValueError):
            return
        if decision.by not in _BY:
            return
        given = message.get("arguments")
        is_edit = decision.answer is DecisionAnswer.EDIT and isinstance(given, dict)
        if decision.answer is DecisionAnswer.EDIT and not is_edit:
            return
        asked.answer.set_result((decision, given if is_edit else None))
