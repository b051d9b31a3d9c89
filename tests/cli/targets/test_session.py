"""Options, variables, the settings file and defaults become one configuration, in this order."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import DECISION_SECONDS
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.session import prepared_session, session_config
from signoff.app.cli.targets.targets import UsageError
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.protocol.server import Trust

NOTHING = SessionOptions()
TARGET = Target("one", argv=("./one",))
SECONDS = ("timeout", "max_time", "connect_timeout", "decision_seconds")


def merged(
    given: SessionOptions = NOTHING, environment: dict[str, str] | None = None
) -> SessionConfig:
    return session_config(given, TARGET, {"SIGNOFF_CONFIG": "", **(environment or {})})[0]


def test_nothing_given_is_the_defaults_of_the_configuration() -> None:
    found = merged()
    plain = SessionConfig(TARGET, start=found.start)
    assert found == plain
    assert found.decision_seconds == DECISION_SECONDS
    assert (found.limits.idle, found.limits.absolute) == (found.timeout, found.max_time)


@pytest.mark.parametrize("name", SECONDS)
def test_an_option_counts_before_a_variable_and_that_before_the_file(
    name: str, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"{name} = 7\n", encoding="utf-8")
    file.chmod(0o600)
    environment = {"SIGNOFF_CONFIG": str(file)}
    assert getattr(merged(environment=environment), name) == 7
    environment[f"SIGNOFF_{name.upper()}"] = "8"
    assert getattr(merged(environment=environment), name) == 8
    values: dict[str, Any] = {name: 9.0}
    assert getattr(merged(SessionOptions(**values), environment), name) == 9


def test_a_policy_is_named_by_option_variable_or_not_at_all() -> None:
    assert merged().policy is None
    by_variable = merged(environment={"SIGNOFF_POLICY": "first-use"})
    assert by_variable.policy is not None
    assert by_variable.policy.name == "first-use"
    assert by_variable.start is not None
    assert by_variable.start.policy == ("--policy", "first-use")
    given = SessionOptions(policy="ask-always")
    by_option = merged(given, {"SIGNOFF_POLICY": "first-use"}).policy
    assert by_option is not None
    assert by_option.name == "ask-always"
    host = merged(SessionOptions(host="vscode"), {"SIGNOFF_POLICY": "first-use"})
    assert host.policy is not None
    assert host.policy.name == "vscode"
    assert host.start is not None
    assert host.start.policy == ("--as", "vscode")


@pytest.mark.parametrize("name", ["frist-use", "allow-all"])
def test_a_kept_policy_that_cannot_be_used_is_a_mistake_and_everything_asks(name: str) -> None:
    environment = {"SIGNOFF_CONFIG": "", "SIGNOFF_POLICY": name}
    found, settings = session_config(SessionOptions(), TARGET, environment)
    assert found.policy is not None
    assert found.policy.name == "ask-always"
    assert [one.place for one in settings.mistakes] == ["SIGNOFF_POLICY"]
    assert not settings.is_policy_sure
    found, settings = session_config(SessionOptions(policy="cautious"), TARGET, environment)
    assert found.policy is not None
    assert found.policy.name == "cautious"
    assert settings.is_policy_sure


@pytest.mark.parametrize(
    ("given", "trust"),
    [
        (SessionOptions(), Trust.UNTRUSTED),
        (SessionOptions(trust=True), Trust.TRUSTED),
        (SessionOptions(is_bundled=True), Trust.TRUSTED),
        (SessionOptions(is_bundled=True, no_trust=True), Trust.UNTRUSTED),
    ],
)
def test_trust_is_given_by_option_and_to_the_bundled_server(
    given: SessionOptions, trust: Trust
) -> None:
    assert merged(given).trust is trust


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (SessionOptions(record="there"), "not overwritten"),
        (SessionOptions(policy="there-is-none"), "there-is-none"),
        (SessionOptions(roots=("name=",)), "--root"),
    ],
)
def test_nothing_is_left_of_a_session_that_cannot_begin(
    given: SessionOptions, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    Path("there").write_text("mine", encoding="utf-8")
    given = given._replace(evidence=True, evidence_by="folders")
    with pytest.raises(UsageError, match=words), prepared_session(given, ("./one",)):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["there"]
    assert Path("there").read_text(encoding="utf-8") == "mine"
