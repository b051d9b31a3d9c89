"""One folder a host in `known`: its rules, its files, its driver, its model's view, its records.

`known/README.md` has the keys of the files. A new host is a new folder, and no other change.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

KNOWN: Final = Path(__file__).with_name("known")
ORDER: Final = (
    "spec",
    "vscode",
    "codex",
    "goose",
    "claude-desktop",
    "claude-code",
    "gemini-cli",
    "qwen-code",
    "cursor",
    "copilot-eclipse",
    "copilot-cli",
    "opencode",
    "kilo",
    "kimi-code",
    "cline",
    "roo",
    "continue",
    "crush",
    "zed",
    "chatgpt",
    "responses-api",
    "docker-agent",
    "n8n",
    "copilot-review",
    "app-directory",
    "unattended-loop",
)
"""Of columns. Hosts that are not named here follow by name."""
LAST: Final = 1_000
"""The rank of a table without one."""


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names of hosts in the order of columns; the others follow by name."""
    given = set(names)
    return (*(name for name in ORDER if name in given), *sorted(given.difference(ORDER)))


def hosts_with(fact: str) -> tuple[str, ...]:
    """The hosts that have a file of this name, such as `rules.toml`, in order."""
    return in_order(path.parent.name for path in KNOWN.glob(f"*/{fact}"))


def host_fact(name: str, fact: str) -> str:
    """The text of a file of a host."""
    return (KNOWN / name / fact).read_text(encoding="utf-8")
