"""A server as the engine knows it: an immutable value, with trust, phase and command."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..content.text import cut, visible

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue


UNCHECKED: Final = " without certificates"
"""A part of the identity of a server whose certificates are not checked."""
URL_BEGINNINGS: Final = ("http://", "https://", "unix:///")
"""How the address of a server begins that is connected to."""


class Trust(StrEnum):
    """A switch per server. Untrusted is the default: hints are shown, never obeyed."""

    UNTRUSTED = "untrusted"
    TRUSTED = "trusted"


SELF_NAME_LIMIT = 80


class VersionSource(StrEnum):
    """Reason for the protocol revision that is used with a server."""

    SAID = "said"
    """The server named its versions on this connection."""
    REMEMBERED = "remembered"
    """The server named them on an earlier connection."""
    GUESSED = "guessed"
    """It was silent on `server/discover`, ended or failed, so `initialize` was used."""
    CHOSEN = "chosen"
    """`--protocol` chose it."""

    @property
    def words(self) -> str:
        """Words after the revision; empty in the normal case."""
        return _BASIS_WORDS.get(self, "")


_BASIS_WORDS = {
    VersionSource.REMEMBERED: "as reported earlier",
    VersionSource.GUESSED: "a guess: no clear response to server/discover in time; see --protocol",
    VersionSource.CHOSEN: "as --protocol chose",
}


class Phase(StrEnum):
    CONNECTING = "connecting"
    CONNECTED = "connected"
    FAILED = "failed"
    LOST = "lost"


@frozen
class Server:
    """A configured target and the state of the connection to it.

    `command` is the exact command line or URL; `info` and `instructions` are the server's own
    words, raw. `ended_words`, `exit_code` and `last_words` are set once it is gone.
    """

    name: str
    command: str
    identity: str
    trust: Trust
    phase: Phase = Phase.CONNECTING
    stage: str = "starting"
    pid: int | None = None
    version: str = ""
    basis: VersionSource = VersionSource.SAID
    """Why this version of the protocol is spoken."""
    info: dict[str, JsonValue] | None = None
    instructions: str = ""
    capabilities: dict[str, JsonValue] = field(default_factory=dict)
    """The capabilities that the server declares, raw."""
    ended_words: str = ""
    needs_sign_in: bool = False
    """Whether it is gone because it requires a sign-in."""
    exit_code: int | None = None
    last_words: tuple[str, ...] = ()
    is_bundled: bool = False
    """Whether it is the one that comes with Signoff, and was started as such."""
    lenient: tuple[str, ...] = ()
    """Checks of its sign-in that the person has set aside."""
    experimental: tuple[str, ...] = ()
    """Names of drafts of extensions that are turned on for it."""

    @property
    def is_started_here(self) -> bool:
        """True if Signoff starts it; else it runs somewhere already and is connected to."""
        return not self.identity.startswith("http:")

    @property
    def is_insecure(self) -> bool:
        """True if no certificate of it is checked."""
        return UNCHECKED in self.identity

    @property
    def calls_itself(self) -> str:
        """The self-chosen name and version, safe to show; empty if the server sends none."""
        info = self.info or {}
        words = [info.get("title") or info.get("name"), info.get("version")]
        said = " ".join(word for word in words if isinstance(word, str) and word)
        return visible(cut(said, SELF_NAME_LIMIT).text)

    @property
    def protocol_words(self) -> str:
        """The revision that is spoken, and why it is that one; safe to show."""
        if not self.version:
            return ""
        why = self.basis.words
        return visible(self.version) + (f" ({why})" if why else "")

    @property
    def runs_tasks(self) -> bool:
        """True if the calls of its tools may run as tasks (spec 2025-11-25, utilities/tasks)."""
        # The server is started before this is imported.
        from .visibility import TASKS_IN

        found: JsonValue = self.capabilities if self.version == TASKS_IN else None
        for key in ("tasks", "requests", "tools", "call"):
            found = found.get(key) if isinstance(found, dict) else None
        return isinstance(found, dict)

    @property
    def lists_tasks(self) -> bool:
        """True if the server declares `tasks/list` (likewise)."""
        from .visibility import TASKS_IN

        said = self.capabilities.get("tasks") if self.version == TASKS_IN else None
        return isinstance(said, dict) and isinstance(said.get("list"), dict)

    @property
    def is_open(self) -> bool:
        return self.phase is Phase.CONNECTED


LATE_SECONDS: Final = 5.0
"""Seconds after which a start is late: the screen shows the cause of the wait and how to leave."""


@frozen
class Start:
    """The command line of Signoff's start; exactly one of the four targets is set."""

    bundled: bool = False
    url: str = ""
    argv: tuple[str, ...] = ()
    configured: tuple[str, ...] = ()
    """The configuration file and the name of a server in it; empty for any other."""
    env: tuple[str, ...] = ()
    """`NAME` or `NAME=VALUE`, as it was given."""
    policy: tuple[str, ...] = ()
    """`--policy` or `--as` with its value, empty where none was given."""
    options: tuple[tuple[str, ...], ...] = ()
    """Others that a call takes, too, each with its value: `("--protocol", "legacy")`."""


def option_words(name: str, value: str | None = None) -> tuple[str, ...]:
    """The words of an option: what begins with a dash would be taken for the next option."""
    if value is None:
        return (name,)
    return (f"{name}={value}",) if value.startswith("-") else (name, value)
