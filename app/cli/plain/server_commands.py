"""Plain commands about servers: servers, go, trust, policy, facts, stderr, log, restart."""

from __future__ import annotations

from collections import Counter

from ...approval.policies.rules import NameGlobs, glob_fault
from ...approval.trusting import warnings_of
from ...content.labels import and_more, some_listed
from ...content.suggest import did_you_mean
from ...content.text import count, cut, sentence, visible
from ...content.texts.facts import lines as lines_of
from ...content.texts.facts import texts
from ...content.texts.sheet_line import GUTTER
from ...presentation.server import LABELS as LABEL_CELLS
from ...presentation.server import facts as server_facts
from ...protocol.findings.model_texts import addressing_findings
from ...protocol.log_messages import LEVELS, LogMessage, logger_words, loggers_of
from ...protocol.server import Phase, Trust
from ..output.readable import ended_lines
from ..output.reports import log_line
from ..targets.policies import column_named
from ..targets.targets import UsageError
from .running import key_of, parser_of, run_line
from .session import (
    NotDone,
    PlainSession,
    connected_line,
    gutter,
    hint_words,
    is_number,
    not_done,
    until_listed,
)

TRUST = "trust"
LISTED = 40
STDERR_LINES = 60
LOG_LINES = 60


async def servers(desk: PlainSession, rest: str) -> None:
    """List the servers with their states; the current one is marked."""
    for number, one in enumerate(desk.servers, 1):
        server = one.engine.server
        mark = "> " if one is desk else "  "
        state = server.phase.value
        if server.phase is Phase.CONNECTED:
            state = f"{count(len(one.engine.tools), 'tool')}, {server.trust.value}"
        elif server.ended_words:
            state = f"{state}: {visible(one.hiding().said(server.ended_words))}"
        desk.say(f"{mark}{number}  {visible(server.name)}: {state}")


async def go(desk: PlainSession, rest: str) -> None:
    """Change to the server of a number or a name."""
    words = rest.strip()
    names = [one.engine.server.name for one in desk.servers]
    if words in names:
        found = desk.servers[names.index(words)]
    elif words.isascii() and words.isdigit() and 0 < int(words[:6]) <= len(names):
        found = desk.servers[int(words[:6]) - 1]
    else:
        hint = did_you_mean(words, names) if words else ""
        shown_words = visible(cut(words, 40).text)
        raise NotDone(f"No such server: “{shown_words}”{hint or '; servers lists them.'}")
    desk.next = found
    if found is desk:
        desk.say(f"This is {visible(found.engine.server.name)}.")
        return
    await until_listed(found, found.config.connect_timeout)
    if found.engine.is_listed:
        found.say(connected_line(found))
        found.number_anew()
    else:
        found.console.say_all(ended_lines(found.engine.server, found.hiding()))


async def trust(desk: PlainSession, rest: str) -> None:
    words, server = rest.strip().casefold(), desk.engine.server
    if words not in ("", "on", "off"):
        raise NotDone("trust on, or trust off; trust alone shows the current value.")
    if not words:
        desk.say(f"{visible(server.name)} is {server.trust.value}.")
        return
    if words == "off":
        desk.engine.set_trust(Trust.UNTRUSTED)
        desk.say("Untrusted now: its hints are shown and not obeyed.")
        return
    if server.trust is Trust.TRUSTED:
        desk.say("It is trusted already.")
        return
    effect = desk.engine.trust_effect()
    freed = effect.runs
    count = f"{len(freed):,} {'tool' if len(freed) == 1 else 'tools'}"
    desk.say(f"By the policy {effect.policy}, {count} would run without asking from now on.")
    for tool in freed[:LISTED]:
        desk.say(f"{desk.number_of(tool):>3}  {tool.display_name}: claims {hint_words(tool)}")
        for finding in warnings_of(tool):
            desk.say(f"     warning: {finding.message}")
    if more := and_more(len(freed) - LISTED):
        desk.say(f"     {more}")
    for tool in effect.sometimes[:LISTED]:
        desk.say(f"{desk.number_of(tool):>3}  {tool.display_name}: with some arguments")
    if effect.reads:
        desk.say("Resources that it links to would be read without asking.")
    if not desk.is_interactive:
        raise NotDone("Still untrusted: no terminal to confirm it. For scripts use --trust.")
    if await desk.dialogue.ask_word(f"Type {TRUST} to trust it; anything else leaves it>") != TRUST:
        desk.say("Still untrusted.")
        return
    if desk.engine.trust_effect().key != effect.key:
        raise NotDone("Still untrusted: its tools have changed. trust on shows the new list.")
    desk.engine.set_trust(Trust.TRUSTED)
    desk.say("Trusted now: its hints count.")


