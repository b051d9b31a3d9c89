"""The words that open a server again: where values come from, and never a value."""

from __future__ import annotations

import os

import pytest

from signoff.app.cli.targets.recents import words_of
from signoff.app.protocol.server import Start

HEADER = ("--header", "X-Key=@/f")


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (Start(argv=("npx", "x")), ("--", "npx", "x")),
        (Start(argv=("x",), env=("A=secret-value", "B")), ("--env", "A", "--env", "B", "--", "x")),
        (
            Start(url="https://a.example/", options=(HEADER,)),
            (*HEADER, "--url", "https://a.example/"),
        ),
        (Start(argv=("x", "--token", "s3cret-s3cret")), ()),
        (Start(url="https://a.example/?token=s3cret-s3cret"), ()),
        (
            Start(configured=("/f.json", "-odd"), options=(("--host", "cursor"), ("--as-task",))),
            ("--host", "cursor", "--config", "/f.json", "--server=-odd"),
        ),
    ],
)
def test_a_server_is_opened_again_without_a_value(start: Start, words: tuple[str, ...]) -> None:
    assert words_of(start) == words


def test_a_file_is_found_from_another_folder_too() -> None:
    from signoff.app.cli.options.arguments import repeated

    assert repeated("X=@token") == f"X=@{os.path.abspath('token')}"
