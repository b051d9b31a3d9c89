"""Style sheets that are kept give what they gave when they were parsed, and only for themselves."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from textual.css import parse, stylesheet, tokenize
from textual.css.errors import StylesheetError
from textual.css.stylesheet import Stylesheet

from tests import sheets

CSS = "Label { color: $text; &:hover { width: 5; } }"


def sheet(css: str = CSS, color: str = "red", tie_breaker: int = 0, where: str = "a") -> Stylesheet:
    found = Stylesheet(variables={"text": color})
    found.add_source(css, (where, ""), tie_breaker=tie_breaker)
    return found


def test_the_tests_keep_them() -> None:
    assert vars(stylesheet)["parse"].__module__ == sheets.__name__
    assert sheet().rules[0] is sheet().rules[0]


@pytest.mark.parametrize(
    "other",
    [
        sheet(CSS.replace("5", "6")),
        sheet(color="blue"),
        sheet(tie_breaker=1),
        sheet(where="b"),
    ],
    ids=["text", "variables", "order", "place"],
)
def test_what_differs_is_another(other: Stylesheet) -> None:
    assert other.rules[0] is not sheet().rules[0]
    assert len(other.rules) == len(sheet().rules) == 2


def test_it_is_what_textual_makes_of_it() -> None:
    fresh = SimpleNamespace(parse=parse.parse, tokenize_values=tokenize.tokenize_values)
    sheets.keep(fresh)
    values = fresh.tokenize_values({"text": "red"})
    rules = fresh.parse("", CSS, ("a", ""), variable_tokens=values)
    assert fresh.parse("", CSS, ("a", ""), variable_tokens=values) is rules
    plain = parse.parse("", CSS, ("a", ""), variable_tokens=values)
    assert (
        [one.css for one in rules]
        == [one.css for one in plain]
        == [one.css for one in sheet().rules]
    )


def test_faults_are_told_each_time() -> None:
    for _ in range(2):
        with pytest.raises(StylesheetError):
            sheet("Label { color: no-such-colour; }").parse()
