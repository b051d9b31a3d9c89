"""Words on the calls of a host: a row each, with what other hosts would have done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from ...approval.policies.verdicts import VerdictAnswer
from ...approval.who_asks import WhoAsks
from ...calls.call import Call
from ...calls.previews import masked_preview
from ...content.json.jsonio import JsonValue, compact
from ...content.labels import some_named
from ...content.text import cut, shortened, visible
from ...content.texts.facts import FactPlace
from ...engine.engine import Engine
from ...engine.session_config import Target
from ...presentation.calls import approval_of_server
from ...presentation.feature import has_hook, hook
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.masks import mask_text
from ...storage.fault_log import note_fault
from .messages import CALL

_WHO_ASKS: Final = "who asks"
_NAMED: Final = 2
_SHOWN: Final = 200


class HostsOf:
    """What other hosts do before they run a tool; read in a thread when it is first asked."""

    def __init__(self, engine: Engine, target: Target, was_read: Callable[[], None]) -> None:
        """`was_read` is called, in a thread, once it is known."""
        self._engine = engine
        self._was_read = was_read
        self._target = target
        self._hosts: WhoAsks | None = None
        self._names: tuple[str, ...] | None = None

    def words(self, tool: ToolDefinition | None) -> str:
        """`VS Code, Codex and 8 more ask, 6 run it`; empty while that is not known."""
        names = tuple(one.name for one in self._engine.tools)
        if names != self._names and has_hook(_WHO_ASKS):
            self._names = names
            threading.Thread(target=self._read, args=(self._engine.tools,), daemon=True).start()
        if self._hosts is None or tool is None:
            return ""
        found = {
            one.answer: [host.words for host in one.hosts]
            for one in self._hosts.groups(tool, Trust.UNTRUSTED, {})
        }
        asking, running = found.get(VerdictAnswer.ASK, []), found.get(VerdictAnswer.ALLOW, [])
        words = []
        if asking:
            words.append(f"{some_named(asking, _NAMED)} ask{'s' * (len(asking) == 1)}")
        if running:
            words.append(f"{len(running)} run{'s' * (len(running) == 1)} it")
        return ", ".join(words)

    def _read(self, tools: tuple[ToolDefinition, ...]) -> None:
        try:
            self._hosts = hook(_WHO_ASKS)(tools, self._target)
            self._was_read()
        except (OSError, ValueError):
            # What other hosts do is beside the point.
            return
        except Exception as problem:
            note_fault(problem, "while it read the hosts of this machine")


def _in_a_row(arguments: JsonValue) -> str:
    """`path=notes/todo.txt  count=3`, safe to show."""
    if not isinstance(arguments, dict):
        return shortened(visible(compact(arguments)), _SHOWN)
    pieces: list[str] = []
    room = _SHOWN
    for name, value in arguments.items():
        text = value if isinstance(value, str) else compact(value)
        pieces.append(f"{visible(cut(name, room).text)}={visible(cut(text, room).text)}")
        room -= len(pieces[-1])
        if room <= 0:
            break
    return shortened("  ".join(pieces), _SHOWN)


def _resolution(call: Call) -> JsonValue:
    """Both kinds of hints, and what differs, in words and as values; None if none were resolved."""
    if call.resolution is None:
        return None
    static = call.request.hints
    found = call.resolution.as_json(static)
    words, reason = mask_text(call.resolution.words(static)), mask_text(call.resolution.reason)
    return {**found, "reason": reason, "words": words}


def _awaits_server(call: Call) -> bool:
    """True while a decision of the server is pending, as far as the host has asked."""
    is_followed = not call.is_over and call.task is not None and call.task.awaits_approval
    return is_followed or call.awaits_server


def call_message(call: Call, hosts: HostsOf) -> dict[str, JsonValue]:
    """A call as a watcher shows it: masked, and safe to show."""
    tool = call.tool
    given = call.snapshot.arguments()
    masked = mask_arguments(given, tool.input_schema if tool is not None else None).value
    decision = call.decision
    return {
        "kind": CALL,
        "number": call.id,
        "name": call.request.display_name,
        "effect": call.request.effect.value,
        "arguments": _in_a_row(masked),
        "status": call.status,
        "outcome": "" if call.outcome is None else call.outcome.value,
        "reason": shortened(call.reason, _SHOWN),
        "is_over": call.is_over,
        "was_sent": call.sent,
        "seconds": round(call.elapsed(call.ended_at or call.created), 3),
        "decision": decision.by if decision is not None else "",
        "policy": call.verdict.words,
        "resolution": _resolution(call),
        "preview": None if (preview := masked_preview(call)) is None else preview.as_json(),
        "awaits_server": _awaits_server(call),
        "denial": None if call.denial is None else call.denial.as_json(),
        "disposition": None if call.disposition is None else call.disposition.value,
        "of_server": [
            [one.label, one.words]
            for one in approval_of_server(call)
            if one.words and one.place is not FactPlace.DETAIL
        ],
        "hosts": hosts.words(tool),
        "findings": [f"{one.severity.value}: {one.message}" for one in call.findings[:5]],
    }
