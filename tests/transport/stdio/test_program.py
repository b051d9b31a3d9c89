"""Which file a command starts, and what is said of it: real files, real processes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.fingerprint import DIGESTED_MAX, Role, ServerFingerprint
from signoff.app.approval.questions.server_lines import changed_words, covered_words
from signoff.app.platforms.files import user_id
from signoff.app.transport.events import Listing, Started
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.stdio.program import Program, find_program, script_word
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.servers import raw
from tests.transport.linked import Heard, linked

PROSE = approved("stdio")

KEY = b"k" * 32
ECHO = "#!/bin/sh\necho {}\n"


def make(path: Path, text: str = "#!/bin/sh\n", mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def look(*argv: str | Path, path: str = os.defpath, **values: str) -> ServerFingerprint:
    program = Program([str(word) for word in argv], {"PATH": path})
    return program.looked_at(KEY, values)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Folders of a PATH, with what may lie in them under the name of a program."""
    make(tmp_path / "1-not-executable" / "tool", ECHO.format(1), 0o644)
    (tmp_path / "2-a-folder" / "tool").mkdir(parents=True)
    (tmp_path / "3-broken").mkdir()
    (tmp_path / "3-broken" / "tool").symlink_to("nowhere")
    target = make(tmp_path / "target", ECHO.format(4))
    (tmp_path / "4-a-link").mkdir()
    (tmp_path / "4-a-link" / "tool").symlink_to(target)
    make(tmp_path / "5-shadowed" / "tool", ECHO.format(5))
    return [tmp_path / "0-missing", *sorted(tmp_path.glob("?-*"))]


def test_the_program_is_the_one_that_the_system_starts(folders: list[Path]) -> None:
    for order in (folders, folders[::-1], [folders[-1]], folders[:-1]):
        path = os.pathsep.join(map(str, order))
        found = find_program("tool", {"PATH": path})
        started = subprocess.run(["tool"], env={"PATH": path}, capture_output=True, text=True)
        said = subprocess.run([found], capture_output=True, text=True)
        assert started.stdout == said.stdout != ""
    assert find_program("tool", {"PATH": os.pathsep.join(map(str, folders[:4]))}) == ""


@pytest.mark.parametrize("name", ["", "no-such-program", "./no-such", "a\0b", "/", "."])
def test_what_cannot_be_found_is_no_program(name: str) -> None:
    assert find_program(name, {"PATH": os.defpath}) == ""


def test_both_ends_of_a_link_are_told(folders: list[Path], tmp_path: Path) -> None:
    runs = look("tool", path=os.pathsep.join(map(str, folders)))
    program, interpreter = runs.files
    assert (program.role, program.path) == (Role.PROGRAM, str(tmp_path / "4-a-link" / "tool"))
    assert program.real == str(tmp_path / "target")
    assert program.sha256 == digest(tmp_path / "target")
    assert (interpreter.role, interpreter.path) == (Role.INTERPRETER, "/bin/sh")
    assert interpreter.real == os.path.realpath("/bin/sh")


@pytest.mark.parametrize(
    "line", ["#!/usr/bin/env snake", "#!/usr/bin/env -S snake -u", "#! /usr/bin/env  A=1 snake "]
)
def test_the_interpreter_of_a_script_is_found_on_the_path_of_the_server(
    tmp_path: Path, line: str
) -> None:
    snake = make(tmp_path / "bin" / "snake")
    tool = make(tmp_path / "tool", f"{line}\nprint()\n")
    program, interpreter = look(tool, path=f"{tmp_path / 'bin'}:{os.defpath}").files
    assert (program.path, interpreter.path) == (str(tool), str(snake))


@pytest.mark.parametrize("head", ["#!", "#!\n", "#!/no/such/interpreter\n", "#!/usr/bin/env\n"])
def test_an_odd_first_line_names_none(tmp_path: Path, head: str) -> None:
    (program,) = look(make(tmp_path / "tool", head)).files
    assert program.role is Role.PROGRAM


