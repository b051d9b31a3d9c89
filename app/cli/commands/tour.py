"""`signoff tour`: the bundled server with the tour over it, or the tour as a page."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ...headless.targets import UsageError
from ..options.parser import Parser, picked
from ..options.server import ALL_VALUES, SessionOptions, read_session
from .screen import ScreenOptions, TourOptions, add_screen, open_screen

if TYPE_CHECKING:
    from ..command import Command

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
            from .tour_page import write_page

            return write_page(self.html)
        # What was approved or changed in earlier runs would answer its questions beforehand.
        with tempfile.TemporaryDirectory(prefix="signoff-tour-") as folder:
            tour = TourOptions(self.present)
            return open_screen(self.session, self.screen, (), tour, Path(folder))


def add(tour: Parser) -> None:
    way = tour.add_mutually_exclusive_group()
    way.add_argument(
        "--present", action="store_true", help="show it large and slow, for a projector"
    )
    way.add_argument(
        "--html", metavar="FILE", default="", help="write the tour as one page, with pictures"
    )
    add_screen(tour)
    tour.set_defaults(read_command=_read)


def _read(given: argparse.Namespace) -> Command:
    useless = tuple(
        f"--{name.replace('_', '-')}"
        for name in vars(given)
        if name not in _PAGE_NEEDS | ALL_VALUES
    )
    session, screen = read_session(given), picked(ScreenOptions, given)
    return Tour(session, screen, given.present, given.html, useless)
