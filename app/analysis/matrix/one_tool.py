"""What the models of hosts decide about one tool, in the words of the matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...approval.policies.policy import Policy
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .matrix import build_matrix, cell_word, column_title


def host_decisions(
    tool: ToolDefinition, hosts: Sequence[Policy], server: str
) -> Mapping[str, tuple[str, ...]]:
    """The titles of hosts by what they do on an untrusted server: `run`, `ask`, `refused`..."""
    row = build_matrix([tool], hosts, server=server).row(0)
    found: dict[str, list[str]] = {}
    for host, cell in zip(hosts, row.cells, strict=True):
        word = cell_word(cell.under(Trust.UNTRUSTED))
        found.setdefault(word, []).append(column_title(host))
    return {word: tuple(titles) for word, titles in found.items()}
