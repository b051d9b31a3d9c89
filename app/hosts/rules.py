"""Host rules: how known hosts decide, as data: one TOML file each, with its source and its date.

Rules are a claim about one version, read on one day. Hosts change; correct them by a file of
your own with the same name.
"""

from __future__ import annotations

from functools import lru_cache

from ..approval.policies.policy import Policy, PolicyKind
from ..approval.policies.policy_text import PolicyError, read_policy
from .folders import FactError, known_fact, known_with, own_fact, own_text


@lru_cache(maxsize=1)
def host_names() -> tuple[str, ...]:
    """The host rules that come with the program, in the order of columns."""
    return known_with("rules.toml")


@lru_cache(maxsize=64)
def read_host(name: str) -> Policy:
    """One of `host_names()`; raises KeyError for any other name."""
    if name not in host_names():
        raise KeyError(name)
    return read_policy(host_rules_text(name), f"{name}.toml", kind=PolicyKind.HOST)


def rules_of(name: str) -> Policy | None:
    """The rules of a host in a folder of the person's, else those that come with the program; None
    if there are none, or broken ones.
    """
    path = own_fact(name, "rules.toml")
    if path is None:
        return read_host(name) if name in host_names() else None
    try:
        found = read_policy(own_text(path), path.name, kind=PolicyKind.HOST)
    except (FactError, PolicyError):
        return None
    return found if found.name == name else None


def host_rules_text(name: str) -> str:
    """The TOML of one of `host_names()`."""
    return known_fact(name, "rules.toml")
