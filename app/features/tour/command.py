"""`signoff tour`: the bundled server with the tour over it, or the tour as one HTML page."""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ... import __version__
from ...cli.commands.screen import (
    ScreenOptions,
    TourOptions,
    add_screen,
    is_on_terminal,
    open_screen,
)
from ...cli.options.declared import add_options, opt, options, read_values
from ...cli.options.meaning import ALL_VALUES
from ...cli.options.parser import DEMO, Parser
from ...cli.options.session import SessionOptions, read_session
from ...cli.output.report_files import STANDARD_OUTPUT, write_report
from ...cli.process import why_plain
from ...cli.targets.targets import UsageError, demo_command
from ...content import html
from ...engine.session_config import SessionConfig, Target
from ...platforms.files import set_rights, usual_rights, why
from ...presentation.exit_status import ExitStatus
from ...protocol.server import Trust
from .course import QuizAnswer, TourStep
from .steps import STEPS

if TYPE_CHECKING:
    from ...cli.command import Command


def write_page(file: str, steps: Sequence[TourStep] = STEPS) -> int:
    """Write the page; returns the exit status. Nothing is written where a step fails."""
    place = Path(file).expanduser()
    is_printed = file == STANDARD_OUTPUT
    if not is_printed and (place.is_dir() or not place.parent.is_dir()):
        raise UsageError(f"--html {_shown(file)}: give a file in a folder that is there")
    # Pictures have colours, whatever terminal the page is made in.
    os.environ.pop("NO_COLOR", None)
    from .player import TourFailed, play

    print("The tour runs on the bundled server, with pictures; this takes a minute or two.")
    with tempfile.TemporaryDirectory(prefix="signoff-tour-") as folder:
        memory = Path(folder, "memory")
        target = Target(DEMO, argv=demo_command(), is_bundled=True)
        session = SessionConfig(target, Trust.TRUSTED, keeps_audit=False, memory=memory)
        link = target.link()
        try:
            link.begin()
            played = asyncio.run(play(link, session, steps))
        except (TourFailed, TimeoutError) as problem:
            words = str(problem) or "it took too long"
            print(f"signoff: the page was not written: {words}", file=sys.stderr)
            return ExitStatus.TIME_LIMIT
        finally:
            link.kill()
    page = tour_html([Lesson(one.step, one.pictures, one.told) for one in played])
    if is_printed:
        write_report("--html", file, page)
        return ExitStatus.OK
    try:
        _write(place, page)
    except OSError as problem:
        words = f"{_shown(file)} cannot be written: {why(problem)}"
        raise UsageError(f"--html: {words}") from None
    print(f"{_shown(str(place))}: {len(played)} steps, {len(page) / 1e6:.1f} MB")
    return ExitStatus.OK


