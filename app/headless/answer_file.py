"""`--answer FILE`: what a server is told that asks while a call runs, written down beforehand.

A JSON object with lists under the names of the capabilities. What is asked takes the next entry of
its kind:

    {
      "elicitation": [{"action": "accept", "content": {"sure": true}}, "decline", "cancel"],
      "sampling": ["what a model would say", {"text": "...", "model": "..."}, "decline"]
    }

An elicitation that is answered with `accept` alone gets the server's own suggestions, or consent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..approval.approval import Decision, DecisionAnswer, approve, deny
from ..approval.server_questions import (
    AboutElicitation,
    AboutSampling,
    ServerQuestion,
    filled,
)
from ..content.json.jsonio import JsonValue
from ..content.suggest import did_you_mean
from ..content.text import shortened
from ..engine.calls.context import Approver
from ..protocol.server_requests.capabilities import ELICITATION, SAMPLING
from ..questions.questions import Question
from .targets import UsageError

KINDS: Final = (ELICITATION, SAMPLING)
ACTIONS: Final = ("accept", "decline", "cancel")
FILE_MAX: Final = 2_000_000
BY: Final = "script"


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """One entry: what to do, and with what."""

    action: str
    values: dict[str, JsonValue] | None = None


def read_answers(path: str) -> dict[str, list[WrittenAnswer]]:
    """The entries by kind. Raises UsageError, which says where."""
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        raise UsageError(f"--answer {path}: {problem.strerror}") from None
    if len(data) > FILE_MAX:
        raise UsageError(f"--answer {path}: {len(data):,} bytes are too many")
    try:
        given = json.loads(data)
    except ValueError as problem:
        raise UsageError(f"--answer {path}: it is no JSON: {problem}") from None
    if not isinstance(given, dict):
        raise UsageError(f"--answer {path}: it has to be an object, {{...}}")
    found: dict[str, list[WrittenAnswer]] = {kind: [] for kind in KINDS}
    for kind, entries in given.items():
        if kind not in found:
            hint = did_you_mean(kind, list(KINDS))
            raise UsageError(f"--answer {path}: “{shortened(kind, 40)}” is no kind{hint}")
        if not isinstance(entries, list):
            raise UsageError(f"--answer {path}: {kind} has to be a list")
        for at, entry in enumerate(entries):
            found[kind].append(_read(kind, entry, f"--answer {path}: {kind}[{at}]"))
    return found


def _read(kind: str, entry: JsonValue, where: str) -> WrittenAnswer:
    if kind == SAMPLING:
        if isinstance(entry, str) and entry not in ACTIONS:
            return WrittenAnswer("accept", {"text": entry})
        if isinstance(entry, dict) and "action" not in entry:
            return WrittenAnswer("accept", entry)
    if isinstance(entry, str):
        entry = {"action": entry}
    if not isinstance(entry, dict):
        raise UsageError(f"{where} has to be one of {', '.join(ACTIONS)}, or an object")
    action, content = entry.get("action"), entry.get("content")
    if action not in ACTIONS:
        shown = f"“{shortened(action, 40)}”" if isinstance(action, str) else "nothing"
        raise UsageError(f"{where}: the action is {shown}; give one of {', '.join(ACTIONS)}")
    if content is not None and not isinstance(content, dict):
        raise UsageError(f"{where}: the content has to be an object, {{...}}")
    return WrittenAnswer(str(action), content)


class AnswersFromFile:
    """Answers what the server asks with the next entry of its kind; `inner` answers the rest."""

    def __init__(self, answers: dict[str, list[WrittenAnswer]], inner: Approver) -> None:
        self.inner = inner
        self._answers: dict[str, Iterator[WrittenAnswer]] = {
            kind: iter(entries) for kind, entries in answers.items()
        }

    async def ask(self, question: Question) -> Decision:
        if not isinstance(question, AboutElicitation | AboutSampling):
            return await self.inner.ask(question)
        kind = SAMPLING if isinstance(question, AboutSampling) else ELICITATION
        if question.problems and question.draft is not None:
            return deny(BY, f"--answer breaks the form: {'; '.join(question.problems)}")
        entry = next(self._answers.get(kind, iter(())), None)
        if entry is None:
            return await self.inner.ask(question)
        return decided(question, entry)


def decided(question: ServerQuestion, entry: WrittenAnswer) -> Decision:
    """What an entry decides on a question."""
    if entry.action == "cancel":
        return Decision(DecisionAnswer.CANCEL, BY, "--answer")
    if entry.action == "decline":
        return deny(BY, "--answer")
    if entry.values is not None:
        question = filled(question, entry.values, {})
    is_visit = isinstance(question, AboutElicitation) and question.elicitation.mode == "url"
    if question.draft is None and not is_visit:
        return deny(BY, "--answer accepts without a content, and the server suggests none")
    return replace(approve(BY, "--answer"), answer_sent=question.snapshot)
