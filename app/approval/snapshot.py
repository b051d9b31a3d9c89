"""One call, frozen: the binding of an approval.

Idempotency keys: parameters by which a server recognises a call that it has had before.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from ..content.frozen import frozen
from ..content.json.jsonio import canonical, digest
from ..protocol.rpc import CALL_METHOD
from ..protocol.tool import ToolDefinition

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue
    from ..protocol.requests import Request
    from .fingerprint import ServerFingerprint

REMEMBERED = 64
SHORT = 65_536
"""Digests that are kept, and of how long arguments: each call asks for its own a dozen times."""


@frozen
class Snapshot:
    """One call, frozen: the dialog is drawn from it and the request is read from it."""

    server_identity: str
    definition_digest: str
    tool: str
    arguments_json: str
    method: str = CALL_METHOD
    runs: ServerFingerprint | None = None
    """What runs as the server; None where nothing but its identity is known."""
    task_ttl: int | None = None
    """As a task, whose result the server is to keep for so many milliseconds; None: as a usual
    call."""

    def arguments(self) -> dict[str, JsonValue]:
        """A fresh copy of the arguments, in the order in which they were given."""
        arguments: dict[str, JsonValue] = json.loads(self.arguments_json)
        return arguments

    @property
    def task(self) -> JsonValue:
        """The `task` param of the request; None if there is none."""
        return None if self.task_ttl is None else {"ttl": self.task_ttl}

    @property
    def digest(self) -> str:
        """SHA-256 over server, running program, definition, method, tool, arguments in any order of
        keys, and the `task` param.
        """
        is_short = len(self.arguments_json) <= SHORT
        return _digest(self) if is_short else _digest.__wrapped__(self)

    @property
    def arguments_digest(self) -> str:
        text = self.arguments_json
        return _arguments_digest(text) if len(text) <= SHORT else digest(self.arguments())

    def same_arguments(self, other: JsonValue) -> bool:
        return canonical(self.arguments()) == canonical(other)

    def same_task(self, other: JsonValue) -> bool:
        """True if `other`, None if there is none, equals the `task` param."""
        return canonical(self.task) == canonical(other)


@lru_cache(maxsize=REMEMBERED)
def _digest(snapshot: Snapshot) -> str:
    """Of the value alone, which cannot change."""
    runs = None if snapshot.runs is None else snapshot.runs.digest
    what: list[JsonValue] = [runs, snapshot.method, snapshot.tool, snapshot.arguments()]
    if snapshot.task is not None:
        what.append(snapshot.task)
    return digest([snapshot.server_identity, snapshot.definition_digest, *what])


@lru_cache(maxsize=REMEMBERED)
def _arguments_digest(arguments_json: str) -> str:
    return digest(json.loads(arguments_json))


def take_snapshot(
    server_identity: str,
    request: Request,
    arguments: Mapping[str, JsonValue],
    runs: ServerFingerprint | None = None,
    task_ttl: int | None = None,
) -> Snapshot:
    """Freeze a request. Raises ValueError for values that JSON cannot carry (NaN, infinities)."""
    text = json.dumps(dict(arguments), allow_nan=False)
    definition = request.definition.digest
    return Snapshot(server_identity, definition, request.name, text, request.method, runs, task_ttl)


_NAMES = re.compile(
    r"(?:x-)?idempoten(?:cy|ce|t)(?:-(?:key|token|id|uuid))?"
    r"|(?:client-)(?:request-)?(?:key|token|id)"
    r"|dedup(?:e|lication)?-(?:key|token|id)"
    r"|request-(?:token|uuid)"
)
_WORDS = re.compile(r"\bidempotency (?:key|token|id)\b|\bidempotence key\b", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def key_parameter(tool: ToolDefinition) -> str | None:
    """The name of the parameter that is an idempotency key by its name or its description.

    Only a string qualifies; the first one in the order of the schema counts.
    """
    schema = tool.input_schema if isinstance(tool.input_schema, dict) else {}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    for name, one in properties.items():
        if not isinstance(one, dict) or one.get("type", "string") != "string":
            continue
        if "enum" in one or "const" in one:
            continue
        said = one.get("description")
        plain = _CAMEL.sub("-", name).replace("_", "-").casefold()
        if _NAMES.fullmatch(plain) or (isinstance(said, str) and _WORDS.search(said[:2_000])):
            return name
    return None


def fresh_key() -> str:
    """A new random key (UUID version 4)."""
    return str(uuid.uuid4())
