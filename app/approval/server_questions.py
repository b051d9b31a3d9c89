"""Approval requests for a server's requests: elicitation, URL visits, sampling.

The snapshot that the dialog shows is sent. Typing makes a new request from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from ..content.frozen import frozen
from ..protocol.server_requests.elicitation import ELICIT, Elicitation
from ..protocol.server_requests.sampling import (
    SAMPLE,
    Sampling,
    answer_schema,
    prefilled,
    sampling_result,
)
from .snapshot import Snapshot

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue
    from ..protocol.server import Trust
    from ..schemas.form.entries import Origin
    from .fingerprint import ServerFingerprint
    from .grants import Remember
    from .policies.verdicts import Verdict


class AskName(NamedTuple):
    """Identifies a request of a server; equal to no `CallName`."""

    server: str
    """The configured name."""
    number: int
    kind: str = "request"


@frozen(kw_only=True)
class ServerAsks:
    """Fields of every approval request for a server's request."""

    call: AskName
    server_name: str
    """The configured name, never the one that the server gives itself."""
    server_command: str
    """The exact command line or URL, untruncated."""
    server_calls_itself: str
    trust: Trust
    verdict: Verdict
    server_identity: str
    runs: ServerFingerprint | None = None
    during: tuple[str, ...] = ()
    """The calls that run at the time, in words: one of them may be the cause."""
    draft: Mapping[str, JsonValue] | None = None
    """What has been filled in; None while there is nothing that could be sent."""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Who put each member of the draft there."""
    problems: tuple[str, ...] = ()
    """Why what has been filled in cannot be sent, in words that are safe to show."""
    can_remember: ClassVar[bool] = False
    why_not_remembered: ClassVar[str] = ""
    offers: ClassVar[tuple[Remember, ...]] = ()
    can_deny_session: ClassVar[bool] = True
    is_strong: ClassVar[bool] = False

    @property
    def is_ready(self) -> bool:
        """True if the shown content can be sent."""
        return self.draft is not None and not self.problems


@frozen(kw_only=True)
class AboutElicitation(ServerAsks):
    """Asks whether the server gets the data, or the visit, that it requested."""

    elicitation: Elicitation
    form_fault: str = ""
    """Why its form is not allowed, with the clients that reject it; empty if it is allowed."""
    method: ClassVar[str] = ELICIT

    @property
    def can_edit(self) -> bool:
        """True if there is a form to fill in."""
        return self.elicitation.mode == "form"

    @property
    def form_schema(self) -> JsonValue:
        return self.elicitation.schema

    @property
    def prefilled(self) -> dict[str, JsonValue]:
        """Values that Signoff puts into the form by itself: none."""
        return {}

    @property
    def snapshot(self) -> Snapshot:
        """The content of the answer, frozen."""
        return frozen_answer(self, self.method, dict(self.draft or {}))


@frozen(kw_only=True)
class AboutSampling(ServerAsks):
    """Asks for the reply to a sampling request, in a model's place."""

    sampling: Sampling
    can_edit: ClassVar[bool] = True
    method: ClassVar[str] = SAMPLE

    @property
    def form_schema(self) -> JsonValue:
        return answer_schema(self.sampling)

    @property
    def prefilled(self) -> dict[str, JsonValue]:
        """Values that Signoff puts into the form by itself."""
        return prefilled(self.sampling)

    @property
    def snapshot(self) -> Snapshot:
        """The result, frozen."""
        if self.draft is None:
            return frozen_answer(self, self.method, {})
        result = sampling_result(self.sampling, dict(self.draft), f"use-{self.call.number}")
        return frozen_answer(self, self.method, result)


ServerQuestion: TypeAlias = AboutElicitation | AboutSampling


def filled(
    question: ServerQuestion,
    draft: Mapping[str, JsonValue],
    origins: Mapping[str, Origin],
    problems: tuple[str, ...] = (),
) -> ServerQuestion:
    """The question with another answer in it."""
    return replace(question, draft=dict(draft), origins=dict(origins), problems=problems)


def frozen_answer(question: ServerAsks, method: str, content: dict[str, JsonValue]) -> Snapshot:
    """The content of a question, frozen."""
    text = json.dumps(content, allow_nan=False)
    return Snapshot(question.server_identity, "", "", text, method, question.runs)
