"""Policies as TOML: read whole or refused, with the line of every mistake.

Also reads a `[[rule]]` on requests of a server, and the built-in policies.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePath

from ...content.files.kinds import Word
from ...content.files.toml_tree import TOO_DEEP, TomlError, read_toml
from ...content.files.tree import TOML, Problem, Problems, SourceLocation, TableReader, Tree
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...protocol.server import Trust
from ...protocol.server_requests.capabilities import ROOTS, SAMPLING
from .policy import BUILT_IN_NAMES, Basis, Policy, PolicyKind
from .request_rules import (
    FORM,
    MAY_SAY,
    URL,
    ChoiceCondition,
    NamedBy,
    RequestCondition,
    RequestNameCondition,
    RequestRule,
    SecretCondition,
    ToolsCondition,
    on_words,
)
from .rule_text import (
    FLAG,
    OF_REQUESTS,
    ON_KEY,
    REQUESTS,
    SOLID,
    read_choices,
    read_globs,
    read_on,
    read_rule,
)
from .rules import NameGlobs, Rule, Then

_EVERY = ("name", ON_KEY, "then", "reason", "server", "trust")
_OF_CALLS = (
    *("tool", "effect", "world", "definition", "approved", "doubts", "hints", "counts"),
    *("argument", "result"),
)
_DECLINING = ("deny", "decline", "reject", "cancel")
_ONLY_OF_HOSTS = ("basis", "default_mode", "mode")
_REQUIRED_OF_HOSTS = ("title", "source", "date")


def read_request_rule(table: TableReader, number: int, on: frozenset[str]) -> RequestRule:
    """Read the rule; mistakes are noted in the table's problems."""
    _note_foreign_keys(table, on)
    rule = RequestRule(
        number=number,
        then=_then(table, on),
        on=on,
        name=visible(table.read("name", SOLID, "")),
        reason=visible(table.read("reason", SOLID, "")),
        conditions=tuple(_conditions(table)),
        line=table.spot.line,
    )
    table.done()
    return rule


def _then(table: TableReader, on: frozenset[str]) -> Then:
    kinds = [one for one in REQUESTS if one in on]
    allowed = [one for one in Then if all(one in MAY_SAY[kind] for kind in kinds)]
    tree = table.take("then", required=True)
    if tree is not None and tree.value in allowed:
        return Then(str(tree.value))
    if tree is not None:
        table.wrong("then", _why_not(tree, on, allowed))
    return Then.REFUSE


def _why_not(tree: Tree, on: frozenset[str], allowed: list[Then]) -> str:
    """Explain why a rule cannot have this `then`, and suggest another."""
    value = tree.value
    write = f"write then = {TOML.one_of(allowed)}"
    if value in _DECLINING:
        return f'to decline, write then = "{Then.REFUSE}"'
    if value == Then.ASK_WITH_WARNING and Then.ASK in allowed:
        return f'a server\'s request has one form of dialog: write then = "{Then.ASK}"'
    if value == Then.ALLOW and (rest := on - {ROOTS}):
        whose = "the model's words" if rest == {SAMPLING} else "the answer"
        return f"{whose} must come from you or --answer FILE: {write}"
    if value in (Then.ASK, Then.ASK_WITH_WARNING) and ROOTS in on:
        return f"roots are set by L and --root, without asking: {write}"
    hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
    words = f"{TOML.one_of(allowed)} in a rule on {on_words(on)}"
    return f"then must be {words}, not {TOML.shown(value)}{hint}"


def _note_foreign_keys(table: TableReader, on: frozenset[str]) -> None:
    fitting = [*_EVERY[4:], *(key for key, kinds in OF_REQUESTS.items() if on.issubset(kinds))]
    takes = f"a rule on {on_words(on)} uses {', '.join(fitting)}"
    for key in (*_OF_CALLS, *OF_REQUESTS):
        if key not in fitting and table.take(key) is not None:
            table.wrong(key, f"{key} has no effect here: {takes}")


