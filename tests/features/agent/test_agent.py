"""`signoff agent` without a screen: what is asked and what runs, as JSON and as lines."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from signoff.app.presentation.exit_status import ExitStatus
from tests.approved import approved
from tests.cli.running import ROOT, Command, Ended, run
from tests.servers import acp_agent, named, raw
from tests.tiers import first_quick

PROSE = approved("agents")
HOST = ROOT / "tests" / "servers" / "measured_host.py"
DELETE = 'delete_file {"path": "notes/todo.txt"}'
SERVER = shlex.join(named("delete_file=d", "read_file=r"))


def agent(folder: Path, *words: str, behaviours: tuple[str, ...] = ()) -> Ended:
    return run(folder, "agent", "--mcp", SERVER, *words, "--", *acp_agent(*behaviours))


def as_json(folder: Path, answer: str, *behaviours: str, prompt: str = DELETE) -> Ended:
    words = ("--json", "--reply", answer, "--prompt", prompt)
    return agent(folder, *words, behaviours=behaviours)


@pytest.mark.parametrize(
    ("reply", "answer", "ran", "result"),
    [
        ("reject", "reject_once", False, None),
        ("allow", "allow_once", True, "ok"),
        ("cancel", None, False, None),
    ],
)
def test_a_call_runs_as_it_was_asked_about_if_it_is_allowed(
    tmp_path: Path, reply: str, answer: str | None, ran: bool, result: str | None
) -> None:
    ended = as_json(tmp_path, reply)
    (call,) = ended.report["calls"]
    assert ended.status == ExitStatus.OK
    assert (call["tool"], call["asked"], call["findings"]) == ("delete_file", True, [])
    assert (call["named"], call["name_from"]) == (True, "title")
    assert (call["answer"], call["ran"], call.get("result")) == (answer, ran, result)
    assert call["asked_arguments"] == {"path": "notes/todo.txt"}
    assert not ran or call["sent_arguments"] == call["asked_arguments"]
    assert ("cancelled" in " ".join(ended.report["text"])) is (reply == "cancel")
    assert ended.report["server"]["tools"] == 2


BROKEN = ExitStatus.BROKEN


@pytest.mark.parametrize(
    ("behaviours", "answer", "findings", "status"),
    first_quick(
        [
            ("unasked", "reject", "ran-without-asking ran-without-asking-not-read-only", BROKEN),
            ("first", "reject", "asked-after-it-ran", BROKEN),
            ("stubborn", "reject", "ran-although-rejected", BROKEN),
            ("stubborn changes", "reject", "ran-although-rejected other-arguments-ran", BROKEN),
            ("changes", "allow", "other-arguments-ran", BROKEN),
            ("unnamed", "allow", "tool-not-named", ExitStatus.OK),
            ("bare", "allow", "arguments-not-shown", ExitStatus.OK),
            ("no-refusal", "reject", "no-way-to-refuse", BROKEN),
            ("no-refusal", "allow", "no-way-to-refuse", BROKEN),
        ],
        4,
        several=True,
    ),
)
def test_each_habit_is_found(
    tmp_path: Path, behaviours: str, answer: str, findings: str, status: ExitStatus
) -> None:
    ended = as_json(tmp_path, answer, *behaviours.split())
    (call,) = ended.report["calls"]
    assert call["findings"] == findings.split()
    assert ended.status == status == ended.report["exit_status"]


def test_a_read_only_tool_may_run_without_a_question(tmp_path: Path) -> None:
    ended = as_json(tmp_path, "reject", "unasked", prompt='read_file {"path": "a"}')
    assert [call["findings"] for call in ended.report["calls"]] == [["ran-without-asking"]]
    assert ended.status == ExitStatus.OK


def test_the_agent_can_use_the_bundled_server(tmp_path: Path) -> None:
    words = ("agent", "--json", "--reply", "allow", "--prompt", 'calculate_sum {"a": 2, "b": 3}')
    ended = run(tmp_path, *words, "--", *acp_agent())
    assert ended.report["server"]["name"] == "demo"
    assert ended.report["calls"][0]["result"] == "ok"


def test_garbage_of_an_agent_ends_in_problems(tmp_path: Path) -> None:
    ended = as_json(tmp_path, "allow", "garbage")
    assert ended.status == ExitStatus.OK
    assert ended.report["calls"][0]["ran"]
    assert len(ended.report["problems"]) >= 8


def test_an_agent_that_fails_has_its_status_and_its_words(tmp_path: Path) -> None:
    for behaviour, words in (("quits", "out of luck"), ("signs", "Sign in")):
        ended = as_json(tmp_path, "allow", behaviour)
        assert (ended.status, words in ended.stderr) == (ExitStatus.LOST, True)
        assert ended.report["error"]
    ended = run(tmp_path, "agent", "--json", "--prompt", "x", "--", "/no/such/agent")
    assert (ended.status, "/no/such/agent" in ended.stderr) == (ExitStatus.LOST, True)
    # A sign-in comes before the session.
    words_of = ("--json", "--sign-in", "key", "--prompt", DELETE)
    ended = agent(tmp_path, *words_of, behaviours=("signs",))
    assert ended.status == ExitStatus.OK
    assert ended.report["calls"][0]["answer"] == "reject_once"


@pytest.mark.parametrize(
    "words",
    [
        ("agent",),
        ("agent", "--json", "--", "x"),
        ("agent", "--agent", "nobody"),
        ("agent", "--mcp", "a", "--server", "b", "--", "x"),
        ("agent", "--mcp", "it's", "--", "x"),
        ("agent", "--agent", "gemini-cli", "--", "x"),
    ],
)
def test_wrong_usage(tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = run(tmp_path, *words, PATH=str(tmp_path))
    assert ended.status == ExitStatus.USAGE
    assert "signoff" in ended.stderr


def test_lines_show_the_question_the_answer_and_the_calls(tmp_path: Path) -> None:
    ended = agent(tmp_path, "--reply", "allow", "--prompt", DELETE, behaviours=("unnamed",))
    assert ended.status == ExitStatus.OK
    assert ended.stdout.count("delete_file") >= 2
    assert "Allow once" in ended.stdout
    assert ended.stdout.splitlines()[-1].strip().startswith("1 tool call")


def test_prompts_come_from_a_pipe_and_questions_are_rejected(tmp_path: Path) -> None:
    command = Command(
        tmp_path,
        *("agent", "--plain", "--mcp", SERVER, "--", *acp_agent()),
        stdin=f"{DELETE}\nread_file\n",
    )
    ended = command.end()
    assert ended.status == ExitStatus.OK
    assert ended.stdout.count("answered: Reject once") == 2
    assert "2 tool calls: 0 ran" in ended.stdout


def test_secrets_in_arguments_are_masked(tmp_path: Path) -> None:
    ended = as_json(tmp_path, "allow", prompt='delete_file {"password": "hunter2hunter2"}')
    assert "hunter2" not in str(ended.report["calls"][0]["sent_arguments"])


ODD = """
import json, sys
habit, lists = sys.argv[1], 0
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "odd"}}
    if message["method"] == "tools/list":
        lists += 1
        result = {"tools": [{"name": "echo", "inputSchema": {}}]}
        if habit == "null" and lists > 1:
            result = {"tools": None}
        if habit == "odd":
            result["tools"] += ["x", 5, None]
    if message["method"] == "tools/call":
        result = [1] if habit == "list" else "text"
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
SCRIPTED = ("agent", "--mcp", SERVER, "--scripted")
TWO = f"{DELETE} + {DELETE.replace('todo', 'other')} read_file"


