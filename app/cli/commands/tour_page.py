"""The tour as one page of HTML: no script, nothing fetched, every picture in it."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ... import __version__
from ...content.html import PAGE_END, page_head, page_text
from ...tui.tour.step import Step, Told

_STYLE: Final = Path(__file__).with_suffix(".css")


class Lesson(NamedTuple):
    """A step, an SVG for each of its parts, and the right guess where it can be told."""

    step: Step
    pictures: Sequence[str]
    told: Told | None


def tour_html(lessons: Sequence[Lesson]) -> str:
    """The whole page. A picture stands in it as an image, where nothing of it can act."""
    parts = [
        *page_head("Signoff: the tour", _STYLE.read_text(encoding="utf-8"), pictures=True),
        "<h1>What annotations of MCP tools do</h1>",
        f"<p>The tour of Signoff {page_text(__version__)}, done on its bundled server. Every "
        "picture is of the running program. To do it yourself: <code>signoff tour</code>.</p>",
        '<p class="dim">What hosts do is told by models of them: claims about a version that '
        "somebody read on a day.</p>",
        "<nav><ol>",
        *(
            f'<li><a href="#{page_text(one.step.id)}">{page_text(one.step.title)}</a></li>'
            for one in lessons
        ),
        "</ol></nav>",
        *(line for at, one in enumerate(lessons, 1) for line in _section(at, one)),
        *PAGE_END,
    ]
    return "\n".join(parts) + "\n"


def _section(at: int, lesson: Lesson) -> Iterator[str]:
    step, told = lesson.step, lesson.told
    yield f'<section id="{page_text(step.id)}">'
    yield f"<h2>{at}. {page_text(step.title)}</h2>"
    yield f"<p>{page_text(step.why)}</p>"
    choices = "".join(f"<li>{page_text(choice)}</li>" for choice in step.quiz.choices)
    yield f'<p class="moral">{page_text(step.quiz.question)}</p><ol>{choices}</ol>'
    for number, part in enumerate(step.parts):
        yield f'<p class="task">{page_text(part.task)}</p>'
        if number < len(lesson.pictures):
            words = f"Signoff: {step.title}, part {number + 1} of {len(step.parts)}"
            data = base64.b64encode(lesson.pictures[number].encode()).decode("ascii")
            yield f'<img alt="{page_text(words)}" src="data:image/svg+xml;base64,{data}">'
    yield '<details class="guess"><summary>What is right?</summary>'
    if told is None:
        yield "<p>It could not be told here.</p>"
    else:
        yield f'<p><span class="right">{page_text(step.quiz.choices[told.right])}.</span> '
        yield f"{page_text(told.why)}</p>"
    yield f"<p>{page_text(step.moral)}</p></details>"
    yield "</section>"
