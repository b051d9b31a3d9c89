"""A session with an agent in lines: for screen readers, pipes and scripts."""

from __future__ import annotations

import contextlib
import shlex
from typing import Final

from ...approval.questions.sheet import Room
from ...cli.approving.keyboard import IGNORED, Keyboard
from ...cli.output.printing import Hiding, say, tell
from ...cli.output.printing import prompt as write_prompt
from ...cli.output.readable import Out
from ...protocol.acp import PermissionOption, PermissionRequest
from ...protocol.server import Server, Trust
from ...transport.acp import AcpError
from .question_lines import AgentQuestion, agent_question_lines, option_words
from .session import NOT_LISTED, NOT_SENT, AgentLaunch, AgentSession, allowing, rejecting
from .words import entry_lines, summary_lines

REJECT: Final = "reject"
ALLOW: Final = "allow"
CANCEL: Final = "cancel"
ANSWERS: Final = (REJECT, ALLOW, CANCEL)
_COLUMNS: Final = 76


def chosen_by(answer: str, request: PermissionRequest) -> PermissionOption | None:
    """The option that `--reply` means; None to cancel, also if none of that kind is offered."""
    if answer == ALLOW:
        return allowing(request)
    return rejecting(request) if answer == REJECT else None


class AgentLines:
    """Prints a session as it goes on. `answer` is that of `--reply`; empty to ask on the terminal,
    which rejects if there is none.
    """

    def __init__(self, launch: AgentLaunch, answer: str, keyboard: Keyboard | None = None) -> None:
        self._answer = answer
        self._keyboard = keyboard or Keyboard()
        command = shlex.join(launch.server_command)
        server = Server(launch.server, command, command, Trust.UNTRUSTED)
        self._out = Out(Hiding(False, server, env=launch.server_env.items()))
        self._printed: dict[int, str] = {}
        self.session = AgentSession(launch, self._ask)
        self.reasons: list[str] = []
        self.unsent = 0
        """Prompts that could not be sent."""

    async def run(self, prompt: str, seconds: float | None) -> None:
        """Send `prompt`, or each line of standard input, until the end. Raises AcpError."""
        session = self.session
        try:
            await session.open_session()
            if not await session.until_ready():
                session.note(NOT_LISTED)
            self._print()
            if prompt:
                await self._turn(prompt, seconds)
                return
            while (line := await self._line()) is not None:
                if line.strip():
                    await self._turn(line.strip(), seconds)
        finally:
            await session.close()
            self._print()
            say("")
            self._out.sheet(summary_lines(session))

    async def _turn(self, text: str, seconds: float | None) -> None:
        reason = await self.session.prompt(text, seconds)
        if reason == NOT_SENT:
            self.unsent += 1
        else:
            self.reasons.append(reason)
        self._print()

    async def _line(self) -> str | None:
        if self._keyboard.is_terminal:
            write_prompt("prompt (ctrl+D: end): ")
        with contextlib.suppress(OSError):
            return await self._keyboard.line()
        return None

    async def _ask(self, question: AgentQuestion) -> PermissionOption | None:
        self._print()
        self._out.sheet(agent_question_lines(question, Room(_COLUMNS, has_keys=False)))
        if self._answer or not self._keyboard.is_terminal:
            chosen = chosen_by(self._answer or REJECT, question.request)
        else:
            chosen = await self._typed(question)
        words = option_words(question.options)
        say(f"answered: {words[chosen.option_id] if chosen is not None else 'cancelled'}")
        return chosen

    async def _typed(self, question: AgentQuestion) -> PermissionOption | None:
        """The option whose words were typed in full; any other line rejects."""
        words = {name.lower(): key for key, name in option_words(question.options).items()}
        offered = ", ".join(words) or "nothing"
        if await self._keyboard.quiet():
            tell(IGNORED)
        write_prompt(f"Type one of: {offered} (any other line rejects): ")
        typed = await self._keyboard.line()
        if typed is not None and await self._keyboard.is_more_coming():
            await self._keyboard.quiet()
            tell("(Several lines at once are not an answer: rejected.)")
            typed = None
        key = words.get((typed or "").strip().lower())
        return question.request.option(key) or rejecting(question.request)

    def _print(self) -> None:
        """Print the entries that are new, or different from what was printed of them."""
        for entry in self.session.entries:
            lines = list(entry_lines(entry))
            shown = "\n".join(line.plain for line in lines)
            if self._printed.get(id(entry)) != shown:
                self._printed[id(entry)] = shown
                self._out.sheet(lines)


async def run_silently(
    launch: AgentLaunch, answer: str, prompt: str, seconds: float | None
) -> tuple[AgentSession, list[str], AcpError | None]:
    """One turn without any output; returns the session, the reasons and the failure."""

    async def ask(question: AgentQuestion) -> PermissionOption | None:
        return chosen_by(answer or REJECT, question.request)

    session, reasons, failure = AgentSession(launch, ask), list[str](), None
    try:
        await session.open_session()
        await session.until_ready()
        reasons.append(await session.prompt(prompt, seconds))
    except AcpError as problem:
        failure = problem
    finally:
        await session.close()
    return session, reasons, failure