def test_a_scripted_model_makes_the_calls_of_the_prompt(tmp_path: Path) -> None:
    ended = run(tmp_path, *SCRIPTED, "--json", "--reply", "allow", "--prompt", TWO)
    assert ended.status == ExitStatus.OK, ended.stderr
    report = ended.report
    assert report["agent"]["name"] == "plain"
    assert [(one["tool"], one["sent_arguments"], one["result"]) for one in report["calls"]] == [
        ("delete_file", {"path": "notes/todo.txt"}, "ok"),
        ("delete_file", {"path": "notes/other.txt"}, "ok"),
        ("read_file", {}, "ok"),
    ]
    assert all(one["asked"] and one["named"] for one in report["calls"])


def test_a_scripted_model_is_rejected_and_names_a_missing_tool(tmp_path: Path) -> None:
    ended = run(tmp_path, *SCRIPTED, "--json", "--prompt", TWO)
    assert [one["ran"] for one in ended.report["calls"]] == [False, False, False]
    ended = run(tmp_path, *SCRIPTED, "--reply", "allow", "--prompt", "file read_file")
    assert "The tool file does not exist." in ended.stdout
    assert "1 tool call: 1 ran" in ended.stdout


def test_each_line_is_a_prompt_and_a_wrong_one_is_noted(tmp_path: Path) -> None:
    lines = f"{{}}\n{DELETE}\nread_file\n"
    ended = run(tmp_path, *SCRIPTED, "--reply", "allow", stdin=lines)
    assert "the name of a tool was expected" in ended.stdout
    assert "2 tool calls: 2 ran" in ended.stdout
    assert ended.status == ExitStatus.USAGE


