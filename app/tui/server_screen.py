"""What is known of the server, and goes on while it is read: its state, stderr, log messages."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from ...widgets.verb_bar import Verb
from ..content.text import visible
from ..engine.engine import Bench
from ..protocol.log_messages import LEVELS, loggers_of
from ..protocol.server import Phase
from .pager import PagerScreen, plain_lines
from .server_sections import LOG, STDERR, server_section, server_sections

_LOOK_SECONDS = 0.3


class ServerScreen(PagerScreen):
    """The sections of one server; what is shown is drawn anew as it changes, or more comes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "L",
            "next_level",
            "Log level",
            id="log.level",
            tooltip="Ask for the server's log messages from the next level on; only those show.",
        ),
        Binding(
            "o",
            "next_logger",
            "Logger",
            id="log.logger",
            tooltip="Only the log messages of the next logger, and after the last one all.",
        ),
    ]

    def __init__(self, bench: Bench) -> None:
        sections = server_sections(bench)
        labels = [section.label for section in sections]
        is_gone = bench.server.phase in (Phase.FAILED, Phase.LOST)
        # Its last words, where it had any.
        start = labels.index("stderr") if is_gone and bench.server.pid is not None else 0
        title = Content.assemble("server ", (visible(bench.server.name), "bold"))
        super().__init__(title, sections, start)
        self._bench = bench
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
        level = self._bench.log.level
        at = LEVELS.index(level) + 1 if level in LEVELS else 0
        self._bench.set_log_level(LEVELS[at % len(LEVELS)])
        self._current = self._log_at
        self._show()

    def action_next_logger(self) -> None:
        """Those that came so far, one after the other, and then all of them again."""
        loggers = loggers_of(self._bench.log.messages)
        later = [one for one in loggers if self._logger is None or one > self._logger]
        self._logger = later[0] if later else None
        self._current = self._log_at
        self._show()

    @property
    def _mark(self) -> tuple[object, ...]:
        bench, log = self._bench, self._bench.log
        counts = [len(bench.offers.of(kind)) for kind in bench.offers.kinds]
        said = (log.count, log.level, log.problem, bench.stderr_count, len(bench.observed.all()))
        return (bench.server, bench.runs, len(bench.tools), *counts, *said)

    def _look(self) -> None:
        """Draw what came, unless somebody searches in what is there, or marks it."""
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
        """What is to be shown, as it is now; the other sections are when it is their turn."""
        self._seen = self._mark
        sections = list(self._sections)
        label = sections[self._current].label
        sections[self._current] = server_section(self._bench, label, self._logger)
        self._sections = tuple(sections)
