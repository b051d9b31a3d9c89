"""Secrets in what a command prints and in what it leaves on the disk."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import ROOT, Ended, run
from tests.servers import recorded

PROSE = approved("cli-call")

SERVER = [sys.executable, str(ROOT / "tests/servers/secretive.py")]
ARGUMENTS = {
    "user": "someone",
    "contraseña": "hunter2-a",
    "field": 'hunter2-"b"\n',
    "number": 48151623,
}
PIECES = ("hunter2", "48151623")


class Place:
    """Where the commands of this file run: their folders, and what the server received."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = folder / "record"

    def call(self, *words: str, arguments: object = ARGUMENTS, how: str = "always") -> Ended:
        given = ["--args", json.dumps(arguments), "--approve", how, "--env", "API_KEY=hunter2-env"]
        return self.run("call", "log_in", *given, *words)

    def run(self, *words: str) -> Ended:
        options = ["--token", "hunter2-argv", "--record", str(self.record)]
        state = {"XDG_STATE_HOME": str(self.folder / "state")}
        return run(self.folder, *words, "--", *SERVER, *options, **state)

    def bytes(self) -> bytes:
        """All that Signoff has left on the disk."""
        files = [file for file in self.folder.rglob("*") if file.is_file() and file != self.record]
        assert {"audit.jsonl", "store.sqlite3", "eras.json"} <= {file.name for file in files}
        return b"\n".join(file.read_bytes() for file in files)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def called(place: Place) -> Ended:
    return place.call("--json")


def tells(ended: Ended) -> Iterator[str]:
    """The secrets that a command has printed."""
    return (piece for piece in PIECES if piece in ended.stdout + ended.stderr)


def test_the_json_masks_secrets_and_says_so(place: Place, called: Ended) -> None:
    assert called.status == 0, called.stderr
    assert not list(tells(called))
    report = called.report
    assert report["arguments"] == {
        "user": "someone",
        "contraseña": "[masked: 9 characters]",
        "field": "[masked: 12 characters]",
        "number": "[masked: 8 characters]",
    }
    assert report["server"]["command"].count("--token [masked: 12 characters]") == 1
    assert report["masked"].pop("repeated") >= 4
    assert report["masked"] == {
        "arguments": ['$["contraseña"]', "$.field", "$.number"],
        "command": True,
        "shown_by": "--show-secrets",
    }


def test_what_is_sent_is_never_masked(place: Place, called: Ended) -> None:
    assert recorded(place.record)[0]["arguments"] == ARGUMENTS


def test_an_answer_is_only_masked_where_it_repeats_a_secret(called: Ended) -> None:
    result = called.report["result"]
    assert result["structuredContent"]["user"] == "someone"
    assert result["structuredContent"]["number"] == "[masked: 8 characters]"
    assert result["content"][0]["text"].startswith("logged in")


def test_the_lines_for_people_mask_secrets_and_say_so(place: Place) -> None:
    ended = place.call()
    assert ended.status == 0
    assert not list(tells(ended))
    assert "someone" in ended.stdout
    [masked] = [line for line in ended.stdout.splitlines() if "--show-secrets" in line]
    PROSE.holds("secrets: masked", masked)


def test_show_secrets_prints_everything(place: Place) -> None:
    ended = place.call("--json", "--show-secrets")
    assert ended.report["arguments"] == ARGUMENTS
    assert ended.report["masked"] is None
    assert "hunter2-argv" in ended.report["server"]["command"]
    assert ended.report["result"]["structuredContent"] == ARGUMENTS
    assert "hunter2-a" in place.call("--show-secrets").stdout


@pytest.mark.slow
def test_nothing_without_secrets_is_touched(place: Place) -> None:
    ended = run(
        place.folder, "call", "calculate_sum", "--args", '{"a": 1, "b": 2}', "--json", "demo"
    )
    assert ended.report["arguments"] == {"a": 1, "b": 2}
    assert ended.report["masked"] is None
    assert "masked" not in run(place.folder, "tools", "demo").stdout


@pytest.mark.slow
def test_what_breaks_the_schema_is_said_without_it(place: Place) -> None:
    wrong = {"contraseña": "hu2", "field": "hunter2" * 9, "number": "hunter2-c"}
    for words in (["--json"], [], ["--although-invalid"], ["--although-invalid", "--json"]):
        for how in ("always", "policy"):
            ended = place.call(*words, arguments=wrong, how=how)
            assert "at least 5" in ended.stdout + ended.stderr
            assert not list(tells(ended))
            assert '"hu2"' not in ended.stdout + ended.stderr


def test_a_wrong_word_on_the_command_line_is_not_repeated(place: Place) -> None:
    for words in (
        ["-a", "number=hunter2"],
        ["-a", "some-token"],
        ["-a", "password:hunter2"],
    ):
        ended = place.run("call", "log_in", *words, "--approve", "never")
        if ended.status == 2:
            assert "hunter2" not in ended.stderr
            assert "-a" in ended.stderr
    ended = place.run("call", "log_in", "--tokn", "hunter2", "--token=hunter2")
    assert (ended.status, "--token=hunter2" in ended.stderr) == (2, False)


@pytest.mark.slow
def test_last_words_of_a_server_that_died(place: Place) -> None:
    for words in ([], ["--json"]):
        ended = place.call(*words, arguments={**ARGUMENTS, "user": "nobody"})
        assert ended.status == 5
        assert "started as" in ended.stdout
        assert not list(tells(ended))


@pytest.mark.slow
def test_other_commands(place: Place) -> None:
    explained = ["policy", "explain", "log_in", "--args", json.dumps(ARGUMENTS)]
    for words in (["tools"], ["tools", "--json"], explained, [*explained, "--json"]):
        ended = place.run(*words)
        assert ended.status == 0, ended.stderr
        assert not list(tells(ended))
        assert "[masked: " in ended.stdout


def test_nothing_on_the_disk_tells_a_secret(place: Place, called: Ended) -> None:
    kept = place.bytes()
    for piece in PIECES:
        assert piece.encode() not in kept
    state = {"XDG_STATE_HOME": str(place.folder / "state")}
    for words in (["--json"], []):
        shown = run(place.folder, "audit", "show", *words, **state)
        assert shown.status == 0
        assert shown.stdout.count("log_in") > 5
        assert not list(tells(shown))


def test_every_file_that_is_left_is_the_owners_alone(tmp_path: Path) -> None:
    """Whatever the umask says."""
    folders = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("STATE", "CACHE")}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "signoff.app",
            "call",
            "log_in",
            "--approve",
            "always",
            "--",
            *SERVER,
        ],
        env=os.environ | folders | {"PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: os.umask(0) and None,
        capture_output=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found = [path for name in folders.values() for path in Path(name, "signoff").rglob("*")]
    assert {"audit.jsonl", "store.sqlite3", "eras.json"} <= {path.name for path in found}
    for path in found:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
