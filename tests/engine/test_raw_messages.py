"""What a person writes for the wire is logged before it leaves, and stays where it cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.engine.raw_messages import RawMessages
from signoff.app.protocol.wire.composing import read_written
from signoff.app.protocol.wire.frames import CLIENT
from signoff.app.protocol.wire.reading import read
from signoff.app.storage.auditing.chain import read_record
from signoff.app.storage.auditing.rows import row_of
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.engine.opened import opened
from tests.servers import raw as raw_server

PROSE = approved("engine")

SECRET = "hunter2-correct-horse"


def records(log: Path) -> list[dict[str, Any]]:
    found = [read_record(line) or {} for line in log.read_bytes().splitlines()]
    return [one for one in found if str(one.get("event")).startswith("raw-")]


def sent(at: Any) -> list[str]:
    frames = at.engine.link.wire.since(0)
    return [read(one).method for one in frames if one.sender == CLIENT]


async def test_what_is_sent_is_logged_masked_and_so_is_what_came(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    async with opened(log=log) as at:
        raw = at.engine.raw_messages
        text = f'{{"id": 1, "method": "no/such", "params": {{"password": "{SECRET}"}}}}'
        first, second = raw.make(read_written(text)), raw.make(read_written(text))
        assert first.id != second.id
        raw.deny(first)
        assert "no/such" not in sent(at)
        assert (await raw.send(second)).startswith("error -32601: ")
        words = await raw.send(raw.make(read_written('{"method": "notifications/x"}')))
        PROSE.holds("raw: a notification", words)
    denied, approved, answered, told = records(log)
    assert [one["event"] for one in (denied, approved, answered, told)] == [
        *("raw-denied", "raw-sent", "raw-answered", "raw-sent")
    ]
    assert (denied["id"], approved["id"], answered["outcome"]) == (first.id, second.id, "error")
    assert approved["decision"] == {"answer": "approve", "by": "you"}
    assert len(approved["message"]["sha256"]) == 64
    assert SECRET not in log.read_text(encoding="utf-8")
    assert row_of(answered).words == "no/such: error"


async def test_what_cannot_be_logged_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(log=tmp_path / "audit.log") as at:
        raw = at.engine.raw_messages

        async def fails(event: object) -> bool:
            return False

        monkeypatch.setattr(at.engine.ledger, "write_through", fails)
        words = await raw.send(raw.make(read_written('{"id": 1, "method": "no/such"}')))
        PROSE.holds("raw: not logged", words)
        assert "no/such" not in sent(at)


async def test_what_was_meant_for_one_connection_is_not_sent_over_the_next(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    async with opened(log=log) as at:
        engine = at.engine
        # While it was logged, another link took the place of the first.
        links: Iterator[Any] = iter((engine.link, StdioLink(raw_server())))
        raw = RawMessages(lambda: next(links), lambda: engine.server, lambda: engine.ledger)
        words = await raw.send(raw.make(read_written('{"id": 1, "method": "no/such"}')))
        PROSE.holds("raw: the connection was lost", words)
        assert "no/such" not in sent(at)
    assert [one.get("outcome") for one in records(log)] == [None, "not-sent"]


async def test_nothing_is_sent_where_nobody_is(tmp_path: Path) -> None:
    async with opened() as at:
        message = at.engine.raw_messages.make(read_written('{"id": 1, "method": "no/such"}'))
        at.engine.link.kill()
        await at.watch.until(lambda: not at.engine.server.is_open)
        assert (await at.engine.raw_messages.send(message)).startswith("not sent: ")
