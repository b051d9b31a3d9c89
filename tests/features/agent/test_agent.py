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

PROSE = approved("agents")
HOST = ROOT / "tests" / "servers" / "measured_host.py"
DELETE = 'delete_file {"path": "notes/todo.txt"}'
SERVER = shlex.join(named("delete_file=d", "read_file=r"))


def agent(folder: Path, *words: str, behaviours: tuple[str, ...] = ()) -> Ended:
    return run(folder, "agent", "--mcp", SERVER, *words, "--", *acp_agent(*behaviours))


def as_json(folder: Path, answer: str, *behaviours: str, prompt: str = DELETE) -> Ended:
    words = ("--json", "--reply", answer, "--prompt", prompt)
    return agent(folder, *words, behaviours=behaviours)


def test_a_rejected_call_does_not_run(tmp_path: Path) -> None:
    ended = as_json(tmp_path, "reject")
    (call,) = ended.report["calls"]
    assert ended.status == ExitStatus.OK
    assert (call["tool"], call["asked"], call["named"], call["name_from"]) == (
        "delete_file",
        True,
        True,
        "title",
    )
    assert (call["answer"], call["ran"], call["findings"]) == ("reject_once", False, [])
    assert call["asked_arguments"] == {"path": "notes/todo.txt"}
    assert ended.report["server"]["tools"] == 2


def test_an_allowed_call_runs_with_the_arguments_of_the_question(tmp_path: Path) -> None:
    (call,) = as_json(tmp_path, "allow").report["calls"]
    assert (call["answer"], call["ran"], call["result"]) == ("allow_once", True, "ok")
    assert call["sent_arguments"] == call["asked_arguments"]


def test_cancelled_is_an_answer_of_its_own(tmp_path: Path) -> None:
    ended = as_json(tmp_path, "cancel")
    (call,) = ended.report["calls"]
    assert (call["answer"], call["ran"]) == (None, False)
    assert "cancelled" in " ".join(ended.report["text"])


@pytest.mark.parametrize(
    ("behaviour", "answer", "finding", "status"),
    [
        ("unasked", "reject", "ran-without-asking", ExitStatus.BROKEN),
        ("first", "reject", "asked-after-it-ran", ExitStatus.BROKEN),
        ("stubborn", "reject", "ran-although-rejected", ExitStatus.BROKEN),
        ("changes", "allow", "other-arguments-ran", ExitStatus.BROKEN),
        ("unnamed", "allow", "tool-not-named", ExitStatus.OK),
        ("bare", "allow", "arguments-not-shown", ExitStatus.OK),
    ],
)
def test_each_habit_is_found(
    tmp_path: Path, behaviour: str, answer: str, finding: str, status: ExitStatus
) -> None:
    ended = as_json(tmp_path, answer, behaviour)
    (call,) = ended.report["calls"]
    more = ["ran-without-asking-not-read-only"] if behaviour == "unasked" else []
    assert call["findings"] == [finding, *more]
    assert ended.status == status == ended.report["exit_status"]


def test_a_rejected_call_that_runs_with_another_argument_is_found(tmp_path: Path) -> None:
    ended = as_json(tmp_path, "reject", "stubborn", "changes")
    (call,) = ended.report["calls"]
    assert call["findings"] == ["ran-although-rejected", "other-arguments-ran"]
    assert ended.status == ExitStatus.BROKEN


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


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [("quits", ExitStatus.LOST), ("signs", ExitStatus.LOST)],
)
def test_an_agent_that_fails_has_its_status_and_its_words(
    tmp_path: Path, behaviour: str, status: ExitStatus
) -> None:
    ended = as_json(tmp_path, "allow", behaviour)
    assert ended.status == status
    assert ended.report["error"]
    assert ("out of luck" if behaviour == "quits" else "Sign in") in ended.stderr


def test_a_sign_in_comes_before_the_session(tmp_path: Path) -> None:
    words = ("--json", "--sign-in", "key", "--prompt", DELETE)
    ended = agent(tmp_path, *words, behaviours=("signs",))
    assert ended.status == ExitStatus.OK
    assert ended.report["calls"][0]["answer"] == "reject_once"


def test_a_missing_agent_is_an_error(tmp_path: Path) -> None:
    ended = run(tmp_path, "agent", "--json", "--prompt", "x", "--", "/no/such/agent")
    assert ended.status == ExitStatus.LOST
    assert "/no/such/agent" in ended.stderr


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


def test_what_is_rejected_by_the_plain_agent_does_not_run(tmp_path: Path) -> None:
    ended = run(tmp_path, *SCRIPTED, "--json", "--prompt", TWO)
    assert [one["ran"] for one in ended.report["calls"]] == [False, False, False]


def test_a_tool_that_is_not_there_is_told(tmp_path: Path) -> None:
    ended = run(tmp_path, *SCRIPTED, "--reply", "allow", "--prompt", "file read_file")
    assert "The tool file does not exist." in ended.stdout
    assert "1 tool call: 1 ran" in ended.stdout


def test_each_line_is_a_prompt_and_a_wrong_one_is_noted(tmp_path: Path) -> None:
    lines = f"{{}}\n{DELETE}\nread_file\n"
    ended = run(tmp_path, *SCRIPTED, "--reply", "allow", stdin=lines)
    assert "the name of a tool was expected" in ended.stdout
    assert "2 tool calls: 2 ran" in ended.stdout
    assert ended.status == ExitStatus.USAGE


@pytest.mark.parametrize("habit", ["null", "list", "odd"])
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


@pytest.mark.parametrize("shape", ["--json", "--plain"])
@pytest.mark.parametrize("end", ["ends", "fails"])
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


@pytest.mark.parametrize("answer", ["reject", "allow"])
def test_a_question_that_cannot_be_refused_fails(tmp_path: Path, answer: str) -> None:
    ended = as_json(tmp_path, answer, "no-refusal")
    (call,) = ended.report["calls"]
    assert call["findings"] == ["no-way-to-refuse"]
    assert ended.status == ExitStatus.BROKEN


def test_a_read_only_tool_may_run_without_a_question(tmp_path: Path) -> None:
    ended = as_json(tmp_path, "reject", "unasked", prompt='read_file {"path": "a"}')
    assert [call["findings"] for call in ended.report["calls"]] == [["ran-without-asking"]]
    assert ended.status == ExitStatus.OK
