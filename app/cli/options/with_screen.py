"""The commands that open a server on the screen."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from .approval import add_time_limit
from .output import ScreenOptions, add_screen
from .parser import Parser, group, picked
from .server import SessionOptions, add_session, read_session

PAGE_NEEDS = frozenset({"mode", "html", "present"})
"""All that counts where the tour is written as a page."""


class Bench(NamedTuple):
    """Open a server on the screen."""

    session: SessionOptions
    screen: ScreenOptions


class Tour(NamedTuple):
    """Open the bundled server with the tour over it, or write the tour as a page."""

    session: SessionOptions
    screen: ScreenOptions
    present: bool
    html: str
    """The file of the page; empty where there is to be none."""
    useless: tuple[str, ...]
    """The options that count for nothing on a page."""


def read_bench(given: argparse.Namespace) -> Bench:
    """`signoff`, and `signoff demo`."""
    return Bench(read_session(given), picked(ScreenOptions, given))


def read_tour(given: argparse.Namespace) -> Tour:
    """`signoff tour`."""
    useless = tuple(f"--{name.replace('_', '-')}" for name in vars(given) if name not in PAGE_NEEDS)
    return Tour(*read_bench(given), given.present, given.html, useless)


def bench_group() -> Parser:
    """What every command takes that opens the bench."""
    bench = group()
    add_session(bench)
    add_screen(bench)
    add_time_limit(bench)
    return bench


def add_demo(demo: Parser) -> None:
    """The bundled server is all that this says."""


def add_tour(tour: Parser) -> None:
    way = tour.add_mutually_exclusive_group()
    way.add_argument(
        "--present", action="store_true", help="large and slow, for those who watch a projector"
    )
    way.add_argument(
        "--html", metavar="FILE", default="", help="write the tour as one page, with pictures"
    )
