"""Those who watch a proxy: who may, what counts of what they send, and what is left of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.features.proxy import hub as hub_module
from signoff.app.features.proxy.hub import FOLDER, WatchHub, entries
from signoff.app.features.proxy.messages import ANSWER, read, read_answer, written
from signoff.app.features.proxy.watching import WatchedProxies
from signoff.app.platforms.local_sockets import GONE, meet
from signoff.app.storage.state_dir import private_folder, state_folder
from tests.features.proxy.stage import until

if sys.platform == "win32":
    pytest.skip("named pipes have no files", allow_module_level=True)

QUESTION: dict[str, Any] = {"kind": "question", "number": 1, "digest": "d", "facts": {}}
ANSWERED: dict[str, Any] = {
    "kind": ANSWER,
    "number": 1,
    "digest": "d",
    "answer": "approve",
    "by": "you",
    "reason": "",
    "scope": "this call only",
    "days": 0,
    "for_session": False,
    "seconds": 1.0,
}


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[WatchHub]:
    hub = WatchHub(lambda: {"kind": "hello", "server": "s"})
    hub.open()
    try:
        yield hub
    finally:
        hub.close()


@contextlib.contextmanager
def connected() -> Iterator[Connection]:
    (entry,) = entries()
    connection = meet(entry.address, entry.key)
    try:
        yield connection
    finally:
        connection.close()


@contextlib.asynccontextmanager
async def asking() -> AsyncIterator[tuple[WatchHub, Connection, asyncio.Task[Any]]]:
    """A question, and one that watches."""
    async with opened() as hub:
        with connected() as connection:
            await until(lambda: hub.watchers == 1)
            yield hub, connection, asyncio.create_task(hub.ask(1, QUESTION, 15))


def next_of(connection: Connection, kind: str) -> dict[str, Any]:
    while True:
        message = read(connection.recv_bytes())
        if message["kind"] == kind:
            return message


async def test_only_the_owner_can_find_it() -> None:
    async with opened():
        folder = private_folder(state_folder() / FOLDER)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (entry,) = entries()
        assert stat.S_IMODE(entry.path.stat().st_mode) == 0o600
        assert (entry.pid, len(entry.key)) == (os.getpid(), 32)
    assert list(folder.iterdir()) == []


async def test_the_first_of_two_answers_counts() -> None:
    async with opened() as hub:
        with connected() as one, connected() as other:
            await until(lambda: hub.watchers == 2)
            asking = asyncio.create_task(hub.ask(1, QUESTION, 15))
            for connection in (one, other):
                await asyncio.to_thread(next_of, connection, "question")
            one.send_bytes(written({**ANSWERED, "answer": "deny"}))
            decision, _ = await asyncio.wait_for(asking, 15)
            other.send_bytes(written(ANSWERED))
            assert decision.answer is DecisionAnswer.DENY
            await asyncio.to_thread(next_of, other, "closed")


WRONG: list[dict[str, Any]] = [
    *({"digest": one} for one in ("e", None)),
    *({"number": one} for one in (2, [1], "1")),
    *({"by": one} for one in ("policy", "remembered approval")),
    *({"answer": one} for one in ("allow", "edit")),
    {"answer": "edit", "arguments": [1]},
    {"kind": "hello"},
    {"scope": "everything"},
    {"reason": None, "by": None},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
async def test_an_answer_that_is_not_quite_one_decides_nothing(wrong: dict[str, Any]) -> None:
    async with asking() as (_, connection, task):
        await asyncio.to_thread(next_of, connection, "question")
        connection.send_bytes(written({**ANSWERED, **wrong}))
        connection.send_bytes(written({**ANSWERED, "answer": "deny", "reason": "the right"}))
        decision, _ = await asyncio.wait_for(task, 15)
        assert (decision.answer, decision.reason) == (DecisionAnswer.DENY, "the right")


@pytest.mark.parametrize("garbage", [b"", b"x", b"[]", b'{"kind":1}', b"\xff" * 100, b"[" * 9_000])
async def test_who_sends_garbage_is_let_go_and_nothing_is_decided(garbage: bytes) -> None:
    async with opened() as hub:
        asking = asyncio.create_task(hub.ask(1, QUESTION, 15))
        with connected() as connection:
            await until(lambda: hub.watchers == 1)
            connection.send_bytes(garbage)
            await until(lambda: hub.watchers == 0)
        assert not asking.done()
        with connected() as connection:
            # One that comes later is asked, too.
            await asyncio.to_thread(next_of, connection, "question")
            connection.send_bytes(written(ANSWERED))
            assert (await asyncio.wait_for(asking, 15))[0].answer is DecisionAnswer.APPROVE


@pytest.mark.parametrize("key", [b"", b"x" * 32])
async def test_who_does_not_know_the_key_is_no_watcher(key: bytes) -> None:
    async with opened() as hub:
        (entry,) = entries()
        with pytest.raises(GONE):
            await asyncio.to_thread(meet, entry.address, key or b"y")
        assert hub.watchers == 0


async def test_one_that_connects_and_says_nothing_keeps_nobody_waiting() -> None:
    async with opened() as hub:
        (entry,) = entries()
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(entry.address)
            with connected():
                await until(lambda: hub.watchers == 1)


async def test_one_that_reads_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "_WAITING_MAX", 20)
    async with asking() as (hub, _, task):
        for number in range(200):
            hub.tell_call(number, {"kind": "call", "number": number, "text": "x" * 100_000})
        await until(lambda: hub.watchers == 0)
        assert not task.done()
        task.cancel()


async def test_the_last_messages_reach_who_watches() -> None:
    async with asking() as (hub, connection, task):
        await asyncio.to_thread(next_of, connection, "question")
        hub.tell_call(7, {"kind": "call", "number": 7, "status": "the last"})
        hub.close()
        assert (await task)[0].answer is DecisionAnswer.WITHDRAWN
        assert next_of(connection, "call")["status"] == "the last"
        assert next_of(connection, "closed")["reason"] == "the proxy is closing"
        with pytest.raises(GONE):
            connection.recv_bytes()


def test_what_a_killed_proxy_left_is_removed_and_what_is_none_is_left() -> None:
    folder = private_folder(state_folder() / FOLDER)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = folder / f"{ended.pid}-0.json"
    place = folder / f"{ended.pid}-0.socket"
    orphan = folder / f"{ended.pid}-1.socket"
    for one in (place, orphan):
        one.touch()
    left.write_text(json.dumps({"pid": ended.pid, "address": str(place), "key": "00"}))
    other = folder / "other.json"
    other.write_text("{")
    elsewhere = folder / f"{ended.pid}-2.json"
    kept = folder.parent / "kept"
    kept.touch()
    elsewhere.write_text(json.dumps({"pid": ended.pid, "address": str(kept), "key": "00"}))
    assert list(entries()) == []
    assert sorted(folder.iterdir()) == [other]
    assert kept.exists()


async def test_one_whose_process_id_was_given_to_another_program_is_removed() -> None:
    folder = private_folder(state_folder() / FOLDER)
    left = folder / f"{os.getpid()}-0.json"
    entry = {"pid": os.getpid(), "address": str(folder / "gone.socket"), "key": "00" * 32}
    left.write_text(json.dumps(entry))
    found = WatchedProxies(lambda proxy: None, lambda proxy: None)
    await found.look()
    await until(lambda: not left.exists())
    assert found.proxies == []


async def test_a_proxy_that_is_stopped_keeps_no_other_from_being_seen() -> None:
    async with opened():
        folder = private_folder(state_folder() / FOLDER)
        address = str(folder / f"{os.getpid()}-stopped.socket")
        with socket.socket(socket.AF_UNIX) as stopped:
            stopped.bind(address)
            stopped.listen()
            entry = {"pid": os.getpid(), "address": address, "key": "00" * 32}
            (folder / "0.json").write_text(json.dumps(entry))
            found = WatchedProxies(lambda proxy: None, lambda proxy: None)
            await found.look()
            await until(lambda: [one for one in found.proxies if one.hello])
            found.close()


async def test_a_folder_with_a_long_path_gets_its_socket_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ("deep" * 30)))
    async with opened():
        (entry,) = entries()
        place = Path(entry.address)
        assert len(entry.address) < 100
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        with connected():
            pass
    assert not place.parent.exists()


def test_a_decision_is_read_as_it_was_written() -> None:
    assert read_answer(ANSWERED) == Decision(DecisionAnswer.APPROVE, "you", "", seconds=1.0)
