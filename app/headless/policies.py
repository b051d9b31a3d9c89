"""Finds policies and models of hosts by their names, and explains verdicts in lines and JSON."""

from __future__ import annotations

from importlib import resources
from typing import Any

from ..approval import hosts as packaged
from ..approval.policies.policy import Explanation, Outcome, Policy, RuleOutcome
from ..approval.policies.policy_text import DEFAULT_NAME, PolicyError, built_in
from ..approval.policies.verdicts import Case
from ..content.json.jsonio import JsonValue, canonical
from ..content.suggest import did_you_mean
from ..content.text import shortened, visible
from ..engine.policy_state import read_rulebook
from ..storage.policy_files import (
    PolicyNotFound,
    find_hosts,
    find_policy,
    hosts_folder,
    policy_text,
)
from .hiding import Hiding
from .printing import print_error
from .targets import UsageError

_LABEL = 11
_WIDTH = 80


def chosen_policy(name_or_path: str, host: str) -> Policy:
    """Return the policy of `--policy` or `--as`, `cautious` if both are empty. Raises
    UsageError.
    """
    if name_or_path and host:
        raise UsageError("--policy and --as both say who decides: give one of them")
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


def columns_named(names: str) -> tuple[Policy, ...]:
    """Return policies and hosts by their names with commas between; all of them if empty, with
    unreadable ones named on standard error. Raises UsageError.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        rulebook = read_rulebook()
        for problem in rulebook.problems:
            print_error(f"left out: {problem}")
        return rulebook.columns
    return tuple(find_host(name) or chosen_policy(name, "") for name in dict.fromkeys(wanted))


def policy_report(policy: Policy) -> dict[str, Any]:
    """A policy as JSON, without its rules."""
    return {
        "name": policy.name,
        "title": policy.title or None,
        "kind": policy.kind.value,
        "summary": policy.summary,
        "like": policy.like or None,
        "loud": policy.is_loud,
        "grants": policy.honours_grants,
        "doubts": "ask" if policy.heeds_doubts else "ignore",
        "rules": len(policy.rules),
        "request_rules": len(policy.request_rules),
        "source": policy.source,
        "source_file": policy.source_file or None,
        "version": policy.version or None,
        "date": policy.date.isoformat() if policy.date else None,
        "edits_arguments": policy.edits_arguments,
        "remembers": list(policy.remembers),
        "notes": policy.notes or None,
    }


def explain_report(policy: Policy, case: Case, hiding: Hiding) -> dict[str, Any]:
    """`signoff policy explain --json`."""
    explained = policy.explain(case)
    verdict = explained.verdict
    said = {**verdict.as_json(), "source": verdict.source, "depends": verdict.depends}
    report = {
        "tool": case.tool.name,
        "server": case.server,
        "policy": policy_report(policy),
        "verdict": hiding.value(said),
        "judged_by": {
            "trust": case.trust.value,
            "effect": case.tool.effect.value,
            "hints": case.tool.hints.as_json(),
            "definition": case.seen.value,
            "approved": case.approved_before,
            "arguments": hiding.arguments,
            "argument_problems": hiding.value(list(case.argument_problems)),
        },
        "rules": hiding.value([rule_report(one) for one in explained.outcomes]),
    }
    return {**report, "masked": hiding.report()}


def explain_lines(policy: Policy, case: Case, hiding: Hiding) -> list[str]:
    """The verdict, the rule that fired and where it stands, the reasons, and the other rules."""
    explained = policy.explain(case)
    verdict = explained.verdict
    reasons = [visible(reason) for reason in verdict.reasons]
    answer = f"{verdict.words}; then ask about the answer" if verdict.reviews_result else ""
    lines = [
        *labelled("tool", case.tool.display_name),
        *labelled("verdict", answer or verdict.words),
        *labelled("policy", verdict.policy),
        *labelled("rule", verdict.rule or "none"),
        *(labelled("source", verdict.source) if verdict.source else ()),
        *labelled("because", *reasons),
        *labelled("judged by", *_facts(case, hiding)),
        *outcome_lines(explained),
    ]
    lines = [hiding.text(line) for line in lines]
    return [*lines, "", words] if (words := hiding.words()) else lines


def outcome_lines(explained: Explanation) -> list[str]:
    """List the outcome of each rule, under a heading; empty if there are no rules."""
    if not explained.outcomes:
        return []
    width = min(max(len(one.rule.label) for one in explained.outcomes), 48)
    lines = ["", "rules, in their order; the first that matches counts"]
    for one in explained.outcomes:
        says = one.rule.then.value
        lines.append(f"  {one.rule.label:<{width}}  {says:<12}  {one.outcome.value}")
        if one.outcome in (Outcome.PASSED_OVER, Outcome.SKIPPED):
            lines += [f"      {why}" for why in one.why]
    return lines


def rule_report(one: RuleOutcome) -> dict[str, Any]:
    """Write the outcome of one rule as JSON."""
    rule = one.rule
    return {
        "number": rule.number,
        "name": rule.name or None,
        "then": rule.then.value,
        "result": "ask" if rule.reviews_result else None,
        "demands": rule.words,
        "line": rule.line or None,
        "outcome": one.outcome.value,
        "why": list(one.why),
    }


def _facts(case: Case, hiding: Hiding) -> list[str]:
    tool = case.tool
    world = "open world" if tool.hints.is_open_world else "closed world"
    not_yet = "" if case.approved_before else "not yet "
    given = case.arguments
    return [
        f"{tool.effect.value} · {world} · {case.trust.value}",
        f"definition {case.seen.value} · {not_yet}approved in this session",
        "arguments not known" if given is None else f"arguments {_written(hiding.arguments)}",
    ]


def _written(arguments: JsonValue) -> str:
    return shortened(canonical(arguments), _WIDTH - _LABEL - len("arguments "))


def labelled(label: str, *texts: str) -> list[str]:
    """Put a label before the first line."""
    return [
        f"{label if not index else '':<{_LABEL}}{text}".rstrip() for index, text in enumerate(texts)
    ]


def _host(name: str) -> Policy:
    if found := find_host(name):
        return found
    hosts, problems = find_hosts()
    names = [host.name for host in hosts]
    hint = did_you_mean(name, [*names, *(host.title for host in hosts if host.title)])
    words = f"there is no model of a host {visible(name)!r}{hint} (there are {', '.join(names)})"
    raise UsageError("\n".join([words, *problems]))


def find_host(name: str) -> Policy | None:
    """The model of a host by its name or its title, in any case."""
    wanted = name.casefold()
    for host in find_hosts().hosts:
        if wanted in (host.name.casefold(), host.title.casefold()):
            return host
    return None


def host_text(name: str) -> str:
    own = hosts_folder() / f"{name}.toml"
    if own.is_absolute() and own.is_file():
        return policy_text(str(own))
    return (resources.files(packaged) / f"{name}.toml").read_text(encoding="utf-8")
