"""A decision is on the disk before its request leaves; the disk may take its time, or fail."""

from __future__ import annotations

import asyncio
import errno
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.app.approval.approval import approve
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.storage import audit_log
from tests.engine.opened import Approves, Asked, opened
from tests.servers import recorded


class Disk:
    """A disk that says that it has a file only when it may; `problem` is what it says instead."""

    def __init__(self, log: Path, record: Path) -> None:
        self.may_end = threading.Event()
        self.begun = threading.Event()
        self.problem: OSError | None = None
        self.seen: list[tuple[str, int]] = []
        """At each waiting for the disk: the last event in the log, and calls that were received."""
        self._log, self._record = log, record
        self._really = audit_log._sync

    def sync(self, fd: int, folder: Path | None) -> None:
        last = json.loads(self._log.read_bytes().splitlines()[-1])
        self.seen.append((last["event"], len(recorded(self._record))))
        self.begun.set()
        assert self.may_end.wait(60)
        self._really(fd, folder)
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.fixture
def disk(log: Path, record: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    found = Disk(log, record)
    monkeypatch.setattr(audit_log, "_sync", found.sync)
    yield found
    found.may_end.set()


async def begun(disk: Disk) -> None:
    assert await asyncio.to_thread(disk.begun.wait, 20), "the disk was not waited for"


async def test_nothing_leaves_before_the_disk_has_the_decision(
    disk: Disk, log: Path, record: Path
) -> None:
    async with opened("--record", str(record), log=log) as one:
        one.engine.approver = approver = Asked()
        number = one.begin("add_thing", name="a")
        await approver.question()
        approver.answer(approve("you"))
        await begun(disk)
        # The server answers everything else meanwhile.
        assert await one.engine.definitions.recheck()
        assert recorded(record) == []
        assert not one.engine.calls[number].sent
        disk.may_end.set()
        assert (await one.ended(number)).outcome is Outcome.OK
        assert disk.seen == [("decided", 0)]
        assert len(recorded(record)) == 1


async def test_what_may_destroy_waits_for_the_disk_without_a_question_too(
    disk: Disk, log: Path, record: Path
) -> None:
    disk.may_end.set()
    async with opened("--record", str(record), log=log, policy=built_in("allow-all")) as one:
        await one.call("delete_thing", name="a")
        assert disk.seen == [("decided", 0)]
        await one.call("read_thing", name="a")
        assert disk.seen == [("decided", 0)], "what only reads and is not asked about does not wait"


async def test_what_may_destroy_is_not_sent_where_the_disk_fails(
    disk: Disk, log: Path, record: Path
) -> None:
    disk.may_end.set()
    disk.problem = OSError(errno.EIO, "failing")
    async with opened("--record", str(record), log=log) as one:
        one.engine.approver = Approves()
        call = await one.call("delete_thing", name="a")
        assert not call.sent
        assert "audit log" in call.reason
        assert recorded(record) == []
        # What cannot destroy goes, and the log's trouble has been said.
        assert (await one.call("add_thing", name="a")).outcome is Outcome.OK
        assert {one.code for one in one.engine.findings} == {"audit-unwritable"}
