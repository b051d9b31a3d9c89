"""Arguments of earlier calls as they are kept: without their secrets, and bounded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final, cast

from ..approval.approval import DecisionAnswer
from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, digest, pointer
from ..content.labels import some_named
from ..content.text import visible
from ..protocol.rpc import CALL_METHOD
from ..schemas.secrets.arguments import mask_arguments
from ..schemas.secrets.masks import Place
from .call import Call, Outcome

TOO_LARGE: Final = "They were too large to be kept."
NOT_KEPT: Final = "«not kept»"
"""The text in place of a secret."""
DOCUMENT_MAX: Final = 100_000
"""Characters of arguments, as JSON, that are kept; of more only the digest and the size."""
NAME_MAX: Final = 60

_WORDS: Final[Mapping[str, str]] = {
    Outcome.OK: "answered",
    Outcome.TOOL_ERROR: "isError",
    Outcome.PROTOCOL_ERROR: "protocol error",
    Outcome.DENIED: "denied",
    Outcome.NOT_SENT: "not sent",
    Outcome.CANCELLED: "cancelled",
    Outcome.TIMEOUT: "time limit",
    Outcome.CONNECTION_LOST: "lost",
    Outcome.UNREADABLE: "unreadable",
    Outcome.NOT_TAKEN: "not accepted",
    Outcome.SERVER_FAILED: "server failed",
    Outcome.INPUT_REQUIRED: "input needed",
    Outcome.TASK_STARTED: "task started",
    Outcome.FAULT: "internal error",
}


@frozen
class ArgumentDocument:
    """The arguments of one call as they may be written down."""

    text: str | None
    """As JSON, with `NOT_KEPT` where a secret was; None where they are too large to be kept."""
    size: int
    """Characters of the whole arguments as JSON."""
    digest: str
    """SHA-256: of `text`, or of the canonical arguments without one."""
    not_kept: tuple[Place, ...] = ()
    """Where secrets were."""


@frozen
class KeptArguments:
    """Arguments of an earlier call of a tool, or a preset of it."""

    id: int
    tool: str
    """Its exact name."""
    name: str
    """The name of the preset; empty for an entry of the history."""
    at: float
    """When the call ended or the preset was named, seconds since the epoch."""
    document: ArgumentDocument
    outcome: str = ""
    """How the newest such call ended; empty where nothing was called."""
    was_sent: bool = False
    although_invalid: bool = False
    """The person chose to send them although they break the schema."""
    times: int = 1
    """How many calls there were with exactly these."""
    is_on_disk: bool = True
    """False where they are kept for this session only."""

    @property
    def is_preset(self) -> bool:
        return bool(self.name)

    @property
    def outcome_words(self) -> str:
        """One or two words for a row; safe to show."""
        words = _WORDS.get(self.outcome, visible(self.outcome))
        says_so = ("", Outcome.DENIED, Outcome.NOT_SENT)
        is_lost = not self.was_sent and self.outcome not in says_so
        return f"{words}, not sent" if is_lost else words

    @property
    def marks(self) -> tuple[str, ...]:
        """Warnings before they are used again; safe to show."""
        marks = [f"{self.times:,} times"] if self.times > 1 else []
        if self.although_invalid:
            marks.append("although invalid")
        if self.document.not_kept:
            marks.append(secrets_words(len(self.document.not_kept)))
        if self.document.text is None:
            marks.append("too large to be kept")
        return tuple(marks)

    def shown(self) -> dict[str, JsonValue] | None:
        """The arguments with `NOT_KEPT` where a secret was; None if they were too large."""
        if self.document.text is None:
            return None
        return cast("dict[str, JsonValue]", json.loads(self.document.text))

    def arguments(self) -> dict[str, JsonValue] | None:
        """The arguments without their secrets: not sent, or an empty string in a list."""
        arguments = self.shown()
        if arguments is not None:
            for place in self.document.not_kept:
                _take_out(arguments, place)
        return arguments


def document_of(arguments_json: str, schema: JsonValue = None) -> ArgumentDocument:
    """Make the document of arguments, given as the JSON text that is sent; `schema` is theirs."""
    size = len(arguments_json)
    arguments = json.loads(arguments_json)
    if size > DOCUMENT_MAX:
        return ArgumentDocument(None, size, digest(arguments))
    places: list[Place] = []
    text = json.dumps(_without(arguments, mask_arguments(arguments, schema).value, (), places))
    if not places:
        text = arguments_json
    sha = hashlib.sha256(text.encode("ascii")).hexdigest()
    return ArgumentDocument(text, size, sha, tuple(dict.fromkeys(places)))


def is_worth_keeping(call: Call) -> bool:
    """True if an ended call belongs in the history: not one that only went back to the form."""
    if not call.is_over or call.snapshot.method != CALL_METHOD:
        return False
    return call.decision is None or call.decision.answer is not DecisionAnswer.EDIT


def secrets_words(count: int) -> str:
    """`2 secrets not kept`."""
    return f"{count:,} secret{'' if count == 1 else 's'} not kept"


def places_words(places: tuple[Place, ...], most: int = 4) -> str:
    """Name the places of secrets, for a sentence; safe to show."""
    return some_named(places, most, lambda place: visible(pointer(place)))


def read_name(text: str) -> str:
    """The name of a preset as typed. Raises ValueError, in words, for one that cannot be used."""
    name = text.strip()
    if not name:
        raise ValueError("enter a name for the preset")
    if len(name) > NAME_MAX:
        raise ValueError(f"a name has at most {NAME_MAX} characters, this one {len(name):,}")
    if visible(name) != name:
        raise ValueError("a name cannot have invisible characters")
    return name


def _without(value: JsonValue, masked: JsonValue, at: Place, places: list[Place]) -> JsonValue:
    """`value` with `NOT_KEPT` wherever `masked` differs from it; the places are added."""
    if isinstance(value, dict) and isinstance(masked, dict):
        kept: dict[str, JsonValue] = {}
        for (name, item), (shown, other) in zip(value.items(), masked.items(), strict=True):
            if shown != name:
                # The name itself holds a secret.
                places.append((*at, NOT_KEPT))
                kept[NOT_KEPT] = NOT_KEPT
            else:
                kept[name] = _without(item, other, (*at, name), places)
        return kept
    if isinstance(value, list) and isinstance(masked, list):
        pairs = zip(value, masked, strict=True)
        return [
            _without(item, other, (*at, number), places)
            for number, (item, other) in enumerate(pairs)
        ]
    if type(value) is type(masked) and value == masked:
        return value
    places.append(at)
    return NOT_KEPT


def _take_out(arguments: JsonValue, place: Place) -> None:
    *path, last = place
    holder = arguments
    for step in path:
        if isinstance(holder, dict) and isinstance(step, str):
            holder = holder.get(step)
        elif isinstance(holder, list) and isinstance(step, int) and step < len(holder):
            holder = holder[step]
    if isinstance(holder, dict) and isinstance(last, str):
        holder.pop(last, None)
    elif isinstance(holder, list) and isinstance(last, int) and last < len(holder):
        # The items after it in the list must keep their places.
        holder[last] = ""
