"""The life of the main screen: its phases, and what may happen in each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from ...content.key_tables import Mark


class LifePhase(Enum):
    """How far the main screen has come."""

    WAITING = auto()
    """The start view is shown: the tools are still to come."""
    FAILED = auto()
    """The start view is shown: the server could not be reached, and no attempt is running."""
    LIST = auto()
    """The list of tools is in sight; the other panes are still to come."""
    READY = auto()
    """All panes are there."""
    CLOSING = auto()
    """The server is being ended, which can take seconds."""


class HeldInput(Enum):
    """Input that has to wait in a phase."""

    NOTHING = auto()
    FOR_TOOLS = auto()
    """Keys that would do nothing yet; keys that act on a tool are dropped."""
    FOR_PANES = auto()
    """Keys and clicks for more than the list of tools and its filter."""


class PhaseRules(NamedTuple):
    """What may happen in a phase."""

    acts: frozenset[Mark] | None
    """Keys that act at once, by their marks; None for all."""
    queues: bool
    """Whether the other keys that are about tools and calls act as soon as the panes are there."""
    holds: HeldInput


PHASE_RULES: Final[Mapping[LifePhase, PhaseRules]] = {
    LifePhase.WAITING: PhaseRules(frozenset({Mark.EARLY}), False, HeldInput.FOR_TOOLS),
    LifePhase.FAILED: PhaseRules(frozenset({Mark.EARLY, Mark.FAILED}), False, HeldInput.NOTHING),
    LifePhase.LIST: PhaseRules(frozenset({Mark.EARLY, Mark.LIST}), True, HeldInput.FOR_PANES),
    LifePhase.READY: PhaseRules(None, False, HeldInput.NOTHING),
    LifePhase.CLOSING: PhaseRules(frozenset(), False, HeldInput.NOTHING),
}