def _conditions(table: TableReader) -> Iterator[RequestCondition]:
    for of in NamedBy:
        globs = tuple(read_globs(table, of.value))
        if of is NamedBy.HOST:
            # Names of hosts have no case.
            globs = tuple(glob.casefold().rstrip(".") for glob in globs)
        # A glob for every server demands nothing; one for every host demands a page.
        if globs and (of is NamedBy.HOST or not any(set(glob) == {"*"} for glob in globs)):
            yield RequestNameCondition(of, NameGlobs(globs))
    if trust := table.read("trust", Word(tuple(Trust))):
        yield ChoiceCondition("trust", trust)
    if mode := table.read("mode", Word((FORM, URL))):
        yield ChoiceCondition("mode", mode)
    if (secret := table.read("asks_for_secret", FLAG)) is not None:
        yield SecretCondition(secret)
    if (tools := table.read("gives_tools", FLAG)) is not None:
        yield ToolsCondition(tools)


LONGEST = 1_000_000
"""Characters of a policy file."""
MOST_RULES = 1_000
MOST_SCHEMA_NODES = 5_000
"""Values in all schemas of a file."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
MOST_MODES = 30
_MODE = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_DOUBTS = {"ask": True, "ignore": False}
_REMEMBERS = ("once", "arguments", "session", "workspace", "date", "always")


class PolicyError(ValueError):
    """Lists every mistake of a refused policy, in the order of the lines.

    The text has one mistake a line, as `mine.toml line 12: ...`, and is safe to show.
    """

    def __init__(self, file_name: str, problems: tuple[Problem, ...]) -> None:
        self.file_name = visible(file_name)
        self.problems = problems
        super().__init__("\n".join(self.lines))

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(one.words(self.file_name) for one in self.problems)


def read_policy(text: str, file_name: str, kind: PolicyKind = PolicyKind.OWN) -> Policy:
    """Read a policy from TOML. Raises PolicyError with all its mistakes.

    `file_name` is the document's name in messages and verdicts.
    """
    problems = Problems(TOML)
    try:
        policy = _policy(TableReader(read_toml(text, LONGEST), problems), file_name, kind)
    except TomlError as error:
        raise PolicyError(file_name, (error.problem,)) from None
    except RecursionError:
        raise PolicyError(file_name, (TOO_DEEP,)) from None
    if problems.found:
        raise PolicyError(file_name, problems.in_order())
    return policy


def has_host_keys(text: str) -> bool:
    """True if the TOML has the keys of host rules; False for a policy, and for other text."""
    try:
        keys = read_toml(text, LONGEST).members
    except (TomlError, RecursionError):
        return False
    return any(key in keys for key in _ONLY_OF_HOSTS) or all(
        key in keys for key in _REQUIRED_OF_HOSTS
    )


def _policy(table: TableReader, file_name: str, kind: PolicyKind) -> Policy:
    name = table.read("name", SOLID, "", required=True)
    if name and not _NAME.fullmatch(name):
        table.wrong("name", 'a name must have 1 to 60 of A-Z a-z 0-9 . _ - (example: "my-policy")')
    is_host = kind is PolicyKind.HOST
    rules, request_rules = _rules(table, is_host)
    # Read one after the other, so that every mistake is found; a half-read policy never leaves.
    policy = Policy(
        name=visible(name),
        kind=kind,
        title=visible(table.read("title", SOLID, "", required=is_host)),
        summary=visible(table.read("summary", SOLID, "", required=True)),
        like=visible(table.read("like", SOLID, "")),
        honours_grants=table.read("grants", FLAG, True),
        heeds_doubts=_DOUBTS[table.read("doubts", Word(tuple(_DOUBTS)), "ask")],
        source=visible(table.read("source", SOLID, "", required=is_host) if is_host else file_name),
        source_file=visible(table.read("source_file", SOLID, "")),
        date=_date(table, required=is_host),
        version=visible(table.read("version", SOLID, "")),
        basis=_basis(table) if is_host else None,
        notes=visible(table.read("notes", SOLID, ""), multiline=True),
        edits_arguments=table.read("edits_arguments", FLAG),
        remembers=read_choices(table, "remembers", _REMEMBERS, may_be_empty=True),
        rules=rules,
        request_rules=request_rules,
    )
    if is_host:
        policy = _with_modes(table, policy)
    else:
        _note_keys_of_hosts(table)
        table.read("source", SOLID, "")
    table.done()
    return policy


def _note_keys_of_hosts(table: TableReader) -> None:
    for key in _ONLY_OF_HOSTS:
        if table.take(key) is not None:
            table.wrong(
                key,
                f"{key} is a key of host rules, not of a policy; host rules are files in the "
                "folder hosts beside the settings file",
            )


def _basis(table: TableReader, default: Basis = Basis.READ) -> Basis:
    return Basis(table.read("basis", Word(tuple(Basis)), default))


def _with_modes(table: TableReader, host: Policy) -> Policy:
    """Read the `[[mode]]` tables of a host; what a mode leaves out is as in the whole file."""
    tables = table.tables("mode")
    first = _mode_name(table, "default_mode", required=False)
    if len(tables) > MOST_MODES:
        table.wrong("mode", f"there are {len(tables):,} modes; the limit is {MOST_MODES}")
        return host
    lines = {first: table.tree.keys["default_mode"].line} if first else {}
    modes: list[Policy] = []
    for one in tables:
        mode = _read_mode(one, host)
        if mode.mode and mode.mode in lines:
            words = f"two modes have the name {TOML.quoted(mode.mode)}"
            one.wrong("name", f"{words}; the other is on line {lines[mode.mode]}")
        lines.setdefault(mode.mode, one.spot.line)
        modes.append(mode)
    return replace(host, mode=first, modes=tuple(modes))


def _read_mode(table: TableReader, host: Policy) -> Policy:
    """Read one mode: its rules come first, and then those of the host."""
    name = _mode_name(table, "name", required=True)
    title = visible(table.read("title", SOLID, "", required=True))
    own, of_requests = _rules(table, is_host=True)
    rest = () if any(one.is_catch_all for one in own) else host.rules
    count = len(own) + len(of_requests)
    mode = replace(
        host,
        name=f"{host.name}:{name}",
        title=f"{host.title} {title}",
        summary=visible(table.read("summary", SOLID, "", required=True)),
        source=visible(table.read("source", SOLID, host.source)),
        source_file=visible(table.read("source_file", SOLID, host.source_file)),
        date=_date(table, required=False) or host.date,
        version=visible(table.read("version", SOLID, host.version)),
        basis=_basis(table),
        notes=visible(table.read("notes", SOLID, ""), multiline=True),
        honours_grants=table.read("grants", FLAG, host.honours_grants),
        rules=(*own, *(replace(one, number=at) for at, one in enumerate(rest, start=count + 1))),
        request_rules=of_requests or host.request_rules,
        mode=name,
    )
    table.done()
    return mode


def mode_text(text: str, mode: str) -> str:
    """The part of a host's TOML that has one of its modes. Raises KeyError."""
    modes = read_toml(text, LONGEST).members["mode"].items
    begins = [one.spot.line for one in modes]
    names = [one.members["name"].value for one in modes]
    if mode not in names:
        raise KeyError(mode)
    at = names.index(mode)
    last = begins[at + 1] - 1 if at + 1 < len(begins) else None
    return "\n".join(text.split("\n")[begins[at] - 1 : last]).strip("\n") + "\n"


