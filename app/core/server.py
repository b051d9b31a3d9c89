"""A server as the bench knows it: an immutable value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from app.core.text import cut, visible
from app.core.trust import Trust

if TYPE_CHECKING:
    from app.core.jsonio import JsonValue

SELF_NAME_LIMIT = 80


class Phase(StrEnum):
    CONNECTING = "connecting"
    CONNECTED = "connected"
    FAILED = "failed"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Server:
    """A configured target and where the connection to it stands.

    `command` is the exact command line or URL; `info` and `instructions` are what the server says
    of itself, raw. `ended_words`, `exit_code` and `last_words` are there once it is gone.
    """

    name: str
    command: str
    identity: str
    trust: Trust
    phase: Phase = Phase.CONNECTING
    stage: str = "starting"
    pid: int | None = None
    version: str = ""
    info: dict[str, JsonValue] | None = None
    instructions: str = ""
    ended_words: str = ""
    exit_code: int | None = None
    last_words: tuple[str, ...] = ()

    @property
    def calls_itself(self) -> str:
        """The self-chosen name and version, safe to show; empty where it says none."""
        info = self.info or {}
        words = [info.get("title") or info.get("name"), info.get("version")]
        said = " ".join(word for word in words if isinstance(word, str) and word)
        return visible(cut(said, SELF_NAME_LIMIT).text)

    @property
    def is_open(self) -> bool:
        return self.phase is Phase.CONNECTED
