"""The README's film: an approval in a few pictures, as one SVG that shows them in turn.

The browser that shows the SVG does so by a style sheet: no script, nothing fetched. Readers who
want no motion are shown the first picture.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from screenshots.studio import Studio
from signoff.app.engine.policy_state import read_rulebook
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.widgets.matrix.grid import MatrixGrid

SIZE: Final = (112, 32)
TOOL: Final = "read_settings"
"""It declares that it only reads, and writes a file."""
HOST: Final = "vscode"
_VIEW: Final = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of the film, and for how many seconds it is shown."""

    play: Callable[[Studio], Awaitable[None]]
    seconds: float
    words: str
    """The line below the picture."""


async def _tool(studio: Studio) -> None:
    await studio.choose(TOOL)
    await studio.hosts_known()


async def _asked(studio: Studio) -> None:
    question = await studio.ask()
    await studio.until("the question to listen", lambda: question.is_armed)


async def _denied(studio: Studio) -> None:
    await studio.back()
    call = max(studio.engine.calls)
    await studio.until_call(call, "its end", lambda one: one.is_over)
    await studio.redraw()


async def _matrix(studio: Studio) -> None:
    screen = await studio.open("f2", MatrixScreen)
    grid = screen.query_one(MatrixGrid)
    names = [column.name for column in read_rulebook().columns]
    await studio.until("the tool", lambda: grid.row and grid.row.tool.name == TOOL)
    await studio.pilot.press(*["right"] * (names.index(HOST) - grid.column))


async def _flipped(studio: Studio) -> None:
    await studio.pilot.press("1")


SHOTS: Final = (
    Shot(_tool, 3.0, "Which hosts run a tool without asking? In the list, and on its page."),
    Shot(_asked, 3.5, "Signoff asks: the exact arguments, and why."),
    Shot(_denied, 2.5, "Denied: nothing was sent."),
    Shot(_matrix, 3.5, "Every tool under every policy and host, with the reasons."),
    Shot(_flipped, 3.5, "Flip a hint, and see the decisions change."),
)
_CAPTION: Final = 46
"""Height of the line below the pictures."""


def film(pictures: Sequence[tuple[str, Shot]]) -> str:
    """Return one SVG that shows the pictures in turn, again and again."""
    found = _VIEW.search(pictures[0][0])
    assert found is not None, "Textual writes a viewBox"
    width, height = (float(side) for side in found.groups())
    whole = sum(shot.seconds for _, shot in pictures)
    rules, drawn, began = [], [], 0.0
    for number, (svg, shot) in enumerate(pictures):
        sized = svg.replace("<svg ", f'<svg width="{width:g}" height="{height:g}" ', 1)
        start, end = 100 * began / whole, 100 * (began + shot.seconds) / whole
        began += shot.seconds
        # A step: one picture goes as the next one comes.
        before = "" if not start else f"0%,{start - 0.01:.2f}%{{visibility:hidden}}"
        after = "" if end > 99.99 else f"{end:.2f}%,100%{{visibility:hidden}}"
        shown = f"{start:.2f}%,{min(end - 0.01, 100):.2f}%{{visibility:visible}}"
        rules.append(f"@keyframes shot-{number}{{{before}{shown}{after}}}")
        rules.append(f"#shot-{number}{{animation:shot-{number} {whole:g}s step-end infinite}}")
        hidden = ' visibility="hidden"' if number else ""
        words = f'<text class="words" x="{width / 2:g}" y="{height + 30:g}">{shot.words}</text>'
        drawn.append(f'<g id="shot-{number}"{hidden}>{sized}{words}</g>')
    style = (
        "".join(rules)
        + "@media (prefers-reduced-motion:reduce){[id^=shot-]{animation:none!important}}"
        + ".words{font:600 22px Helvetica,Arial,'DejaVu Sans',sans-serif;"
        + "text-anchor:middle;fill:#e0e0e0}"
    )
    size = f'viewBox="0 0 {width:g} {height + _CAPTION:g}"'
    return (
        f'<svg {size} xmlns="http://www.w3.org/2000/svg"><style>{style}</style>'
        f'<rect width="100%" height="100%" rx="10" fill="#16181d"/>{"".join(drawn)}</svg>\n'
    )
