"""What runs without asking on this machine, as lines and as JSON; every text is made safe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...content.labels import some_named
from ...content.text import count, shortened, visible
from ...hosts.approvals.auto_approved import ApprovalsHere, AutoApproved
from ...hosts.settings import EVERY
from ...hosts.table import hosts
from ...presentation.openings import shown_path
from ...schemas.secrets.masks import mask_text

NAMES_SHOWN: Final = 12
"""Tools of a switch that are named in a line; the others are counted."""
WORDS_SHOWN: Final = 200
REST: Final = (
    "These are the known switches of these files. A host may keep further settings elsewhere; "
    "other tools follow its own rules, see signoff matrix --here."
)


def auto_approved_lines(approvals: ApprovalsHere, home: str, folder: str) -> Iterator[str]:
    """Each host, and the tools that it runs without asking, with the line that decides."""
    found = approvals.found
    if not found:
        yield "no switch in these files lets a tool run without asking"
        yield from _rest(approvals)
        return
    for host in dict.fromkeys(one.host for one in found):
        yield _title(host)
        for one in found:
            if one.host == host:
                yield f"  {_server(one)}: {_tools(one)}"
                yield f"    {_why(one)}  {shown_path(one.file, home, folder)}:{one.line}"
                yield f"    to be asked: {_safe(one.fix)}"
    yield ""
    files = len({one.file for one in found})
    yield f"{count(len(found), 'line')} in {count(files, 'file')} let tools run without asking"
    yield from _rest(approvals)


def _rest(approvals: ApprovalsHere) -> Iterator[str]:
    if approvals.by_own_rules:
        hosts_shown = ", ".join(map(_title, approvals.by_own_rules))
        yield f"without a setting, by their hints, some tools run in {hosts_shown}"
    yield REST


def auto_approved_json(approvals: ApprovalsHere) -> dict[str, Any]:
    """`signoff servers --auto-approved --json`."""
    return {
        "auto_approved": [
            {
                "host": one.host,
                "server": _safe(one.server),
                "tools": [_safe(name) for name in one.tools],
                "switch": one.key or None,
                "value": _safe(one.value) or None,
                "condition": _safe(one.condition) or None,
                "file": visible(one.file),
                "line": one.line or None,
                "column": one.spot.column or None,
                "suggestion": _safe(one.fix),
            }
            for one in approvals.found
        ],
        "by_own_rules": [*approvals.by_own_rules],
    }


def _title(host: str) -> str:
    known = hosts().get(host)
    return known.title if known is not None else host


def _server(one: AutoApproved) -> str:
    return "every server" if one.server == EVERY else _safe(one.server)


def _tools(one: AutoApproved) -> str:
    condition = f" {_safe(one.condition)}" if one.condition else ""
    if EVERY in one.tools:
        return f"every tool{condition}"
    return f"{some_named(one.tools, NAMES_SHOWN, _safe)}{condition}"


def _why(one: AutoApproved) -> str:
    if not one.key:
        return f"{_title(one.host)} asks only if a rule restricts a tool"
    return f"{_safe(one.key)} {_safe(one.value)}".rstrip()


def _safe(text: str) -> str:
    return shortened(mask_text(text), WORDS_SHOWN)
