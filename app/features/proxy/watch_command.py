"""`signoff watch`: every proxy of this user on one screen, and their questions in one queue."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ...approval.approval import DECISION_SECONDS, Decision
from ...approval.questions.questions import AboutCall, Question, QuestionName
from ...cli.approving.approvers import LineApprover
from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.output.printing import Hiding, tell
from ...cli.output.readable import Out
from ...cli.process import why_plain
from ...cli.targets.live import run
from ...cli.targets.session import read_policy_setting
from ...content.json.jsonio import JsonValue
from ...platforms.output import other_charset
from ...presentation.exit_status import ExitStatus
from ...protocol.server import Server, Trust
from ...storage.settings.file import load_settings
from .watch_words import NOTHING, call_lines, proxy_lines
from .watching import Answering, WatchedProxies, WatchedProxy

_LOOKS: Final = "look"


@options
class WatchOptions(NamedTuple):
    """Options of `watch`."""

    plain: bool = opt(
        "--plain", "print lines, and ask in lines (default without a terminal)", rivals="shapes"
    )
    json: bool = AS_JSON
    only: bool = opt("--no-answer", "show all, and answer no question: another watcher does")


def add(watch: Parser) -> None:
    without_server(watch, WatchOptions, _run)


def _run(own: WatchOptions) -> int:
    if own.json:
        return run(_print_json())
    if own.plain or not _has_screen():
        return run(_in_lines(own))
    from .watch_screen import run as run_screen

    settings = read_policy_setting(load_settings(os.environ))[0]
    return run_screen(settings, answers=not own.only)


def _has_screen() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return not why_plain(os.environ.get("TERM", "")) and not other_charset()


async def _print_json() -> int:
    """The proxies that run and their calls as lines of JSON, as they change, until Ctrl+C."""

    def changed(proxy: WatchedProxy) -> None:
        newest = next(reversed(proxy.calls.values()), None)
        report: dict[str, Any] = {
            "proxy": {**proxy.hello, "pid": proxy.entry.pid, "has_ended": proxy.has_ended},
            "call": newest and {**newest, "held_until": _held_until(proxy, newest)},
        }
        print(json.dumps(report).replace("\x7f", "\\u007f"), flush=True)

    watching = WatchedProxies(changed, lambda proxy: None)
    try:
        await watching.run()
    finally:
        watching.close()
    return ExitStatus.OK


def _held_until(proxy: WatchedProxy, call: Mapping[str, Any]) -> float | None:
    """When the proxy denies a held call by itself: seconds since the epoch; None for others."""
    ends = proxy.ends.get(call["number"])
    return None if ends is None else round(time.time() + ends - time.monotonic(), 1)


async def _in_lines(own: WatchOptions) -> int:
    is_asking = not own.only and sys.stdin.isatty()
    lines = _Lines(is_asking)
    watching = lines.watching
    try:
        await watching.look()
        if not watching.proxies:
            for words in NOTHING:
                tell(words)
        await watching.run()
    finally:
        watching.close()
    return ExitStatus.OK


class _LineAnswers(LineApprover):
    """Asks in lines, where no arguments can be changed."""

    asks_again = True

    def __init__(self, most: float) -> None:
        super().__init__(most, can_put_back=True)
        self._most = most
        self.ends: dict[QuestionName, float] = {}
        self.is_asking = False
        """True while a question is on the terminal: nothing else is printed then."""

    async def _ask(self, question: Question) -> Decision:
        left = self.ends.get(question.call, math.inf) - time.monotonic()
        self._seconds = min(self._most, max(round(left, 1), 0.1))
        self.is_asking = True
        try:
            return await super()._ask(question)
        finally:
            self.is_asking = False

    async def edit(self, question: AboutCall) -> dict[str, JsonValue] | None:
        """Return None: ask again."""
        return None


class _Lines:
    """Prints the news of each proxy, and asks on the terminal."""

    def __init__(self, is_asking: bool) -> None:
        self._approver = _LineAnswers(DECISION_SECONDS) if is_asking else None
        self._printed: dict[tuple[str, int], str] = {}
        self._out = Out(Hiding(False, Server("watch", "", "", Trust.UNTRUSTED)))
        self.watching = WatchedProxies(self._changed, self._answering)

    def _answering(self, proxy: WatchedProxy) -> Answering | None:
        return self._approver

    def _changed(self, proxy: WatchedProxy) -> None:
        if self._approver is not None and self._approver.is_asking:
            return
        for one in self.watching.proxies:
            name = one.entry.path.stem
            self._print((name, 0), list(proxy_lines(one)), _state(one))
            for number, call in one.calls.items():
                key = f"{call.get('status')} {call.get('is_over')} {number in one.ends}"
                self._print((name, number), list(call_lines(one, call)), key)

    def _print(self, about: tuple[str, int], lines: list[Any], key: str) -> None:
        if self._printed.get(about) != key:
            self._printed[about] = key
            self._out.sheet(lines)


def _state(proxy: WatchedProxy) -> str:
    names = ("server", "host", "policy", "refused")
    return str([proxy.has_ended, len(proxy.notes), *(proxy.hello.get(name) for name in names)])
