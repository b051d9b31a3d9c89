"""What a person has put into a form so far, and what that adds up to.

A draft holds only what was edited or loaded; the server's defaults are read from the form. It keeps
texts as typed, broken ones too, so that nothing is lost between the fields and the JSON editor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...content.json.jsonio import JsonValue
from .entries import NOT_SENT, Entry, Origin
from .fields import Place


@dataclass(frozen=True, slots=True)
class Group:
    """What a group consists of, besides what its fields hold.

    `present` asks for it to be sent, though nothing inside may be set. `variant` is the chosen
    alternative of a union, None before anyone chose; `count` the items of an array; `keys` the
    names in an object that are not the schema's.
    """

    present: bool = False
    origin: Origin = Origin.TYPED
    variant: int | None = None
    count: int = 0
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """Entries and groups by place, and the text while the arguments are edited as one document.

    An entry at the place of a group stands for the whole group: JSON that is no such group, or,
    when it is not present, that the group is left out though there is something in it.
    """

    entries: Mapping[Place, Entry] = field(default_factory=dict)
    groups: Mapping[Place, Group] = field(default_factory=dict)
    document: str | None = None

    def entry(self, place: Place) -> Entry:
        """What somebody put there; the server's defaults are not seen here."""
        return self.entries.get(place, NOT_SENT)


@dataclass(frozen=True, slots=True)
class Built:
    """What a draft adds up to.

    `arguments` holds everything that could be read, in the order of the schema; `origins` has the
    same keys. `problems` are in the way, `notes` are not; both are messages of our own by place,
    with the empty place for the whole.
    """

    arguments: dict[str, JsonValue]
    origins: dict[str, Origin]
    problems: dict[Place, str]
    notes: dict[Place, str] = field(default_factory=dict)
