"""Host rules: how known hosts decide, as data: one TOML file each, with its source and its date.

Rules are a claim about one version, read on one day. Hosts change; correct them by a file of
your own with the same name.
"""

from __future__ import annotations

from functools import lru_cache

from ..approval.policies.policy import Policy, PolicyKind
from ..approval.policies.policy_text import read_policy
from .folders import host_fact, hosts_with


@lru_cache(maxsize=1)
def host_names() -> tuple[str, ...]:
    """The host rules that come with the program, in the order of columns."""
    return hosts_with("rules.toml")


@lru_cache(maxsize=64)
def read_host(name: str) -> Policy:
    """One of `host_names()`; raises KeyError for any other name."""
    if name not in host_names():
        raise KeyError(name)
    return read_policy(host_rules_text(name), f"{name}.toml", kind=PolicyKind.HOST)


def host_rules_text(name: str) -> str:
    """The TOML of one of `host_names()`."""
    return host_fact(name, "rules.toml")
