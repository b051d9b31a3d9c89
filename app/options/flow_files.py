"""The commands on flow files: their schema, their mistakes, and the test that they are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from signoff.app.options.output import add_json

if TYPE_CHECKING:
    from typing import TypeAlias

    from signoff.app.options.parser import Parser

    Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"


class FlowSchema(NamedTuple):
    """The JSON Schema of flow files."""


class FlowCheck(NamedTuple):
    """What is wrong with flow files."""

    flows: tuple[str, ...]
    json: bool = False


FlowWork = FlowSchema | FlowCheck


def add_flow_verbs(kinds: Verbs) -> None:
    """The verbs of `signoff flow`."""
    kinds.add_parser("schema", help="print the JSON Schema of flow files, for editors")
    check = kinds.add_parser("check", help="read flow files and name every mistake with its line")
    check.add_argument("flows", nargs="+", metavar="FLOW")
    add_json(check)
