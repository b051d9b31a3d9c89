"""What the pager shows of a server: facts, findings, stderr, log, and what it says of itself."""

from __future__ import annotations

from ..approval.what_runs import WhatRuns
from ..content.text import PRINTED_BLANKS, Span, count, visible
from ..engine.engine import Bench
from ..protocol.log_messages import logger_words, loggers_of
from ..protocol.server import Server
from ..questions.server_lines import bound_lines
from .pager import Section, plain_lines
from .section_lines import Lines, finding_lines, raw_lines, text_lines

LOG = "log messages"
STDERR = "stderr"
LABELS = ("server", "findings", STDERR, LOG, "instructions", "says of itself", "capabilities")


def server_sections(bench: Bench) -> list[Section]:
    """Facts, findings, stderr, and what the server says of itself."""
    return [server_section(bench, label) for label in LABELS]


def server_section(bench: Bench, label: str, logger: str | None = None) -> Section:
    """One of them as it is now; `logger`: whose log messages alone, by its raw name."""
    server, is_ours = bench.server, True
    lines: Lines | str
    match label:
        case "server":
            facts = server_facts(server, bench.runs, watch_words(bench))
            lines = plain_lines(f"{facts}\n{offer_facts(bench)}")
        case "findings":
            lines = finding_lines(bench.observed.all(), server.version)
        case "log messages":
            lines = log_lines(bench, logger)
        case _:
            is_ours, lines = False, _said_by_server(bench, label)
    return Section(label, lines, is_ours=is_ours)


def _said_by_server(bench: Bench, label: str) -> Lines | str:
    server = bench.server
    match label:
        case "stderr":
            return [line for text in bench.stderr for line in text_lines(text, PRINTED_BLANKS)]
        case "instructions":
            return text_lines(server.instructions) if server.instructions else []
        case "says of itself":
            return raw_lines(server.info)
    return raw_lines(server.capabilities)


def watch_words(bench: Bench) -> str:
    """How the server's process is watched, and where it works; empty where it is not."""
    watch = bench.link.watch
    return f"by {watch.method.value}, in {visible(watch.scratch)}" if watch is not None else ""


def offer_facts(bench: Bench) -> str:
    """How much it has beside its tools, and where to look at it."""
    offers = bench.offers
    counts = [f"{len(offers.of(kind)):,} {kind.plural}" for kind in offers.kinds]
    words = f"{', '.join(counts)} (P)" if counts else "no resources and no prompts"
    return f"{'offers':<13} {count(len(bench.tools), 'tool')}, {words}"


def log_lines(bench: Bench, logger: str | None = None) -> Lines:
    """The log messages that are kept, of the level that was asked for, newest last.

    `logger`: those of this one alone, by its raw name; empty for those without one.
    """
    log = bench.log
    level = f"asked for from {log.level} on" if log.level else "no level was asked for"
    head = f"{count(log.count, 'log message')}, {level}"
    if log.dropped:
        head += f"; the oldest {log.dropped:,} are not kept"
    shown = [one for one in log.messages if one.reaches(log.level)]
    loggers = loggers_of(log.messages)
    only = ""
    if logger is not None:
        shown = [one for one in shown if one.logger == logger]
        at = f"{loggers.index(logger) + 1} of " if logger in loggers else "of "
        only = f"{len(shown):,} {logger_words(logger)} ({at}{len(loggers):,})"
    lines = plain_lines("\n".join(one for one in (head, only, log.problem) if one))
    return [*lines, *([Span(f"┃ {one.line}", False)] for one in shown)]


def server_facts(server: Server, runs: WhatRuns | None = None, watched: str = "") -> str:
    """`watched`: how its process is watched and where it works, in words."""
    rows = [
        ("name", visible(server.name)),
        ("command", visible(server.command)),
        *bound_lines(runs),
        ("calls itself", server.calls_itself or "nothing"),
        ("trust", server.trust.value),
        ("state", server.phase.value),
        ("protocol", server.protocol_words or "not known yet"),
        ("pid", "none" if server.pid is None else str(server.pid)),
    ]
    if server.ended_words:
        rows.append(("ended", visible(server.ended_words)))
    if server.exit_code is not None:
        rows.append(("exit code", str(server.exit_code)))
    rows += [
        ("last words", f"┃ {visible(line, max_blanks=PRINTED_BLANKS)}")
        for line in server.last_words
    ]
    if watched:
        rows.append(("watched", watched))
    return "\n".join(f"{label:<13} {words}" for label, words in rows)
