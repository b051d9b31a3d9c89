"""The rules of one entry: settings of the files, and the model of the host in the chosen mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ..approval.policies.conditions import Condition, FactCondition, FactOf, NameCondition, NameOf
from ..approval.policies.policy import Policy
from ..approval.policies.rules import Rule, Then
from ..content.frozen import frozen
from ..content.text import visible
from ..protocol.server import Trust
from ..schemas.secrets.secrets import mask_text
from .auto_approved import EVERY
from .deciding import Rank, Setting

PLAN: Final = "plan"
"""The mode whose own rules come before what a person has allowed."""
CANNOT_ASK: Final = "exec"
"""The mode of Codex that a setting chooses if no call may ask."""
_NOT_ASKED: Final = "approval_policy is never, and it was not read what happens then"


@frozen
class Assembled:
    """One rule, and the setting that it comes from."""

    rule: Rule
    setting: Setting | None = None


def assembled(
    title: str, settings: Sequence[Setting], model: Policy | None
) -> tuple[list[Assembled], Policy | None]:
    """The rules in the order in which they count, and the model in its mode.

    `settings` are in their order. Without a model, and in a mode that is not known, what no
    setting decides is not known.
    """
    chosen = next((one for one in settings if one.mode_of_all), None)
    mode = model if chosen is None else _in_mode(model, chosen)
    ahead, last = _of_mode(title, model, mode, chosen)
    found = [Assembled(_rule(one), one) for one in settings if one.rank < Rank.TOOL and one.then]
    found += ahead
    for one in settings:
        if one.rank >= Rank.TOOL and one.then:
            found.append(Assembled(_rule(one), one))
        elif one.mode and not one.mode_of_all:
            found += _of_tool(model, one)
    found += last
    trust = next((one for one in settings if one.trusts), None)
    found = [each for one in found for each in _with_trust(one, trust)]
    is_never = any(one.mode == CANNOT_ASK for one in settings)
    if is_never and (chosen is None or chosen.mode != CANNOT_ASK):
        found = [_not_asked(one) for one in found]
    return found, mode


def _in_mode(model: Policy | None, chosen: Setting) -> Policy | None:
    """The model in a mode; None if it lacks the mode."""
    if model is None or chosen.is_default_mode:
        return model
    return next((one for one in model.variants if one.mode == chosen.mode), None)


def _of_mode(
    title: str, model: Policy | None, mode: Policy | None, chosen: Setting | None
) -> tuple[list[Assembled], list[Assembled]]:
    """Rules before all that a person has allowed, and rules after it."""
    if model is None:
        words = f"{title} has no model"
        return [], [Assembled(Rule(0, Then.UNKNOWN, "no model", words))]
    if mode is None:
        assert chosen is not None
        words = f"{chosen.reason}: the model has no rules for this mode"
        return [Assembled(_rule(replace(chosen, then=Then.UNKNOWN, reason=words)), chosen)], []
    if chosen is None or mode is model:
        return [], [Assembled(_placed(rule, chosen), chosen) for rule in mode.rules]
    own = _own_rules(mode, model)
    first = mode.rules[:own] if chosen.rank is Rank.BY_MODE or mode.mode == PLAN else ()
    ahead = [Assembled(_placed(rule, chosen), chosen) for rule in first]
    # Rules of the host behind those of the mode come from no setting.
    last = [
        Assembled(_placed(rule, chosen), chosen) if at < own else Assembled(rule)
        for at, rule in enumerate(mode.rules)
        if at >= len(first)
    ]
    return ahead, last


def _own_rules(mode: Policy, model: Policy) -> int:
    """How many of the rules are those of the mode; those of the host may follow."""
    count = len(mode.rules) - len(model.rules)
    rest = mode.rules[count:] if count >= 0 else ()
    # Both are in one file, in which each rule has a line of its own.
    same = [one.line for one in rest] == [one.line for one in model.rules]
    return count if rest and same else len(mode.rules)


def _of_tool(model: Policy | None, setting: Setting) -> Iterator[Assembled]:
    """The rules of a mode that is chosen for a few tools."""
    mode = _in_mode(model, setting)
    if mode is None:
        words = f"{setting.reason}: the model has no rules for this mode"
        yield Assembled(_rule(replace(setting, then=Then.UNKNOWN, reason=words)), setting)
        return
    for rule in mode.rules:
        only = replace(rule, conditions=(*_conditions(setting), *rule.conditions))
        yield Assembled(_placed(only, setting), setting)


def _rule(setting: Setting) -> Rule:
    return Rule(
        0,
        setting.then or Then.UNKNOWN,
        _safe(f"{setting.key} {setting.value}".strip() or "off"),
        _safe(setting.reason),
        conditions=_conditions(setting),
        place=visible(setting.place),
    )


def _safe(text: str) -> str:
    """Words from a file, without what looks like a secret."""
    return visible(mask_text(text))


def _conditions(setting: Setting) -> tuple[Condition, ...]:
    if setting.tools == (EVERY,):
        return ()
    return (NameCondition(NameOf.TOOL, setting.tools, setting.is_other),)


def _placed(rule: Rule, setting: Setting | None) -> Rule:
    """A rule of a model, with the setting that makes it count as its place."""
    if setting is None:
        return rule
    reason = _safe(setting.reason)
    reason = f"{reason}; {rule.reason}" if rule.reason else reason
    return replace(rule, reason=reason, place=visible(setting.place))


def _with_trust(one: Assembled, trust: Setting | None) -> Iterator[Assembled]:
    """The rule without its condition on trust, or nothing if that is not met."""
    wanted = [
        each
        for each in one.rule.conditions
        if isinstance(each, FactCondition) and each.of is FactOf.TRUST
    ]
    if not wanted:
        yield one
        return
    is_met = all((Trust.TRUSTED if trust else Trust.UNTRUSTED) in each.values for each in wanted)
    if is_met:
        kept = tuple(each for each in one.rule.conditions if each not in wanted)
        rule = replace(one.rule, conditions=kept)
        yield Assembled(_placed(rule, trust), trust) if trust else replace(one, rule=rule)


def _not_asked(one: Assembled) -> Assembled:
    """A rule that asks where no call may ask."""
    if one.rule.then not in (Then.ASK, Then.ASK_WITH_WARNING):
        return one
    words = f"{one.rule.reason}; {_NOT_ASKED}"
    return replace(one, rule=replace(one.rule, then=Then.UNKNOWN, reason=words))