def _write(place: Path, page: str) -> None:
    """Whole or not at all."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=place.parent, prefix=f".{place.name}.", delete=False
    ) as file:
        try:
            file.write(page)
            file.flush()
            set_rights(file.fileno(), usual_rights())
            file.close()  # on Windows a file that is open cannot take another's place
            Path(file.name).replace(place)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _shown(text: str) -> str:
    from ...content.text import visible

    return visible(text)


_STYLE: Final = Path(__file__).with_suffix(".css")


class Lesson(NamedTuple):
    """A step, an SVG for each of its parts, and the right guess if known."""

    step: TourStep
    pictures: Sequence[str]
    told: QuizAnswer | None


def tour_html(lessons: Sequence[Lesson]) -> str:
    """The whole page. A picture is an inert image in it."""
    style = _STYLE.read_text(encoding="utf-8")
    return html.page("Signoff: the tour", style, _body(lessons), pictures=True)


def _body(lessons: Sequence[Lesson]) -> Iterator[str]:
    yield "<h1>What annotations of MCP tools do</h1>"
    yield (
        f"<p>The tour of Signoff {html.text(__version__)}, done on its bundled server. Every "
        "picture is of the running program. To do it yourself: <code>signoff tour</code>.</p>"
    )
    yield (
        '<p class="dim">Host behaviour comes from the source code or the documentation on the date '
        "shown.</p>"
    )
    links = (
        html.element("a", html.text(one.step.title), href=f"#{html.text(one.step.id)}")
        for one in lessons
    )
    yield html.element("nav", _list(links))
    for at, one in enumerate(lessons, 1):
        lines = "\n".join(_section(at, one))
        yield html.element("section", f"\n{lines}\n", id=html.text(one.step.id))


def _list(items: Iterable[str]) -> str:
    return html.element("ol", "".join(html.element("li", one) for one in items))


def _section(at: int, lesson: Lesson) -> Iterator[str]:
    step = lesson.step
    yield html.element("h2", f"{at}. {html.text(step.title)}")
    yield html.paragraph(step.why)
    yield html.paragraph(step.quiz.question, "moral")
    yield _list(map(html.text, step.quiz.choices))
    for number, part in enumerate(step.parts):
        yield html.paragraph(part.task, "task")
        if number < len(lesson.pictures):
            words = f"Signoff: {step.title}, part {number + 1} of {len(step.parts)}"
            data = base64.b64encode(lesson.pictures[number].encode()).decode("ascii")
            yield f'<img alt="{html.text(words)}" src="data:image/svg+xml;base64,{data}">'
    yield html.details("Answer", [_right(lesson), html.paragraph(step.moral)], "guess")


def _right(lesson: Lesson) -> str:
    told = lesson.told
    if told is None:
        return "<p>The answer could not be computed here.</p>"
    right = html.text(lesson.step.quiz.choices[told.right])
    return html.element(
        "p", f"{html.element('span', f'{right}.', role='right')} \n{html.text(told.why)}"
    )


_PAGE_NEEDS: Final = frozenset(("mode", "html", "present", "read_command"))
"""All that counts where the tour is written as a page."""


class Tour(NamedTuple):
    """Open the bundled server with the tour over it, or write the tour as a page."""

    session: SessionOptions
    screen: ScreenOptions
    present: bool
    html: str
    """The file of the page; empty for none."""
    useless: tuple[str, ...]
    """The options that count for nothing on a page."""

    def run(self, argv: tuple[str, ...]) -> int:
        if argv or self.session.url is not None:
            raise UsageError("the tour runs on the bundled server: signoff tour takes no target")
        if self.html:
            if self.useless:
                words = ", ".join(self.useless)
                raise UsageError(
                    f"the page of the tour is made in a setting of its own: leave {words} out"
                )

            return write_page(self.html)
        is_plain = self.screen.plain or why_plain(os.environ.get("TERM", ""))
        if is_plain or not is_on_terminal():
            raise UsageError(
                "the tour needs a terminal that can place a cursor; without one use "
                "signoff tour --html FILE, or signoff demo --plain for the tools alone"
            )
        # What was approved or changed in earlier runs would answer its questions beforehand.
        with tempfile.TemporaryDirectory(prefix="signoff-tour-") as folder:
            tour = TourOptions(self.present)
            return open_screen(self.session, self.screen, (), tour, Path(folder))


@options
class PageOptions(NamedTuple):
    """What comes of the tour."""

    present: bool = opt("--present", "show it large and slow, for a projector", rivals="way")
    html: str = opt(
        "--html FILE",
        "write the tour as one page, with pictures, to FILE (-: print it)",
        rivals="way",
    )


def add(tour: Parser) -> None:
    add_options(tour, PageOptions)
    add_screen(tour, has_lines=False, takes_target=False)
    tour.set_defaults(read_command=_read)


def _read(given: argparse.Namespace) -> Command:
    useless = tuple(
        f"--{name.replace('_', '-')}"
        for name in vars(given)
        if name not in _PAGE_NEEDS | ALL_VALUES
    )
    session, screen = read_session(given), read_values(ScreenOptions, given)
    return Tour(session, screen, *read_values(PageOptions, given), useless)
