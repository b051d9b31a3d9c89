"""What all SARIF reports share (OASIS SARIF 2.1.0)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from .. import __version__

SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_LINK_MARKS: Final = re.compile(r"[\\\[\]]")


def sarif_log(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A log of these runs."""
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": list(runs)}


def sarif_run(
    rules: Sequence[dict[str, Any]],
    results: Sequence[dict[str, Any]],
    *,
    source: str,
    tools: int,
    status: int,
) -> dict[str, Any]:
    """One run of a command that ended with an exit status, on a source with a number of tools."""
    driver = {"name": "Signoff", "semanticVersion": __version__, "rules": list(rules)}
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": status}],
        "results": [_as_plain(one) for one in results],
        "properties": {"source": source, "tools": tools},
    }


def _as_plain(result: dict[str, Any]) -> dict[str, Any]:
    """A result whose message has no links: brackets in it are escaped (section 3.11.6)."""
    text = _LINK_MARKS.sub(r"\\\g<0>", result["message"]["text"])
    return {**result, "message": {**result["message"], "text": text}}
