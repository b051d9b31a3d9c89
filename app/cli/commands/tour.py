"""`signoff tour --html FILE`: does the tour without a person and writes it as a page."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ...headless.exit_status import ExitStatus
from ...headless.targets import DEMO, Target, UsageError, demo_command
from ...platforms.files import set_rights, usual_rights
from ...tui.tour.step import Step
from ...tui.tour.steps import STEPS


def write_page(file: str, steps: Sequence[Step] = STEPS) -> int:
    """Write the page; returns the exit status. Nothing is written where a step fails."""
    place = Path(file).expanduser()
    if place.is_dir() or not place.parent.is_dir():
        raise UsageError(f"--html {_shown(file)}: give a file in a folder that is there")
    # Pictures have colours, whatever terminal the page is made in.
    os.environ.pop("NO_COLOR", None)
    from ...tui.tour.player import NotPlayed, play
    from .tour_page import Lesson, tour_html

    print("The tour is done on the bundled server, with pictures; that takes a minute or two.")
    with tempfile.TemporaryDirectory(prefix="signoff-tour-") as folder:
        memory = Path(folder, "memory")
        link = Target(DEMO, argv=demo_command(), is_bundled=True).link()
        try:
            link.begin()
            played = asyncio.run(play(link, DEMO, steps, memory))
        except (NotPlayed, TimeoutError) as problem:
            words = str(problem) or "it took too long altogether"
            print(f"signoff: the page was not written: {words}", file=sys.stderr)
            return ExitStatus.TIME_LIMIT
        finally:
            link.kill()
    page = tour_html([Lesson(one.step, one.pictures, one.told) for one in played])
    try:
        _write(place, page)
    except OSError as problem:
        why = (problem.strerror or "the system refuses").lower()
        raise UsageError(f"--html {_shown(file)} cannot be written: {why}") from None
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
