"""The server screen: state, facts, findings, stderr and log, updated while it is open."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from ....widgets.bars import Verb
from ....widgets.bindings import bindings_of
from ...content.text import PRINTED_BLANKS, Span, count, visible
from ...content.texts.facts import lines as lines_of
from ...content.texts.facts import texts
from ...engine.engine import Engine
from ...presentation.server import LABELS as LABEL_CELLS
from ...presentation.server import ShowsAll
from ...presentation.server import facts as server_facts
from ...protocol.log_messages import LEVELS, logger_words, loggers_of
from ...protocol.server import Phase
from .pager import PagerScreen, PagerSection, plain_lines
from .sections import Lines, finding_lines, raw_lines, text_lines

LOG = "log messages"
STDERR = "stderr"
LABELS = ("server", "findings", STDERR, LOG, "instructions", "server info", "capabilities")


def server_section(engine: Engine, label: str, logger: str | None = None) -> PagerSection:
    """One of them as it is now; `logger`: whose log messages alone, by its raw name."""
    server, is_ours = engine.server, True
    lines: Lines | str
    match label:
        case "server":
            rows = lines_of(server_facts(engine, ShowsAll()), LABEL_CELLS)
            lines = plain_lines("\n".join(texts(list(rows))))
        case "findings":
            lines = finding_lines(engine.observed.all(), server.version)
        case "log messages":
            lines = log_lines(engine, logger)
        case _:
            is_ours, lines = False, _said_by_server(engine, label)
    return PagerSection(label, lines, is_ours=is_ours)


def _said_by_server(engine: Engine, label: str) -> Lines | str:
    server = engine.server
    match label:
        case "stderr":
            return [line for text in engine.stderr for line in text_lines(text, PRINTED_BLANKS)]
        case "instructions":
            return text_lines(server.instructions) if server.instructions else []
        case "server info":
            return raw_lines(server.info)
    return raw_lines(server.capabilities)


def log_lines(engine: Engine, logger: str | None = None) -> Lines:
    """The log messages that are kept, of the level that was asked for, newest last.

    `logger`: those of this one alone, by its raw name; empty for those without one.
    """
    log = engine.log
    level = f"requested from {log.level} on" if log.level else "no level requested"
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


_LOOK_SECONDS = 0.3


class ServerScreen(PagerScreen):
    """The sections of one server; the shown one is redrawn as it changes."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("log")

    def __init__(self, engine: Engine) -> None:
        sections = [server_section(engine, label) for label in LABELS]
        labels = [section.label for section in sections]
        is_gone = engine.server.phase in (Phase.FAILED, Phase.LOST)
        start = 0
        if is_gone and engine.stderr:
            start = labels.index(STDERR)
        elif is_gone and engine.observed.all():
            start = labels.index("findings")
        title = Content.assemble("server ", (visible(engine.server.name), "bold"))
        super().__init__(title, sections, start)
        self._engine = engine
        self._log_at = labels.index(LOG)
        self._logger: str | None = None
        """The raw name of the only one whose messages are shown; None for all."""
        self._seen = self._mark

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(_LOOK_SECONDS, self._look)

    def verbs(self) -> list[Verb]:
        verbs = super().verbs()
        if self._current == self._log_at:
            # Shorter than elsewhere, so that all of them have room on 80 columns.
            verbs[0] = Verb("turn(1)", "Next", "tab")
            verbs[1:1] = [Verb("next_level", "Level", "L"), Verb("next_logger", "Logger", "o")]
        return verbs

    def action_next_level(self) -> None:
        """From the least to the worst, and then from the least again."""
        level = self._engine.log.level
        at = LEVELS.index(level) + 1 if level in LEVELS else 0
        self._engine.set_log_level(LEVELS[at % len(LEVELS)])
        self._current = self._log_at
        self._show()

    def action_next_logger(self) -> None:
        """Those that came so far, one after the other, and then all of them again."""
        loggers = loggers_of(self._engine.log.messages)
        later = [one for one in loggers if self._logger is None or one > self._logger]
        self._logger = later[0] if later else None
        self._current = self._log_at
        self._show()

    @property
    def _mark(self) -> tuple[object, ...]:
        engine, log = self._engine, self._engine.log
        counts = [len(engine.offers.of(kind)) for kind in engine.offers.kinds]
        said = (log.count, log.level, log.problem, engine.stderr_count, len(engine.observed.all()))
        return (engine.server, engine.runs, len(engine.tools), *counts, *said)

    def _look(self) -> None:
        """Draw new output, unless the user is searching or selecting text."""
        if self._mark == self._seen or self._search is not None or self.get_selected_text():
            return
        view, before = self.lines, self._sections[self._current]
        self._take_up()
        section = self._sections[self._current]
        if section == before:
            return
        if self.lines is not view or isinstance(section.lines, str):
            self._show()
            return
        grows = section.label in (LOG, STDERR)
        follows, top = grows and view.is_vertical_scroll_end, view.top_position
        view.show_spans(section.lines or plain_lines("nothing"), wrap=self._wraps)
        if follows:
            view.action_scroll_end()
        else:
            view.go_to(top, at_top=True)

    def _show(self) -> None:
        self._take_up()
        super()._show()

    def _take_up(self) -> None:
        """Refresh the current section; the others are refreshed when shown."""
        self._seen = self._mark
        sections = list(self._sections)
        label = sections[self._current].label
        sections[self._current] = server_section(self._engine, label, self._logger)
        self._sections = tuple(sections)