async def policy(desk: PlainSession, rest: str) -> None:
    """`policy NAME|NUMBER` lets one decide; without, and with a verb, it is the command."""
    words = rest.strip()
    if not words or words.startswith("-") or words.split()[0] in parser_of("policy").commands:
        await run_line(desk, "policy", rest)
        return
    if is_number(words):
        words = await key_of(desk, "policy", words)
    try:
        found = column_named(words)
    except UsageError as problem:
        raise not_done(problem) from None
    if found.is_loud:
        desk.say(
            f"{found.shown_name} runs destructive tools without asking, even of untrusted servers."
        )
        if not desk.is_interactive:
            raise NotDone("Not changed: no terminal to confirm it. For scripts use --policy.")
        if await desk.dialogue.ask_word(f"Type {found.name} to use it>") != found.name:
            desk.say(f"{desk.engine.policy.shown_name} still decides.")
            return
    desk.engine.consent.set_policy(found)
    desk.say(f"{found.shown_name} decides now: {found.summary}")


async def server(desk: PlainSession, rest: str) -> None:
    one, hiding = desk.engine.server, desk.hiding()
    rows = lines_of(server_facts(desk.engine, hiding), LABEL_CELLS)
    desk.console.say_all(texts(list(rows)))
    if one.instructions:
        desk.say("instructions, the server's words:")
        desk.console.say_all(gutter(hiding.said(one.instructions), 4_000))
        for finding in addressing_findings({"instructions": one.instructions}):
            desk.say(f"{finding.severity.value}    {finding.code}: {hiding.said(finding.message)}")


async def stderr(desk: PlainSession, rest: str) -> None:
    lines = list(desk.engine.stderr)
    total = desk.engine.stderr_count
    last = lines if rest.strip() == "all" else lines[-STDERR_LINES:]
    more = f", the last {len(last):,}; stderr all shows {len(lines):,}" if len(last) < total else ""
    desk.say(f"{total:,} lines on stderr{more}")
    for line in last:
        desk.console.say_all(gutter(desk.hiding().said(line), 2_000))


async def log(desk: PlainSession, rest: str) -> None:
    """`log`, `log all`, `log LEVEL`, `log logger GLOB`."""
    words, server_log = rest.strip().casefold(), desk.engine.log
    if words in LEVELS:
        desk.engine.set_log_level(words)
        desk.say(f"Asked for log messages from {words} on.")
        return
    messages = list(server_log.messages)
    if words.partition(" ")[0] == "logger":
        _say_logger(desk, rest.strip()[len("logger") :].strip(), messages)
        return
    if words not in ("", "all"):
        raise NotDone(f"log, log all, log logger GLOB, or log and a level: {', '.join(LEVELS)}.")
    last = messages if words else messages[-LOG_LINES:]
    wanted = f", asked for from {server_log.level} on" if server_log.level else ""
    more = f", the last {len(last):,}" if len(last) < server_log.count else ""
    desk.say(f"{count(server_log.count, 'log message')}{wanted}{more}")
    if server_log.problem:
        desk.say(server_log.problem)
    desk.console.say_all(f"  {GUTTER}{log_line(one, desk.hiding())}" for one in last)


def _say_logger(desk: PlainSession, glob: str, messages: list[LogMessage]) -> None:
    """The messages of the loggers whose name fits; of no glob, which loggers there are."""
    loggers = loggers_of(messages)
    if not glob:
        desk.say(f"{count(len(loggers), 'logger')}; log logger GLOB shows what they logged.")
        numbers = Counter(message.logger for message in messages)
        for line in some_listed(
            loggers, LISTED, lambda one: f"{numbers[one]:,} {logger_words(one)}"
        ):
            desk.say(f"  {line}")
        return
    if fault := glob_fault(glob):
        raise NotDone(f"log logger takes a glob, for example demo.*: {fault}.")
    fitting = NameGlobs((glob,))
    found = [one for one in messages if fitting.fit(one.logger)]
    shown = visible(cut(glob, 60).text)
    desk.say(f"{len(found):,} of {count(len(messages), 'log message')} of the logger “{shown}”")
    desk.console.say_all(f"  {GUTTER}{log_line(one, desk.hiding())}" for one in found)


async def restart(desk: PlainSession, rest: str) -> None:
    """Restart the server, and wait until the tools are listed, as at the start."""
    engine = desk.engine
    if problem := await engine.restart():
        raise NotDone(f"Not restarted: {sentence(visible(problem))}")
    desk.say("Restarting.")
    was_listed = engine.is_listed
    await until_listed(desk, desk.config.connect_timeout)
    if engine.server.is_open:
        await engine.compared()
    if engine.server.is_open:
        desk.say(f"Restarted: {count(len(engine.tools), 'tool')}; list shows them.")
    elif not was_listed:
        # A server that was lost has its notice before the next prompt.
        desk.console.say_all(ended_lines(engine.server, desk.hiding()))