def _mode_name(table: TableReader, key: str, *, required: bool) -> str:
    name: str = table.read(key, SOLID, "", required=required)
    if name and not _MODE.fullmatch(name):
        words = "must have 1 to 30 of a-z 0-9 - (example: full-access)"
        table.wrong(key, f"the name of a mode {words}")
    return visible(name)


def _rules(table: TableReader, is_host: bool) -> tuple[tuple[Rule, ...], tuple[RequestRule, ...]]:
    """Read rules on client requests, and rules on server requests."""
    tables, problems = table.tables("rule"), table.problems
    if "rule" not in table.tree.members:
        heading = "[[mode.rule]]" if table.spot.line > 1 else "[[rule]]"
        problems.add(table.spot, f"no rule found: a rule begins with {heading}")
    if len(tables) > MOST_RULES:
        table.wrong("rule", f"there are {len(tables):,} rules; the limit is {MOST_RULES:,}")
        return (), ()
    nodes = sum(_schema_nodes(one) for one in tables)
    if nodes > MOST_SCHEMA_NODES:
        words = f"their schemas have {nodes:,} values; the limit is {MOST_SCHEMA_NODES:,}"
        table.wrong("rule", words)
        return (), ()
    rules: list[Rule | RequestRule] = []
    sound: list[Rule | RequestRule] = []
    for number, one in enumerate(tables, start=1):
        before = len(problems.found)
        rules.append(_read(one, number, is_host))
        if len(problems.found) == before:
            sound.append(rules[-1])
    _check_names(rules, problems)
    # The reach of a rule with a mistake is unknown.
    _check_reach(sound, problems)
    calls = tuple(one for one in rules if isinstance(one, Rule))
    return calls, tuple(one for one in rules if not isinstance(one, Rule))


