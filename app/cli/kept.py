"""The settings that last, put where the command line says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..storage.settings.file import STRICT, load_settings
from ..storage.settings.values import DEFAULT, FILE, Mistake, Settings

if TYPE_CHECKING:
    from .options.server import SessionOptions


def fill_in(
    given: SessionOptions, environment: Mapping[str, str]
) -> tuple[SessionOptions, Settings]:
    """The options with what the person keeps and did not give, and all the settings.

    A policy that is not known or lets everything run is a mistake, and STRICT stands for it.
    """
    settings = checked(load_settings(environment))
    times, judging = given.times, given.judging

    def kept(seconds: float | None, name: str) -> float | None:
        return settings.seconds(name) if seconds is None else seconds

    times = times._replace(
        timeout=kept(times.timeout, "timeout"),
        max_time=kept(times.max_time, "max_time"),
        connect_timeout=kept(times.connect_timeout, "connect_timeout"),
        decision_seconds=kept(times.decision_seconds, "decision_seconds"),
    )
    if judging.policy is not None or judging.host is not None:
        settings = replace(settings, is_policy_sure=True)
    elif not settings.is_policy_sure:
        judging = judging._replace(policy=STRICT)
    elif settings.of("policy").source != DEFAULT:
        judging = judging._replace(policy=settings.text("policy"))
    return given._replace(times=times, judging=judging), settings


def checked(settings: Settings) -> Settings:
    """The settings, with what is wrong with the policy that they name."""
    found = settings.of("policy")
    fault = "" if found.source == DEFAULT else _policy_fault(str(found.value))
    if not fault:
        return settings
    from ..approval.policies.toml_tables import Problem
    from ..content.text import visible

    is_of_file = found.source == FILE
    place = visible(settings.file.rpartition("/")[2]) if is_of_file else found.source
    mistake = Mistake(place, Problem(found.line, fault))
    others = {name: one for name, one in settings.found.items() if name != "policy"}
    mistakes = tuple(sorted((*settings.mistakes, mistake)))
    return replace(settings, found=others, mistakes=mistakes, is_policy_sure=False)


def _policy_fault(name: str) -> str:
    from ..approval.policies.policy_text import PolicyError
    from ..storage.policy_files import PolicyNotFound, find_policy
    from ..storage.settings.settings import LOUD

    try:
        policy = find_policy(name)
    except (PolicyError, PolicyNotFound) as problem:
        return " ".join(str(problem).splitlines())
    return f"policy {LOUD}" if policy.is_loud else ""
