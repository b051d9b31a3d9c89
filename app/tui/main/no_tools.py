"""Words for a server without tools: what it has instead, and the keys that lead on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...content.text import count
from .keys import NO_TOOLS

if TYPE_CHECKING:
    from ...engine.engine import Engine


def no_tools_page(engine: Engine) -> str:
    """The page beside an empty list; empty if the server has tools or they are not listed yet."""
    if not engine.is_listed or engine.tools:
        return ""
    offers = _offers(engine)
    instead = (
        f"It has {offers}. P: show them."
        if offers
        else "It has no resources and no prompts either."
    )
    problems = engine.observed.count()
    seen = f"It has {count(problems, 'problem')}. " if problems else ""
    return "\n".join(
        (
            NO_TOOLS,
            instead,
            f"{seen}f9: show its capabilities, instructions and stderr.",
            "shift+f5: restart it.",
        )
    )


def no_tools_row(engine: Engine) -> str:
    """The row of the empty list: `no tools; P: 2 resources, 1 prompt`; empty without offers."""
    offers = "" if engine.tools else _offers(engine).replace(" and ", ", ")
    return f"no tools; P: {offers}" if offers else ""


def _offers(engine: Engine) -> str:
    found = [count(len(engine.offers.of(kind)), kind.word) for kind in engine.offers.kinds]
    return " and ".join(filter(None, (", ".join(found[:-1]), *found[-1:])))
