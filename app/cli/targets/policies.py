"""Finds policies and host rules by the names that are given for them."""

from __future__ import annotations

from collections.abc import Sequence

from ...approval.policies.modes import SEPARATOR, UNATTENDED, policy_named, unknown_mode
from ...approval.policies.policy import Policy
from ...approval.policies.policy_text import (
    BUILT_IN_NAMES,
    DEFAULT_NAME,
    PolicyError,
    built_in,
    mode_text,
)
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...engine.policy_state import read_rulebook
from ...hosts.folders import hosts_folder, own_fact
from ...hosts.rules import host_rules_text
from ...storage.policy_files import (
    PolicyNotFound,
    find_hosts,
    find_policy,
    own_names,
    policy_text,
)
from ..output.printing import print_error
from .targets import UsageError


def chosen_policy(name_or_path: str, host: str) -> Policy:
    """Return the policy of `--policy` or `--as`, `cautious` if both are empty. Raises
    UsageError.
    """
    if name_or_path and host:
        raise UsageError("give only one of --policy and --as")
    if host:
        return _host(host)
    if not name_or_path:
        return built_in(DEFAULT_NAME)
    try:
        return find_policy(name_or_path)
    except (PolicyError, PolicyNotFound) as problem:
        if host_model := find_host(name_or_path):
            words = f"{visible(name_or_path)} is a host: give --as {host_model.name}"
            raise UsageError(words) from None
        words = str(problem)
        if isinstance(problem, PolicyNotFound) and "did you mean" not in words:
            words += did_you_mean(name_or_path, [host.name for host in find_hosts().hosts])
        raise UsageError(words) from problem


def columns_named(
    names: str, hosts: Sequence[str] = (), policies: Sequence[str] = ()
) -> tuple[Policy, ...]:
    """Return policies and hosts by their names with commas between, then `policies` and `hosts`.

    Without any name it returns all of them, with unreadable ones named on standard error.
    Raises UsageError.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if hosts or policies:
        named = [column_named(name) for name in dict.fromkeys((*wanted, *policies))]
        found = {one.name: one for one in (*named, *map(_host, hosts))}
        return tuple(found.values())
    if not wanted:
        rulebook = read_rulebook()
        for problem in rulebook.problems:
            print_error(f"left out: {problem}")
        return rulebook.columns
    return tuple(map(column_named, dict.fromkeys(wanted)))


def column_named(name: str) -> Policy:
    """Return a policy or the rules of a host by its name. Raises UsageError."""
    return find_host(name) or _column(name)


def _column(name: str) -> Policy:
    if words := unknown_mode(find_hosts().hosts, name):
        raise UsageError(words)
    try:
        return chosen_policy(name, "")
    except UsageError as problem:
        if not isinstance(problem.__cause__, PolicyNotFound):
            raise
        raise UsageError(unknown_column(name)) from None


def unknown_column(name: str) -> str:
    """The error for a name that is neither a host nor a policy: all that exist, safe to show."""
    hosts = [host.name for host in find_hosts().hosts]
    policies = [*BUILT_IN_NAMES, *own_names()]
    hint = did_you_mean(name, [*hosts, *policies])
    known = f"hosts: {', '.join(hosts)}; policies: {', '.join(map(visible, policies))}"
    path = f"for a file, use its path: ./{visible(name)}.toml"
    words = f"unknown host or policy {visible(name)!r}{hint} ({known}; {path})"
    # A file with a mistake leaves out the host that comes with Signoff, too.
    return "\n".join([words, *find_hosts().problems])


def _host(name: str) -> Policy:
    if found := find_host(name):
        return found
    hosts, problems = find_hosts()
    if problem := unknown_mode(hosts, name):
        raise UsageError(problem)
    names = [host.name for host in hosts]
    hint = did_you_mean(name, [*names, *(host.title for host in hosts if host.title)])
    words = f"unknown host {visible(name)!r}{hint} (known: {', '.join(names)})"
    raise UsageError("\n".join([words, *problems]))


def find_host(name: str) -> Policy | None:
    """The rules of a host by its name or its title, in any case; `HOST:MODE` is one of a mode."""
    return policy_named(find_hosts().hosts, name)


def host_text(name: str) -> str:
    """The TOML of a host's rules; of a mode, its part of that file.

    The mode `unattended`, if it is made from the default mode, has no part of its own: the whole
    file follows a comment.
    """
    host, _, mode = name.partition(SEPARATOR)
    single = hosts_folder() / f"{host}.toml"
    is_single = single.is_absolute() and single.is_file()
    own = single if is_single else own_fact(host, "rules.toml")
    text = host_rules_text(host) if own is None else policy_text(str(own))
    if not mode:
        return text
    try:
        return mode_text(text, mode)
    except KeyError:
        if mode != UNATTENDED:
            raise
        words = f"In {name} each question of these rules is refused. This was not measured."
        return f"# {words}\n{text}"
