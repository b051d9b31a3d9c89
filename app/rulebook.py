"""Every policy and every host model that there is: those that come with Signoff and one's own."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.builtin import built_ins
from app.core.policy import Policy
from app.core.policy_text import PolicyError
from app.core.text import visible
from app.store.hosts import find_hosts
from app.store.policies import PolicyNotFound, find_policy, own_names


class RulesError(Exception):
    """What was asked for cannot be had; the words say why and what there is."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Policies first, hosts after them. `problems`: own files that cannot be read, in words."""

    policies: tuple[Policy, ...]
    hosts: tuple[Policy, ...]
    problems: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[Policy, ...]:
        return (*self.policies, *self.hosts)

    def named(self, names: str) -> tuple[Policy, ...]:
        """The columns of these names, with commas between; all where it is empty.

        Raises RulesError for a name that there is not.
        """
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        known = {column.name: column for column in self.columns}
        for name in wanted:
            if name not in known:
                raise RulesError(_unknown("column", name, known))
        return tuple(known[name] for name in wanted) or self.columns


def read_rulebook() -> Rulebook:
    """Everything that can be read; a broken file of one's own is named and left out."""
    own, problems = [], []
    for name in own_names():
        try:
            own.append(find_policy(name))
        except (PolicyError, PolicyNotFound) as problem:
            problems.append(str(problem))
    hosts, host_problems = find_hosts()
    return Rulebook((*built_ins(), *own), hosts, (*problems, *host_problems))


def choose(policy: str, host: str) -> Policy | None:
    """The policy of this name or file, or the host of this name; None where neither is given.

    Raises RulesError.
    """
    if host:
        hosts, problems = find_hosts()
        known = {one.name: one for one in hosts}
        if host not in known:
            raise RulesError("; ".join([_unknown("host", host, known), *problems]))
        return known[host]
    if not policy:
        return None
    try:
        return find_policy(policy)
    except (PolicyError, PolicyNotFound) as problem:
        raise RulesError(str(problem)) from None


def _unknown(kind: str, name: str, known: dict[str, Policy]) -> str:
    return f"there is no {kind} {visible(name)!r}; there are: {', '.join(known)}"
