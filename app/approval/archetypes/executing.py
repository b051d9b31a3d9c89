"""Tools that execute any operation by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...protocol.tool import ToolDefinition
from ...schemas.parameters import Parameter, choices, parameters
from .holding import words_of

_EXECUTES: Final = frozenset(("execute", "exec", "run", "call", "invoke", "dispatch"))
_OPERATIONS: Final = frozenset(("tool", "action", "operation", "function", "command", "api"))
_CHOOSES: Final = frozenset(
    ("tool", "toolname", "name", "toolid", "action", "operation", "function", "command")
)


def operation_parameters(tool: ToolDefinition) -> Iterator[Parameter]:
    """The parameters by which a tool executes any operation by its name."""
    words = {*words_of(tool.name)}
    if not (words & _EXECUTES and words & _OPERATIONS):
        return
    root = tool.input_schema
    for one in parameters(root, "inputSchema"):
        is_choice = re.sub(r"[^a-z]", "", one.name[:100].casefold()) in _CHOOSES
        if is_choice and choices(one.schema, root) is None:
            yield one
