"""The tour as a page: every step with its pictures in it, nothing fetched, nothing that acts."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from signoff.app.cli.targets.targets import UsageError
from signoff.app.features.tour.command import Lesson, tour_html, write_page
from signoff.app.features.tour.course import QuizAnswer
from signoff.app.features.tour.steps import STEPS
from tests.approved import approved
from tests.cli.running import run

PROSE = approved("cli-tour")

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><text>x</text></svg>'
HOSTILE = '<script>alert(1)</script>"><img src=//example.org onerror=alert(1)>\x1b[2J\u202e'
IMAGE = "data:image/svg+xml;base64,"


class Page(HTMLParser):
    """Its elements with their attributes, its ids, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def pictures(self) -> list[str]:
        sources = [str(one["src"]) for one in self.of("img")]
        assert all(one.startswith(IMAGE) for one in sources)
        return [base64.b64decode(one.removeprefix(IMAGE)).decode() for one in sources]


def check(text: str) -> Page:
    """Nothing comes from outside and nothing acts."""
    page = Page(text)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "iframe", "object", "embed", "link", "base", "form", "svg"}
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "action", "srcset", "data"):
            target = attributes.get(name)
            assert target is None or target.startswith(("#", IMAGE)), (tag, target)
    policy = next(one["content"] for one in page.of("meta") if one.get("http-equiv"))
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert "url(" not in text
    assert "@import" not in text
    return page


def test_every_step_stands_on_the_page_with_its_pictures_and_the_answer_folded() -> None:
    lessons = [Lesson(one, [PICTURE] * len(one.parts), QuizAnswer(1, "because")) for one in STEPS]
    page = check(tour_html(lessons))
    assert [one["id"] for one in page.of("section")] == [one.id for one in STEPS]
    assert [one["href"] for one in page.of("a")] == [f"#{one.id}" for one in STEPS]
    for step in STEPS:
        for words in (step.title, step.why, step.quiz.question, step.moral):
            assert words in page.words
        assert all(part.task in page.words for part in step.parts)
    assert page.pictures == [PICTURE] * sum(len(one.parts) for one in STEPS)
    assert all(one.get("alt") for one in page.of("img"))
    assert len(page.of("details")) == len(STEPS)
    assert not any("open" in one for one in page.of("details"))


def test_whatever_the_words_hold_is_escaped() -> None:
    step = replace(STEPS[0], title=HOSTILE, why=HOSTILE, moral=HOSTILE)
    page_text = tour_html([Lesson(step, [f"<svg>{HOSTILE}</svg>"], QuizAnswer(0, HOSTILE))])
    page = check(page_text)
    assert ("\x1b" in page_text, "\u202e" in page_text) == (False, False)
    assert page.words.count("<script>alert(1)</script>") >= 4
    assert len(page.of("img")) == 1
    page = check(tour_html([Lesson(STEPS[0], [], None)]))
    PROSE.holds("tour: no answer", page.words.partition("Answer")[2])


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_program_takes_its_own_pictures_of_the_real_questions(tmp_path: Path) -> None:
    file = tmp_path / "tour.html"
    file.write_text("before", encoding="utf-8")
    assert write_page(str(file), STEPS[:4]) == 0
    page = check(file.read_text(encoding="utf-8"))
    assert len(page.pictures) == 4
    for picture in page.pictures:
        root = ElementTree.fromstring(picture)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not re.search(r"<script|href=|url\(\"?(https?:|//)", picture)
    words = [re.sub(r"<[^>]+>", "", one).replace("&#160;", " ") for one in page.pictures]
    assert "calculate_sum" in words[0]
    assert "Approve this call?" in words[1]
    assert "disagree" in words[2]
    assert "approved by you" in words[3]
    assert all(one.quiz.question in page.words for one in STEPS[:4])
    assert [one.name for one in tmp_path.iterdir() if "html" in one.name] == ["tour.html"]


def test_a_place_that_cannot_be_written_is_said_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give a file in a folder that is there"):
        write_page(str(tmp_path / "gone" / "tour.html"))
    with pytest.raises(UsageError, match="give a file"):
        write_page(str(tmp_path))


def test_options_that_cannot_count_for_the_page_and_no_terminal_are_wrong_usage(
    tmp_path: Path,
) -> None:
    for option in (("--policy", "allow-all"), ("--name", "mine"), ("--no-memory",)):
        ended = run(tmp_path, "tour", "--html", "tour.html", *option)
        assert (ended.status, f"leave {option[0]} out" in ended.stderr) == (2, True)
        assert not (tmp_path / "tour.html").exists()
    ended = run(tmp_path, "tour")
    assert (ended.status, ended.stdout) == (2, "")
    assert "signoff tour --html FILE" in ended.stderr
