"""What is wrong with the arguments in a form: what cannot be read, and what their schema says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...app.protocol.clients.findings import rejection_note
from ...app.schemas.form.fields import Place
from ...app.schemas.schema import Mismatch


class Problems:
    """As they are since the last edit; the schema's verdict comes later than that."""

    def __init__(self) -> None:
        self.local: dict[Place, str] = {}
        """What keeps a value from being read or sent, by place, () for the whole."""
        self._mismatches: tuple[Mismatch, ...] = ()
        self._doubtful: frozenset[int] = frozenset()
        self.notes: dict[Place, str] = {}
        """What the schema allows and some validators reject, by place."""

    def find(self, problems: Mapping[Place, str]) -> None:
        """What was found in a draft is this, instead of what was found before."""
        self.local = dict(problems)

    def judge(self, mismatches: Sequence[Mismatch], at_risk: Sequence[Mismatch] = ()) -> None:
        """Take over what the schema says of the arguments as they are now."""
        self._mismatches, self._doubtful = tuple(mismatches), frozenset()
        self.notes = {one.path: rejection_note(one) for one in at_risk}

    def edited(self, place: Place) -> None:
        """Something at a place is another.

        What the schema said of the old value is no longer true, and what it said of the whole
        around it may not be.
        """
        size = len(place)
        self.notes = {at: words for at, words in self.notes.items() if at[:size] != place}
        self._mismatches = tuple(one for one in self._mismatches if one.path[:size] != place)
        self._doubtful = frozenset(
            index
            for index, one in enumerate(self._mismatches)
            if place[: len(one.path)] == one.path
        )

    @property
    def mismatches(self) -> list[Mismatch]:
        """Those where no local problem says it already."""
        return [one for one in self._mismatches if one.path not in self.local]

    def certain(self) -> list[Mismatch]:
        """Those of them that still hold."""
        return [
            one
            for index, one in enumerate(self._mismatches)
            if index not in self._doubtful and one.path not in self.local
        ]

    def count(self) -> int:
        """How many keep the arguments from being submitted as they are."""
        return len(self.local) + len(self.certain())

    def count_missing(self) -> int:
        """How many of these are required and not there."""
        missing = sum(said == "required" for said in self.local.values())
        return missing + sum(one.keyword == "required" for one in self.certain())
