"""Take the README's pictures from the running program.

    python screenshots/take.py [--out FOLDER] [--only NAME] [--no-png]

Signoff runs without a terminal on the bundled server, which is a real process. Every picture is
written as SVG and, where a headless Chromium is found, as PNG. For the letters of the PNG install
Fira Code (Debian: `apt-get install chromium fonts-firacode`); an SVG uses it where the reader has
it, and another monospaced font elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from screenshots import film
from screenshots.files import BROWSERS, NoPicture, draw_png, find_browser
from screenshots.scenes import SESSIONS, Scene
from screenshots.still import DEMO, quiet_surroundings
from screenshots.studio import NotSeen, Studio, open_studio
from signoff.app.features.tour.player import self_contained
from signoff.app.protocol.server import Trust
from signoff.app.protocol.wire.frames import WireLog

FILM = "film"
"""The moving picture."""


def main(argv: Sequence[str] | None = None) -> int:
    """Take the pictures; 0 also where there is no browser for PNGs, 1 where a picture failed."""
    names = [*(scene.name for scenes in SESSIONS for scene in scenes), FILM]
    parser = argparse.ArgumentParser(description="Take the README's pictures.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="FOLDER")
    parser.add_argument("--only", choices=names, metavar="NAME")
    parser.add_argument("--no-png", action="store_true", help="write the SVGs alone")
    options = parser.parse_args(argv)
    out: Path = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        with quiet_surroundings():
            pictures = asyncio.run(_take(options.only, out))
            if options.only in (None, FILM):
                asyncio.run(_take_film(out / f"{FILM}.svg"))
        if not options.no_png:
            _draw(pictures)
    except (NotSeen, NoPicture) as problem:
        print(f"take.py: {problem}", file=sys.stderr)
        return 1
    return 0


async def _take(only: str | None, out: Path) -> list[Path]:
    """Play the sessions and write the SVGs. All servers start at once: each takes its time."""
    sessions = [_as_far_as(only, scenes) for scenes in SESSIONS]
    # Each has messages of its own alone.
    running = [(scenes, replace(DEMO, wire=WireLog()).link()) for scenes in sessions if scenes]
    pictures = []
    try:
        for _, link in running:
            link.begin()
        for scenes, link in running:
            async with open_studio(link, scenes[0].size) as studio:
                for scene in scenes:
                    await studio.resize(scene.size)
                    await scene.play(studio)
                    if only in (None, scene.name):
                        pictures.append(_write(studio, out / f"{scene.name}.svg"))
    finally:
        for _, link in running:
            link.kill()
    return pictures


async def _take_film(picture: Path) -> None:
    """Play the film on a server that is not trusted, and write it."""
    link = replace(DEMO, wire=WireLog()).link()
    link.begin()
    try:
        async with open_studio(link, film.SIZE, trust=Trust.UNTRUSTED) as studio:
            shots = []
            for shot in film.SHOTS:
                await shot.play(studio)
                svg = studio.app.export_screenshot(title="Signoff", simplify=True)
                shots.append((self_contained(svg), shot))
    finally:
        link.kill()
    picture.write_text(film.film(shots), encoding="utf-8")
    print(picture.name)


def _as_far_as(name: str | None, scenes: Sequence[Scene]) -> Sequence[Scene]:
    """The scenes to play for one picture: those before it, too; none if it is not among them."""
    if name is None:
        return scenes
    names = [scene.name for scene in scenes]
    return scenes[: names.index(name) + 1] if name in names else ()


def _write(studio: Studio, picture: Path) -> Path:
    svg = studio.app.export_screenshot(title="Signoff", simplify=True)
    picture.write_text(self_contained(svg), encoding="utf-8")
    print(picture.name)
    return picture


def _draw(pictures: Sequence[Path]) -> None:
    browser = find_browser()
    if browser is None:
        print(f"Only SVGs were written: none of {', '.join(BROWSERS)} is on the PATH.")
        return
    for picture in pictures:
        print(draw_png(browser, picture).name)


if __name__ == "__main__":
    sys.exit(main())
