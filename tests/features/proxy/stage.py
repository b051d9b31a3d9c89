"""A proxy between a host made of pipes and a real server, and those who watch it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

from signoff.app.approval.approval import Decision, approve, deny
from signoff.app.approval.questions.questions import AboutCall, AboutRead, Question, QuestionName
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.engine import Engine
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.features.proxy.session import ProxySession
from signoff.app.features.proxy.watching import WatchedProxies, WatchedProxy
from signoff.app.protocol.server import Trust
from signoff.app.storage.policy_files import find_policy
from signoff.app.transport.http.relay import HttpRelayLink
from signoff.app.transport.stdio.relay import RelayLink
from tests.servers import raw
from tests.transport.stdio.hosted import Host
from tests.transport.webbed import scripted

SECONDS = 60
DELETE = {"name": "delete_thing", "arguments": {"name": "a"}}
READ = {"name": "echo", "arguments": {"text": "b"}}


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(SECONDS):
        while not is_so():
            await asyncio.sleep(0.005)


class Person:
    """Answers questions as a test says; without an answer it waits."""

    asks_again = False

    def __init__(self, *answers: Decision) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []
        self.voided: list[tuple[QuestionName, str]] = []
        self.edited: dict[str, JsonValue] | None = None
        self.ends: dict[QuestionName, float] = {}
        self._closed = asyncio.Event()

    async def ask(self, question: Question) -> Decision:
        self.asked.append(question)
        if self.answers:
            return self.answers.pop(0)
        await self._closed.wait()
        return deny("you")

    async def edit(self, question: AboutCall) -> dict[str, JsonValue] | None:
        return self.edited

    def void(self, call: QuestionName, reason: str) -> None:
        self.voided.append((call, reason))


@contextlib.asynccontextmanager
async def watching(person: Person | None = None) -> AsyncIterator[WatchedProxies]:
    """One that watches all proxies, and answers if there is a person."""
    found = WatchedProxies(lambda proxy: None, lambda proxy: person)
    task = asyncio.create_task(found.run())
    try:
        await until(lambda: [one for one in found.proxies if one.hello])
        yield found
    finally:
        task.cancel()
        found.close()


class Stage:
    """A session that runs."""

    def __init__(
        self,
        host: Host,
        link: RelayLink | HttpRelayLink,
        engine: Engine,
        session: ProxySession,
        record: Path,
    ) -> None:
        self.host = host
        self.link = link
        self.engine = engine
        self.session = session
        self.record = record
        self.running = asyncio.create_task(session.run())

    async def line(self) -> Any:
        """The next line of the proxy."""
        return await asyncio.to_thread(self.host.line)

    async def begin(
        self, client: str = "test-host", capabilities: dict[str, Any] | None = None
    ) -> None:
        """Initialize, and list the tools."""
        self.host.send(
            id="i",
            method="initialize",
            params={
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities or {},
                "clientInfo": {"name": client, "version": "1"},
            },
        )
        assert (await self.line())["id"] == "i"
        self.host.send(method="notifications/initialized")
        self.host.send(id="t", method="tools/list", params={})
        assert (await self.line())["id"] == "t"

    def call(self, identity: int | str, params: dict[str, Any], method: str = "tools/call") -> None:
        self.host.send(id=identity, method=method, params=params)

    @property
    def got(self) -> list[dict[str, Any]]:
        """The calls that the server got."""
        if not self.record.exists():
            return []
        lines = [json.loads(one) for one in self.record.read_text(encoding="utf-8").splitlines()]
        called = ("tools/call", "resources/read", "prompts/get")
        return [one for one in lines if one.get("method") in called]

    async def ended(self) -> None:
        await asyncio.wait_for(self.running, SECONDS)


@contextlib.asynccontextmanager
async def proxied(
    tmp_path: Path,
    *switches: str,
    policy: str = "",
    hold: float | None = 30,
    argv: list[str] | None = None,
    over_http: bool = False,
    experimental: frozenset[str] = frozenset(),
    trust: Trust = Trust.UNTRUSTED,
    **options: Any,
) -> AsyncIterator[Stage]:
    """A proxy that decides by a policy, or watches without one; with `over_http`, to a URL."""
    record = tmp_path / f"got-{len(list(tmp_path.glob('got-*')))}"
    record.touch()
    switches = ("--received", str(record), "--with", "all", *switches)
    host, serving = Host(), contextlib.ExitStack()
    link: RelayLink | HttpRelayLink
    if over_http:
        url, _ = serving.enter_context(scripted(*switches))
        target = Target("raw", url=url, experimental=experimental)
        link = target.over_http(partial(HttpRelayLink, host.pipe, holds=bool(policy)))
    else:
        command = argv or raw(*switches)
        target = Target("raw", tuple(command), experimental=experimental)
        link = RelayLink(
            command,
            host.pipe,
            holds=bool(policy),
            env=dict(os.environ),
            experimental=experimental,
        )
    config = SessionConfig(
        target,
        trust=trust,
        policy=find_policy(policy) if policy else None,
        timeout=1e8,
        max_time=1e8,
        audit=tmp_path / "audit.jsonl",
    )
    link.begin()
    engine = config.engine(link)
    session = ProxySession(engine, link, target, hold=hold, **options)
    session.hub.open()
    engine.open()
    stage = Stage(host, link, engine, session, record)
    try:
        yield stage
    finally:
        host.vanish()
        stage.running.cancel()
        await asyncio.wait({stage.running})
        session.hub.close()
        await engine.close()
        host.close()
        serving.close()


def approved() -> Decision:
    return approve("you")


def events(tmp_path: Path) -> list[dict[str, Any]]:
    """The audit log."""
    whole = (tmp_path / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in whole]


def asked(person: Person) -> AboutCall | AboutRead:
    """The newest question."""
    question = person.asked[-1]
    assert isinstance(question, AboutCall | AboutRead)
    return question


def shown(found: WatchedProxies) -> WatchedProxy:
    return found.proxies[0]
