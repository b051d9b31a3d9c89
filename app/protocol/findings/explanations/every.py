"""All explanations, by code. Rules of lint have their own, beside the rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import of_calls, of_drafts, of_protocol, of_responses, of_sign_in
from .explanation import FindingExplanation

EXPLANATIONS: Final[Mapping[str, FindingExplanation]] = {
    **of_calls.EXPLANATIONS,
    **of_responses.EXPLANATIONS,
    **of_protocol.EXPLANATIONS,
    **of_sign_in.EXPLANATIONS,
    **of_drafts.EXPLANATIONS,
}


def sections() -> str:
    """Every explanation in Markdown, by code."""
    lines: list[str] = []
    for code in sorted(EXPLANATIONS):
        one = EXPLANATIONS[code]
        lines += [f"## `{code}`", "", one.why, ""]
        lines += [f"- **Example:** {_quoted(one.example)}", f"- **Fix:** {one.fix}", ""]
    return "\n".join(lines[:-1])


def _quoted(example: str) -> str:
    """An example as code, on one line."""
    return f"`` {' '.join(example.split())} ``"
