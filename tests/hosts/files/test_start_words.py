"""What the question before a start shows: all that could run, and secrets with a form masked."""

from __future__ import annotations

from typing import Final

import pytest

from signoff.app.hosts.files.starting import CannotStart
from signoff.app.presentation.starts import start_facts
from tests.hosts.files.given import entry
from tests.hosts.files.test_starting import start_of

MASK: Final = "[masked: 7 characters]"
SHAPED: Final = "gh" + "p_" + "A" * 36
HIDDEN: Final = (
    ("python3", "-c", "token='x';__import__('os').system('evil')"),
    ("sh", "-c", "MY_PASSWORD=`evil` exec python3 srv.py"),
    ("sh", "-c", "curl https://x:$(evil)@h.test/"),
    ("sh", "-c", 'run --token "`evil`"'),
    ("sh", "-c", "curl -H 'Authorization: Bearer $(evil)'"),
    ("python3", "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.py"),
    ("npx", "-y", "--password", "evilpackage"),
    ("ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",),
    ("python3", "-m", "ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ("uvx", "--api-key=evil.py"),
    ("npx", "--package", "a", "--password", SHAPED),
    ("uvx", "--from", "a", "--token", SHAPED),
    ("sudo", "-u", "a", "--key", SHAPED),
    ("env", "A=1", "sh", "--token", SHAPED),
    ("timeout", "5", "--pat", SHAPED),
    ("docker", "run", "--token", SHAPED),
    ("node", "--eval", SHAPED),
    ("sh", "-c", f"TOKEN={SHAPED} exec server"),
    ("node", "--require", SHAPED, "--import", SHAPED),
    ("env", f"MY_TOKEN={SHAPED}", "sh", "-c", "$MY_TOKEN"),
    ("x", "--password", "hunter2"),
)


@pytest.mark.parametrize("words", HIDDEN, ids=" ".join)
def test_nothing_that_could_run_is_masked_in_the_question(words: tuple[str, ...]) -> None:
    start = start_of(entry(command=words[0], args=list(words[1:])))
    assert start.facts(is_for_question=True)["runs"] == list(words)


@pytest.mark.parametrize(
    ("words", "at"),
    [
        (("npx", "-y", "server", "--token", SHAPED), 4),
        (("npx", "-y", "server", f"API_KEY={SHAPED}"), 3),
        (("x", f"--key={SHAPED}"), 1),
        (("docker", "run", "--rm", "-e", f"A_TOKEN={SHAPED}", "img"), 4),
        (("uvx", "--from", "a", "b", "--header", f"Authorization: Bearer {SHAPED}"), 5),
        (("x", f"https://u:{SHAPED}@a.example/mcp?token={SHAPED}"), 1),
    ],
)
def test_a_secret_with_a_form_that_cannot_run_is_masked_in_the_question(
    words: tuple[str, ...], at: int
) -> None:
    start = start_of(entry(command=words[0], args=list(words[1:])))
    shown = start.facts(is_for_question=True)["runs"]
    assert SHAPED not in str(shown)
    assert f"[masked: {len(SHAPED)} characters]" in shown[at]
    assert [*shown[:at], *shown[at + 1 :]] == [*words[:at], *words[at + 1 :]]


@pytest.mark.parametrize(
    ("args", "env", "loads"),
    [
        (["-c", "$X"], {"X": SHAPED}, [f"X={SHAPED}"]),
        (["-c", 'eval "${X}"'], {"X": "evil"}, ["X=evil"]),
        (["/c", "%X%"], {"X": "evil"}, ["X=evil"]),
        (["-Command", "& $env:X"], {"X": "evil"}, ["X=evil"]),
        (["-c", "$X"], {"X": "eval $Y", "Y": "evil", "Z": "z"}, ["X=eval $Y", "Y=evil"]),
        (["-c", "import os;os.system(os.environ['MY_TOKEN'])"], {"MY_TOKEN": SHAPED}, [
            f"MY_TOKEN={SHAPED}"
        ]),
        (["server"], {"X": "evil"}, []),
    ],
)  # fmt: skip
def test_the_value_of_a_variable_that_the_command_names_is_shown(
    args: list[str], env: dict[str, str], loads: list[str]
) -> None:
    start = start_of(entry("claude-desktop", command="sh", args=args, env=env))
    assert start.facts(is_for_question=True)["loads"] == loads


@pytest.mark.parametrize("name", ["API_TOKEN", "X"])
def test_a_default_of_the_file_is_in_the_question_whatever_its_name(name: str) -> None:
    start = start_of(entry(command="sh", args=["-c", f"${{{name}:-evil}}"]))
    assert start.facts(is_for_question=True)["runs"] == ["sh", "-c", "evil"]


def test_servers_show_masks_no_program_behind_a_word_of_secrets() -> None:
    start = start_of(entry(command="npx", args=["-y", "--password", "evil", "a", "--key", "abc"]))
    words = ["npx", "-y", "--password", "evil", "a", "--key", "[masked: 3 characters]"]
    assert start.facts()["runs"] == words
    labels = [one.label for one in start_facts(start, None, is_for_question=False)]
    assert "masked" in labels
    assert "masked" not in [one.label for one in start_facts(start, None)]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "https://u:secret1@a.example/mcp?x=1",
            f"https://u:{MASK}@a.example/mcp?x=1",
        ),
        (
            "https://a.example/mcp?token=abcdef1",
            f"https://a.example/mcp?token={MASK}",
        ),
        ("https://u:p/x@a.example/mcp", "https://u:p/x@a.example/mcp"),
        ("http://127.0.0.1:1\\@good.example/", "http://127.0.0.1:1\\@good.example/"),
    ],
)
def test_no_part_of_an_address_that_leads_elsewhere_is_masked(url: str, shown: str) -> None:
    report = entry(type="http", url=url)
    try:
        start = start_of(report)
    except CannotStart:
        return
    assert start.facts(is_for_question=True)["opens"] == [shown]


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("LD_PRELOAD", "/tmp/evil.so", "LD_PRELOAD=/tmp/evil.so"),
        ("node_options", "--require=/tmp/x.js", "node_options=--require=/tmp/x.js"),
        ("PIP_INDEX_URL", "https://u:hunter2@x.example/s", "x.example"),
        ("PYTHONUSERBASE", "./.evil", "PYTHONUSERBASE=./.evil"),
        ("HOME", "./.evil", "HOME=./.evil"),
        ("GIT_CONFIG_COUNT", "1", "GIT_CONFIG_COUNT=1"),
        ("npm_config_script_shell", "./evil", "npm_config_script_shell=./evil"),
        ("UV_PYTHON", "./evil", "UV_PYTHON=./evil"),
        ("BUN_CONFIG_PRELOAD", "./evil", "BUN_CONFIG_PRELOAD=./evil"),
        ("PIP_CONFIG_FILE", "./evil", "PIP_CONFIG_FILE=./evil"),
        ("NPM_CONFIG__AUTHTOKEN", "hunter2", "[masked: 7 characters]"),
        ("NODE_AUTH_TOKEN", "hunter2", ""),
        ("SOME_PATH", "hunter2", ""),
    ],
)
def test_variables_that_load_other_code_are_shown_and_no_others(
    name: str, value: str, shown: str
) -> None:
    start = start_of(entry("claude-code", command="x", env={name: value}))
    facts = {one.label: one.words for one in start_facts(start, None)}
    assert shown in facts.get("loads", "")
    assert bool(shown) is ("loads" in facts)
    assert "hunter2" not in "".join(facts.values())
