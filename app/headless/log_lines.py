"""The server's log messages as lines, and in a report: the newest of them, however many came."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ..protocol.log_messages import LogMessage
from .printing import tell

if TYPE_CHECKING:
    from ..engine.engine import Bench
    from .hiding import Hiding

TOLD_MAX: Final = 40
"""Messages of which a command says something on stderr."""
REPORTED_MAX: Final = 200


def tell_log(bench: Bench, hiding: Hiding) -> None:
    """The newest messages on standard error, each as a line of the server's."""
    if bench.log.problem:
        tell(f"signoff: {bench.log.problem}")
    shown = list(bench.log.messages)[-TOLD_MAX:]
    if left_out := bench.log.count - len(shown):
        tell(f"log ┃ ({left_out:,} messages before these)")
    for message in shown:
        tell(f"log ┃ {log_line(message, hiding)}")


def log_line(message: LogMessage, hiding: Hiding) -> str:
    """One message on one line, safe to show, without the secrets that are known."""
    logger, text = hiding.said(message.logger), hiding.said(message.text)
    return replace(message, logger=logger, text=text).line


def log_report(bench: Bench, hiding: Hiding) -> dict[str, Any]:
    """What was asked for and what came, the newest messages last."""
    shown = list(bench.log.messages)[-REPORTED_MAX:]
    return {
        "level": bench.log.level or None,
        "problem": bench.log.problem or None,
        "count": bench.log.count,
        "messages": [{**message.as_json(), "text": hiding.said(message.text)} for message in shown],
    }
