"""A store that cannot be used is said wherever a verdict may rest on it."""

from __future__ import annotations

import pytest

from tests.cli.running import Ended, call, run
from tests.servers import raw
from tests.storage.stored import FILE
from tests.tiers import first_quick

COMMANDS = {
    "call": call("read_thing", "--trust"),
    "call, json": call("read_thing", "--trust", "--json"),
    "tools": ["tools", "--", *raw()],
    "tools, json": ["tools", "--json", "--", *raw()],
    "read, json": ["read", "x:y", "--json", "--", *raw()],
    "explain": ["policy", "explain", "echo", "--", *raw()],
    "diff": ["diff", "--", *raw()],
    "preset": call("read_thing", "--preset", "nightly"),
    "without memory": call("read_thing", "--trust", "--no-memory", "--json"),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    folder = tmp_path_factory.mktemp("damaged")
    state = folder / "state" / "signoff"
    state.mkdir(mode=0o700, parents=True)
    (state / FILE).write_text("no database " * 1000)
    home = {"XDG_STATE_HOME": str(folder / "state")}
    return {name: run(folder, *words, **home) for name, words in COMMANDS.items()}


pytestmark = pytest.mark.timeout(240)
WORDS = "nothing is remembered: "


@pytest.mark.parametrize("name", first_quick(["call, json", "tools, json", "read, json"]))
def test_a_report_has_a_finding(name: str, ended: dict[str, Ended]) -> None:
    (told,) = [one for one in ended[name].report["findings"] if one["code"] == "store-unusable"]
    assert told["severity"] == "warning"
    assert told["message"].startswith(WORDS)
    assert "is damaged" in told["message"]
    assert ended[name].stderr == ""


@pytest.mark.parametrize("name", ["call", "tools"])
def test_people_read_it_at_the_end(name: str, ended: dict[str, Ended]) -> None:
    assert ended[name].status == 0
    assert "store-unusable" in ended[name].stdout.splitlines()[-1]
    assert "clear --reset" in ended[name].stdout.replace("\n", " ")


def test_what_prints_no_findings_complains(ended: dict[str, Ended]) -> None:
    assert ended["explain"].status == 0
    assert f"signoff: {WORDS}" in ended["explain"].stderr


@pytest.mark.parametrize("name", ["diff", "preset"])
def test_what_cannot_do_without_it_says_why(name: str, ended: dict[str, Ended]) -> None:
    assert ended[name].status == 2
    assert "is damaged" in ended[name].stderr


def test_a_run_that_wants_no_memory_misses_none(ended: dict[str, Ended]) -> None:
    codes = [one["code"] for one in ended["without memory"].report["findings"]]
    assert "store-unusable" not in codes
