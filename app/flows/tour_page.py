"""The tour as one page of HTML: no script, nothing fetched, every picture in it."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from signoff.app import __version__
from signoff.app.core.text import visible
from signoff.app.core.tour.step import Step, Told

_STYLE: Final = Path(__file__).with_suffix(".css")
_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


class Lesson(NamedTuple):
    """A step, an SVG for each of its parts, and the right guess where it can be told."""

    step: Step
    pictures: Sequence[str]
    told: Told | None


def tour_html(lessons: Sequence[Lesson]) -> str:
    """The whole page. A picture stands in it as an image, where nothing of it can act."""
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>Signoff: the tour</title>",
        f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style>",
        "</head>",
        "<body>",
        "<h1>What annotations of MCP tools do</h1>",
        f"<p>The tour of Signoff {_text(__version__)}, done on its bundled server. Every picture "
        "is of the running program. To do it yourself: <code>signoff tour</code>.</p>",
        '<p class="dim">What hosts do is told by models of them: claims about a version that '
        "somebody read on a day.</p>",
        "<nav><ol>",
        *(
            f'<li><a href="#{escape(one.step.id)}">{_text(one.step.title)}</a></li>'
            for one in lessons
        ),
        "</ol></nav>",
        *(line for at, one in enumerate(lessons, 1) for line in _section(at, one)),
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _section(at: int, lesson: Lesson) -> Iterator[str]:
    step, told = lesson.step, lesson.told
    yield f'<section id="{escape(step.id)}">'
    yield f"<h2>{at}. {_text(step.title)}</h2>"
    yield f"<p>{_text(step.why)}</p>"
    choices = "".join(f"<li>{_text(choice)}</li>" for choice in step.quiz.choices)
    yield f'<p class="moral">{_text(step.quiz.question)}</p><ol>{choices}</ol>'
    for number, part in enumerate(step.parts):
        yield f'<p class="task">{_text(part.task)}</p>'
        if number < len(lesson.pictures):
            words = f"Signoff: {step.title}, part {number + 1} of {len(step.parts)}"
            data = base64.b64encode(lesson.pictures[number].encode()).decode("ascii")
            yield f'<img alt="{_text(words)}" src="data:image/svg+xml;base64,{data}">'
    yield '<details class="guess"><summary>What is right?</summary>'
    if told is None:
        yield "<p>It could not be told here.</p>"
    else:
        yield f'<p><span class="right">{_text(step.quiz.choices[told.right])}.</span> '
        yield f"{_text(told.why)}</p>"
    yield f"<p>{_text(step.moral)}</p></details>"
    yield "</section>"


def _text(text: str) -> str:
    return escape(visible(text))
