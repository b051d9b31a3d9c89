"""Every finding on a server, with what it is about."""

from __future__ import annotations

from dataclasses import dataclass

from ..protocol.findings import Finding, rank
from ..protocol.resources.offers import Kind
from .bench import Bench


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, and what it is about, safe to show: `tool NAME`, `the connection`."""

    where: str
    finding: Finding


def everything_found(bench: Bench) -> list[Found]:
    """On the connection, the definitions and whatever else the server offers."""
    found = [Found("the connection", one) for one in bench.observed.all()]
    found += [Found("the lists", one) for one in bench.offers.findings]
    for tool in bench.tools:
        found += [Found(f"tool {tool.name_shown}", one) for one in tool.findings]
    for kind in Kind:
        for offer in bench.offers.of(kind):
            where = f"{kind.word} {offer.name_shown}"
            found += [Found(where, one) for one in offer.findings]
    return found


def in_order(found: list[Found]) -> list[Found]:
    """Those that matter most first."""
    return sorted(found, key=lambda one: -rank(one.finding.severity))
