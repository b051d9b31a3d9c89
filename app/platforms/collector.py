"""The garbage collector: imports and screens make many objects and hardly any garbage.

The bundled server, a program of its own, has settings of its own in its `__main__`.
"""

from __future__ import annotations

import gc

_THRESHOLDS = (50_000, 20, 100)


def collect_seldom() -> None:
    """Look for garbage only after many new objects."""
    gc.set_threshold(*_THRESHOLDS)


def pause_collection() -> None:
    """Stop looking for garbage until `resume_collection`: a start only imports and builds."""
    gc.disable()


def resume_collection() -> None:
    """Look for garbage again, but seldom, and never among the present objects.

    Does nothing unless paused.
    """
    if gc.isenabled():
        return
    gc.freeze()
    collect_seldom()
    gc.enable()
