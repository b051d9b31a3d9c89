"""A host measured through a command before its server: a proxy that watches, or decides."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tests.features.measure.apart import AGENTS, measured_apart, report_of
from tests.tiers import first_quick

ONLY = "hints/none,hints/readOnly=true,answers/text"


def cells(*words: str) -> dict[str, Any]:
    found = report_of(measured_apart("--network", "--json", "--only", ONLY, *words))
    return {one["probe"]: (one["did"], str(one.get("model_got"))) for one in found["cells"]}


@pytest.mark.slow
def test_a_watching_proxy_changes_no_cell_and_a_policy_is_told_to_the_model() -> None:
    proxy = shlex.join([sys.executable, "-m", "signoff.app", "proxy"])
    alone = cells()
    assert {did for did, _ in alone.values()} == {"ran"}
    assert cells("--through", f"{proxy} --") == alone
    held = cells("--through", f"{proxy} --policy cautious --hold 0.2 --")
    assert {did for did, _ in held.values()} == {"refused"}
    assert all("Signoff did not send this call" in got for _, got in held.values())


@pytest.mark.parametrize(
    ("words", "problem"),
    first_quick(
        [
            (("no-such-program --",), "no-such-program is not in PATH"),
            (("'",), "--through: no closing quotation"),
            ((shlex.quote(sys.executable), "--http"), "leave out --http"),
            ((shlex.quote(sys.executable), "--save"), "--save keeps what a host does by itself"),
        ],
        several=True,
    ),
)
def test_what_it_cannot_be_measured_through_is_refused(
    tmp_path: Path, words: tuple[str, ...], problem: str
) -> None:
    agent = (sys.executable, str(AGENTS / "careless.py"))
    ended = run(tmp_path, "measure", "--network", "--through", *words, "--", *agent)
    assert ended.status == 2
    assert problem in ended.stderr
