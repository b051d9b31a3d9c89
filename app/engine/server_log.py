"""The log messages of one server: the newest are kept, the others counted, and which are wanted."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from ..protocol.log_messages import LogMessage, read_message

if TYPE_CHECKING:
    from ..transport import Link
    from ..transport.events import Greeting, Logged

MESSAGES_KEPT: Final = 2_000


class ServerLog:
    """What a server logged, on however many connections."""

    def __init__(self) -> None:
        self.messages: deque[LogMessage] = deque(maxlen=MESSAGES_KEPT)
        self.count = 0
        """Messages that ever came: a mark to redraw by."""
        self.level = ""
        """From which one on messages are wanted; empty where the server was not told."""
        self.problem = ""
        """Why the server does not go by it, in words that are safe to show."""

    @property
    def dropped(self) -> int:
        """Messages that came and were not kept."""
        return self.count - len(self.messages)

    def take(self, event: Logged) -> None:
        """A message came."""
        self.count += 1
        self.messages.append(read_message(event.level, event.logger, event.data))

    async def tell_level(self, link: Link, greeting: Greeting | None) -> None:
        """Have the server send messages from `level` on, in the way of its era."""
        link.log_level = self.level
        self.problem = ""
        if not self.level or greeting is None or greeting.era == "modern":
            return
        if not isinstance(greeting.capabilities.get("logging"), dict):
            self.problem = "the server does not say that its level can be set (capability logging)"
            return
        from ..protocol.rpc import RpcError
        from ..transport.exchange import Silent
        from ..transport.greeting import describe
        from ..transport.protocol import SET_LOG_LEVEL

        wanted = self.level
        answer = await link.ask(SET_LOG_LEVEL, {"level": wanted})
        if self.level != wanted:
            return
        if isinstance(answer, RpcError):
            self.problem = f"the server did not set its level: {describe(answer)}"
        elif isinstance(answer, Silent):
            self.problem = "the server did not answer when its level was set"
