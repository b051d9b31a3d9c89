"""The people that Signoff plays against a server that asks for itself, and one call of each.

Ten people, each with a server of its own. Three of them go on after the first answer: with the
same answer, an old `requestState` and changed arguments, and a second call. An eleventh person
takes a call back that waits for an approval on the server's side (drafts SEP-2848 and SEP-2643).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from ...calls.call import Outcome
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue


class Who(StrEnum):
    """One person of a run."""

    UNABLE = "unable"
    ACCEPTS = "accepts"
    DECLINES = "declines"
    CANCELS = "cancels"
    SILENT = "silent"
    MISFITS = "other-values"
    SAYS_NO = "says-no"
    AGAIN = "answers-again"
    CHANGED = "changed-arguments"
    CALLS_AGAIN = "calls-again"
    WITHDRAWS = "withdraws"

    @property
    def words(self) -> str:
        """What the person does, in words."""
        return WORDS[self]

    @property
    def accepts(self) -> bool:
        """True if the person sends `accept` with values that the form asks for."""
        return self in (Who.ACCEPTS, Who.AGAIN, Who.CALLS_AGAIN)

    @property
    def can_answer(self) -> bool:
        """True if the client declares elicitation."""
        return self is not Who.UNABLE


WORDS: Final[Mapping[Who, str]] = {
    Who.UNABLE: "the client does not declare elicitation",
    Who.ACCEPTS: "accepts",
    Who.DECLINES: "declines",
    Who.CANCELS: "cancels",
    Who.SILENT: "gives no answer until the time limit",
    Who.MISFITS: "accepts with values that the form does not allow",
    Who.SAYS_NO: "accepts the form with values that mean no",
    Who.AGAIN: "accepts, then sends the same answer again",
    Who.CHANGED: "sends an old requestState with changed arguments",
    Who.CALLS_AGAIN: "accepts, then calls again with other arguments",
    Who.WITHDRAWS: "cancels the call while it waits for an approval on the server's side",
}
FORBIDDEN: Final = (
    *(Who.UNABLE, Who.DECLINES, Who.CANCELS, Who.SILENT, Who.MISFITS),
    Who.SAYS_NO,
)
"""The people after whose call nothing may be done."""


@frozen
class AskedByServer:
    """One question of the server, and the answer that was sent; all of it is raw."""

    message: str
    schema: JsonValue = None
    url: str = ""
    """Of a question in URL mode; empty for a form."""
    answer: JsonValue = None
    """The whole result that was sent; None if none was."""


@frozen
class Effects:
    """Observed effects of one call, in words that are safe to show."""

    before: tuple[str, ...] = ()
    """Until the first answer was sent, or while an approval by the server was pending."""
    after: tuple[str, ...] = ()
    """From then to the end of the call; all effects of a call without a question."""
    whole: tuple[str, ...] = ()
    """Resources that read differently after the call: before or after the answer."""
    again: tuple[str, ...] = ()
    """Of the second answer, of the call with the old `requestState`, or of the second call."""
    blind: tuple[str, ...] = ()
    """What could not be seen."""

    @property
    def all(self) -> tuple[str, ...]:
        """All but those of a second answer."""
        return (*self.before, *self.after, *self.whole)


@frozen
class CallEnding:
    """The end of one call; texts are raw."""

    outcome: Outcome | None = None
    text: str = ""
    """The text of the result, or the message of the error."""
    code: int | None = None
    """The code of a protocol error."""
    reason: str = ""
    """Why the call ended so, in words that are safe to show."""

    @property
    def is_ok(self) -> bool:
        """True for a result without an error."""
        return self.outcome is Outcome.OK

    @property
    def is_error(self) -> bool:
        """True if the server reports an error."""
        return self.outcome in (Outcome.TOOL_ERROR, Outcome.PROTOCOL_ERROR)


@frozen
class Observed:
    """The call of one person, on a server process of its own."""

    who: Who
    tool: str
    arguments: Mapping[str, JsonValue]
    was_sent: bool = False
    asked: tuple[AskedByServer, ...] = ()
    response: CallEnding = CallEnding()
    effects: Effects = Effects()
    seconds: float = 0.0
    """Time of the server, without that of the person."""
    limit: float = 0.0
    is_hung: bool = False
    """True if the call had no end at the limit, and was cancelled."""
    is_modern: bool = False
    """True if the question was an input-required result, or of a task (2026-07-28)."""
    is_of_task: bool = False
    """True if a task of 2026-07-28 asked."""
    has_state: bool = False
    """True if the server gave a `requestState`."""
    second: CallEnding | None = None
    """The response to the second answer, to the old state, or to the second call; None if there is
    none. Its outcome is INPUT_REQUIRED if the server asked again.
    """
    changed: Mapping[str, JsonValue] | None = None
    """The changed arguments that were sent with the old state, or in the second call."""
    awaited: bool = False
    """True if the server reported that an approval of its own is pending."""
    is_refused: bool = False
    """True if the server reported, at last, that nothing was performed."""
    not_possible: str = ""
    """Why the person could not do this here, in words that are safe to show."""
