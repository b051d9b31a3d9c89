"""Living by the rules of a host that asks about answers, and what the audit log says of it all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tests.e2e.program import quit_program
from tests.e2e.shifting import Folder, Program, approve_by_chord
from tests.e2e.steps import be_still, type_text

ANSWER_DIALOG = "Use this response?"
NOTE = "from far away"
ANSWER = f"look_outside repeats: {NOTE}"
USER, SECRETS = "ann", ("correct-horse-battery", "zzTop.9876543210abc")
CALLED = [
    {"tool": "look_outside", "arguments": {"note": NOTE}},
    {"tool": "sign_in", "arguments": {"user": USER, "password": SECRETS[0], "api_key": SECRETS[1]}},
    {"tool": "look_outside", "arguments": {"note": NOTE}},
]


class Session:
    """Three calls by the rules of VS Code: the screens on the way, and what is left at the end."""

    def __init__(self, path: Path) -> None:
        self.folder = Folder(path)
        with self.folder.program("--as", "vscode") as program:
            program.choose("look_outside")
            fill(program, NOTE)
            self.question = ask_about_answer(program)
            self.calls_before_answer = self.folder.calls
            self.after_withholding = withhold(program)
            program.choose("sign_in")
            fill(program, USER, *SECRETS)
            self.signing_in = program.ask("sign_in")
            approve_by_chord(program.terminal)
            program.ended("answered")
            ask_about_answer(program)
            self.after_using = use(program)
            self.status = quit_program(program.terminal)


def fill(program: Program, *values: str) -> None:
    """Type into the fields of the chosen tool, one after the other."""
    terminal = program.terminal
    terminal.press("enter")
    for number, value in enumerate(values):
        if number:
            terminal.press("tab")
            be_still()
        type_text(terminal, value)


def ask_about_answer(program: Program) -> str:
    program.call("look_outside")
    program.terminal.wait_for(ANSWER_DIALOG)
    return program.terminal.wait_for(lambda text: "moment" not in text)


def withhold(program: Program) -> str:
    """The screens, and every byte, after the response was withheld."""
    terminal = program.terminal
    terminal.press("escape")
    text = program.ended(".*withheld")
    written = len(terminal.raw)
    terminal.press("f8")
    text += terminal.wait_for("╭─ call 1 ")
    terminal.press("escape")
    text += terminal.wait_for(lambda text: "╭─ call 1 " not in text)
    return text + terminal.raw[written:].decode(errors="replace")


def use(program: Program) -> str:
    terminal = program.terminal
    terminal.press("ctrl+y")
    terminal.wait_for(r"ctrl\+y again( within \d s)? to use it")
    be_still()
    terminal.press("ctrl+y")
    terminal.wait_for(lambda text: ANSWER_DIALOG not in text)
    program.ended("answered")
    # The parts are drawn after the line of the call.
    terminal.wait_for(ANSWER)
    return terminal.text


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return Session(tmp_path_factory.mktemp("host"))


@pytest.fixture
def log(session: Session, tmp_path: Path) -> Path:
    """A copy of the log, to be spoilt."""
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(session.folder.log.read_bytes())
    return copy


def show(tmp_path: Path, session: Session, *filters: str) -> list[dict[str, Any]]:
    shown = run(tmp_path, "audit", "show", "--json", "--audit", str(session.folder.log), *filters)
    assert (shown.status, shown.stderr) == (0, "")
    return [json.loads(line) for line in shown.stdout.splitlines()]


def test_the_answer_is_asked_about_after_the_call(session: Session) -> None:
    assert "call sent, arguments" in session.question
    assert "rules of VS Code" in session.question
    assert ANSWER in session.question
    assert session.calls_before_answer == CALLED[:1]


def test_a_withheld_answer_is_nowhere(session: Session) -> None:
    assert "the response was withheld" in session.after_withholding
    assert ANSWER not in session.after_withholding
    assert "repeats" not in session.after_withholding


def test_an_answer_that_is_used_is_shown(session: Session) -> None:
    assert ANSWER in session.after_using


def test_the_log_tells_every_call_in_order_under_one_hash_of_its_arguments(
    session: Session, tmp_path: Path
) -> None:
    assert session.status == 0
    assert session.folder.calls == CALLED
    records = show(tmp_path, session)
    assert [one["seq"] for one in records] == list(range(1, len(records) + 1))
    assert [records[0]["event"], records[-1]["event"]] == ["opened", "closed"]
    assert records[0]["policy"] == "vscode"
    asks_only_about_answer = ["decided", "sent", "result-asked", "decided", "ended"]
    expected = [asks_only_about_answer, ["asked", "decided", "sent", "ended"]]
    for call, events in enumerate([*expected, asks_only_about_answer], 1):
        told = [one for one in records if one.get("call") == call]
        assert [one["event"] for one in told] == events
        assert len({one["arguments"]["sha256"] for one in told}) == 1
        assert {one["tool"] for one in told} == {CALLED[call - 1]["tool"]}
    asked, decided, _, ended = show(tmp_path, session, "--tool", "sign_in")
    assert asked["prompt"]
    assert (decided["decision"]["answer"], decided["decision"]["by"]) == ("approve", "you")
    assert decided["decision"]["seconds"] > 0
    assert ended["outcome"] == "ok"
    withheld = next(one for one in records if one.get("withheld"))
    assert (withheld["call"], "result" in withheld) == (1, False)


def test_what_is_secret_was_shown_to_the_person_and_is_not_in_the_log(session: Session) -> None:
    text = session.folder.log.read_text()
    assert USER in text
    for secret in SECRETS:
        assert secret in session.signing_in
        assert secret not in text
        assert secret[:8] not in text
    assert ANSWER not in text


def test_the_chain_is_intact_and_an_edited_line_breaks_it(log: Path, tmp_path: Path) -> None:
    intact = run(tmp_path, "audit", "verify", "--audit", str(log))
    assert (intact.status, "intact" in intact.stdout) == (0, True)
    log.write_bytes(log.read_bytes().replace(b'"by":"you"', b'"by":"policy"', 1))
    broken = run(tmp_path, "audit", "verify", "--audit", str(log))
    assert broken.status == 1
    assert "edited" in broken.stdout
