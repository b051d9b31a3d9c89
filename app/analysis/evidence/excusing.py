"""What a server does in a run without calls is no evidence against a tool. Pure."""

from __future__ import annotations

from dataclasses import replace

from ...calls.deeds import FileDeed, Seen, SeenFile
from .touches import shape_of

_WRITES = frozenset(
    {
        *(FileDeed.CREATED, FileDeed.WRITTEN, FileDeed.CHANGED, FileDeed.EMPTIED),
        *(FileDeed.APPENDED, FileDeed.REPLACED),
    }
)
_COVERED = {
    **dict.fromkeys(_WRITES, _WRITES),
    FileDeed.APPENDED: frozenset({FileDeed.APPENDED, FileDeed.CREATED}),
}
"""A deed of an idle server, and which ones it may be when it is seen again: who writes a file
creates it again where another one has deleted it."""


def without(seen: Seen, control: Seen) -> Seen:
    """`seen` without the deeds of `control`, in which nothing was called.

    What the same server also did while idle was told apart by its threads already: such a path is
    not excused once more.
    """
    known = {_shape(one, control): one.deed for one in control.files}
    told_apart = {*seen.idle}

    def is_excused(one: SeenFile) -> bool:
        deed = known.get(_shape(one, seen))
        if deed is None or one.path in told_apart:
            return False
        return one.deed in _COVERED.get(deed, {deed})

    return replace(
        seen,
        files=tuple(one for one in seen.files if not is_excused(one)),
        addresses=tuple(one for one in seen.addresses if one not in control.addresses),
        idle=(*seen.idle, *(one.path for one in seen.files if one.matters and is_excused(one))),
    )


LOST = "the server exited during this call, and what it did then is not counted"


def of_lost(seen: Seen) -> Seen:
    """`seen` of a call during which the server ended: what it did may belong to its end."""
    files = tuple(one for one in seen.files if not one.matters)
    return replace(seen, files=files, addresses=(), lists=(), left=(), blind=(LOST, *seen.blind))


def _shape(one: SeenFile, seen: Seen) -> str:
    """The path with the scratch folder of any run in it, and `#` for its numbers."""
    root = seen.scratch.removesuffix("/scratch")
    inside = bool(root) and one.path.startswith(root + "/")
    return shape_of("{root}" + one.path[len(root) :] if inside else one.path)
