"""What holds on every screen; `visits` has the looks."""

from __future__ import annotations

from typing import Any

import pytest
from textual.command import CommandPalette
from textual.screen import Screen

from tests.tui.visits import WITHOUT_HELP, look
from tests.tui.ways import WAYS

# All looks at a screen are taken in its first test.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

Kind = type[Screen[Any]]


def name_of(kind: Kind) -> str:
    return kind.__name__


@pytest.mark.parametrize("kind", WAYS, ids=name_of)
async def test_every_text_can_be_read_in_both_themes_and_without_colour(kind: Kind) -> None:
    await look(kind, "contrast")


@pytest.mark.parametrize("kind", [one for one in WAYS if one is not CommandPalette], ids=name_of)
async def test_what_pops_up_covers_nothing_that_is_pressed_at_80x24(kind: Kind) -> None:
    await look(kind, "toasts")


@pytest.mark.parametrize("kind", WAYS, ids=name_of)
async def test_a_tiny_window_does_nothing(kind: Kind) -> None:
    await look(kind, "tiny")


@pytest.mark.parametrize("kind", [one for one in WAYS if one not in WITHOUT_HELP], ids=name_of)
async def test_help_is_there(kind: Kind) -> None:
    await look(kind, "help_is_there")


@pytest.mark.parametrize("kind", [one for one in WAYS if one is not CommandPalette], ids=name_of)
async def test_the_palette_takes_what_is_typed_over_it(kind: Kind) -> None:
    await look(kind, "palette")


@pytest.mark.parametrize("kind", WAYS, ids=name_of)
async def test_quitting_ends_it_and_sends_nothing(kind: Kind) -> None:
    await look(kind, "quitting")
