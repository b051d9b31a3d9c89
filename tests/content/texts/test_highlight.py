from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.content.texts.document import diff_style
from signoff.app.content.texts.highlight import (
    MAX_CHARACTERS,
    HighlightRefused,
    StyledLine,
    highlighted,
    json_pieces,
    log_pieces,
    safe_pieces,
    yaml_pieces,
)

HOSTILE = st.text(
    st.sampled_from("ab \t\"'\\{}[]:,#-+0.e\x1b\u202e漢\u0301\ud800<>/*"), max_size=40
)


def joined(pieces: StyledLine) -> str:
    return "".join(text for text, _ in pieces)


def styled(pieces: StyledLine, style: str) -> list[str]:
    return [text for text, name in pieces if name == style]


@given(HOSTILE)
def test_colours_change_no_character(line: str) -> None:
    clean = line.isprintable() and "\u0301" not in line
    for dress in (json_pieces, yaml_pieces, log_pieces, safe_pieces):
        shown = joined(dress(line))
        assert shown.replace("\t", "").isprintable()
        if clean:
            assert shown == line


@given(HOSTILE, st.sampled_from(["python", "xml", "html", "bash", "sql"]))
def test_lexers_change_no_character(text: str, language: str) -> None:
    found = highlighted(text, language)
    if isinstance(found, list):
        clean = text.isprintable() and "\u0301" not in text
        assert all(joined(line).replace("\t", "").isprintable() for line in found)
        if clean:
            assert "\n".join(map(joined, found)) == text


def test_json() -> None:
    pieces = json_pieces('  "name": "x: \\" y", "n": -1.5e3, "b": [true, null]')
    assert styled(pieces, "key") == ['"name"', '"n"', '"b"']
    assert styled(pieces, "success") == ['"x: \\" y"']
    assert styled(pieces, "warning") == ["-1.5e3"]
    assert styled(pieces, "accent") == ["true", "null"]
    assert styled(json_pieces('"open'), "success") == ['"open']


def test_yaml_and_logs() -> None:
    pieces = yaml_pieces('- name: "x" # why')
    assert styled(pieces, "key") == ["- name"]
    assert styled(pieces, "muted") == ["# why"]
    pieces = log_pieces("2026-01-01 10:00:00,123 ERROR it broke")
    assert styled(pieces, "muted") == ["2026-01-01 10:00:00,123"]
    assert styled(pieces, "error") == ["ERROR"]


def test_code() -> None:
    found = highlighted("def f():\r\n    return 'a'  # b\n", "python")
    assert isinstance(found, list)
    assert len(found) == 2
    assert styled(found[0], "mark") == ["␍"]
    assert styled(found[0], "key") == ["f"]
    assert styled(found[1], "muted") == ["# b"]


def test_html_is_source() -> None:
    text = "<script>alert('x')</script>\n<a href='https://evil.example'>x</a>\n"
    found = highlighted(text, "html")
    assert isinstance(found, list)
    assert "\n".join(map(joined, found)) + "\n" == text
    assert not any("link" in style or "@" in style for line in found for _, style in line)


def test_what_is_refused() -> None:
    assert isinstance(highlighted("x" * (MAX_CHARACTERS + 1), "python"), HighlightRefused)
    assert isinstance(highlighted("x", "no such language"), HighlightRefused)


def test_long_lines_have_no_colours() -> None:
    line = json.dumps(list(range(5_000)))
    assert json_pieces(line) == [(line, "")]


@pytest.mark.parametrize(
    ("line", "style"),
    [
        ("+a", "success"),
        ("-a", "error"),
        ("+++ b/x", "bold"),
        ("--- a/x", "bold"),
        ("@@ -1 +1 @@", "accent"),
        (" same", ""),
        ("", ""),
        ("\\ No newline at end of file", "muted"),
    ],
)
def test_lines_of_a_diff(line: str, style: str) -> None:
    assert diff_style(line) == style


def test_hidden_characters_are_marks() -> None:
    assert joined(json_pieces('"a\u202eb"')) == visible('"a\u202eb"')
    assert styled(json_pieces('"a\u202eb"'), "mark") == ["<U+202E>"]
    assert joined(safe_pieces("a" + " " * 500 + "b")) == "a" + " " * 500 + "b"
