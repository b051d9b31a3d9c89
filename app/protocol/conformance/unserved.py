"""What is declared and not served, and what is served and not declared.

Spec 2025-11-25 and 2026-07-28: "Capabilities" of server/tools, server/resources, server/prompts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...content.json.jsonio import JsonValue
from ..findings import Finding, error
from ..rpc import METHOD_NOT_FOUND
from .greetings import MODERN, declares
from .results import LISTS
from .shapes import json_pointer

_SERVED: Final[Mapping[str, tuple[str, str]]] = {
    "tools/list": ("tools", ""),
    "resources/list": ("resources", ""),
    "prompts/list": ("prompts", ""),
    "completion/complete": ("completions", ""),
    "logging/setLevel": ("logging", ""),
    "resources/subscribe": ("resources", "subscribe"),
}
"""Methods that whoever declares the capability has. Templates need not be there with resources."""
_ALWAYS: Final = {"ping": False, "server/discover": True}
"""Methods that no capability stands for; whether they are of the modern era."""


def about_refusal(
    method: str,
    problem: Mapping[str, JsonValue],
    version: str,
    capabilities: Mapping[str, JsonValue],
) -> list[Finding]:
    """For a method that the server says there is not."""
    if problem.get("code") != METHOD_NOT_FOUND:
        return []
    path = json_pointer("error", "code")
    if _ALWAYS.get(method) is (version == MODERN):
        return [error("method-missing", f"the server has no {method}, which every one has", path)]
    needed = _SERVED.get(method)
    if needed is None or not declares(capabilities, *needed):
        return []
    wanted = ".".join(one for one in needed if one)
    words = f"the server declares {wanted} and has no {method}"
    return [error("declared-not-served", words, path)]


def about_list(
    method: str, result: Mapping[str, JsonValue], capabilities: Mapping[str, JsonValue]
) -> list[Finding]:
    """For a list that is not empty, and of which the server did not speak."""
    capability = method.partition("/")[0]
    if declares(capabilities, capability) or not result.get(LISTS[method]):
        return []
    words = f"the server has {capability} and does not declare them: others will not ask for them"
    return [error("served-not-declared", words, json_pointer("result", LISTS[method]))]
