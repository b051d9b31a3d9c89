"""The protocol eras of a server: each is opened with a process of its own, and named.

One server can ask in one era and act without asking in the other, so none is left out in silence:
an era that the server refuses is not offered, and one that cannot be opened is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...calls.effects.watch import Watch
from ...cli.targets.live import NotConnected, Options, started_again
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.rpc import RpcError
from ...protocol.tool import ToolDefinition
from ...protocol.wire.frames import SERVER, WireLog
from ...transport.greeting import USE_AUTO, is_without_handshake, is_without_modern
from ...transport.negotiation import AUTO, LEGACY
from ...transport.protocol import HANDSHAKE, MODERN
from .wire import messages

if TYPE_CHECKING:
    from ...engine.engine import Engine

ERAS: Final = (MODERN, LEGACY)
"""All that `--protocol` names but `auto`."""


@frozen
class Era:
    """One era of a server; `engine` is of its first connection, which is closed."""

    protocol: str
    """As `--protocol` names it."""
    version: str
    """The revision that was spoken, or the newest one of the era."""
    engine: Engine | None = None
    not_offered: str = ""
    """The server's refusal, in words that are safe to show."""
    lost: str = ""
    """Why it could not be opened, in words that are safe to show."""

    @property
    def missing(self) -> str:
        """Why its list of tools is not whole, as it came; empty if it is."""
        return self.engine.definitions.missing if self.engine is not None else ""

    @property
    def tools(self) -> Sequence[ToolDefinition]:
        return self.engine.tools if self.engine is not None else ()


def with_protocol(options: Options, protocol: str) -> Options:
    """The options for one era."""
    target = replace(options.config.target, protocol=protocol)
    return replace(options, config=replace(options.config, target=target))


async def eras_of(options: Options, watch: Watch, wire: WireLog) -> tuple[Era, ...]:
    """Open each era that `--protocol` allows. Raises NotConnected if none can be opened."""
    wanted = options.config.target.protocol
    if wanted != AUTO:
        return (await _era(options, watch, wire),)
    found = []
    for protocol in ERAS:
        try:
            found.append(await _era(with_protocol(options, protocol), watch, wire))
        except _NoEra as problem:
            found.append(problem.era)
    if not any(one.engine for one in found):
        problems = [f"{one.version}: {one.lost or one.not_offered}" for one in found]
        raise NotConnected("\n".join(problems))
    return tuple(found)


class _NoEra(NotConnected):
    """An era could not be opened."""

    def __init__(self, era: Era, words: str) -> None:
        super().__init__(words)
        self.era = era


async def _era(options: Options, watch: Watch, wire: WireLog) -> Era:
    """Open one era. Raises _NoEra."""
    protocol, mark = options.config.target.protocol, wire.count
    version = MODERN if protocol == MODERN else HANDSHAKE[-1]
    try:
        async with started_again(options, watch, wire) as (engine, _):
            return Era(protocol, engine.server.version, engine)
    except NotConnected as problem:
        words = str(problem)
        if _is_refused(protocol, wire, mark):
            era = Era(protocol, version, not_offered=words.partition(USE_AUTO)[0])
        else:
            era = Era(protocol, version, lost=words)
        raise _NoEra(era, words) from None


def _is_refused(protocol: str, wire: WireLog, mark: int) -> bool:
    """True if each response of the server to the first request refuses this era."""
    is_without = is_without_modern if protocol == MODERN else is_without_handshake
    answers = list(_answers(wire, mark))
    return bool(answers) and all(map(is_without, answers))


def _answers(wire: WireLog, mark: int) -> Iterator[RpcError | dict[str, JsonValue]]:
    for sender, message in messages(wire, mark):
        if sender != SERVER:
            continue
        result, error = message.get("result"), message.get("error")
        if isinstance(error, dict):
            yield RpcError(error.get("code"), str(error.get("message")), error.get("data"))
        elif isinstance(result, dict):
            yield result
