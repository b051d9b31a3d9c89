"""From touches of paths to what became of each, with what is known of before and after. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...calls.deeds import FileDeed, Loss, SeenFile
from .folders import FolderState, loss_between
from .touches import Touch

WasThere = Callable[[str], bool | None]
"""Whether a path that is there now was there before the call; None where nobody knows."""

FILES_MAX = 500
READS_MAX = 100
_OWN = re.compile(r"/__pycache__(/[^/]+\.pyc(\.\d+)?)?$")
_QUIET = re.compile(
    r"/(usr|lib|lib32|lib64|bin|sbin|nix|proc|sys|dev|run/systemd|snap)(/|$)"
    r"|/etc/(ld\.so|localtime|hosts|resolv\.conf|nsswitch|host\.conf|gai\.conf|ssl/|pki/|services"
    r"|protocols|timezone|mime\.types|locale|os-release)"
    r"|.*/(site-packages|dist-packages|node_modules|__pycache__)(/|$)"
    r"|.*/lib/python\d[^/]*/|.*/pyvenv\.cfg$|.*\.so(\.\d+)*$"
)
"""What runtimes read for themselves."""

_BEFORE = {
    Touch.MADE: False,
    Touch.OPENED: True,
    Touch.EMPTIED: True,
    Touch.WROTE: True,
    Touch.APPENDED: True,
    Touch.MAPPED: True,
    Touch.GONE: True,
    Touch.LEFT: True,
    Touch.ATTRIBUTES: True,
    Touch.READ: True,
}
"""What the first touch of a path says of whether it was there."""
_CHANGING = frozenset({Touch.EMPTIED, Touch.WROTE, Touch.APPENDED, Touch.MAPPED})
_QUIET_TOUCHES = frozenset({Touch.MAPPED, Touch.OPENED, Touch.OPENED_OR_MADE, Touch.READ})


def reduced(
    touches: dict[str, list[Touch]],
    before: FolderState,
    after: FolderState,
    was_there: WasThere,
    *,
    scratch: str = "",
    temporary: str = "",
    began_ns: int = 0,
) -> tuple[list[SeenFile], int]:
    """What became of each path, and how many more there are than are kept.

    `before` and `after` have all paths of the folder `scratch`, and others as far as they are
    known; `temporary` is the folder for temporary files; `began_ns` is when the first was taken.
    """
    seen: list[SeenFile] = []
    reads: list[SeenFile] = []
    for path, of_path in touches.items():
        is_inside = bool(scratch) and path.startswith(scratch.rstrip("/") + "/")
        existed = path in before if is_inside else _existed(path, of_path, before, was_there)
        if (
            existed is not False
            and is_only_mapped(of_path)
            and not _was_stored_to(path, before, after, began_ns)
        ):
            of_path = [Touch.READ]
        one = _became(path, of_path, before, after, existed)
        if one is None:
            continue
        one = replace(
            one,
            is_own=bool(_OWN.search(path)),
            is_temporary=bool(temporary) and path.startswith(temporary.rstrip("/") + "/"),
        )
        if one.deed is not FileDeed.READ:
            seen.append(one)
        elif not is_inside and not _QUIET.match(path):
            reads.append(one)
    kept = [*sorted(seen, key=_weight)[:FILES_MAX], *reads[:READS_MAX]]
    return kept, len(seen) + len(reads) - len(kept)


def is_only_mapped(touches: Sequence[Touch]) -> bool:
    """Whether a file was mapped so that it can be stored to, and nothing else was done to it."""
    return Touch.MAPPED in touches and {*touches} <= _QUIET_TOUCHES


def _was_stored_to(path: str, before: FolderState, after: FolderState, began_ns: int) -> bool:
    """Whether content, size or time of a mapped file say that something was stored in it."""
    old, new = before.get(path), after.get(path)
    if new is None:
        return old is not None
    if old is None:
        return new.modified_ns >= began_ns
    return not old.is_as(new) or (old.size, old.modified_ns) != (new.size, new.modified_ns)


def _weight(one: SeenFile) -> tuple[bool, bool, str]:
    return (not one.matters, one.loss is not Loss.LOST, one.path)


def _became(
    path: str,
    touches: Sequence[Touch],
    before: FolderState,
    after: FolderState,
    existed: bool | None,
) -> SeenFile | None:
    """None where nothing came of it that anybody could tell."""
    kinds = set(touches)
    if kinds <= {Touch.READ}:
        return SeenFile(path, FileDeed.READ)
    old, new = before.get(path), after.get(path)
    exists = _exists(touches, existed)
    if not exists:
        if existed is False:
            return SeenFile(path, FileDeed.TRANSIENT, Loss.KEPT)
        if existed is None:
            return SeenFile(path, FileDeed.TRANSIENT, Loss.UNKNOWN)
        has_moved = touches[-1] is Touch.LEFT
        return SeenFile(path, FileDeed.MOVED if has_moved else FileDeed.DELETED, Loss.LOST)
    if existed is False:
        return SeenFile(path, FileDeed.CREATED, Loss.KEPT)
    is_same = old.is_as(new) if old is not None and new is not None else None
    loss = loss_between(old, new) if old is not None and new is not None else Loss.UNKNOWN
    if kinds & {Touch.GONE, Touch.LEFT, Touch.CAME} and existed:
        return SeenFile(path, FileDeed.REPLACED, _if_unknown(loss, Touch.GONE in kinds), is_same)
    if existed is None:
        if kinds & (_CHANGING | {Touch.CAME}) or Touch.OPENED_OR_MADE in kinds:
            return SeenFile(path, FileDeed.WRITTEN, loss, is_same)
        return None
    if Touch.EMPTIED in kinds:
        return SeenFile(path, FileDeed.EMPTIED, _if_unknown(loss, is_lost=True), is_same)
    if kinds & {Touch.WROTE, Touch.MAPPED}:
        return SeenFile(path, FileDeed.CHANGED, loss, is_same)
    if Touch.APPENDED in kinds:
        return SeenFile(path, FileDeed.APPENDED, Loss.KEPT, is_same)
    if Touch.ATTRIBUTES in kinds:
        return SeenFile(path, FileDeed.ATTRIBUTES, Loss.KEPT, is_same)
    return None


def _if_unknown(loss: Loss, is_lost: bool) -> Loss:
    """What was opened empty has lost what it held, unless the content can be compared."""
    return Loss.LOST if loss is Loss.UNKNOWN and is_lost else loss


def _existed(
    path: str, touches: Sequence[Touch], before: FolderState, was_there: WasThere
) -> bool | None:
    if path in before:
        return True
    first = touches[0]
    if first in _BEFORE:
        return _BEFORE[first]
    # Opened to be made, if need be, or another file has come in its place.
    return was_there(path) if _exists(touches, None) else None


def _exists(touches: Sequence[Touch], existed: bool | None) -> bool:
    exists = existed is not False
    for touch in touches:
        if touch in (Touch.GONE, Touch.LEFT):
            exists = False
        elif touch in (Touch.MADE, Touch.OPENED_OR_MADE, Touch.OPENED, Touch.CAME):
            exists = True
    return exists
