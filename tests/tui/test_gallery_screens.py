"""The gallery of the bundled server, as text. UPDATE_GOLDEN=1 writes it anew; read the diff then.

A sheet holds several screens of one size. Without colour its words are the same; only pictures are
drawn otherwise, and have sheets of their own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tui.bench_stage import NARROW, WIDE
from tests.tui.gallery import NARROW_ONLY, walk

FOLDER = Path(__file__).resolve().parent.parent / "golden"
SHEETS = ("form", "texts", "media", "parts", "broken", "structured", "reader")
WITH_PICTURES = ("media", "broken")
WITH_SIGNS = ("form", "structured")
"""Sheets whose colours mean something: where a value is from, and which place is wrong."""
NARROW_NAMES = [f"{sheet}-80x24" for sheet in SHEETS]
NAMES = [*NARROW_NAMES, *(f"{sheet}-120x36" for sheet in SHEETS if sheet not in NARROW_ONLY)]

# Everything is shown in the first test of each kind.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def shown(
    folder: Path, *sizes: tuple[int, int], only: Sequence[str] = (), **environment: str
) -> dict[str, str]:
    """What a walk through the gallery shows, by sheet and size."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CACHE", "STATE", "CONFIG", "DATA"):
            patch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
        patch.delenv("NO_COLOR", raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        return asyncio.run(walk(*sizes, only=only))


@pytest.fixture(scope="module")
def coloured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return shown(tmp_path_factory.mktemp("gallery"), WIDE, NARROW)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    only = (*WITH_PICTURES, *WITH_SIGNS)
    return shown(tmp_path_factory.mktemp("gallery"), NARROW, only=only, NO_COLOR="1")


def check(name: str, sheet: str) -> None:
    file = FOLDER / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(sheet, encoding="utf-8")
    assert sheet == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_sheet(coloured: dict[str, str], name: str) -> None:
    check(name, coloured[name])


@pytest.mark.parametrize("name", [f"{sheet}-80x24" for sheet in (*WITH_PICTURES, *WITH_SIGNS)])
def test_the_words_are_the_same_without_colour(plain: dict[str, str], name: str) -> None:
    has_pictures = name.split("-")[0] in WITH_PICTURES
    check(f"{name}-no-colour" if has_pictures else name, plain[name])
