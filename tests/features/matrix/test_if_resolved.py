"""`signoff matrix --inputs`: decisions of hosts with hints that a server resolves."""

from __future__ import annotations

import json
from pathlib import Path

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import raw

PROSE = approved("matrix")
DRAFT = ("--experimental", "tool-resolution")
SECRET = "sk-4f9aB27cD81eF630aa19c2d47b85e6f0"


def matrix(folder: Path, inputs: object, *words: str, mode: str = "honest") -> Ended:
    (folder / "in.json").write_text(json.dumps(inputs))
    server = raw("--resolution", mode)
    return run(folder, "matrix", "--inputs", "in.json", *words, "--", *server)


def test_each_set_of_arguments_is_resolved_once(tmp_path: Path) -> None:
    inputs = {"manage": [{"action": "read"}, {"action": "delete"}], "echo": {"text": "a"}}
    report = matrix(tmp_path, inputs, "--json", *DRAFT).report["if_resolved"]
    by_tool = {(one["tool"], one["arguments"].get("action")): one for one in report}
    assert by_tool["manage", "read"]["hosts"]["VS Code"] == {"static": "ask", "resolved": "run"}
    assert not by_tool["manage", "delete"]["hosts"]
    assert by_tool["echo", None]["resolution"]["status"] == "not sent"


def test_the_section_below_the_matrix(tmp_path: Path) -> None:
    def section(*shape: str) -> str:
        inputs = {"manage": [{"action": "read"}, {"action": "delete"}]}
        ended = matrix(tmp_path, inputs, "--hosts", "vscode,cursor", *shape, *DRAFT)
        return "".join(ended.stdout.partition("If hosts resolved")[1:])

    PROSE.holds("if resolved, in lines", section())
    PROSE.holds("if resolved, in Markdown", section("--markdown"))
    section("--html", "page.html")
    assert "If hosts resolved hints" in (tmp_path / "page.html").read_text()
    # Without arguments nothing is resolved.
    words = ("matrix", "--json", "--capture", "sent.jsonl", *DRAFT)
    ended = run(tmp_path, *words, "--", *raw("--resolution", "honest"))
    assert ended.report["if_resolved"] is None
    assert "tools/resolve" not in (tmp_path / "sent.jsonl").read_text()


def test_a_secret_is_neither_sent_nor_shown(tmp_path: Path) -> None:
    inputs = {"manage": {"action": "read", "password": SECRET}}
    for shape in ((), ("--json",), ("--markdown",)):
        ended = matrix(tmp_path, inputs, *shape, *DRAFT)
        assert SECRET not in ended.stdout
        assert "not sent" in ended.stdout


def test_it_needs_the_draft_and_static_hints_are_compared_without_it(tmp_path: Path) -> None:
    ended = matrix(tmp_path, {"manage": {"action": "read"}})
    assert (ended.status, "--experimental" in ended.stderr) == (2, True)
    ended = matrix(tmp_path, {}, "--expect-decisions", "x.md", *DRAFT)
    assert (ended.status, "--inputs" in ended.stderr) == (2, True)


def test_an_error_that_repeats_a_secret_is_masked(tmp_path: Path) -> None:
    # A trusted server gets secrets.
    secret = {"action": "read", "password": "as the switch is"}
    (tmp_path / "in.json").write_text(json.dumps({"manage": secret}))
    server = ("--plain", "--trust", *DRAFT, "--", *raw("--resolution", "-32603"))
    lines = "matrix --inputs in.json\nwhy manage --args=@why.json\nquit\n"
    (tmp_path / "why.json").write_text(json.dumps(secret))
    ended = run(tmp_path, *server, stdin=lines)
    assert ended.stdout.count("error -32603") == 2
    assert "as the switch is" not in ended.stdout
