"""`signoff read`: one resource."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...cli.calling import make_call
from ...cli.command import on_open, on_server
from ...cli.options.calling import ANSWER, APPROVE, PERSON_ASKED
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import REQUESTS
from ...cli.targets.live import Options, tell_trust

if TYPE_CHECKING:
    from ...engine.engine import Engine


@options
class ReadOptions(NamedTuple):
    """Read one resource."""

    uri: str = opt("URI", "the URI, exactly as the server lists it")
    json: bool = AS_JSON
    approve: str = APPROVE
    person: str = PERSON_ASKED
    answer: str = ANSWER


def add(read: Parser) -> None:
    on_server(read, ReadOptions, run_read, uses=REQUESTS)


@on_open
async def run_read(options: Options, engine: Engine, read: ReadOptions) -> int:
    """Read one resource; returns the exit status."""
    effect = engine.trust_effect()
    if effect.reads:
        tell_trust(options, replace(effect, runs=(), sometimes=()))
    return await make_call(options, engine, read, lambda: engine.read(read.uri))
