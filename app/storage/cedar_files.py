"""Files with Cedar policies: Docker's text, and ToolHive's YAML or JSON around such texts."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final

from ..approval import policies
from ..approval.policies.cedar import DIALECTS as DIALECTS
from ..approval.policies.cedar import (
    DOCKER,
    TOOLHIVE,
    CedarPolicy,
    CedarProblem,
    read_cedar,
    split_statements,
)
from ..approval.policies.policy_text import PolicyError
from ..content.files.tree import NOWHERE, Problem, SourceLocation
from ..content.files.yaml_nodes import YamlError, compose, spot_of
from ..content.text import visible

TYPE: Final = "cedarv1"
"""ToolHive's word for this kind of file."""
EXAMPLE: Final = "example"
"""The file that comes with the program."""
_EXAMPLES: Final = {DOCKER: "docker-example.cedar", TOOLHIVE: "toolhive-example.yaml"}


def example_text(dialect: str) -> str:
    """The text of the policy that comes with the program."""
    return (resources.files(policies) / _EXAMPLES[dialect]).read_text(encoding="utf-8")


def read_cedar_text(dialect: str, path: str, text: str) -> CedarPolicy:
    """The policy in the text of a file. Raises PolicyError."""
    try:
        if dialect == DOCKER:
            found = [(one, _place(path, line)) for one, line in split_statements(text)]
            return _policy(dialect, path, found, ())
        return _policy(dialect, path, *_toolhive(path, text))
    except CedarProblem as problem:
        words = str(problem).removeprefix(f"{visible(path)} ")
        raise PolicyError(visible(path), (Problem(NOWHERE, words),)) from None
    except YamlError as error:
        raise PolicyError(visible(path), (error.problem,)) from None


def _policy(
    dialect: str, path: str, statements: list[tuple[str, str]], entities: Any
) -> CedarPolicy:
    if not statements:
        raise CedarProblem("it has no policies")
    return read_cedar(dialect, path, statements, entities)


def _toolhive(path: str, text: str) -> tuple[list[tuple[str, str]], Any]:
    """The policies and the static entities of a file: `type: cedarv1`, `cedar: {policies: ...}`."""
    members = _members(compose(text))
    kind = members.get("type")
    if kind is not None and str(kind.value) != TYPE:
        raise CedarProblem(f"its type is not {TYPE}")
    cedar = _members(members.get("cedar")) or members
    policies = cedar.get("policies")
    if policies is None or not isinstance(policies.value, list):
        raise CedarProblem("cedar.policies is not a list of texts")
    found = []
    for node in policies.value:
        if not isinstance(node.value, str):
            raise CedarProblem(f"{_spot(path, node)}: a policy is not a text")
        found += [
            # A block begins on the line after its mark.
            (one, _place(path, spot_of(node).line + line - 1 + (node.style in ("|", ">"))))
            for one, line in split_statements(node.value)
        ]
    entities = cedar.get("entities_json")
    if entities is None or not str(entities.value).strip():
        return found, ()
    try:
        read = json.loads(str(entities.value))
    except (ValueError, RecursionError):
        raise CedarProblem(f"{_spot(path, entities)}: entities_json is not JSON") from None
    if not isinstance(read, list):
        raise CedarProblem(f"{_spot(path, entities)}: entities_json is not a list")
    return found, read


def _members(node: Any) -> dict[str, Any]:
    """The values of a mapping by their keys; empty for another node."""
    pairs = node.value if node is not None and isinstance(node.value, list) else []
    return {str(pair[0].value): pair[1] for pair in pairs if isinstance(pair, tuple)}


def _spot(path: str, node: Any) -> str:
    spot: SourceLocation = spot_of(node)
    return _place(path, spot.line)


def _place(path: str, line: int) -> str:
    return f"{visible(path)} line {line}"
