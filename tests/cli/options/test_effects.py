"""No option without effect: a command has the options that it reads, and names who has others."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.cli.command_line import all_parsers, read_options
from tests.cli.running import run
from tests.servers import raw

OPTIONS = {
    name.removeprefix("signoff").strip(): {
        option for option in parser._option_string_actions if option.startswith("--")
    }
    for name, parser in all_parsers()
}
ON_SERVER = {name for name, options in OPTIONS.items() if "--protocol" in options}
RELAYING = "proxy"
"""The command that leaves a revision, capabilities and limits to a host."""
ON_SCREEN = {"", "demo", "tour"}
CALLING = {name for name in ON_SERVER if name in ON_SCREEN or "--approve" in OPTIONS[name]}
WATCHING = ("--evidence-by", "--scratch")
"""Options of a check that calls nothing, and watches the server in any case."""
ABOUT_CALLS = (
    *("--timeout", "--max-time", "--record", "--as-task", "--evidence", "--evidence-by"),
    *("--scratch", "--person", "--answer", "--decision-seconds"),
)
READING_POLICY = CALLING | {"tools", "matrix", "report", "policy explain"}
READING_TRUST = (READING_POLICY - {"matrix"}) | {"decide"}


def test_there_are_commands_of_each_kind() -> None:
    assert {"call", "read", "prompt", "compat", "evidence", "consent", "through"} < CALLING
    assert {"lint", "doctor", "decide", "diff", "tasks"} < ON_SERVER - CALLING


@pytest.mark.parametrize("command", sorted(ON_SERVER - CALLING))
def test_what_calls_nothing_has_no_option_about_calls(command: str) -> None:
    watches = WATCHING if command == "experimental check" else ()
    assert OPTIONS[command].isdisjoint(set(ABOUT_CALLS) - set(watches))


@pytest.mark.parametrize("command", sorted(CALLING))
def test_what_calls_has_the_limits_of_calls(command: str) -> None:
    assert {"--timeout", "--max-time", "--decision-seconds", "--policy"} <= OPTIONS[command]


@pytest.mark.parametrize("command", sorted(ON_SERVER))
def test_policy_and_trust_are_options_of_what_judges(command: str) -> None:
    options = OPTIONS[command]
    assert ({"--policy", "--as"} <= options) is (command in READING_POLICY)
    assert ({"--trust", "--no-trust"} <= options) is (command in READING_TRUST)
    # What `why` explains is a host.
    assert len({"--policy", "--as"} & options) in ((1,) if command == "why" else (0, 2))
    assert len({"--trust", "--no-trust"} & options) in (0, 2)


def test_what_relays_has_no_option_of_a_client() -> None:
    options = OPTIONS[RELAYING]
    assert {"--policy", "--as", "--trust", "--record", "--capture", "--evidence"} <= options
    of_a_client = {"--protocol", "--without", "--root", "--log-level", "--timeout", "--as-task"}
    assert options.isdisjoint(of_a_client | {"--decision-seconds", "--connect-timeout"})


def test_what_watches_in_any_case_needs_no_option_for_it() -> None:
    for command in ("evidence", "consent"):
        assert "--evidence" not in OPTIONS[command]
        assert {"--evidence-by", "--scratch"} <= OPTIONS[command]
    assert "--evidence-by" not in OPTIONS["through"] | OPTIONS["compat"]


@pytest.mark.parametrize("command", ["demo", "tour", "through"])
def test_a_command_with_its_own_target_has_no_option_for_another(command: str) -> None:
    given = {"--url", "--server", "--all", "--config", "--host", "--from", "--start", "--value"}
    assert OPTIONS[command].isdisjoint(given)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("lint --evidence demo", "signoff lint has no --evidence: it is an option of "),
        ("lint tools.json --record=x", "signoff lint has no --record: it is an option of "),
        ("decide demo --policy strict", "signoff decide has no --policy: it is an option of "),
        ("consent --evidence demo", "signoff consent has no --evidence: "),
        ("servers show x --policy y", "signoff servers show has no --policy: "),
        ("tools demo --pin x", "signoff tools has no --pin: it is an option of diff and lint\n"),
        ("--plain demo --save-as x", "signoff demo has no --save-as: it is an option of signoff\n"),
    ],
)
def test_an_option_of_others_names_them(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(words.split())
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("command", ["tools", "report", "decide", "matrix", "policy explain"])
def test_the_options_about_rules_change_what_is_printed(command: str, tmp_path: Path) -> None:
    def printed(*words: str) -> str:
        named = ("delete_thing",) if command == "policy explain" else ()
        given = ("--no-audit", "--no-memory")
        server = raw("--only", "delete_thing")
        return run(tmp_path, *command.split(), *named, *words, *given, "--", *server).stdout

    plain = printed()
    assert plain
    if command in READING_POLICY:
        assert printed("--policy", "allow-all") != plain
        assert printed("--as", "codex:exec") != plain
    if command in READING_TRUST:
        assert printed("--trust") != plain
