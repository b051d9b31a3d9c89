"""Modes of hosts by their names: `codex:exec` is the mode “exec” of the host “codex”.

Every host has the mode `unattended`. It is a mode that was measured without a person, if the model
has one; otherwise it is made from the default mode: what would ask is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ...content.suggest import did_you_mean
from ...content.text import visible
from .policy import Basis, Policy

SEPARATOR: Final = ":"
DEFAULT: Final = "default"
"""The mode of a host without another name for it."""
UNATTENDED: Final = "unattended"
"""The mode of every host in which no person is there."""
_MEASURED_UNATTENDED: Final = ("exec", "headless")
"""Names of modes of hosts that run without a person."""


def mode_title(variant: Policy, host: Policy) -> str:
    """The name of a mode as people write it."""
    return variant.title.removeprefix(host.title).strip() or host.mode


def modes_in_words(host: Policy) -> str:
    """`auto (the default), exec, prompt`; empty if the host has only one mode."""
    if not host.modes:
        return ""
    first = host.mode or DEFAULT
    named = first if first == DEFAULT else f"{first} (the default)"
    return ", ".join([named, *(one.mode for one in host.modes)])


def policy_named(policies: Iterable[Policy], name: str) -> Policy | None:
    """A policy by its name or title, in any case; `HOST:MODE` is a mode of a host."""
    known = list(policies)
    if (found := _named(known, name)) is not None:
        return found
    host, separator, mode = name.rpartition(SEPARATOR)
    owner = _named(known, host.strip()) if separator else None
    if owner is None or not mode.strip():
        return None
    wanted = mode.strip().casefold()
    for one in owner.variants:
        if wanted in (one.mode.casefold(), mode_title(one, owner).casefold()):
            return one
    return unattended(owner) if wanted == UNATTENDED else None


def unattended(host: Policy) -> Policy:
    """The host without a person: its measured mode, or its default mode that refuses to ask."""
    for one in host.modes:
        if one.mode in _MEASURED_UNATTENDED and one.basis is Basis.MEASURED:
            return one
    return replace(
        host,
        name=f"{host.name}{SEPARATOR}{UNATTENDED}",
        title=f"{host.title} {UNATTENDED}",
        summary=f"{host.summary} No person is there: it refuses what would ask.",
        notes="This mode is made from the default mode. It was not measured.",
        mode=UNATTENDED,
        modes=(),
        has_person=False,
    )


def unknown_mode(policies: Iterable[Policy], name: str) -> str:
    """The message about `HOST:MODE` if the host exists and the mode does not; else empty."""
    host, separator, mode = name.rpartition(SEPARATOR)
    owner = _named(list(policies), host.strip()) if separator else None
    if owner is None:
        return ""
    title = owner.title or owner.name
    hint = did_you_mean(mode, [*(one.mode for one in owner.variants if one.mode), UNATTENDED])
    named = f"no rules for the mode {visible(mode)!r} of {title}{hint}"
    known = modes_in_words(owner) or f"{owner.mode or DEFAULT} (write {owner.name})"
    return f"{named} (known: {known}, {UNATTENDED})"


def host_of(policies: Iterable[Policy], policy: Policy) -> Policy | None:
    """The host that a policy is, or is a mode of, by its name; None if there is none."""
    name = policy.name.partition(SEPARATOR)[0]
    return next((one for one in policies if one.name == name), None)


def following_mode(host: Policy, current: Policy) -> Policy:
    """The next mode of a host, and its default again after the last."""
    names = [one.name for one in host.variants]
    at = names.index(current.name) + 1 if current.name in names else 0
    return host.variants[at % len(names)]


def _named(policies: Iterable[Policy], name: str) -> Policy | None:
    wanted = name.casefold()
    return next(
        (one for one in policies if wanted in (one.name.casefold(), one.title.casefold())), None
    )
