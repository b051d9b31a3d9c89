"""Measures a host by the Agent Client Protocol: its permission requests are the questions.

A tool of `hints` is called twice: the first question is denied, the second one approved.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from ....content.json.jsonio import JsonValue
from ....hosts.measured.values import EARLIER
from ....protocol.acp import OptionKind, PermissionOption, PermissionRequest
from ....transport.acp import SESSION_SECONDS, START_SECONDS, AcpAgent, AcpError, McpServer
from ..observing import Question, RunEnd, as_text, shown_in, tail_of
from ..probes.probe import Probe
from ..scripted.model import QUESTIONS_MAX, ScriptedAttempt
from .asking import other_words
from .planning import Way
from .running import LISTING, Run

LISTED_SECONDS: Final = 20.0
"""Seconds that a host has to list the tools of the server before the prompt."""
SETTLE_SECONDS: Final = 1.0
"""Seconds between the list and the prompt, in which the host makes tools of it."""
IDLE_PROMPTS: Final = 2
"""Prompts without a call after which the host is given up."""
_TEXT_MAX: Final = 300
ALLOW_FIRST: Final = (OptionKind.ALLOW_ONCE, OptionKind.ALLOW_ALWAYS)
REJECT_FIRST: Final = (OptionKind.REJECT_ONCE, OptionKind.REJECT_ALWAYS)


class ByAcp:
    """A person who answers permission requests."""

    async def run(self, run: Run) -> RunEnd:
        agent = AcpAgent(
            run.command,
            cwd=str(run.place.folder),
            env=run.environment,
            on_permission=lambda request: _answer(run, request),
            start_seconds=min(START_SECONDS, run.subject.quiet_seconds),
            session_seconds=min(SESSION_SECONDS, 2 * run.subject.quiet_seconds),
        )
        reason, began = "", False
        try:
            async with agent:
                await agent.initialize()
                await _begin_session(agent, run)
                began = True
                reason = await _session(agent, run)
        except AcpError as problem:
            reason = str(problem)
        finally:
            await asyncio.shield(asyncio.to_thread(run.place.end_processes))
        return RunEnd(None, reason, tail_of("\n".join(agent.stderr)), not began)


async def _session(agent: AcpAgent, run: Run) -> str:
    """Prompt until every probe was called; returns why not, or an empty text."""
    idle = 0
    while not run.script.is_over and idle < IDLE_PROMPTS:
        before = len(run.script.attempts)
        prompting = asyncio.ensure_future(agent.prompt(run.prompt))
        reason = await _until_done(run, prompting)
        if reason:
            return reason
        if run.script.waits_for_session:
            # Some agents take servers from their files alone, which get the name of a renamed one.
            run.begin_session()
            await _begin_session(agent, run)
            continue
        idle = 0 if len(run.script.attempts) > before else idle + 1
    return run.unfinished_words


async def _begin_session(agent: AcpAgent, run: Run) -> None:
    """Begin a session with the probe server, in the mode that is measured."""
    command, *args = run.place.server
    server = McpServer(run.next_server, command, tuple(args))
    before = run.read_log().count(LISTING)
    await agent.new_session(str(run.place.folder), [server])
    mode = run.subject.mode
    if mode is not None and mode.acp_mode:
        await agent.set_mode(mode.acp_mode)
    await _until_listed(run, before)


async def _until_listed(run: Run, before: int) -> None:
    is_known = run.subject.driver is not None
    deadline = time.monotonic() + (LISTED_SECONDS if is_known else LISTED_SECONDS / 4)
    while run.read_log().count(LISTING) <= before and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    await asyncio.sleep(SETTLE_SECONDS)


async def _until_done(run: Run, prompting: asyncio.Future[str]) -> str:
    """Wait for the end of a turn; returns why it was given up, or an empty text."""
    began = time.monotonic()
    try:
        while not prompting.done():
            run.place.log.look()
            now = time.monotonic()
            if now - began > run.seconds:
                return f"a turn did not end within {run.seconds:g} s"
            if now - max(run.script.newest_at, began) > run.quiet_seconds:
                return run.quiet_words
            await asyncio.wait({prompting}, timeout=0.2)
        prompting.result()
    finally:
        prompting.cancel()
    return ""


async def _answer(run: Run, request: PermissionRequest) -> str | None:
    earlier = as_text(dict(request.earlier))
    options = "\n".join(one.name for one in request.options)
    text = f"{as_text(dict(request.tool_call))}\n{earlier}\n{options}"
    attempt = run.about(text)
    if len(run.questions) >= QUESTIONS_MAX:
        return None
    if attempt is None:
        # It may be about calls that follow: the start in which all is approved shows that.
        is_yes = run.way is Way.APPROVES
        chosen = request.first(*(ALLOW_FIRST if is_yes else REJECT_FIRST))
        return chosen.option_id if chosen is not None else None
    asked_at = time.time()
    await asyncio.sleep(run.open_seconds(attempt))
    probe = run.probes.get(attempt.planned.key)
    option, is_approved = _option(run, attempt, probe, request)
    shown = _shown(request, probe) if probe is not None else None
    is_always = option is not None and option.lasts
    value: JsonValue = [dict(request.tool_call), dict(request.earlier)]
    other = other_words(text, attempt, run.probes, value)
    run.questions.append(
        Question(attempt, asked_at, time.time(), is_approved, "", is_always, shown, other)
    )
    return option.option_id if option is not None else None


def _option(
    run: Run, attempt: ScriptedAttempt, probe: Probe | None, request: PermissionRequest
) -> tuple[PermissionOption | None, bool]:
    """The option to choose, and whether it approves."""
    if run.must_deny(attempt):
        run.call_again(attempt)
        return request.first(*REJECT_FIRST), False
    if probe is not None and probe.family == "remembered":
        wanted = (OptionKind.ALLOW_ALWAYS, OptionKind.ALLOW_ONCE)
        if probe.id != "remembered/first":
            wanted = (OptionKind.ALLOW_ONCE, OptionKind.ALLOW_ALWAYS)
        return request.first(*wanted), True
    return request.first(*ALLOW_FIRST), True


def _shown(request: PermissionRequest, probe: Probe) -> JsonValue:
    """Parts of the tool and the call in the request, and in its options."""
    text = as_text(dict(request.tool_call))
    found = shown_in(text, probe)
    earlier = shown_in(as_text(dict(request.earlier)), probe)
    options = " ".join(one.name for one in request.options)
    return {
        **found,
        EARLIER: [part for part, is_there in earlier.items() if is_there and not found[part]],
        **({"name only in an answer": True} if not found["name"] and probe.name in options else {}),
        "title of the request": request.title[:_TEXT_MAX],
        "answers": [f"{one.name[:_TEXT_MAX]} ({one.kind})" for one in request.options],
    }
