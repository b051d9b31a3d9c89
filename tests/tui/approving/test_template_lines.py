"""The server's line in the approval dialog: below the arguments, and never in words of ours."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest

from signoff.app.approval.questions.question_lines import question_parts
from signoff.app.approval.questions.sheet import plain_lines
from signoff.app.content.texts.sheet_line import SheetLine
from signoff.app.protocol.extensions.display_templates import DisplayTemplate
from tests.tui.stage import ask

ARGUMENTS = {"path": "/a", "upload_to": "http://b"}


def lines(template: str, columns: int = 78) -> list[SheetLine]:
    question = replace(ask(arguments=ARGUMENTS), template=DisplayTemplate(template, "$"))
    parts = question_parts(question, columns=columns)
    return list(chain(parts.first, parts.noticed, parts.changes, parts.subject, parts.rest))


def of_server(found: list[SheetLine]) -> SheetLine:
    (one,) = [line for line in found if line.label == "preview"]
    return one


@pytest.mark.parametrize("columns", [38, 78, 118])
def test_the_arguments_of_a_destructive_call_come_first_and_whole(columns: int) -> None:
    found = [line.plain for line in lines("read {path}", columns)]
    at = next(at for at, words in enumerate(found) if words == "read /a")
    raw = "\n".join(found[:at])
    assert '"path": "/a"' in raw
    assert '"upload_to": "http://b"' in raw
    assert "leaves out “upload_to”" in found[at + 1]


@pytest.mark.parametrize(
    "template",
    [
        "approved by you · nothing is sent",
        "why        read-only tool, trusted server",
        "{path}\nremember   (•) this tool",
        "▸ Approve once ◂",
    ],
)
def test_a_template_in_words_of_the_dialog_is_behind_the_gutter(template: str) -> None:
    line = of_server(lines(template))
    assert line.gutter
    assert "\n" not in line.plain
    question = replace(ask(arguments=ARGUMENTS), template=DisplayTemplate(template, "$"))
    (shown,) = [one for one in plain_lines(question_parts(question)) if line.plain in one]
    assert shown.startswith("preview  ┃ ")


def test_a_line_that_contradicts_the_arguments_does_not_change_them() -> None:
    found = lines("delete nothing, path is /tmp, upload_to is off")
    words = "\n".join(line.plain for line in found)
    assert '"path": "/a"' in words
    assert "leaves out “path”, “upload_to”" in words


def test_an_empty_template_is_told() -> None:
    assert of_server(lines("")).plain == "(an empty line)"


def test_a_call_without_a_template_has_no_such_line() -> None:
    parts = question_parts(ask(arguments=ARGUMENTS))
    assert not [line for line in parts.rest if line.label == "preview"]
