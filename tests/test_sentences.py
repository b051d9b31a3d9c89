"""A sentence that a person reads has one place in the code: screen, terminal and pages share it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.trees import nodes, nodes_of

ROOT: Final = Path(__file__).parents[1]
ROOMS: Final = ("app", "widgets")
LEAST_WORDS: Final = 5
"""Shorter ones are fragments, which several sentences may share."""
WORD: Final = re.compile(r"[A-Za-z']{2,}")
APART: Final = {
    "app/demo": "a server of its own, which knows nothing of Signoff",
    "app/protocol/findings/codes": "the register of codes, with the meaning of each",
}
"""Places whose sentences are not compared with those of others."""
EXCEPTIONS: Final = {
    "it has {} characters; the limit is {}": "text of different kinds: a value, a file, a message",
    "it is nested too deeply": "JSON, TOML and YAML have readers of their own",
    "nested too deeply to be written": "the JSON of a message, and that of a baseline",
    "nested more than {} levels deep": "JSON, and quotes in Markdown",
    "this entry is not an object": "entries of two lists, read by two modules",
    "the result is not an object": "an event of the transport, and the outcome of a call",
    "the disk quota is used up": "a folder that a person chose, and the log of Signoff",
    "the disk is read-only": "a folder that a person chose, and the log of Signoff",
    "text that cannot be read": "two tables of the store",
    "it has more than {} bytes": "a policy and the settings",
}


def text_of(node: ast.AST) -> str | None:
    """The text of a string, with `{}` for each value in it; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def sentences(code: str) -> Iterator[str]:
    """Sentences in string literals; docstrings and tooltips of keys are left out."""
    found = nodes_of(code)
    skipped = set[int]()
    for node in found:
        if isinstance(node, ast.Expr):
            skipped.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            skipped.update(map(id, node.values))
        elif isinstance(node, ast.keyword) and node.arg == "tooltip":
            skipped.update(map(id, nodes(node.value)))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Binding":
            skipped.update(id(inner) for one in node.args for inner in nodes(one))
    for node in found:
        text = text_of(node)
        if id(node) in skipped or text is None or "://" in text or " " not in text:
            continue
        if len(WORD.findall(text)) >= LEAST_WORDS:
            yield text.strip()


def twice() -> dict[str, set[str]]:
    """Sentences in more than one module, with their modules."""
    found = defaultdict[str, set[str]](set)
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            if not any(name.startswith(apart) for apart in APART):
                for sentence in sentences(path.read_text(encoding="utf-8")):
                    found[sentence].add(name)
    return {sentence: names for sentence, names in found.items() if len(names) > 1}


@pytest.mark.slow
def test_a_sentence_has_one_place() -> None:
    found = twice()
    assert not {one: sorted(names) for one, names in found.items() if one not in EXCEPTIONS}
    assert not EXCEPTIONS.keys() - found.keys(), "exceptions that are none"


def test_sentences_are_found_in_code_and_not_in_docstrings_or_tooltips() -> None:
    code = '''
"""A docstring with more than five words in it."""
WORDS = f"the server {name} has sent {count} messages so far"
Binding("x", "go", tooltip="Go to the next place of them all.")
SHORT = "too few words"
'''
    assert list(sentences(code)) == ["the server {} has sent {} messages so far"]
