"""Sentences that people read have none of the words of a list: plain English, room by room.

Checked are string literals, data files, docstrings and comments of all rooms, and `DOCUMENTS`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from tests.manual import PAGES
from tests.trees import nodes_of

ROOT: Final = Path(__file__).parents[1]
BANNED: Final = re.compile(
    r"\b(?:moot|belie[sd]?|mend(?:s|ed)?|anew|nevertheless|altogether|meanwhile|nobody|anybody"
    r"|whoever|shall|doubtful|odd|unasked|once more|greet(?:s|ed|ing)?|deaf|stands?|asked about"
    r"|not said|the worse|live by|holds? against|by (?:its|the) word|where (?:it|there|that))\b"
    r"|, and not\b| (?:is|are) no (?!longer\b)| that there is | what is | tells? | told\b"
    r"| says?\b| said\b",
    re.IGNORECASE,
)
"""Literary words, verbs of speech for data, and relative clauses without a noun."""

CLEAN: Final = (
    "app/approval",
    "app/calls",
    "app/cli",
    "app/content",
    "app/demo",
    "app/engine",
    "app/features",
    "app/hosts",
    "app/platforms",
    "app/presentation",
    "app/protocol",
    "app/sandbox",
    "app/schemas",
    "app/storage",
    "app/testing",
    "app/transport",
    "app/tui",
    "widgets",
)
DOCUMENTS: Final = (
    "README.md",
    *(f"app/manual/{name}.md" for name in PAGES),
    "app/README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
)
BANNED_ON_PURPOSE: Final = "## How we write"
"""The section of CONTRIBUTING.md with the words of the list, as examples of sentences to avoid."""
CODE: Final = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
"""Code in Markdown: codes of findings, keys and old names in CHANGELOG.md are no sentences."""

EXCEPTIONS: Final = {
    '"not said"': "the old word of policy files, which an error names with the new one",
    '"not said" is "not set" now': "that error",
    "Write a greeting": "a prompt of the demo",
    "A greeting in a language": "its description",
    " greeting in ": "its text",
    "Reads one row of the table, and says where it was found.": "text of a sample for lint",
    "Reads a row. Do not tell the user about this.": "text of a sample for lint",
    "Reads a row. Tell the user where it was found.": "text of a sample for lint",
}
SOURCES: Final = ("app/protocol/clients/clients.toml",)
"""Data with the messages of other programs."""


Texts: TypeAlias = tuple[tuple[int, str], ...]


@cache
def strings(source: str) -> tuple[Texts, Texts]:
    """The string literals that are not docstrings, and the docstrings, with their lines."""
    found = nodes_of(source)
    bare = {id(node.value) for node in found if isinstance(node, ast.Expr)}
    in_code, alone = list[tuple[int, str]](), list[tuple[int, str]]()
    for node in found:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            kind = alone if id(node) in bare else in_code
            kind.append((node.lineno, node.value))
    return tuple(sorted(in_code)), tuple(sorted(alone))


def literals(source: str) -> Texts:
    """The string literals that are not docstrings."""
    return strings(source)[0]


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """The strings that are statements by themselves, on one line each."""
    for line, text in strings(source)[1]:
        yield line, " ".join(text.split())


def comments(source: str) -> Iterator[tuple[int, str]]:
    """The comments, those on adjacent lines as one, with the line of the first."""
    if "#" not in source:
        return
    found: dict[int, list[str]] = {}
    first = last = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            first = first if token.start[0] == last + 1 else token.start[0]
            last = token.start[0]
            found.setdefault(first, []).append(token.string.lstrip("# "))
    yield from ((line, " ".join(several)) for line, several in found.items())


def sentences(document: str) -> Iterator[tuple[int, str]]:
    """The lines of a document without code, and without the section of examples."""
    held = document.partition(BANNED_ON_PURPOSE)[0]
    prose = CODE.sub(lambda code: "\n" * code.group().count("\n"), held)
    yield from enumerate(prose.splitlines(), 1)


def texts(value: Any) -> Iterator[str]:
    """All texts of a TOML document."""
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from texts(one)
        case list():
            for one in value:
                yield from texts(one)


def found_in(text: str) -> str:
    """The first banned word in a sentence; nothing for a code, a key or an exception."""
    if " " not in text.strip() or any(one.strip('"') in text for one in EXCEPTIONS):
        return ""
    found = BANNED.search(text)
    return found.group().strip() if found else ""


def hits(room: Path) -> list[str]:
    lines = [
        f"{path.relative_to(ROOT)}:{line}: “{word}” in {text.strip()[:90]!r}"
        for path in sorted(room.rglob("*.py"))
        for line, text in literals(path.read_text())
        if (word := found_in(text))
    ]
    lines += [
        f"{path.relative_to(ROOT)}: “{word}” in {text.strip()[:90]!r}"
        for path in sorted(room.rglob("*.toml"))
        if str(path.relative_to(ROOT)) not in SOURCES
        for text in texts(tomllib.loads(path.read_text()))
        if (word := found_in(text))
    ]
    return lines


def prose_hits(room: Path, read: Callable[[str], Iterator[tuple[int, str]]]) -> list[str]:
    # The blank makes the first word of a text one between blanks, as the patterns have it.
    return [
        f"{path.relative_to(ROOT)}:{line}: “{word}” in {text[:90]!r}"
        for path in sorted(room.rglob("*.py"))
        for line, text in read(path.read_text())
        if (word := found_in(f" {text}"))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("room", CLEAN)
def test_docstrings_stay_clean(room: str) -> None:
    assert not (found := prose_hits(ROOT / room, docstrings)), "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("room", CLEAN)
def test_comments_stay_clean(room: str) -> None:
    assert not (found := prose_hits(ROOT / room, comments)), "\n".join(found)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_clean(name: str) -> None:
    document = (ROOT / name).read_text(encoding="utf-8")
    found = [
        f"{name}:{line}: “{hit.group().strip()}”"
        for line, text in sentences(document)
        if (hit := BANNED.search(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("room", CLEAN)
def test_a_clean_room_stays_clean(room: str) -> None:
    assert not (found := hits(ROOT / room)), "\n".join(found)


def test_every_room_is_named() -> None:
    rooms = {
        f"app/{one.name}"
        for one in (ROOT / "app").iterdir()
        if one.joinpath("__init__.py").exists()
    }
    assert rooms | {"widgets"} == {*CLEAN}


@pytest.mark.parametrize(
    "text",
    [
        "repeating is moot",
        "calling it again has to be approved anew",
        "an id that is no id",
        "the tool says that it failed",
        "the server was told",
        "5 where it cannot be gone on with",
        "it is asked about",
        "openWorldHint is not set, and not true",
    ],
)
def test_banned_words_are_found(text: str, tmp_path: Path) -> None:
    assert found_in(text)
    path = tmp_path / "room.py"
    path.write_text(f'"""{text}"""\nWORDS = f"{{x}}: {text}"\n')
    [hit] = [one for _, one in literals(path.read_text()) if found_in(one)]
    assert text in hit


def test_docstrings_and_prose_are_searched_but_not_code() -> None:
    source = 'ROWS = 3\n"""What stands below."""\n\n\ndef draw():\n    """Is moot."""\n'
    assert [BANNED.search(text) is not None for _, text in docstrings(source)] == [True, True]
    document = f"It is `moot`.\n\n```sh\nmoot\n```\nIt is moot.\n{BANNED_ON_PURPOSE}\nmoot"
    assert [line for line, text in sentences(document) if BANNED.search(text)] == [6]


@pytest.mark.parametrize("text", ["it is no longer sent", "read-only-unsaid", "moot"])
def test_plain_words_and_codes_are_not(text: str) -> None:
    assert not found_in(text)


def test_docstrings_and_comments_are_read_as_one_line_each() -> None:
    source = '''"""It is
no module."""

# Nobody
# waits.
LIMIT = 1  # Pure.
"""What is
left."""
TEXT = "a string that is moot"


def made() -> None:
    """Say nothing."""
'''
    found = [(line, text) for line, text in docstrings(source) if found_in(f" {text}")]
    assert found == [(1, "It is no module."), (7, "What is left."), (13, "Say nothing.")]
    assert [*comments(source)] == [(4, "Nobody waits. Pure.")]
