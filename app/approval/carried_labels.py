"""Labels of earlier results of a session, and the later calls that they are a doubt about.

A private result and then a tool that reaches others, or a text of strangers and then a tool that
destroys: the combination that `combinations.py` guesses by tool, here by value. The draft leaves
to the client what follows from a label; here it only makes a decision stricter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..content.frozen import frozen
from ..content.text import shortened
from ..protocol.extensions.trust_annotations import TrustLabel, TrustLabels
from ..protocol.hints import Effect
from ..protocol.tool import ToolDefinition

RESULTS_MAX: Final = 1_000
CALLS_MAX: Final = 5_000
_SERVER_SHOWN: Final = 40


@frozen
class LabelledResult:
    """A tool of a server with a result that was labelled; the names are safe to show."""

    server: str
    tool: str
    labels: frozenset[TrustLabel]


def carried_doubts(
    tool: ToolDefinition, carried: Sequence[LabelledResult], server: str = ""
) -> Iterator[str]:
    """The doubts about a call of `tool` on `server` after such results; safe to show."""
    reach = "this tool reaches the open world" if tool.hints.is_open_world else ""
    writes = "this tool is not read-only" if tool.effect is not Effect.READ_ONLY else ""
    destroys = "this tool may destroy" if tool.effect.may_destroy else ""
    for label, danger in (
        (TrustLabel.SENSITIVE, reach or writes),
        (TrustLabel.UNTRUSTED, destroys or reach),
    ):
        first = next((one for one in carried if label in one.labels), None)
        if danger and first is not None:
            other = "" if first.server == shortened(server, _SERVER_SHOWN) else first.server
            at = f"“{first.tool}”" + (f" on {other}" if other else "")
            yield f"an earlier result of {at} was marked {label}; {danger}"


class LabelMemory:
    """The labels of the results of one session, of all of its servers. They are never forgotten:
    what a model has read stays read."""

    def __init__(self) -> None:
        self.results: tuple[LabelledResult, ...] = ()
        """One for each tool, oldest first."""
        self._by_call: dict[tuple[str, str, str], frozenset[TrustLabel]] = {}

    @property
    def all(self) -> frozenset[TrustLabel]:
        """Every label that a result had."""
        return frozenset(label for one in self.results for label in one.labels)

    def take(
        self, server: str, tool: ToolDefinition, arguments_digest: str, found: TrustLabels
    ) -> frozenset[TrustLabel]:
        """Note the labels of a result; returns those that the same call had earlier and lacks."""
        key = (server, tool.name, arguments_digest)
        earlier = self._by_call.get(key, frozenset())
        if key in self._by_call or len(self._by_call) < CALLS_MAX:
            self._by_call[key] = earlier | found.labels
        if found.labels:
            self._keep(
                LabelledResult(shortened(server, _SERVER_SHOWN), tool.display_name, found.labels)
            )
        return earlier - found.labels

    def _keep(self, result: LabelledResult) -> None:
        kept = list(self.results)
        for at, one in enumerate(kept):
            if (one.server, one.tool) == (result.server, result.tool):
                kept[at] = LabelledResult(one.server, one.tool, one.labels | result.labels)
                break
        else:
            if len(kept) < RESULTS_MAX or not result.labels <= self.all:
                kept.append(result)
        self.results = tuple(kept)