def _read(table: TableReader, number: int, is_host: bool) -> Rule | RequestRule:
    on = read_on(table)
    if on.isdisjoint(REQUESTS):
        return read_rule(table, number, on, may_be_host=is_host)
    # Most policies have no such rule, and the first list of tools waits for this module.
    return read_request_rule(table, number, on)


def _schema_nodes(rule: TableReader) -> int:
    """Count the values in the schemas of a rule, or in their place."""
    arguments = rule.tree.members.get("argument", rule.tree).items
    level = [one.members["schema"] for one in arguments if "schema" in one.members]
    count = 0
    while level:
        count += len(level)
        level = [below for one in level for below in (*one.items, *one.members.values())]
    return count


def _check_names(rules: Sequence[Rule | RequestRule], problems: Problems) -> None:
    first: dict[str, Rule | RequestRule] = {}
    for rule in rules:
        other = first.setdefault(rule.name, rule)
        if rule.name and other is not rule:
            words = f"two rules have the name {TOML.quoted(rule.name)}"
            problems.add(SourceLocation(rule.line), f"{words}; the other is on line {other.line}")


def _check_reach(rules: Sequence[Rule | RequestRule], problems: Problems) -> None:
    """Report rules that can never fire: their author thinks that they do."""
    # By what a rule is on: the one that decides on all that is left.
    catch_all: dict[str, Rule | RequestRule] = {}
    first: dict[Hashable, Rule | RequestRule] = {}
    for rule in rules:
        if all(one in catch_all for one in rule.on):
            found = {id(one): one for one in (catch_all[on] for on in sorted(rule.on))}
            named = " and ".join(f"{one.label} on line {one.line}" for one in found.values())
            verb = "matches" if len(found) == 1 else "match"
            words = f"{named} already {verb} everything"
            problems.add(SourceLocation(rule.line), f"{rule.label} is never reached: {words}")
            continue
        twin = first.setdefault(rule.demands, rule)
        if twin is not rule:
            words = f"{twin.label} on line {twin.line} has the same conditions"
            problems.add(SourceLocation(rule.line), f"{rule.label} is never reached: {words}")
        if rule.is_unconditional:
            for one in rule.on:
                catch_all.setdefault(one, rule)


def _date(table: TableReader, *, required: bool) -> datetime.date | None:
    tree = table.take("date", required=required)
    if tree is None:
        return None
    if isinstance(tree.value, datetime.date) and not isinstance(tree.value, datetime.datetime):
        return tree.value
    table.wrong("date", "date must be a day without quotes (example: date = 2026-11-15)")
    return None


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