def test_a_relative_path_and_a_script_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(shutil.which("sh") or "/bin/sh", tmp_path / "python3")
    script = make(tmp_path / "server.py", "print()", 0o644)
    monkeypatch.chdir(tmp_path)
    program, found = look("./python3", "-u", "server.py", "data.db").files
    assert (program.path, found.path) == (str(tmp_path / "python3"), str(script))
    assert (found.role, found.sha256) == (Role.SCRIPT, digest(script))


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("python3 server.py", "server.py"),
        ("python3.11 -u -W ignore server.py data.db", "server.py"),
        ("Python3.EXE server.py", "server.py"),
        ("server.exe server.py", ""),
        ("/usr/bin/python -m server data.db", ""),
        ("python3 -c code data.db", ""),
        ("node --require ./hook.js build/index.js", "build/index.js"),
        ("node --env-file=.env build/index.js", "build/index.js"),
        ("node -e code file.js", ""),
        ("bash -l run.sh", "run.sh"),
        ("uv run --with mcp server.py", "server.py"),
        ("uv --directory elsewhere run server.py", ""),
        ("uv run --directory=elsewhere server.py", ""),
        ("deno run -A server.ts", "server.ts"),
        ("bun run index.ts", "index.ts"),
        ("java -cp a.jar -jar server.jar", "server.jar"),
        ("npx -y @scope/server data.db", ""),
        ("uvx mcp-server-git --repository x", ""),
        ("mcp-server-sqlite --db-path test.db", ""),
        ("python3", ""),
        ("", ""),
    ],
)
def test_the_word_of_the_script(command: str, word: str) -> None:
    assert script_word(command.split()) == word


@given(st.lists(st.text(max_size=5) | st.sampled_from(["python3", "-m", "run", "uv", "a.py"])))
def test_no_command_is_too_odd(argv: list[str]) -> None:
    found = script_word(argv)
    assert found == "" or found in argv[1:]


def test_a_module_that_is_named_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    for word in ("folder", "fifo", "no-such-file.py"):
        (program,) = look(sys.executable, word).files
        assert program.role is Role.PROGRAM


def test_a_large_file_counts_by_size_and_time(tmp_path: Path) -> None:
    large = make(tmp_path / "large")
    os.truncate(large, DIGESTED_MAX)
    (program, *_) = look(large).files
    assert program.sha256 == digest(large)
    os.truncate(large, DIGESTED_MAX + 1)
    before = look(large)
    program = before.files[0]
    assert (program.sha256, program.size) == (None, DIGESTED_MAX + 1)
    assert program.modified_ns == large.stat().st_mtime_ns
    assert "large (size" in covered_words(before)
    os.utime(large, ns=(1, 1))
    assert changed_words(before, look(large)) == f"the program {large} changed"


@pytest.mark.skipif(user_id() == 0, reason="root may read everything")
def test_a_program_that_may_not_be_read_counts_by_size_and_time(tmp_path: Path) -> None:
    tool = make(tmp_path / "tool", mode=0o111)
    (program,) = look(tool).files
    assert program.sha256 is None
    assert program.modified_ns is not None


def rewrite(path: Path) -> None:
    path.write_text("#!/bin/sh\nexit 1\n")


def swap(path: Path) -> None:
    other = make(path.with_name("other"), path.read_text())
    other.replace(path)


