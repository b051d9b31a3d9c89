"""How long a host waits for a slow tool, in words: sentences, and the table of the manual."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.text import shortened, visible
from ...hosts.measured.patience import (
    CONDITIONS,
    Patience,
    ServerFate,
    SlowCall,
    seconds_words,
)
from ...hosts.measured.values import PATIENCE, MeasuredCell
from ...presentation.escapes import markdown_head, markdown_row

_REASON: Final = 60
_GOT: Final = 150
_HEADS: Final = (
    *("waits, in", "version", "surface", *CONDITIONS),
    *("cancelled", "the model gets", "calls again", "date"),
)


def slow_words(call: SlowCall) -> str:
    """`gave up after 60 s, cancelled “Request timed out”; the model got: MCP error -32001`."""
    return "; ".join((*_ending(call), *_more(call)))


def _ending(call: SlowCall) -> Iterator[str]:
    if call.gave_up is None:
        yield f"did not give up in {seconds_words(call.waited)}"
        return
    words = f"gave up after {seconds_words(call.gave_up)}"
    if call.has_ended:
        yield f"{words}: the host ended"
        return
    yield f"{words}, {_cancelled(call)}"
    yield f"the model got: {_got(call)}"


def _cancelled(call: SlowCall) -> str:
    if not call.has_cancelled:
        return "not cancelled"
    return f"cancelled: {_short(call.reason, _REASON)}" if call.reason else "cancelled"


def _got(call: SlowCall) -> str:
    return _short(_text(call.got), _GOT) or "nothing"


def _text(value: JsonValue) -> str:
    """The texts of a result, without the names of its parts."""
    match value:
        case str():
            return value
        case list():
            return " ".join(filter(None, map(_text, value)))
        case dict():
            return " ".join(filter(None, (_text(v) for k, v in value.items() if k != "type")))
    return ""


def _short(text: str, room: int) -> str:
    return shortened(visible(" ".join(text[: 10 * room].split())), room)


def _more(call: SlowCall) -> Iterator[str]:
    if call.calls > 1:
        yield f"called {call.calls} times"
    if call.server in (ServerFate.RESTARTED, ServerFate.GONE):
        yield f"the server was {call.server.value}"
    if call.wants_progress is False:
        yield "asked for no progress"
    if call.pings:
        yield f"pings answered: {visible(call.pings)}"


def cell_words(cell: MeasuredCell) -> str:
    """The words of the cell of a slow call; empty without proof."""
    call = SlowCall.of(cell)
    return "" if call is None else slow_words(call)


def sentences(cells: Iterable[MeasuredCell]) -> str:
    """`Gave up after 60 s: silence, log. Did not give up in 900 s: progress.`"""
    grouped: dict[str, list[str]] = {}
    for cell in cells:
        call = SlowCall.of(cell) if cell.probe.startswith(PATIENCE) else None
        if call is not None:
            words = next(_ending(call)).split(",")[0].split(":")[0]
            grouped.setdefault(words, []).append(visible(cell.probe.removeprefix(PATIENCE)))
    return " ".join(f"{w[0].upper()}{w[1:]}: {', '.join(names)}." for w, names in grouped.items())


def patience_markdown(found: Sequence[Patience]) -> str:
    """The table of the manual: a row for each host; empty without a measurement."""
    if not found:
        return ""
    rows = [*markdown_head(_HEADS), *(markdown_row(_row(one)) for one in found)]
    return "\n".join([*rows, ""])


def _row(found: Patience) -> tuple[str, ...]:
    measured = found.measurement
    name = f"{measured.host}:{measured.mode}" if measured.mode else measured.host
    first = next((call for call in found.calls.values() if call.gave_up is not None), None)
    return (
        *(visible(name), visible(measured.version), visible(measured.surface)),
        *(_condition(found.calls, condition) for condition in CONDITIONS),
        *(("-", "the response") if first is None else _outcome(first)),
        _again(found.calls),
        visible(measured.date),
    )


def _condition(calls: Mapping[str, SlowCall], condition: str) -> str:
    call = calls.get(condition)
    if call is None:
        return "-"
    words = seconds_words(call.waited if call.gave_up is None else call.gave_up)
    if call.gave_up is None:
        words = f"over {words}"
    return f"{words}, not asked for" if call.wants_progress is False else words


def _outcome(call: SlowCall) -> tuple[str, str]:
    """Whether a host cancelled, and what its model got."""
    if call.has_ended:
        return ("yes" if call.has_cancelled else "no"), "nothing: the host ended"
    if not call.has_cancelled:
        return "no", _got(call)
    return (f"yes: {_short(call.reason, _REASON)}" if call.reason else "yes"), _got(call)


def _again(calls: Mapping[str, SlowCall]) -> str:
    """Whether a host repeated the call, and whether that cost the server."""
    most = max(call.calls for call in calls.values())
    words = "no" if most == 1 else f"yes, {most} calls"
    fates = (call.server for call in calls.values())
    lost = next((one for one in fates if one in (ServerFate.RESTARTED, ServerFate.GONE)), None)
    return words if lost is None else f"{words}; the server was {lost.value}"
