"""`signoff policy check`: checks a policy and warns of likely oversights.

`signoff policy explain --on KIND`: the verdict of a policy on a request of a server.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Final, NamedTuple

from ...approval.policies.argument_rules import ArgumentCondition, Comparison
from ...approval.policies.cedar import CedarPolicy
from ...approval.policies.modes import unknown_mode
from ...approval.policies.patterns import (
    Trial,
    TrialOf,
    glob_ways_out,
    hostile_texts,
    pattern_fault,
    repeats_itself,
    ways_out,
)
from ...approval.policies.policy import Policy, PolicyKind
from ...approval.policies.policy_text import (
    BUILT_IN_NAMES,
    DEFAULT_NAME,
    PolicyError,
    has_host_keys,
)
from ...approval.policies.request_rules import RequestRule
from ...approval.policies.rule_text import REQUESTS
from ...approval.policies.rules import METHODS, Rule, Then, quoted
from ...cli.command import AlsoOnOpen, without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser, add_described, verbs
from ...cli.options.server import AS_JSON
from ...cli.targets.live import Options, print_json
from ...cli.targets.policies import find_host, host_text, unknown_column
from ...cli.targets.targets import UsageError
from ...content.json.jsonio import JsonValue
from ...content.text import count as counted
from ...content.text import cut, visible
from ...content.texts.facts import below
from ...engine.calls.context import PatternCache
from ...engine.engine import Engine
from ...engine.policy_state import read_rulebook
from ...hosts.folders import hosts_folder
from ...presentation.exit_status import ExitStatus
from ...presentation.policies import KINDS, LOUD, facts, mark, policy_json
from ...sandbox.worker import shut_down
from ...storage.policy_files import (
    PolicyNotFound,
    find_hosts,
    find_policy,
    is_path,
    own_names,
    policies_folder,
    policy_text,
    read_policy_file,
)
from . import explain as policy_explain

_SHOWN = 24
_ANYTHING: tuple[JsonValue, ...] = (None, True, 0, "", [], {})


_WIDTH: Final = 80
_INDENT: Final = " " * 6


@options
class PolicyListOptions(NamedTuple):
    """Options of `policy list`."""

    json: bool = AS_JSON


@options
class PolicyShowOptions(NamedTuple):
    """Options of `policy show`."""

    name: str = opt("NAME")


@options
class PolicyCheckOptions(NamedTuple):
    """Options of `policy check`."""

    file: str = opt("FILE")


def add(parser: Parser) -> None:
    kinds = verbs(parser)
    add_described(kinds, "list", "list policies and host rules", _add_list)
    add_described(kinds, "show", "print a policy as TOML", _add_show)
    add_described(kinds, "check", "check a policy file and list its mistakes", _add_check)
    add_described(
        kinds,
        "explain",
        "explain the decision on a tool: the rule and the reasons",
        policy_explain.add,
    )


def _add_list(parser: Parser) -> None:
    work = AlsoOnOpen(lambda wanted: run_list(wanted.json), _list_in_session)
    without_server(parser, PolicyListOptions, work)


def _add_show(parser: Parser) -> None:
    work = AlsoOnOpen(lambda wanted: run_show(wanted.name), _show_in_session)
    without_server(parser, PolicyShowOptions, work)


def _add_check(parser: Parser) -> None:
    work = AlsoOnOpen(lambda wanted: run_check(wanted.file), _check_in_session)
    without_server(parser, PolicyCheckOptions, work)


async def _list_in_session(options: Options, engine: Engine, wanted: PolicyListOptions) -> int:
    """The same with numbers, and what decides in the session."""
    status = run_list(wanted.json, options)
    if not wanted.json:
        print(f"{engine.policy.shown_name} decides in this session")
    return status


async def _show_in_session(options: Options, engine: Engine, wanted: PolicyShowOptions) -> int:
    return run_show(wanted.name)


async def _check_in_session(options: Options, engine: Engine, wanted: PolicyCheckOptions) -> int:
    status, tried = _checked(wanted.file)
    if tried is not None:
        await _print_warnings(tried)
    return status


def run_list(as_json: bool, options: Options | None = None) -> int:
    """The policies and host rules that there are, own ones that are broken among them."""
    rulebook = read_rulebook()
    policies, broken, problems = (
        rulebook.columns,
        rulebook.policy_problems,
        rulebook.host_problems,
    )
    if as_json:
        print_json(
            {
                "default": DEFAULT_NAME,
                "folders": [str(policies_folder()), str(hosts_folder())],
                "policies": [policy_json(policy) for policy in policies],
                "problems": [*broken, *problems],
            }
        )
        return ExitStatus.OK
    listed = [("", policy) for policy in policies]
    if options is not None:
        listed = options.rows("policy", policies, lambda one: one.name, _searched)
    for kind, heading in KINDS.items():
        of_kind = [(number, policy) for number, policy in listed if policy.kind is kind]
        faults = {PolicyKind.OWN: broken, PolicyKind.HOST: problems}.get(kind, ())
        lines = [line for number, policy in of_kind for line in _listed(number, policy)]
        lines += [f"  not usable: {fault}" for fault in faults]
        if lines:
            print("\n".join([heading, *lines, ""]))
    print(f"Your own policies: TOML files in {visible(str(policies_folder()))}, used by name;")
    print("a file in any other folder is used by its path.")
    print(f"Your own host rules: TOML files in {visible(str(hosts_folder()))}")
    print("A mode of a host is named with a colon: --as codex:exec")
    print(
        f"To start one: signoff policy show {DEFAULT_NAME} > mine.toml; give it a name of its own"
    )
    return ExitStatus.OK


def run_show(name: str) -> int:
    """The TOML of a policy or of host rules, copied from its file."""
    host = None if is_path(name) else find_host(name)
    if host is None and (problem := unknown_mode(find_hosts().hosts, name)):
        raise UsageError(problem)
    try:
        text = host_text(host.name) if host else policy_text(name)
    except PolicyError as problem:
        raise UsageError(str(problem)) from problem
    except PolicyNotFound as problem:
        raise UsageError(unknown_column(name)) from problem
    if sys.stdout.isatty():
        text = visible(text, multiline=True, max_blanks=80, max_newlines=80)
    print(text, end="" if text.endswith("\n") else "\n")
    return ExitStatus.OK


def _searched(policy: Policy) -> str:
    return f"{policy.name} {policy.title} {policy.summary}".casefold()


def _listed(number: str, policy: Policy) -> list[str]:
    is_default = policy.name == DEFAULT_NAME
    marks = ("the default" if is_default else "", "yours" if policy.is_own else "", mark(policy))
    aside = f" ({', '.join(filter(None, marks))})" if any(marks) else ""
    title = f", {policy.title}" if policy.title else ""
    before = f"{number:>3}  " if number else "  "
    lines = [f"{before}{policy.name}{title}{aside}", *_wrapped(LOUD if policy.is_loud else "")]
    for line in below(facts(policy)):
        lines += _wrapped(line.plain if line.label == "about" else f"{line.label}: {line.plain}")
    return lines


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)


def run_check(path: str) -> int:
    """Check a policy file; every mistake in it goes to standard error.

    Patterns and schemas are tried on hostile values, in a worker and for a second each.
    """
    status, tried = _checked(path)
    if tried is not None:
        try:
            asyncio.run(_print_warnings(tried))
        finally:
            shut_down()
    return status


def _is_of_host(path: Path) -> bool:
    """True for the rules of an own host: a file in the folder of hosts, or in one of a host."""
    is_in_folder = path.name == "rules.toml" and path.parent.parent == hosts_folder()
    return is_in_folder or path.parent == hosts_folder()


def _checked(path: str) -> tuple[int, Policy | None]:
    """Check a policy file; returns the status, and the policy if something of it is to be tried."""
    is_named = path in BUILT_IN_NAMES or path in own_names()
    if not is_named and not is_path(path) and os.path.isfile(path):
        path = os.path.join(".", path)
    is_misplaced = False
    try:
        is_in_place = is_path(path) and _is_of_host(Path(path).absolute())
        if is_in_place or (is_path(path) and has_host_keys(policy_text(path))):
            policy, is_misplaced = read_policy_file(Path(path), PolicyKind.HOST), not is_in_place
        else:
            policy = find_policy(path)
    except (PolicyError, PolicyNotFound) as problem:
        print(f"{problem}", file=sys.stderr)
        return ExitStatus.USAGE, None
    if isinstance(policy, CedarPolicy):
        print(f"{visible(policy.name)}: sound, with {counted(len(policy.statements), 'statement')}")
        for name in policy.unknown_attributes():
            words = f"no tool has the attribute {visible(name)}"
            print(f"warning: {words}, so its statement never matches")
        if policy.is_loud:
            print(f"warning: {LOUD}")
        return ExitStatus.OK, None
    count = len(policy.rules) + len(policy.request_rules)
    modes = f" and {counted(len(policy.modes), 'further mode')}" if policy.modes else ""
    what = "host rules, " if policy.kind is PolicyKind.HOST else ""
    print(f"{policy.name}: {what}sound, with {counted(count, 'rule')}{modes}", flush=True)
    if is_misplaced:
        print(f"warning: host rules count only in the folder {visible(str(hosts_folder()))}")
    if policy.is_loud:
        print(f"warning: {LOUD}")
    if not _is_complete(policy.rules, METHODS):
        print("if no rule matches, the call asks")
    if policy.request_rules and not _is_complete(policy.request_rules, REQUESTS):
        print(
            "if no rule matches a request of the server, elicitation and sampling ask, "
            "and roots are sent"
        )
    is_tried = any(_is_tried(one) for rule in policy.rules for one in rule.arguments)
    return ExitStatus.OK, policy if is_tried else None


def _is_complete(rules: Iterable[Rule | RequestRule], kinds: Iterable[str]) -> bool:
    """True if there is a rule for whatever comes of each kind."""
    covered = {on for rule in rules if rule.is_unconditional for on in rule.on}
    return covered.issuperset(kinds)


async def _print_warnings(policy: Policy) -> None:
    trials = PatternCache()
    for rule in policy.rules:
        place = f"line {rule.line}, {rule.label}" if rule.line else rule.label
        for test in rule.arguments:
            async for words in _warnings(trials, rule, test):
                print(f"warning: {place}: {words}", flush=True)


def _is_tried(test: ArgumentCondition) -> bool:
    return test.comparison in (Comparison.MATCHES, Comparison.SCHEMA, Comparison.GLOB)


async def _warnings(
    trials: PatternCache, rule: Rule, test: ArgumentCondition
) -> AsyncIterator[str]:
    does = "does not count" if rule.then is Then.ALLOW else "counts as matched"
    slow = await _first_unjudged(trials, _hostile(test))
    if slow:
        yield f"{slow}; the rule then {does}"
    elif test.comparison is Comparison.MATCHES and repeats_itself(str(test.value)):
        words = f"{quoted(str(test.value))} has a repeat right within a repeat"
        yield f"{words}: on some texts it may take too long, and the rule then {does}"
    if rule.then is Then.ALLOW and (way := await _way_out(trials, test)):
        words = f"{test.comparison} {quoted(str(test.value))} also fits {quoted(way)}"
        yield f"{words}, which leads out of the folder"


async def _first_unjudged(trials: PatternCache, hostile: Iterable[tuple[str, Trial]]) -> str:
    """Describe the first trial without a result; empty if all have one."""
    for name, trial in hostile:
        tried = (await trials.carried_out([trial]))[trial.key]
        if tried.held is None:
            return f"{name} {tried.why} on {_described(trial.found)}"
    return ""


def _hostile(test: ArgumentCondition) -> Iterator[tuple[str, Trial]]:
    """Yield trials that may take long, each with its name."""
    if test.comparison is Comparison.MATCHES:
        pattern = str(test.value)
        for text in hostile_texts(pattern):
            yield f"matches {quoted(pattern)}", Trial(TrialOf.PATTERN, pattern, text)
    if test.comparison is Comparison.SCHEMA:
        for value in _ANYTHING:
            yield "its schema", Trial(TrialOf.SCHEMA, test.value, value)
        for pattern in dict.fromkeys(_patterns(test.value)):
            like = _as_python(pattern)
            for text in ("",) if pattern_fault(like) else hostile_texts(like):
                trial = Trial(TrialOf.SCHEMA, {"pattern": pattern}, text)
                yield f"the pattern {quoted(pattern)} of its schema", trial


def _as_python(pattern: str) -> str:
    """A pattern of ECMA-262 as one of Python that repeats the same: texts are made from its parts.

    It is tried as it is written.
    """
    named = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    return re.sub(r"\\[pP]\{[^{}]*\}", r"\\w", named)


def _patterns(schema: JsonValue) -> Iterator[str]:
    """The regular expressions in a schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from _patterns(one)
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "pattern" and isinstance(value, str):
                yield value
            if key == "patternProperties" and isinstance(value, dict):
                yield from value
            yield from _patterns(value)


async def _way_out(trials: PatternCache, test: ArgumentCondition) -> str:
    """A path out of the folder with which a test begins, if it fits that too."""
    wanted = str(test.value)
    if test.comparison is Comparison.GLOB:
        return next((way for way in glob_ways_out(wanted) if test.fits(way)), "")
    if test.comparison is Comparison.MATCHES:
        for way in ways_out(wanted):
            trial = Trial(TrialOf.PATTERN, wanted, way)
            if (await trials.carried_out([trial]))[trial.key].held:
                return way
    return ""


def _described(value: JsonValue) -> str:
    if not isinstance(value, str):
        return "any value"
    short = cut(value, _SHOWN)
    if not short.is_cut:
        return f'the text "{visible(value)}"'
    return f'a text like "{visible(short.text)}…" ({len(value):,} characters)'