@pytest.mark.parametrize("change", [rewrite, swap, Path.unlink])
def test_what_changes_between_start_and_look_is_not_known(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    tool = make(tmp_path / "tool")
    program = Program([str(tool)], {"PATH": os.defpath})
    change(tool)
    runs = program.looked_at(KEY, {})
    PROSE.holds("program: changed after the start", runs.problem, PROGRAM=tool)
    assert program.looked_at(KEY, {}) is runs, "it stays so for this start"


def test_what_changes_after_the_look_does_not_matter(tmp_path: Path) -> None:
    tool = make(tmp_path / "tool")
    program = Program([str(tool)], {"PATH": os.defpath})
    runs = program.looked_at(KEY, {})
    rewrite(tool)
    assert program.looked_at(KEY, {}) == runs
    assert runs.problem == ""
    assert look(tool) != runs


def test_values_are_known_by_keyed_digests_only(tmp_path: Path) -> None:
    tool = make(tmp_path / "tool")
    runs = look(tool, B="1", A="s3cret")
    assert [name for name, _ in runs.values] == ["A", "B"]
    assert "s3cret" not in runs.text
    for digester in (hashlib.sha256, hashlib.md5):
        for tried in ("s3cret", "A\0s3cret", '["A","s3cret"]'):
            assert digester(tried.encode()).hexdigest()[:16] not in runs.text
    program = Program([str(tool)], {"PATH": os.defpath})
    assert program.looked_at(b"another key", {"A": "s3cret", "B": "1"}).values != runs.values
    assert look(tool, A="1", B="s3cret").values != runs.values
    assert dict(look(tool, A="\udcff", B="").values).keys() == {"A", "B"}


def open_files() -> set[str]:
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        # Threads of this process close theirs meanwhile.
        with contextlib.suppress(FileNotFoundError):
            found.add(os.readlink(f"/proc/self/fd/{fd}"))
    return found


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_no_file_stays_open(tmp_path: Path) -> None:
    tool = make(tmp_path / "tool")
    ends: list[Callable[[Program], object]] = [lambda one: one.looked_at(KEY, {}), Program.close]
    for end in ends:
        program = Program([str(tool)], {"PATH": os.defpath})
        assert str(tool) in open_files()
        end(program)
        assert str(tool) not in open_files()
    assert program.looked_at(KEY, {}).problem


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
async def test_a_link_leaves_no_file_open(tmp_path: Path) -> None:
    script = shutil.copy(raw()[1], tmp_path / "server.py")
    link = StdioLink([sys.executable, str(script), "--help"])
    link.begin()
    assert str(script) in open_files()
    await link.close()
    assert str(script) not in open_files()


def test_a_folder_that_is_gone_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    (program, *_) = look(sys.executable, "server.py").files
    assert program.path == sys.executable
    assert Program(["./tool"], {"PATH": ":."}).path == ""


async def test_a_link_tells_of_the_process_that_answers(tmp_path: Path) -> None:
    """A server that dies of the probe is started twice; the second start is what counts."""
    argv = raw("--probe", "dies")
    async with linked(argv) as (link, heard):
        await heard.settled()
        runs = await link.fingerprint(KEY)
        assert runs is not None
        assert runs.problem == ""
        assert [file.path for file in runs.files] == [sys.executable, argv[1]]
        assert runs.files[1].sha256 == digest(Path(argv[1]))
        assert await link.fingerprint(KEY) is runs
    late = StdioLink(argv)
    unknown = await late.fingerprint(KEY)
    assert unknown is not None
    assert unknown.problem


async def test_the_program_that_is_looked_at_is_the_one_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PATH is that of the server, also where --env gives it one."""
    snake = tmp_path / "bin" / "snake"
    snake.parent.mkdir()
    snake.symlink_to(sys.executable)
    monkeypatch.delenv("PATH")
    link = StdioLink(["snake", *raw()[1:]], {"PATH": str(snake.parent)})
    link.begin()
    heard = Heard()
    link.attach(heard)
    try:
        assert isinstance(await heard.settled(), Listing)
        runs = await link.fingerprint(KEY)
        assert runs is not None
        assert runs.files[0].path == str(snake)
        assert runs.files[0].real == os.path.realpath(sys.executable)
        running = os.readlink(f"/proc/{heard.of(Started)[-1].pid}/exe")
        assert running == runs.files[0].real
        assert runs.files[1].path == raw()[1], "an interpreter by any name"
    finally:
        await link.close()


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("http://127.0.0.1/mcp?user=a", "http://127.0.0.1/mcp?user=b"),
        ("http://me:a@127.0.0.1/mcp", "http://me:b@127.0.0.1/mcp"),
        ("http://127.0.0.1/mcp?user=a", "http://127.0.0.1/mcp"),
    ],
)
async def test_of_a_url_the_rest_is_known_by_a_digest(url: str, other: str) -> None:
    one, two = HttpLink(url), HttpLink(other)
    assert one.identity == two.identity
    runs, others = await one.fingerprint(KEY), await two.fingerprint(KEY)
    assert runs is not None
    assert runs != others
    PROSE.holds("program: another URL", changed_words(runs, others))
    assert covered_words(runs) == "its whole URL"
    assert await HttpLink("http://127.0.0.1/mcp").fingerprint(KEY) is None
