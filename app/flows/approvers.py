"""Approvers without a screen: the policy alone, a script, and a line on a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

from app.core.approval import DECISION_SECONDS, Decision, Question, approve, deny
from app.core.jsonio import pretty_spans
from app.core.text import Span, cut, visible

WORD = "approve"
DESCRIPTION_LIMIT = 500


class PolicyAlone:
    """What the policy wants asked is not approved: nobody is there to ask."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def ask(self, question: Question) -> Decision:
        return deny("policy", self._reason)


class ScriptApproves:
    """`--approve always`: whoever wrote the script has approved every question beforehand."""

    async def ask(self, question: Question) -> Decision:
        return approve("script", "--approve always")


class LineApprover:
    """Asks on a terminal, line by line; only the typed word approves, anything else denies."""

    def __init__(self, seconds: float = DECISION_SECONDS) -> None:
        self._seconds = seconds
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> Decision:
        async with self._turn:
            for line in question_lines(question):
                print(line, file=sys.stderr)
            _drop_typed_ahead()
            print(
                f"\nType {WORD} and Enter to approve this call once; anything else denies "
                f"(denies by itself after {self._seconds:g} s): ",
                end="",
                file=sys.stderr,
                flush=True,
            )
            answer = await _read_line(self._seconds)
        if answer is None:
            print(file=sys.stderr)
            return deny("time limit", f"no answer within {self._seconds:g} s")
        return approve("you") if answer.strip() == WORD else deny("you")


def question_lines(question: Question) -> list[str]:
    """A question as plain lines: server, tool, claims, arguments, in the order of reading."""
    tool, verdict = question.tool, question.verdict
    itself = question.server_calls_itself
    arguments = question.snapshot.arguments()
    shown = ["".join(_plain(span) for span in line) for line in pretty_spans(arguments)]
    hints = ", ".join(
        f"{hint.name} {hint.claim.value}" + (" (default)" if hint.is_default else "")
        for hint in tool.hints
    )
    description = cut(tool.description, DESCRIPTION_LIMIT)
    return [
        "",
        "Approve this call?" + (" It may destroy something." if verdict.strong else ""),
        f"server     {visible(question.server_name)}   {visible(question.server_command)}",
        *([f"           calls itself “{itself}”"] if itself else []),
        f"tool       {tool.name_shown}   title “{tool.title_shown}”",
        f"effect     {tool.effect.sign} {tool.effect.value}: {tool.effect.meaning}",
        f"claims     {hints}",
        f"asked      {'; '.join(verdict.reasons)}",
        *(f"         ┃ {line}" for line in visible(description.text, multiline=True).split("\n")),
        *([f"           {description.notice}"] if description.is_cut else []),
        f"arguments  {arguments_header(question)}",
        *(f"         ┃ {line}" for line in shown),
    ]


def arguments_header(question: Question) -> str:
    """`2 keys · 24 characters · 4 lines · sha256 5f3c9a1b`, of what will be sent."""
    arguments = question.snapshot.arguments()
    lines = pretty_spans(arguments)
    characters = sum(len(span.text) for line in lines for span in line)
    return (
        f"{_count(len(arguments), 'key')} · {_count(characters, 'character')} · "
        f"{_count(len(lines), 'line')} · sha256 {question.snapshot.arguments_digest[:8]}"
    )


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def _plain(span: Span) -> str:
    return span.text


def _drop_typed_ahead() -> None:
    """What was typed before the question is no answer to it."""
    with contextlib.suppress(ImportError, OSError):
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _read_line(seconds: float) -> str | None:
    """One line of standard input; None where none came in time.

    On the loop, not in a thread: a thread that waits for a line would outlive Ctrl-C.
    """
    descriptor = sys.stdin.fileno()
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()
    line = bytearray()

    def on_readable() -> None:
        try:
            piece = os.read(descriptor, 1_024)
        except OSError:
            piece = b""
        line.extend(piece)
        if (b"\n" in piece or not piece) and not typed.done():
            typed.set_result(bytes(line).split(b"\n", 1)[0].decode("utf-8", "replace"))

    loop.add_reader(descriptor, on_readable)
    try:
        async with asyncio.timeout(seconds):
            return await typed
    except TimeoutError:
        return None
    finally:
        loop.remove_reader(descriptor)
