"""YAML as nodes with their marks, as the library composes them; every error has a place."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from ..text import cut, visible
from .tree import NOWHERE, Problem, SourceLocation

NULLS: Final = ("", "~", "null", "Null", "NULL")
FLAGS: Final = {"true": True, "True": True, "TRUE": True} | {
    "false": False,
    "False": False,
    "FALSE": False,
}
INTEGER: Final = re.compile(r"[-+]?[0-9]{1,300}")
_OTHER_INTEGER: Final = re.compile(r"0x[0-9a-fA-F]{1,200}|0o[0-7]{1,200}")
FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def plain_scalar(text: str) -> str | int | float | bool | None:
    """The value of a scalar without quotes (YAML 1.2, core schema); infinite numbers are texts."""
    if text in NULLS:
        return None
    if text in FLAGS:
        return FLAGS[text]
    if INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_INTEGER.fullmatch(text):
        return int(text, 0)
    if FLOAT.fullmatch(text) and math.isfinite(value := float(text)):
        return value
    return text


class YamlError(ValueError):
    """A text is not a usable YAML document; holds the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def compose(text: str) -> Any:
    """The root node of the one document of a text; None for an empty one. Raises YamlError."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        spot = NOWHERE if mark is None else SourceLocation(mark.line + 1, mark.column + 1)
        raise YamlError(Problem(spot, _words(problem))) from None
    except RecursionError:
        raise YamlError(Problem(NOWHERE, "it is nested too deeply")) from None
    except (YAMLError, ValueError) as problem:
        position = getattr(problem, "position", None)
        spot = NOWHERE
        if isinstance(position, int):
            spot = SourceLocation(
                text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
            )
        why = getattr(problem, "reason", "") or "it cannot be read"
        words = f"not YAML: {visible(cut(str(why), 200).text)}"
        raise YamlError(Problem(spot, words)) from None


def _words(problem: Any) -> str:
    """Return the YAML reader's message, with a hint on the usual cause."""
    said = visible(cut(f"{problem.problem or problem.context or 'it cannot be read'}", 200).text)
    hint = ""
    if "'\\t'" in said or "found character '\\t'" in said:
        hint = "; indent with spaces, not with tabs"
    elif "mapping values are not allowed" in said:
        hint = "; put a text with a colon in quotes"
    elif "could not find expected ':'" in said:
        hint = "; a key ends with a colon and a space"
    elif "undefined alias" in said:
        hint = "; put a text that begins with * in quotes"
    elif "expected a single document" in str(problem.context or ""):
        said = "a second document begins here"
        hint = "; a file holds one document"
    elif "expected <block end>" in said:
        hint = "; items of one level must begin in the same column"
    return f"not YAML: {said}{hint}"


def spot_of(node: Any) -> SourceLocation:
    """The place at which a node begins."""
    mark = node.start_mark
    return SourceLocation(mark.line + 1, mark.column + 1)
