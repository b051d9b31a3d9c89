"""The calls of a start, and what the scripted model has to know for them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from ..observing import ABSENT
from ..probes.family_facts import ORDINARY
from ..probes.patience import FAMILY as PATIENCE_FAMILY
from ..probes.probe import Probe
from ..probes.probes import NEW_SESSION, RENAMED, RENAMED_SERVER, ordinary_tools
from ..scripted.model import Planned, Script


class Way(StrEnum):
    """How a start answers what may let a call run."""

    USUAL = "usual"
    """A first question is answered with no, and a judgement, too."""
    ALLOWS = "allows"
    """The model allows what it is to judge."""
    APPROVES = "approves"
    """Each question is answered with yes, and each tool is called again with other arguments."""


AGAIN: Final = "-again"
"""The end of the other argument of a second call."""


def plan(left: Sequence[Probe], way: Way) -> list[Planned]:
    """The calls of a run; beside an oddity the ordinary tools are called, too."""
    if way is Way.APPROVES:
        return [
            Planned(one.id, one.name, {**one.arguments, "note": f"{one.arguments['note']}{end}"})
            for one in left
            for end in ("", AGAIN)
        ]
    planned = []
    for one in left:
        needs_session = one.act in (NEW_SESSION, RENAMED_SERVER)
        server = RENAMED if one.act == RENAMED_SERVER else ""
        beside = one.beside
        calls = [dict(one.arguments)] + ([dict(beside)] if beside is not None else [])
        planned += [
            Planned(one.id, one.name, each, needs_session, server, with_next=at < len(calls))
            for at, each in enumerate(calls, 1)
        ]
    if any(one.family == PATIENCE_FAMILY for one in left):
        after = ordinary_tools()[-1]
        planned.append(Planned(f"{ORDINARY}{after.name}", after.name, dict(after.arguments)))
    if any(one.family == "reading" for one in left):
        planned[:0] = [
            Planned(f"{ORDINARY}{one.name}", one.name, dict(one.arguments))
            for one in ordinary_tools()
        ]
    return planned


def control(script: Script) -> list[Planned]:
    """A call of a tool that does not exist, if there is anything to compare with it."""
    is_done = any(one.planned.key == ABSENT for one in script.attempts)
    unoffered = any(not one.is_offered for one in script.attempts)
    return [Planned(ABSENT, ABSENT, {"note": "x"})] if unoffered and not is_done else []


def descriptions(probes: Sequence[Probe]) -> dict[str, str]:
    """The description of each tool of a start that has one."""
    described = ((one.name, one.tool.get("description")) for one in (*ordinary_tools(), *probes))
    return {name: words for name, words in described if isinstance(words, str)}
