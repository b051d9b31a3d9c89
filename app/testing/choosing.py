"""Which steps of a flow are run: those whose names have some words, and what they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from ..content.json.jsonio import JsonValue
from ..protocol.tool import ToolDefinition
from ..schemas.form.drafts import arguments_of, initial_draft
from ..schemas.form.form import build_form
from ..schemas.samples import sample_arguments
from .flow import Each, Flow, Step
from .variables import used_in


def chosen_steps(flow: Flow, words: str) -> frozenset[int]:
    """The indexes of the steps to run: all where the flow itself is meant, or nothing is said.

    A step that captures what a chosen one uses is run as well.
    """
    everything = frozenset(range(len(flow.steps)))
    wanted = words.casefold()
    if not wanted or wanted in flow.file.casefold() or wanted in flow.title.casefold():
        return everything
    chosen = {at for at, step in enumerate(flow.steps) if wanted in step.title.casefold()}
    for at in sorted(everything, reverse=True):
        names = {one.name for one in flow.steps[at].captures}
        if any(names & _used(flow.steps[later]) for later in chosen if later > at):
            chosen.add(at)
    return frozenset(chosen)


def _used(step: Step) -> set[str]:
    values: list[object] = [step.target, step.arguments, step.person and step.person.to]
    values += [one.value for one in step.expected]
    values += [one.values for several in step.replies.values() for one in several]
    return {name for text in _texts(values) for name in used_in(text)}


def _texts(value: object) -> Iterable[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _texts(one)
        case Mapping():
            for one in value.values():
                yield from _texts(one)


def matching_tools(each: Each, tools: Iterable[ToolDefinition]) -> list[ToolDefinition]:
    """The tools that a step is done for, as the server lists them."""
    return [
        tool
        for tool in tools
        if (not each.effects or tool.effect.value in each.effects)
        and (not each.names or any(fnmatchcase(tool.name, one) for one in each.names))
        and not any(fnmatchcase(tool.name, one) for one in each.excepted)
    ]


def filled_arguments(tool: ToolDefinition) -> dict[str, JsonValue]:
    """The arguments as the form has them when nobody has typed anything yet, and a sample of what
    is required besides."""
    form = build_form(tool.input_schema)
    given = dict(arguments_of(form, initial_draft(form), as_typed=True).arguments)
    return {**given, **sample_arguments(tool.input_schema)}
