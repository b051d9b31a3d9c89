"""A client that declares what it can be asked, and answers in the way of its revision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.demo.peer import Era, Json, Peer, Reply

EVERYTHING: Json = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}},
    "roots": {"listChanged": True},
}
Answer = Callable[[str, Json], Json]
"""Method and params to a result; `{"error": ...}` for an answer that is an error."""


class Talker(Peer):
    """Answers what the server asks; in the modern era it makes the call again with the answers."""

    def __init__(self, era: Era, capabilities: Json | None = None) -> None:
        super().__init__(era, capabilities=EVERYTHING if capabilities is None else capabilities)
        self.asked: list[tuple[str, Json]] = []
        self.rounds: list[int] = []
        """How many things each round of the last call asked for."""
        self.answer: Answer = nothing

    def talk(self, answer: Answer, name: str, /, **arguments: Any) -> Reply:
        """Call a tool and answer whatever it asks."""
        self.answer = answer
        self.asked.clear()
        self.rounds.clear()
        reply = self.call(name, **arguments)
        while reply.result.get("resultType") == "input_required":
            wanted: Json = reply.result["inputRequests"]
            self.rounds.append(len(wanted))
            more = {
                "inputResponses": {
                    key: self._answered(one["method"], one.get("params", {}))
                    for key, one in wanted.items()
                },
                "requestState": reply.result["requestState"],
            }
            params = {"name": name, "arguments": arguments, **more}
            reply = self.wait(self.send("tools/call", params, progress=True))
        return reply

    def _answered(self, method: str, params: Json) -> Json:
        self.asked.append((method, params))
        return self.answer(method, params)

    def _take(self, message: Json) -> None:
        super()._take(message)
        if "id" in message and "method" in message:
            said = self._answered(message["method"], message.get("params", {}))
            whole = said if set(said) == {"error"} else {"result": said}
            self._write({"jsonrpc": "2.0", "id": message["id"], **whole})


def nothing(method: str, params: Json) -> Json:
    """To whom nothing may be asked."""
    raise AssertionError(f"{method} was not expected: {params}")


def accepting(**content: Any) -> Answer:
    """Accept a form with this content."""
    return lambda method, params: {"action": "accept", "content": content}


def acting(action: str) -> Answer:
    """Decline or cancel."""
    return lambda method, params: {"action": action}
