"""`signoff call --preset`: arguments that were kept under a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.engine.past_arguments import PastArguments
from signoff.app.storage.store import Store
from tests.cli.running import Ended, run


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two presets of a tool of the bundled server."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    folder.mkdir(mode=0o700)
    identity = read_target(SessionOptions(is_bundled=True)).link().identity
    with Store.open(folder / "signoff") as store:
        past = PastArguments(identity, lambda: store, lambda: 1.0, pytest.fail)
        past.give_name("calculate_sum", {"a": 1, "b": 2.5}, "two", None)
        past.give_name("calculate_sum", {"a": 1, "token": "secret"}, "hidden", None)
        past.close()
    return folder


def demo(folder: Path, *words: str) -> Ended:
    return run(folder.parent, "call", "calculate_sum", *words, "--json", "demo")


def test_what_was_kept_is_called_and_can_be_changed(state: Path) -> None:
    ended = demo(state, "--preset", "two")
    assert ended.status == 0, ended.stderr
    assert ended.report["arguments"] == {"a": 1, "b": 2.5}
    assert demo(state, "--preset", "two", "-a", "b=7").report["arguments"] == {"a": 1, "b": 7}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--preset", "none"], "calculate_sum has no preset 'none' (presets: hidden, two)"),
        (
            ["--preset", "two", "--no-memory"],
            "calculate_sum has no presets (this run stores nothing)",
        ),
        (["--preset", "hidden"], "1 secret not kept: $.token; give them with -a"),
        (["--preset", "two", "--args", "{}"], "leave out one"),
    ],
)
def test_what_cannot_be_called_is_said(state: Path, words: list[str], said: str) -> None:
    ended = demo(state, *words)
    assert ended.status == 2
    assert said in ended.stderr


@pytest.mark.slow
def test_secrets_are_given_again(state: Path) -> None:
    # The schema has no `token`: it is sent although that is wrong.
    given = ("--preset", "hidden", "-a", "token=again", "--although-invalid")
    ended = demo(state, *given, "--approve", "never")
    assert ended.report["arguments"] == {"a": 1, "token": "[masked: 5 characters]"}
    ended = demo(state, *given, "--approve", "never", "--show-secrets")
    assert ended.report["arguments"] == {"a": 1, "token": "again"}
