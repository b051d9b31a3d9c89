"""Every policy and every host model that there is: those that come with Signoff and one's own."""

from __future__ import annotations

from dataclasses import dataclass

from ..approval.policies.policy import Policy
from ..approval.policies.policy_text import PolicyError, built_ins
from ..storage.hosts import find_hosts
from ..storage.policies import PolicyNotFound, find_policy, own_names


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Policies and models of hosts, each in its order; and the files that cannot be read, why."""

    policies: tuple[Policy, ...]
    hosts: tuple[Policy, ...]
    policy_problems: tuple[str, ...] = ()
    host_problems: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[Policy, ...]:
        """Policies first, hosts after them."""
        return (*self.policies, *self.hosts)

    @property
    def problems(self) -> tuple[str, ...]:
        return (*self.policy_problems, *self.host_problems)


def read_rulebook() -> Rulebook:
    """Everything that can be read; a broken file of one's own is named and left out."""
    own: list[Policy] = []
    problems: list[str] = []
    for name in own_names():
        try:
            own.append(find_policy(name))
        except (PolicyError, PolicyNotFound) as problem:
            problems.append(str(problem))
    found = find_hosts()
    return Rulebook((*built_ins(), *own), found.hosts, tuple(problems), tuple(found.problems))
