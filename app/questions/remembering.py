"""What remembering an approval would mean, said in full before it is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ..approval.grants import DAY, Remember, Scope
from ..content.text import visible
from ..protocol.requests import PromptGet
from .question_words import exact_name, may_destroy, shortened
from .questions import (
    FOR_A_CALL,
    AboutCall,
    AboutRead,
    Question,
)
from .run_words import covered_words

CAUTION: Final = "Every such call would then run unasked, and it may destroy."
REVOKED_BY: Final = "signoff grants revoke"


@dataclass(frozen=True, slots=True)
class ScopeWords:
    """Safe to show. `caution` is empty where nothing that may destroy would run unasked."""

    what: str
    """What is covered, without the server."""
    lasts: str
    kept: str
    caution: str = ""
    where: str = ""
    """The server that this holds for, and what of it has to stay as it is."""

    @property
    def covers(self) -> str:
        return f"{self.what} of {self.where}" if self.where else self.what


NOTHING: Final = ScopeWords(
    "Nothing is remembered: the same call would be asked about again.", "", ""
)


def stepped(chosen: Remember, step: int, choices: Sequence[Remember] = FOR_A_CALL) -> Remember:
    """The next choice, or the one before; the ends do not join."""
    at = choices.index(chosen) + step
    return choices[min(max(at, 0), len(choices) - 1)]


def scope_words(
    question: Question,
    remember: Remember,
    *,
    now: float,
    folder: str,
    command_most: int = 200,
) -> ScopeWords:
    """What would be covered, how long, where it is kept and how to take it back.

    `now`: seconds since the epoch; `folder`: where grants are kept, safe to show; `command_most`:
    how many characters of the server's command there is room for.
    """
    if remember.scope is Scope.ONCE or not isinstance(question, AboutCall | AboutRead):
        return NOTHING
    snapshot = question.snapshot
    is_narrow = remember.scope is Scope.ARGUMENTS
    server = visible(question.server_name)
    command = shortened(visible(question.server_command), command_most)
    digest = snapshot.arguments_digest[:8]
    match question:
        case AboutRead(request=PromptGet()):
            what = f"asking for exactly this prompt, with exactly these arguments ({digest})"
        case AboutRead():
            what = f"reading exactly this URI ({digest})"
        case AboutCall(request=call):
            with_what = f"exactly these arguments ({digest})" if is_narrow else "any arguments"
            definition = snapshot.definition_digest[:8]
            what = f"{exact_name(call.name)} with {with_what}, definition {definition},"
    covered = covered_words(snapshot.runs)
    return ScopeWords(
        what=f"Covers {what}",
        where=f"{server}: {command}" + (f", {covered}" if covered else ""),
        lasts=_lasts(remember, now),
        kept=f"kept in {folder}, revoked by `{REVOKED_BY}`",
        caution="" if is_narrow or not may_destroy(question) else CAUTION,
    )


def _lasts(remember: Remember, now: float) -> str:
    """Until when; a date with the time and the offset of this place."""
    if remember.scope is not Scope.UNTIL:
        return "Until this session ends"
    end = datetime.fromtimestamp(now + remember.days * DAY, UTC).astimezone()
    return f"Until {end.isoformat(sep=' ', timespec='minutes')}"
