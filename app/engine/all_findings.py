"""All findings on a server: of the connection, the lists, its tools and what it offers beside."""

from __future__ import annotations

from ..content.frozen import frozen
from ..protocol.findings.findings import Finding, rank
from ..protocol.resources.offers import OfferKind
from .engine import Engine


@frozen
class LocatedFinding:
    """A finding and its subject, safe to show: `tool NAME`, `the connection`."""

    where: str
    finding: Finding


def all_findings(engine: Engine) -> list[LocatedFinding]:
    """On the connection, the definitions and whatever else the server offers."""
    found = [LocatedFinding("the connection", one) for one in engine.observed.all()]
    found += [LocatedFinding("the lists", one) for one in engine.offers.findings]
    for tool in engine.tools:
        found += [LocatedFinding(f"tool {tool.display_name}", one) for one in tool.findings]
    for kind in OfferKind:
        for offer in engine.offers.of(kind):
            where = f"{kind.word} {offer.display_name}"
            found += [LocatedFinding(where, one) for one in offer.findings]
    return found


def in_order(found: list[LocatedFinding]) -> list[LocatedFinding]:
    """Those that matter most first."""
    return sorted(found, key=lambda one: -rank(one.finding.severity))
