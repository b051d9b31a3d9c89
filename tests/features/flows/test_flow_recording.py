"""`--record FILE`: what was done becomes a flow file that passes at once, without its secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signoff.app.approval.approval import Decision, approve, deny
from signoff.app.approval.server_questions import AskName
from signoff.app.approval.sign_in import SIGN_IN, AboutSignIn, SignInRequest
from signoff.app.cli.options.session import SessionOptions
from signoff.app.engine.sign_in import ALWAYS_ASKS
from signoff.app.features.flows.reading import read_flow
from signoff.app.features.flows.recording import SecretNames, recorded_sign_in
from signoff.app.features.flows.run.session import prepare
from signoff.app.protocol.server import Trust
from signoff.app.protocol.server_requests.capabilities import read_root
from tests.approved import approved
from tests.cli.running import run
from tests.servers import raw
from tests.transport.webbed import scripted

PROSE = approved("flows")

SESSIONS = {
    "denied": ("call", "delete_file", "demo", "-a", "path=notes/todo.txt", "--person", "denies"),
    "approved": ("call", "increment_counter", "demo", "-a", "id=visits", "--person", "approves"),
    "late": (
        *("call", "delete_file", "demo", "-a", "path=x.txt", "--person", "absent"),
        *("--decision-seconds", "0.3"),
    ),
    "allowed": ("call", "calculate_sum", "demo", "-a", "a=2", "-a", "b=3"),
    "under a host": ("call", "echo", "--as", "vscode", "-a", "text=${x}", "-a", "number=1"),
    "a read": ("read", "demo://config/settings.json", "demo", "--person", "approves"),
    "a prompt": ("prompt", "explain_hints", "demo", "--person", "approves"),
    "asked": ("call", "ask_two_questions", "demo", "--person", "approves"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SESSIONS)
def test_what_was_done_passes_at_once(tmp_path: Path, name: str) -> None:
    words = SESSIONS[name]
    server = () if "demo" in words else ("--person", "denies", "--", *raw("--with", "all"))
    ended = run(tmp_path, *words, "--record", "a.flow.yaml", *server)
    PROSE.holds("record: one step", ended.stderr)
    tried = run(tmp_path, "test", "a.flow.yaml")
    assert tried.status == 0, (tmp_path / "a.flow.yaml").read_text() + tried.stdout


def test_how_a_recording_reads(tmp_path: Path) -> None:
    run(tmp_path, *SESSIONS["denied"], "--record", "a.flow.yaml")
    PROSE.holds("record: a denied call", (tmp_path / "a.flow.yaml").read_text())
    names = SecretNames()
    # The same secret has one name.
    for secret, key, name in (
        ("x", "Api-Key", "api_key"),
        ("y", "api_key", "api_key_2"),
        ("x", "other", "api_key"),
        ("z", "9", "secret_9"),
    ):
        assert names.name_for(secret, key) == name


@pytest.mark.slow
def test_several_calls_on_lines_and_none(tmp_path: Path) -> None:
    script = 'call calculate_sum !{"a": 1, "b": 2}\ncall calculate_sum !{"a": 3, "b": 4}\n'
    ended = run(tmp_path, "--plain", "demo", "--record", "a.flow.yaml", stdin=script)
    assert "recorded 2 steps" in ended.stderr
    assert run(tmp_path, "test", "a.flow.yaml").status == 0
    ended = run(tmp_path, "--plain", "demo", "--record", "b.flow.yaml")
    assert "nothing was recorded" in ended.stderr
    assert not (tmp_path / "b.flow.yaml").exists()
    ended = run(tmp_path, "--plain", "demo", "--record", "a.flow.yaml")
    assert ended.status == 2
    assert "already exists" in ended.stderr


def test_secrets_become_variables(tmp_path: Path) -> None:
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    arguments = {"text": "x", "number": 1, "api_key": secret}
    words = ("call", "echo", "--args", json.dumps(arguments), "--env", f"TOKEN={secret}")
    server = ("--", *raw("--with", "all"), "--api-key", secret)
    record = ("--although-invalid", "--person", "denies", "--record", "a.flow.yaml")
    run(tmp_path, *words, *record, *server[:-2])
    text = (tmp_path / "a.flow.yaml").read_text()
    assert secret not in text
    assert 'api_key: "${api_key}"' in text
    assert "api_key: {env: API_KEY}" in text
    assert 'TOKEN: "${token}"' in text
    tried = run(tmp_path, "test", "a.flow.yaml", API_KEY=secret, TOKEN=secret)
    assert tried.status == 0, text + tried.stdout


def test_headers_are_recorded_as_variables_and_sent_again(tmp_path: Path) -> None:
    with scripted("--token", "s3cret", "--only", "echo") as (url, _):
        header = ("--header", "Authorization=$GIVEN", "--person", "approves")
        given = {"GIVEN": "Bearer s3cret"}
        arguments = ("-a", "text=x", "-a", "number=1")
        words = ("call", "echo", *arguments, "--url", url, *header, "--record", "a.flow.yaml")
        assert run(tmp_path, *words, **given).status == 0
        text = (tmp_path / "a.flow.yaml").read_text()
        assert "s3cret" not in text
        assert "Authorization" in text
        again = run(tmp_path, "test", "a.flow.yaml", HEADER_AUTHORIZATION="Bearer s3cret")
        assert again.status == 0, again.stdout + again.stderr
        wrong = run(tmp_path, "test", "a.flow.yaml", HEADER_AUTHORIZATION="Bearer other")
        assert wrong.status != 0
        broken = run(tmp_path, "test", "a.flow.yaml", HEADER_AUTHORIZATION="a\nb")
        PROSE.holds("record: a broken header", broken.stderr + broken.stdout)


def test_the_folder_of_a_configured_server_is_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    words = raw("--only", "echo")
    entry = {"command": words[0], "args": words[1:], "cwd": str(folder)}
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"one": entry}}), encoding="utf-8")
    target = ("--config", str(file), "--server", "one")
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    digest = run(tmp_path, "servers", "show", "one", "--config", str(file), "--json", **home).report
    called = ("call", "echo", "-a", "text=x", "-a", "number=1", "--person", "approves")
    record = ("--record", "a.flow.yaml", "--start", digest["digest"])
    assert run(tmp_path, *called, *target, *record, **home).status == 0
    text = (tmp_path / "a.flow.yaml").read_text()
    assert "\nfolder: " in text
    assert str(folder) in text
    assert run(tmp_path, "test", "a.flow.yaml", **home).status == 0
    folder.rmdir()
    gone = run(tmp_path, "test", "a.flow.yaml", **home)
    assert gone.status == 2
    PROSE.holds("record: the folder is gone", gone.stderr, FOLDER=tmp_path)


def test_the_options_of_a_session_are_recorded(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    options = ("--name", "${mine}", "--root", "r=${x}", "--log-level", "error", "--scratch", "sub")
    more = ("--without", "sampling", "--protocol", "legacy", "--evidence-by", "folders")
    called = ("call", "echo", "-a", "text=x", "-a", "number=1", "--person", "approves")
    server = ("--", *raw("--only", "echo"))
    assert run(tmp_path, *called, *options, *more, "--record", "a.flow.yaml", *server).status == 0
    flow = read_flow((tmp_path / "a.flow.yaml").read_bytes(), "a.flow.yaml")
    assert flow.server.options == SessionOptions(
        name="$${mine}",
        protocol="legacy",
        without=("sampling",),
        roots=("r=$${x}",),
        log_level="error",
        scratch=str(tmp_path / "sub"),
    )
    config = prepare(flow, {}, {}).config
    assert config.target.name == "${mine}"
    assert config.roots == (read_root("r=${x}"),)
    assert run(tmp_path, "test", "a.flow.yaml").status == 0


@pytest.mark.parametrize(
    ("decision", "answer"), [(approve("you"), "follow"), (deny("you"), "deny")]
)
def test_a_sign_in_of_the_session_is_a_key_of_the_flow(decision: Decision, answer: str) -> None:
    request = SignInRequest("u", "i", "p", "t", "", "c", "r", ("a", "b"), (), "w", "here")
    question = AboutSignIn(
        call=AskName("s", 1, SIGN_IN),
        server_name="s",
        server_command="s",
        server_calls_itself="",
        trust=Trust.UNTRUSTED,
        server_identity="s",
        verdict=ALWAYS_ASKS,
        wanted=request,
    )
    found = recorded_sign_in(question, decision)
    assert found == {"answer": answer, "scopes": ["a", "b"]}
    step = f"  - call: x\n    sign_in: {json.dumps(found)}\n"
    text = f"url: http://127.0.0.1:1/mcp\nsign_in: {json.dumps(found)}\nsteps:\n{step}"
    assert read_flow(text.encode(), "a.flow.yaml").has_sign_ins
