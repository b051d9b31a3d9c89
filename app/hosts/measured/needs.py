"""What a host that is not measured would need to be: `unmeasured.toml` of each."""

from __future__ import annotations

import tomllib
from functools import lru_cache

from ..folders import host_fact, hosts_with

_FILE = "unmeasured.toml"


@lru_cache(maxsize=1)
def _needs() -> dict[str, str]:
    return {name: tomllib.loads(host_fact(name, _FILE))["needs"] for name in hosts_with(_FILE)}


def needs_of(name: str) -> str:
    """What a measurement of a host or of a mode needs, in a phrase; empty if it is not known."""
    return _needs().get(name.partition(":")[0], "")
