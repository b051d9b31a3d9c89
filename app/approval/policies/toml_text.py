"""A TOML document with the line of everything in it, or the one mistake of the parser."""

from __future__ import annotations

import re
import tomllib

from ...content.text import cut, visible
from .policy_tables import Problem
from .toml_lines import Place, lines_of

BOM = "\ufeff"
_TOO_DEEP = Problem(0, "it is nested too deeply")
_PARSER_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class TomlError(ValueError):
    """Why a text is no TOML document that can be used."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_toml(text: str, longest: int) -> tuple[dict[str, object], dict[Place, int]]:
    """The values, and the line of each. Raises TomlError; `longest` is in characters."""
    text = text.removeprefix(BOM)
    if len(text) > longest:
        words = f"it has {len(text):,} characters, and {longest:,} is the most"
        raise TomlError(Problem(0, words))
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise TomlError(_TOO_DEEP) from None
    except ValueError as error:
        raise TomlError(_parser_problem(str(error), text)) from None
    try:
        lines = lines_of(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        lines = {(): 0}
    return values, lines


def _parser_problem(message: str, text: str) -> Problem:
    """What the parser says, with the line taken out of its words."""
    found = _PARSER_PLACE.search(message)
    words = message[: found.start()] if found else message
    line = 0
    if found:
        line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    return Problem(line, f"it is not TOML: {visible(cut(words, 200).text)}")
