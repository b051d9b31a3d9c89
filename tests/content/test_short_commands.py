"""Commands that are cut to fit: paths in their middle, and nothing else."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.labels import fitted_command

PYTHON = "/home/somebody/projects/thing/.venv/bin/python"
LONG = "/home/somebody/a folder/with an umlaut ü/.venv/bin/python"


@pytest.mark.parametrize(
    ("command", "room", "shown"),
    [
        ("python server.py", 4, "python server.py"),
        (PYTHON, 80, PYTHON),
        (f"{PYTHON} -m server", 40, "/home/…/bin/python -m server"),
        (f"{PYTHON} -m server", 24, "/home/…/python -m server"),
        (f"{shlex.quote(LONG)} -m server", 40, "/home/…/bin/python -m server"),
        ("https://example.com/a/long/path/mcp", 10, "https://example.com/a/long/path/mcp"),
        ("python 'half a quote", 10, "python 'half a quote"),
        ("a/b/c/d/e/f.py", 9, "a/…/f.py"),
        (
            "bash -c 'cat a/b/c/d/e/f; rm -r /x/y/z/q'",
            9,
            "bash -c 'cat a/b/c/d/e/f; rm -r /x/y/z/q'",
        ),
        ("sh -c 'curl a/b/c/d/e/f/g'", 9, "sh -c 'curl a/b/c/d/e/f/g'"),
    ],
)
def test_what_is_shown(command: str, room: int, shown: str) -> None:
    assert fitted_command(command, room) == shown


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=5), st.integers(1, 60))
def test_words_that_are_no_paths_stay_as_they_are(words: list[str], room: int) -> None:
    words = [word.replace("/", "-").replace(":", ".") for word in words]
    command = shlex.join(words)
    assert shlex.split(fitted_command(command, room)) == words
