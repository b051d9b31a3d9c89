"""`signoff card` against `signoff demo serve`: honest cards, lies, and places of a card."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from signoff.app.cli.commands.demo_serve import CARD_KINDS
from signoff.app.demo.extensions.cards import KINDS
from tests.cli.running import Ended, run

CONTRADICTED = ("card-tools-differ", "card-contradicts")
ON = ("--experimental", "server-cards")


@contextmanager
def served(kind: str, sign_in: str = "open") -> Iterator[str]:
    program = [sys.executable, "-P", "-m", "signoff.app.demo.serve", "0", sign_in, "", kind]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def card(folder: Path, url: str, *words: str) -> Ended:
    return run(folder, "card", "--url", url, *ON, "--json", "--no-audit", "--no-memory", *words)


def test_both_lists_of_kinds_are_the_same() -> None:
    assert CARD_KINDS == KINDS


def test_the_draft_has_to_be_turned_on_and_a_url_given(tmp_path: Path) -> None:
    assert run(tmp_path, "card", "demo", "--no-audit", "--no-memory").status == 2
    assert run(tmp_path, "card", "demo", *ON, "--no-audit", "--no-memory").status == 2


@pytest.mark.parametrize("sign_in", ["open", pytest.param("signed-in", marks=pytest.mark.slow)])
def test_an_honest_card_is_kept(tmp_path: Path, sign_in: str) -> None:
    with served("honest", sign_in) as url:
        report = card(tmp_path, url).report
    assert report["found_at"] == f"{url}/server-card"
    codes = {one["code"] for one in report["findings"]}
    # Behind a sign-in the card is there, and nothing can be compared.
    assert codes == (set() if sign_in == "open" else {"card-not-compared"})
    assert report["exit_status"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        ("lies", {"card-invalid", "card-secret", "card-contradicts", "card-headers"}),
        (
            "first-cut",
            {"card-first-cut", "card-place", "card-headers", *CONTRADICTED},
        ),
        ("elsewhere", {"card-elsewhere", "card-missing"}),
        ("none", {"card-missing"}),
    ],
)
def test_a_card_that_is_not_kept_is_found(tmp_path: Path, kind: str, codes: set[str]) -> None:
    with served(kind) as url:
        ended = card(tmp_path, url)
    assert {one["code"] for one in ended.report["findings"]} == codes
    assert ended.status == (0 if kind == "first-cut" else 4)
    asked = [one["url"] for one in ended.report["requests"]]
    assert all(one.startswith(url.removesuffix("/mcp")) for one in asked)
    assert "demo-credential" not in ended.stdout
