"""How it is shown: on the screen, and in reports."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from .parser import Parser
from .people import add_person

JSON = ("json", "print one JSON object")


class ScreenOptions(NamedTuple):
    """How the bench looks; None where nothing was given."""

    plain: bool = False
    graphics: str | None = None
    theme: str | None = None
    person: str = ""
    """Who answers every question on the screen: `slow:3`."""


class OutputOptions(NamedTuple):
    """How a command without a screen reports."""

    json: bool = False
    show_secrets: bool = False


def add_screen(parser: Parser) -> None:
    """How the bench looks."""
    parser.add_argument(
        "--plain",
        action="store_true",
        help="numbered lines and questions in place of the screen: for screen readers, serial "
        "lines, logs and scripts (by itself where the terminal cannot place a cursor)",
    )
    parser.add_argument(
        "--graphics",
        choices=["auto", "on", "off", "kitty", "iterm2", "sixel"],
        help="draw images in real pixels (auto: in terminals known for it; on: through tmux, too; "
        "or by the protocol named)",
    )
    add_person(parser)
    parser.add_argument(
        "--theme",
        metavar="NAME",
        type=_theme,
        help="auto (light where the terminal is light), dark, light, or a theme of Textual",
    )


def _theme(text: str) -> str:
    from ...storage.settings.settings import BY_NAME

    try:
        return str(BY_NAME["theme"].kind.read(text))
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"a theme {problem}") from None


def add_show_secrets(parser: Parser) -> None:
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="print what is masked otherwise: secrets in arguments, commands and messages",
    )


def add_json(parser: Parser) -> None:
    name, words = JSON
    parser.add_argument(f"--{name}", action="store_true", help=words)


def add_shape(parser: Parser, kinds: Sequence[tuple[str, str]]) -> None:
    """One option for each kind of report, by its name and words; lines where none is given."""
    shape = parser.add_mutually_exclusive_group()
    for name, words in kinds:
        shape.add_argument(
            f"--{name}", dest="shape", action="store_const", const=name, default="lines", help=words
        )
