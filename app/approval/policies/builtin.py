"""The policies that come with the program, and its default."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePath

from .policy import BUILT_IN_NAMES, Policy, PolicyKind
from .policy_text import read_policy

__all__ = ["BUILT_IN_NAMES", "DEFAULT_NAME", "built_in", "built_in_text", "built_ins"]

DEFAULT_NAME = BUILT_IN_NAMES[0]


@lru_cache(maxsize=len(BUILT_IN_NAMES))
def built_in(name: str) -> Policy:
    """A policy that comes with the program. Raises KeyError for any other name."""
    return read_policy(built_in_text(name), f"{name}.toml", kind=PolicyKind.BUILT_IN)


def built_ins() -> tuple[Policy, ...]:
    """All of them, the default first."""
    return tuple(built_in(name) for name in BUILT_IN_NAMES)


def built_in_text(name: str) -> str:
    """Its TOML. Raises KeyError for a name that is none of a built-in policy."""
    if name not in BUILT_IN_NAMES:
        raise KeyError(name)
    place = PurePath(__file__).parent / f"{name}.toml"
    # What `pkgutil.get_data` does, without importing it: the program starts with this.
    data: bytes = __loader__.get_data(str(place))  # type: ignore[name-defined]
    return data.decode("utf-8")
