"""Plain mode in a pipe: each line is a command, and nobody is there to approve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.approved import approved, untimed
from tests.cli.running import run
from tests.e2e.program import signoff
from tests.servers import raw, recorded

pytestmark = pytest.mark.timeout(240)
TEXTS = approved("cli-plain")


class TestScripts:
    def run(self, lines: str, folder: Path, *switches: str) -> subprocess.CompletedProcess[str]:
        server = raw("--record", str(folder / "calls"), "--with", "all", *switches)
        state = {f"XDG_{one}_HOME": str(folder) for one in ("STATE", "CACHE", "CONFIG")}
        return subprocess.run(
            signoff("--plain", "--trust", "--name", "raw", "--", *server),
            input=lines,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=os.environ | state,
        )

    def test_each_line_of_a_pipe_is_a_command(self, tmp_path: Path) -> None:
        ended = self.run('list read_\ncall read_thing !{"name": "x"}\nresponse\n', tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert "raw> list read_" in ended.stdout
        assert ended.stdout.count("read x") == 2
        assert "\r" not in ended.stdout
        assert "\x1b" not in ended.stdout

    def test_a_pipe_approves_nothing(self, tmp_path: Path) -> None:
        lines = 'call delete_thing !{"name": "x"}\napprove\napprove\ntrust off\ntrust on\ntrust\n'
        ended = self.run(lines, tmp_path)
        said = [row for row in ended.stdout.split("\n") if "no terminal" in row or "denied" in row]
        TEXTS.holds("script: nobody approves", "\n".join(map(str.rstrip, said)))
        assert recorded(tmp_path / "calls") == []

    def test_a_form_takes_the_lines_of_a_pipe(self, tmp_path: Path) -> None:
        ended = self.run("call read_thing\nthe thing\n\nquit\n", tmp_path)
        assert "read the thing" in ended.stdout

    def test_hostile_words_are_shown_and_not_obeyed(self, tmp_path: Path) -> None:
        lines = "list\nfindings\nshow 1 all\ncall hostile_answer !{}\ncall progress_hostile !{}\n"
        ended = self.run(lines, tmp_path, "--hostile")
        assert ended.returncode == 0
        assert "[@click=app.quit]x[/]" in ended.stdout
        odd = [c for c in ended.stdout if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0]
        assert odd == []
        assert not set("\u202e\u200b") & set(ended.stdout)

    def test_a_large_answer_is_cut_and_saved_whole(self, tmp_path: Path) -> None:
        place = tmp_path / "answer.txt"
        ended = self.run(f"call big !{{}}\nsave 1.1 {place}\nsave {place}\n", tmp_path)
        assert len(ended.stdout) < 60_000
        (cut,) = [row for row in ended.stdout.split("\n") if "`save`" in row]
        TEXTS.holds("script: a large answer", cut.strip())
        assert place.stat().st_size > 1_000_000
        refused = ended.stdout.rpartition("> save ")[2].split("\n")[1]
        TEXTS.holds("script: a file that is there", refused)

    def test_a_flood_of_progress_is_a_few_lines(self, tmp_path: Path) -> None:
        ended = self.run("call progress_flood !{}\n", tmp_path)
        assert "answered" in ended.stdout
        assert ended.stdout.count("call 1: ") < 40

    def test_the_death_of_a_server_is_said_and_mended(self, tmp_path: Path) -> None:
        lines = "call crash !{}\nrestart\ncall echo !{}\nquit\n"
        ended = self.run(lines, tmp_path)
        (lost,) = [row for row in ended.stdout.split("\n") if "outcome " in row][:1]
        TEXTS.holds("script: the server is lost", untimed(lost.strip()))
        _, again = ended.stdout.split("raw> restart\n")
        answered = again.rpartition("raw> call echo !{}\n")[2]
        TEXTS.holds("script: it is connected again", again.partition("\nraw> ")[0])
        assert "outcome  answered" in answered

    def test_a_server_that_runs_is_restarted(self, tmp_path: Path) -> None:
        ended = self.run("call echo !{}\nrestart\ncall echo !{}\nquit\n", tmp_path)
        assert ended.stdout.count("outcome  answered") == 2
        assert "lost" not in ended.stdout
        said = ended.stdout.partition("raw> restart\n")[2].partition("\nraw> ")[0]
        TEXTS.holds("script: it is restarted", said)

    def test_restarting_stops_waiting_after_the_time_limit(self, tmp_path: Path) -> None:
        lines = "call crash !{}\nrestart\nserver\n"
        settings = tmp_path / "config.toml"
        settings.write_text("connect_timeout = 0.7\n")
        server = ("--plain", "--trust", "--", *once(tmp_path))
        ended = run(tmp_path, *server, stdin=lines, SIGNOFF_CONFIG=str(settings))
        assert ended.status == 0, ended.stderr
        again, state = ended.stdout.partition("> restart\n")[2].split("> server\n")
        TEXTS.holds("script: it is not connected again", again.rpartition("\n")[0])
        assert "state         connecting" in state


def once(folder: Path) -> list[str]:
    """The command line of a server that answers when it is started first, then never."""
    code = "import os, sys; os.mkdir(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"
    silent = "import sys; sys.stdin.read()"
    words = (sys.executable, "-c", f"try:\n {code}\nexcept FileExistsError:\n {silent}")
    return [*words, str(folder / "was-started"), *raw("--with", "all")]
