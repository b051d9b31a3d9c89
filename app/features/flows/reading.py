"""Reads flow files whole or refuses them, with the place of every mistake.

Also finds flow files on disk and checks them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ...cli.approving.people import Person, ServerReply
from ...cli.options.session import SessionOptions
from ...cli.targets.targets import UsageError
from ...content.files.content import FileFault, read_data
from ...content.files.tree import NOWHERE, YAML, Problem, Problems, SourceLocation, Tree
from ...content.suggest import did_you_mean
from ...content.text import shortened, visible
from .flow import (
    ACTIONS,
    Expected,
    Flow,
    ServerSpec,
    SignInWanted,
    Step,
    StepCapture,
    ToolSelector,
    Variable,
)
from .grammar import FLOW, OPTION_KEYS
from .matching import NAME, TOOL, uses
from .yaml_tree import LONGEST, FlowError, read_yaml


def read_flow(data: bytes, file: str) -> Flow:
    """The flow of a file. Raises FlowError with all its mistakes."""
    tree = read_yaml(data, file)
    problems = Problems(YAML)
    found = FLOW.read(tree, "a flow", problems)
    if isinstance(tree.value, dict):
        _check_names(tree, problems)
        _check_command(tree, problems)
    if problems.found:
        raise FlowError(file, problems.in_order())
    return _flow(tree, found, file)


def _flow(tree: Tree, found: dict[str, Any], file: str) -> Flow:
    children = tree.members
    steps = children["steps"].items
    rules = "host" if "host" in found else "policy"
    return Flow(
        file=file,
        title=found.get("flow", ""),
        server=_server(found),
        steps=tuple(_step(at, one) for at, one in zip(steps, found["steps"], strict=True)),
        policy=found.get("policy", ""),
        host=found.get("host", ""),
        rules_spot=children[rules].spot if rules in children else NOWHERE,
        person=person_of(found.get("person", "deny")),
        variables=tuple(_variables(tree, found.get("variables", {}))),
        decision_seconds=found.get("decision_seconds"),
        timeout=found.get("timeout"),
        retries=found.get("retries", 0),
        sign_in=_sign_in(tree, found),
    )


def _server(found: Mapping[str, Any]) -> ServerSpec:
    command = found.get("command", ())
    words = shlex.split(command) if isinstance(command, str) else command
    return ServerSpec(
        is_bundled="server" in found,
        command=tuple(words),
        url=found.get("url", ""),
        folder=found.get("folder", ""),
        headers=found.get("headers", {}),
        env=found.get("env", {}),
        trust=found.get("trust"),
        options=SessionOptions(**_options(found)),
    )


def _options(found: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: found[name] for name in OPTION_KEYS if name in found}
    return {name: tuple(one) if isinstance(one, list) else one for name, one in given.items()}


def _step(tree: Tree, found: Mapping[str, Any]) -> Step:
    action = next(one for one in ACTIONS if one in found)
    each = found["each"] if action == "each" else None
    children = tree.members
    expect = found.get("expect", {})
    target = "" if each is not None else found[action]
    return Step(
        action=action,
        target=str(target),
        pause=target if isinstance(target, int | float) else None,
        spot=tree.spot,
        name=found.get("name", ""),
        arguments=found.get("with"),
        each=None if each is None else _each(each),
        person=person_of(found["person"]) if "person" in found else None,
        replies={
            kind: tuple(_reply(kind, one) for one in several)
            for kind, several in found.get("answers", {}).items()
            if kind
        },
        sign_in=_sign_in(tree, found),
        expected=_expected(expect, children["expect"]) if expect else (),
        captures=tuple(
            _capture(name, one, children["capture"].members[name].spot)
            for name, one in found.get("capture", {}).items()
        ),
        timeout=found.get("timeout"),
        cancel=found.get("cancel"),
        retries=found.get("retries"),
    )


def _expected(found: Mapping[str, Any], tree: Tree) -> tuple[Expected, ...]:
    return tuple(
        Expected(name, value, tree.members[name].spot) for name, value in found.items() if name
    )


def _sign_in(tree: Tree, found: Mapping[str, Any]) -> SignInWanted | None:
    """The sign-in of a flow or a step; None without one."""
    if "sign_in" not in found:
        return None
    wanted, inside = found["sign_in"], tree.members["sign_in"]
    if isinstance(wanted, str):
        return SignInWanted(wanted, inside.spot)
    rest = {name: value for name, value in wanted.items() if name != "answer"}
    return SignInWanted(wanted["answer"], inside.spot, _expected(rest, inside))


def _each(found: Mapping[str, Any]) -> ToolSelector:
    return ToolSelector(
        tuple(found.get("name", ())), tuple(found.get("except", ())), tuple(found.get("effect", ()))
    )


def person_of(found: Any) -> Person:
    """Read the person from a word or a table of a flow file."""
    if isinstance(found, str):
        return Person(found)
    return Person(
        answer=found["answer"],
        after=found.get("after", 0.0),
        remember=found.get("remember", "once"),
        to=found.get("to"),
        then=found.get("then", "deny"),
        uses=found.get("use", True),
    )


def _reply(kind: str, found: Any) -> ServerReply:
    if isinstance(found, str):
        if kind == "sampling" and found not in ("accept", "decline", "cancel"):
            return ServerReply("accept", {"text": found})
        return ServerReply(found)
    if kind == "sampling":
        said = {name: found[name] for name in ("text", "model") if name in found}
        return ServerReply(found.get("action", "accept"), said or None, found.get("after", 0.0))
    return ServerReply(
        found.get("action", "accept"),
        found.get("content"),
        found.get("after", 0.0),
        found.get("unchecked", False),
    )


def _capture(name: str, found: Any, spot: SourceLocation) -> StepCapture:
    if isinstance(found, str):
        return StepCapture(name, found, spot=spot)
    return StepCapture(
        name, found.get("result"), found.get("regex", ""), found.get("as") == "number", spot
    )


def _variables(tree: Tree, found: Mapping[str, Any]) -> Iterable[Variable]:
    named = tree.members["variables"].members if found else {}
    for name, value in found.items():
        spot = named[name].spot
        if isinstance(value, dict) and "" in value:
            yield Variable(name, None, value["env"], value.get("default"), spot)
        else:
            yield Variable(name, value, spot=spot)


def _check_command(tree: Tree, problems: Problems) -> None:
    command = tree.members.get("command")
    if command is None or not isinstance(command.value, str):
        return
    try:
        words = shlex.split(command.value)
    except ValueError as problem:
        problems.add(command.spot, f"command cannot be split into words: {problem}")
        return
    if not words:
        problems.add(command.spot, "command is empty")


def _check_names(tree: Tree, problems: Problems) -> None:
    """Check that every variable is known at its use: given, or captured in an earlier step."""
    children = tree.members
    known: dict[str, None] = {}
    if "variables" in children:
        known |= dict.fromkeys(_named(children["variables"], problems))
    for key, part in children.items():
        if key not in ("steps", "variables"):
            _check_uses(part, known, problems)
    for step in children.get("steps", Tree(None)).items:
        inside = step.members
        also = {TOOL: None} if "each" in inside else {}
        for key, part in inside.items():
            if key != "capture":
                _check_uses(part, {**known, **also}, problems)
        if "capture" in inside:
            captured = inside["capture"]
            for name, one in captured.members.items():
                _check_captured(name, one, problems)
            known |= dict.fromkeys(_named(captured, problems))


def _named(table: Tree, problems: Problems) -> list[str]:
    names = []
    for name in table.members:
        if NAME.fullmatch(name) is None or name == TOOL:
            shown = shortened(name, 60)
            words = (
                f"“{shown}” is not a variable name: use letters, digits and _ (example: item_id)"
            )
            problems.add(table.keys[name], words)
        names.append(name)
    return names


def _check_captured(name: str, tree: Tree, problems: Problems) -> None:
    if isinstance(tree.value, str) and tree.value and not tree.value.startswith("/"):
        words = (
            f"{shortened(name, 60)} is a JSON Pointer into the result, which begins with a slash"
        )
        problems.add(tree.spot, f"{words}, as /structuredContent/id")


def _check_uses(tree: Tree, known: Mapping[str, None], problems: Problems) -> None:
    for name, spot in uses(tree):
        if name not in known:
            shown = shortened(name, 60)
            hint = did_you_mean(name, known) or "; give it in variables, or capture it before"
            problems.add(spot, f"${{{shown}}} is not defined here{hint}")


ENDINGS: Final = (".flow.yaml", ".flow.yml")
"""What a file in a folder has to be called to be taken for a flow."""


def find_flows(given: Sequence[str]) -> list[Path]:
    """The files that are meant: those that were given, and of a folder those that it has.

    Raises UsageError.
    """
    found: dict[Path, None] = {}
    for one in given:
        path = Path(one)
        if not path.is_dir():
            found[path] = None
            continue
        inside = sorted(
            file for file in path.rglob("*") if file.name.endswith(ENDINGS) and file.is_file()
        )
        if not inside:
            raise UsageError(f"{visible(one)} has no flows: they are called *{ENDINGS[0]}")
        found |= dict.fromkeys(inside)
    return list(found)


def load_flow(path: Path) -> Flow:
    """Raises FlowError, also for a file that cannot be read."""
    try:
        data = read_data(path, LONGEST)
    except FileFault as fault:
        raise FlowError(str(path), (Problem(NOWHERE, f"it {fault}"),)) from None
    return read_flow(data, str(path))


def load_flows(given: Sequence[str]) -> tuple[list[Flow], list[FlowError]]:
    """All flows, and why others are none. Raises UsageError if none is meant."""
    flows: list[Flow] = []
    refused: list[FlowError] = []
    for path in find_flows(given):
        try:
            flows.append(load_flow(path))
        except FlowError as problem:
            refused.append(problem)
    return flows, refused
