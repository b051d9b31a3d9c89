"""Host rules: how known hosts decide, as data: one TOML file each, with its source and its date.

Rules are a claim about one version, read on one day. Hosts change; correct them by a file of
your own with the same name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..approval.policies.policy import Policy, PolicyKind
from ..approval.policies.policy_text import read_policy

_FOLDER: Final = Path(__file__).parent / "known"
_FIRST: Final = (
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
"""The order of columns; hosts that are not named here follow by name."""


@lru_cache(maxsize=1)
def host_names() -> tuple[str, ...]:
    """The host rules that come with the program, in the order of columns."""
    return in_order({path.parent.name for path in _FOLDER.glob("*/rules.toml")})


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names of hosts in the order of columns."""
    given = set(names)
    return (*(name for name in _FIRST if name in given), *sorted(given.difference(_FIRST)))


@lru_cache(maxsize=64)
def read_host(name: str) -> Policy:
    """One of `host_names()`; raises KeyError for any other name."""
    if name not in host_names():
        raise KeyError(name)
    return read_policy(host_rules_text(name), f"{name}.toml", kind=PolicyKind.HOST)


def host_rules_text(name: str) -> str:
    """The TOML of one of `host_names()`."""
    return (_FOLDER / name / "rules.toml").read_text(encoding="utf-8")