@pytest.mark.parametrize("habit", first_quick(["null", "list", "odd"]))
def test_a_turn_of_the_plain_agent_ends_whatever_the_server_returns(
    tmp_path: Path, habit: str
) -> None:
    program = tmp_path / "odd.py"
    program.write_text(ODD)
    server = shlex.join([sys.executable, str(program), habit])
    words = ("--json", "--reply", "allow", "--turn-limit", "60", "--prompt", "echo")
    ended = run(tmp_path, "agent", "--scripted", "--mcp", server, *words)
    assert ended.report["stop_reasons"] == ["end_turn"]
    assert ended.status == ExitStatus.OK


def test_another_agent_is_given_the_model(tmp_path: Path) -> None:
    host = (sys.executable, str(HOST), "asks", "--acp")
    words = (*SCRIPTED, "--json", "--reply", "allow", "--prompt", DELETE, "--", *host)
    (call,) = run(tmp_path, *words).report["calls"]
    assert (call["tool"], call["asked"], call["result"]) == ("delete_file", True, "ok")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("scripted: prompt", ("--prompt", "{}")),
        ("scripted: no ACP", ("--agent", "cline")),
        ("scripted: two agents", ("--agent", "qwen-code", "--", "x")),
    ],
)
def test_wrong_usage_of_a_scripted_model(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    ended = run(tmp_path, *SCRIPTED, *words)
    assert ended.status == ExitStatus.USAGE
    PROSE.holds(name, ended.stderr)


@pytest.mark.slow
def test_a_list_that_never_ends_holds_nothing_up(tmp_path: Path) -> None:
    server = shlex.join(raw("--endless-cursor"))
    words = ("--scripted", "--mcp", server, "--reply", "reject", "--prompt", "echo")
    ended = run(tmp_path, "agent", *words)
    assert ended.status == ExitStatus.OK, ended.stderr
    assert "has not listed the tools" in ended.stdout
    assert "turn ended: end_turn" in ended.stdout


@pytest.mark.parametrize("shape", first_quick(["--json", "--plain"], 2))
@pytest.mark.parametrize("end", first_quick(["ends", "fails"], 2))
def test_no_string_of_an_agent_acts_on_the_terminal(tmp_path: Path, shape: str, end: str) -> None:
    hostile = str(ROOT / "tests" / "servers" / "hostile_agent.py")
    words = ("--mcp", SERVER, "--reply", "reject", "--prompt", "go", shape)
    ended = run(tmp_path, "agent", *words, "--", sys.executable, hostile, end)
    for text in (ended.stdout, ended.stderr):
        bad = {char for char in text if not char.isprintable()} - {"\n"}
        assert not bad
        assert "turn ended: ok" not in [line.strip() for line in text.splitlines()]
    assert ended.status in (ExitStatus.BROKEN, ExitStatus.LOST)
    if shape == "--json":
        (call,) = ended.report["calls"]
        assert call["findings"] == ["tool-not-named", "ran-although-rejected"]
        assert ended.report["not_passed_on_count"] == 1
