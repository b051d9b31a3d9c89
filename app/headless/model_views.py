"""What hosts give their models of the response of a call, printed and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.model_view.response import Response, read_response
from ..analysis.model_view.table import ModelHost, UnknownHost, picked
from ..analysis.model_view.view import view_of
from ..calls.call import Call
from ..content.texts.sheet_line import SheetLine
from ..presentation.model_view import sign_of, summary, view_json, view_lines
from .hiding import Hiding
from .readable import Out
from .targets import UsageError


def hosts_named(words: str) -> tuple[ModelHost, ...]:
    """The hosts of an option `codex,kilo` or `all`; none for no words. Raises UsageError."""
    if not words:
        return ()
    try:
        return picked([one.strip() for one in words.split(",")])
    except UnknownHost as error:
        raise UsageError(str(error)) from None


def print_views(
    call: Call, hosts: Sequence[ModelHost], out: Out, *, in_short: bool = False
) -> None:
    """Print the view of each host, losses first; `in_short` a line each."""
    response = _response(call)
    if response is None:
        out.line(("model gets  ", "dim"), ("no response, so nothing to show", ""))
        return
    for at, host in enumerate(hosts):
        if at and not in_short:
            out.blank()
        view = view_of(host, response)
        words = f"  {sign_of(view.losses, view.unknown)} {summary(view.losses, view.unknown)}"
        named = (("", "") if in_short else ("model of  ", "dim"), (host.words, "bold"))
        out.line(*named, (words, ""))
        if not in_short:
            out.sheet(line for line in view_lines(view, out.text_limit) if line != SheetLine())


def views_report(call: Call, hosts: Sequence[ModelHost], hiding: Hiding) -> list[Any]:
    """The views for `--json`; empty without a response."""
    response = _response(call)
    if response is None:
        return []
    found: list[Any] = hiding.value([view_json(view_of(one, response)) for one in hosts])
    return found


def _response(call: Call) -> Response | None:
    return (
        None
        if call.answer is None
        else read_response(call.raw, call.answer.copies, call.breaks_schema)
    )
