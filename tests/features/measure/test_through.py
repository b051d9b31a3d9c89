"""A host measured through a command before its server: a proxy that watches, or decides."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AGENT = Path(__file__).parents[2] / "servers" / "agents" / "careless.py"
SECONDS = 180.0
ONLY = "hints/none,hints/readOnly=true,answers/text"


def measured(*words: str) -> subprocess.CompletedProcess[str]:
    signoff = shutil.which("signoff", path=str(Path(sys.executable).parent))
    assert signoff is not None
    return subprocess.run(
        [signoff, "measure", "--network", *words, "--", sys.executable, str(AGENT)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def cells(*words: str) -> dict[str, Any]:
    found = json.loads(measured("--json", "--only", ONLY, *words).stdout)
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
    [
        (("--through", "no-such-program --"), "no-such-program is not in PATH"),
        (("--through", "'"), "--through: no closing quotation"),
        (("--through", shlex.quote(sys.executable), "--http"), "leave out --http"),
        (
            ("--through", shlex.quote(sys.executable), "--save"),
            "--save keeps what a host does by itself",
        ),
    ],
)
def test_what_it_cannot_be_measured_through_is_refused(
    words: tuple[str, ...], problem: str
) -> None:
    ended = measured(*words)
    assert ended.returncode == 2
    assert problem in ended.stderr
