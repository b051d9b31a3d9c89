"""Words on proxies that run, and on the calls through them: for a screen and for lines."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...approval.questions.question_lines import SENT_FOR_IT
from ...calls.previews import LEAVES_OUT, PREVIEW_LABEL
from ...content.text import count, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.extensions.display_templates import named
from .watching import WatchedProxies, WatchedProxy

NOTHING: Final = (
    "No signoff proxy runs on this machine.",
    "Put one before a server of a host: signoff servers wrap HOST NAME",
    "or in place of its command: signoff proxy --policy cautious -- COMMAND [ARG...]",
)
DECLARED_FOR_HOST: Final = "tool-resolution declared for the host"
_LABEL: Final = 10
_EFFECTS: Final = {
    "read-only": ("○", "success"),
    "additive": ("+", ""),
    "destructive": ("!", "error"),
    "undeclared": ("?", "warning"),
    "contradictory": ("?", "warning"),
}


def heading_words(watching: WatchedProxies) -> str:
    """How many proxies run, and how many questions are open."""
    running = len(watching.running)
    words = f"watch · {running:,} {'proxy' if running == 1 else 'proxies'}"
    asked, later = watching.open_questions, watching.put_back
    words += f" · {count(asked, 'question')} open" if asked else ""
    return f"{words}, {later:,} put back (a: answer)" if later else words


def proxy_lines(proxy: WatchedProxy) -> Iterator[SheetLine]:
    """One proxy: host, server, what it does, and what passed."""
    host = proxy.text("host") or "a host"
    policy = proxy.text("policy")
    does = f"decides by {policy}" if policy else "watches"
    passed = proxy.hello.get("passed", [0, 0])
    total = f"{passed[0]:,} + {passed[1]:,} messages"
    state = "ended" if proxy.has_ended else total
    yield labelled(
        "proxy",
        _LABEL,
        (proxy.text("server"), "strong"),
        (f"  for {host}  ", ""),
        (does, "primary" if policy else ""),
        aside=((state, "dim"),),
    )
    if proxy.hello.get("refused"):
        refused = count(int(proxy.hello["refused"]), "message")
        yield labelled("", _LABEL, (f"{refused} of the host refused", "warning"))
    if drafts := proxy.hello.get("experimental"):
        words = visible(", ".join(map(str, drafts)))
        declared = f", {DECLARED_FOR_HOST}" if proxy.hello.get("declared") else ""
        yield labelled("", _LABEL, (f"experimental: {words}{declared}", "noticed"))
    for words in proxy.notes[-3:]:
        yield labelled("", _LABEL, (words, "noticed"))


def call_lines(proxy: WatchedProxy, call: Mapping[str, Any]) -> Iterator[SheetLine]:
    """One call: when, of which tool, with what arguments, what became of it, and who else asks."""
    sign, role = _EFFECTS.get(str(call.get("effect")), ("?", "warning"))
    at = time.strftime("%H:%M:%S", time.localtime(call["at"]))
    yield labelled(
        at,
        _LABEL,
        (f"{sign} ", role),
        (visible(str(call.get("name"))), "strong"),
        (f"  {visible(str(call.get('arguments')))}", ""),
        aside=((proxy.text("server"), "dim"),),
    )
    yield from _preview(call.get("preview"))
    yield from _resolved(call.get("resolution"))
    yield labelled("", _LABEL, *_outcome(call), *_held(proxy, call))
    for label, words in call.get("of_server") or ():
        yield labelled(visible(str(label)), _LABEL, (visible(str(words)), "warning"))
    if hosts := visible(str(call.get("hosts") or "")):
        yield labelled("", _LABEL, (f"elsewhere: {hosts}", "dim"))
    for words in call.get("findings") or ():
        yield labelled("", _LABEL, (visible(str(words)), "noticed"))


def _preview(found: Any) -> Iterator[SheetLine]:
    """The line of the server's template, behind the gutter, and the arguments that it hides."""
    if not isinstance(found, dict):
        return
    text = visible(str(found.get("text"))) or "(an empty line)"
    yield SheetLine(((text, ""),), label=PREVIEW_LABEL, indent=_LABEL, gutter=True, exact=True)
    omitted = found.get("omitted")
    if isinstance(omitted, list) and omitted:
        words = f"{LEAVES_OUT} the template leaves out {named([str(one) for one in omitted])}"
        yield labelled("", _LABEL, (words, "noticed"))


def _resolved(found: Any) -> Iterator[SheetLine]:
    """Both kinds of hints, what differs, and that the arguments left for it."""
    if not isinstance(found, dict):
        return
    yield labelled("resolved", _LABEL, (visible(str(found.get("words"))), ""))
    if found.get("arguments_sent"):
        yield labelled("", _LABEL, (SENT_FOR_IT, "dim"))


def _held(proxy: WatchedProxy, call: Mapping[str, Any]) -> Iterator[Piece]:
    """How long a call may still be held."""
    number = call.get("number")
    ends = proxy.ends.get(number) if isinstance(number, int) else None
    if ends is None or call.get("is_over"):
        return
    minutes, seconds = divmod(math.ceil(max(ends - time.monotonic(), 0)), 60)
    state = "put back" if number in proxy.put_back else "held"
    yield f"  {state}, denied in {minutes}:{seconds:02d}", "noticed"


def _outcome(call: Mapping[str, Any]) -> list[Piece]:
    status = visible(str(call.get("status")))
    decision = call.get("decision")
    if decision == "host":
        asked = "run by the host, not asked here"
    elif decision == "you":
        asked = "answered here" if call.get("was_sent") else ""
    elif decision == "policy":
        asked = "by the policy"
    else:
        asked = ""
    is_fine = call.get("outcome", "ok") in ("", "ok")
    role = "" if call.get("was_sent") and is_fine else "warning"
    pieces: list[Piece] = [(status, role)]
    if asked:
        pieces.append((f"  {asked}", "dim"))
    if call.get("is_over") and call.get("was_sent"):
        pieces.append((f"  {float(call.get('seconds', 0.0)):.1f} s", "dim"))
    reason = visible(str(call.get("reason") or ""))
    return [*pieces, (f"  {reason}", "")] if reason and not call.get("was_sent") else pieces


def all_lines(watching: WatchedProxies, most: int) -> list[SheetLine]:
    """The proxies, and the newest calls of all of them, oldest first."""
    shown = [one for one in watching.proxies if one.is_shown]
    lines = [line for one in shown for line in proxy_lines(one)]
    if not shown:
        lines = [labelled("", 0, (words, "")) for words in NOTHING]
    if watching.problem:
        lines.append(labelled("", 0, (visible(watching.problem), "warning")))
    calls = [(one, call) for one in watching.proxies for call in one.calls.values()]
    calls.sort(key=lambda pair: pair[1]["at"])
    for proxy, call in calls[-most:]:
        lines += call_lines(proxy, call)
    return lines
