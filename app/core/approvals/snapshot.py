"""One call, frozen: what an approval is bound to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.app.core.jsonio import canonical, digest
from signoff.app.core.rpc import CALL_METHOD

if TYPE_CHECKING:
    from signoff.app.core.approvals.what_runs import WhatRuns
    from signoff.app.core.jsonio import JsonValue
    from signoff.app.core.tools import ToolDefinition


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One call, frozen: what is shown is drawn from it and what is sent is read from it."""

    server_identity: str
    definition_digest: str
    tool: str
    arguments_json: str
    method: str = CALL_METHOD
    runs: WhatRuns | None = None
    """What runs as the server; None where nothing but its identity is known."""

    def arguments(self) -> dict[str, JsonValue]:
        """A fresh copy of the arguments, in the order in which they were given."""
        arguments: dict[str, JsonValue] = json.loads(self.arguments_json)
        return arguments

    @property
    def digest(self) -> str:
        """SHA-256 over server, what runs as it, definition, method, tool and arguments, in any
        order of keys."""
        runs = None if self.runs is None else self.runs.digest
        what: list[JsonValue] = [runs, self.method, self.tool, self.arguments()]
        return digest([self.server_identity, self.definition_digest, *what])

    @property
    def arguments_digest(self) -> str:
        return digest(self.arguments())

    def same_arguments(self, other: JsonValue) -> bool:
        return canonical(self.arguments()) == canonical(other)


def take_snapshot(
    server_identity: str, tool: ToolDefinition, arguments: Mapping[str, JsonValue]
) -> Snapshot:
    """Freeze a call. Raises ValueError for values that JSON cannot carry (NaN, infinities)."""
    text = json.dumps(dict(arguments), allow_nan=False)
    return Snapshot(server_identity, tool.digest, tool.name, text, tool.method)
