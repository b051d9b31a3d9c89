"""Tools that would reach out of the house, to rooms, people and services: all simulated."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from mcp.types import CallToolResult
from pydantic import Field

from .. import content
from ..declare import blocks, failed, hints, plain, tool
from ..sandbox import Sandbox

KEY_SECONDS: Final = 24 * 60 * 60
"""How long a message is known by its key."""
_MAX_KEYS: Final = 10_000
_SHAPES: Final = {"low": 30, "medium": 80, "high": 200}
_Url = Annotated[
    str,
    Field(
        description="Address on the web",
        min_length=1,
        max_length=2000,
        examples=["https://example.org/"],
        json_schema_extra={"format": "uri"},
    ),
]


@dataclass(frozen=True, slots=True)
class _Sent:
    ts: str
    at: float


class OutsideTools:
    """Confetti, searches, messages, releases and pages."""

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`clock` gives the age of a key, `now` the time of a message; both in seconds."""
        self._sandbox = sandbox
        self._clock = clock
        self._now = now
        self._numbers = count(1)
        self._sent: dict[str, _Sent] = {}
        self._live: dict[str, str] = {}

    @tool(
        "Launch Real-Life Confetti",
        hints(read_only=False, destructive=True, idempotent=False, open_world=True),
    )
    async def launch_confetti(
        self,
        color: Annotated[
            str, Field(description="Color of the confetti", max_length=60, examples=["gold"])
        ],
        location: Annotated[
            str, Field(description="Where to launch it", max_length=200, examples=["the office"])
        ],
        intensity: Annotated[
            Literal["low", "medium", "high"] | None, Field(description="Amount of confetti")
        ] = None,
    ) -> CallToolResult:
        """Launch real confetti in the physical world; here it is written to confetti.txt in the
        sandbox, over the last. It cannot be undone, and each call launches more."""
        much = intensity or "medium"
        cells = [random.choice("*·°✦✧❋") for _ in range(_SHAPES[much])]
        cells += [" "] * (480 - len(cells))
        random.shuffle(cells)
        rows = "\n".join("".join(cells[row : row + 48]).rstrip() for row in range(0, 480, 48))
        self._sandbox.write("confetti.txt", rows + "\n")
        return plain(f"Launched {color} confetti at {location}, intensity {much}.\n\n{rows}")

    @tool("Web Search", hints(read_only=True, open_world=True))
    async def web_search(
        self,
        query: Annotated[str, Field(description="What to look for", min_length=1, max_length=500)],
    ) -> CallToolResult:
        """Search the web for information; the results are simulated. It changes nothing, but your
        query leaves this computer: read-only in an open world."""
        lines = [f"{n}. {query}: result {n}\n   https://example.org/{n}" for n in range(1, 4)]
        return plain("Simulated, no network was used.\n\n" + "\n".join(lines))

    @tool("Get a Page", hints(read_only=True, open_world=True))
    async def http_get(self, url: _Url) -> CallToolResult:
        """Fetch a page by HTTP GET, the archetype of reading from outside; simulated. A GET should
        change nothing, but the owner of the page sees the visit."""
        host = _host(url)
        if host is None:
            return failed(f"Not an address of http or https: {url[:200]}")
        return plain(f"Simulated, no network was used.\n\n200 OK\n\n<h1>Welcome to {host}</h1>")

    @tool("Capture Screenshot", hints(read_only=True, open_world=True))
    def capture_screenshot(self, url: _Url) -> CallToolResult:
        """Capture a page as a PNG picture, drawn here and never fetched. Read-only, but a real one
        may show secrets: hints do not cover privacy."""
        host = _host(url)
        if host is None:
            return failed(f"Not an address of http or https: {url[:200]}")
        return blocks(content.page(host))

    @tool("Send Slack Message", hints(idempotent=False))
    async def slack_send_message(
        self,
        channel: Annotated[
            str, Field(description="Channel or user", min_length=1, examples=["#general"])
        ],
        text: Annotated[
            str, Field(description="Text of the message", min_length=1, max_length=4000)
        ],
        idempotencyKey: Annotated[
            str | None,
            Field(description="The same key is sent once in 24 hours", max_length=255),
        ] = None,
    ) -> CallToolResult:
        """Send a message to a Slack channel; simulated. Two calls send two messages, unless they
        have the same idempotencyKey: then the second refers to the first message."""
        at = self._clock()
        self._sent = {key: sent for key, sent in self._sent.items() if at - sent.at < KEY_SECONDS}
        if idempotencyKey and (first := self._sent.get(idempotencyKey)):
            return plain(f"Duplicate request — original message (ts: {first.ts})")
        ts = f"{int(self._now())}.{next(self._numbers):06}"
        if idempotencyKey:
            while len(self._sent) >= _MAX_KEYS:
                self._sent.pop(next(iter(self._sent)))
            self._sent[idempotencyKey] = _Sent(ts, at)
        return plain(f"Message sent (ts: {ts})")

    @tool(
        "Send an Email",
        hints(read_only=False, destructive=False, idempotent=False, open_world=True),
    )
    async def send_email(
        self,
        to: Annotated[
            str, Field(description="Who gets it", min_length=1, examples=["ada@example.org"])
        ],
        subject: Annotated[str, Field(description="Subject line", max_length=200)],
        body: Annotated[str, Field(description="Text of the message", max_length=10_000)],
    ) -> CallToolResult:
        """Send an email: the archetype of sending, put into outbox/ of the sandbox. It destroys
        nothing but cannot be undone; each call sends one more email."""
        name = f"outbox/{int(self._now())}-{next(self._numbers)}.txt"
        self._sandbox.write(name, f"To: {to}\nSubject: {subject}\n\n{body}\n")
        return plain(f"Simulated: the email to {to} is in {name}.")

    @tool(
        "Deploy a Release",
        hints(read_only=False, destructive=True, idempotent=True, open_world=True),
    )
    async def deploy_release(
        self,
        service: Annotated[
            str, Field(description="What to deploy", min_length=1, examples=["shop"])
        ],
        version: Annotated[str, Field(description="Which release", examples=["2.1.0"])],
    ) -> CallToolResult:
        """Replace the running version with a release: the archetype of deploying, simulated. Users
        notice at once; deploying the same release again changes nothing."""
        before = self._live.get(service, "1.0.0")
        self._live[service] = version
        if before == version:
            return plain(f"Simulated: {service} {version} is live already.")
        return plain(f"Simulated: {service} {version} is live, instead of {before}.")


def _host(url: str) -> str | None:
    """The host of a web address; None for anything else."""
    try:
        parts = urlsplit(url)
        return parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        return None
