"""The traces of Signoff's own faults: what is in them, what never is, and who is told."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.sandbox.faults import TRACE_MAX, Elsewhere, kind_of, trace_of
from signoff.app.sandbox.worker import run_limited
from signoff.app.storage import fault_log as faults
from signoff.app.storage.fault_log import FILES_MAX, TRACES_MAX, fault_words, note_fault
from tests.approved import approved

PROSE = approved("storage")

ROOT = Path(__file__).resolve().parents[2]
DOING = "while it was tested"
SECRET = "-".join(("tok", "9f8e", "7d6c"))


def fails(argument: object) -> None:
    held = {"password": argument}
    raise LookupError(f"nothing at {held}")


def raised(argument: object) -> Exception:
    try:
        fails(argument)
    except LookupError as problem:
        return problem
    raise AssertionError


def folder() -> Path:
    return Path(os.environ["XDG_STATE_HOME"]) / "signoff" / "faults"


def traces() -> list[Path]:
    return sorted(folder().iterdir())


class TestATrace:
    def test_says_where_and_of_what_kind_and_no_value(self) -> None:
        words = note_fault(raised(SECRET), DOING)
        (path,) = traces()
        PROSE.holds("trace: kept", words, TRACE=path)
        text = path.read_text()
        assert DOING in text
        assert "storage/test_faults.py, line" in text
        assert "in fails\n    raise LookupError(" in text
        assert SECRET not in text
        assert str(Path.home()) not in text

    @given(st.text(min_size=4))
    def test_has_nothing_of_what_an_exception_says(self, said: str) -> None:
        marked = f"«{said}»"
        group = ExceptionGroup(marked, [raised(marked)])
        for problem in (raised(marked), OSError(2, marked, marked), group):
            problem.add_note(marked)
            assert "«" not in trace_of(problem)

    def test_tells_what_it_came_from(self) -> None:
        try:
            try:
                fails(SECRET)
            except LookupError as problem:
                raise ConnectionResetError(104, SECRET) from problem
        except OSError as problem:
            text = trace_of(problem)
        outer = text.index("ConnectionResetError, ECONNRESET")
        assert outer < text.index("caused by:\nLookupError")

    def test_a_ring_and_a_deep_stack_end(self) -> None:
        def deep(count: int) -> None:
            deep(count + 1)

        one, other = raised(1), raised(2)
        one.__cause__, other.__cause__ = other, one
        assert trace_of(one).count("LookupError\n") == 2
        with pytest.raises(RecursionError) as found:
            deep(0)
        text = trace_of(found.value)
        assert "more]" in text
        assert len(text) < 20_000
        group = ExceptionGroup("", [raised(number) for number in range(500)])
        assert len(trace_of(group)) <= TRACE_MAX + 100

    def test_has_no_character_that_a_terminal_obeys(self) -> None:
        hostile = type("Evil\x1b[2J\u202e", (Exception,), {})
        text = trace_of(hostile())
        assert all(char.isprintable() or char == "\n" for char in text)
        assert "\x1b" not in kind_of(hostile())

    async def test_goes_through_the_wall_of_a_worker(self) -> None:
        with pytest.raises(ZeroDivisionError) as found:
            await run_limited(divmod, 1, 0)
        assert isinstance(found.value.__cause__, Elsewhere)
        text = trace_of(found.value)
        assert "in another process:" in text
        assert "app/sandbox/worker_side.py" in text.partition("in another process:")[2]


class TestTheFiles:
    def test_only_the_owner_can_read_them(self) -> None:
        note_fault(raised(1), DOING)
        (path,) = traces()
        assert path.stat().st_mode & 0o777 == 0o600
        assert folder().stat().st_mode & 0o777 == 0o700
        assert folder().parent.stat().st_mode & 0o777 == 0o700

    def test_what_lies_in_the_way_is_never_written_to(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(time, "strftime", lambda *_: "20261121-120000")
        folder().mkdir(mode=0o700, parents=True)
        target = tmp_path / "target"
        target.write_text("mine")
        names = [f"fault-20261121-120000-{os.getpid()}-{number}.txt" for number in range(3)]
        (folder() / names[0]).symlink_to(target)
        (folder() / names[1]).symlink_to(tmp_path / "dangling")
        words = note_fault(raised(1), DOING)
        assert words.endswith(names[2])
        assert target.read_text() == "mine"
        assert not (tmp_path / "dangling").exists()

    def test_the_same_fault_again_is_in_the_same_file(self) -> None:
        told = {note_fault(raised(number), DOING) for number in range(50)}
        assert len(told) == len(traces()) == 1

    def test_a_trace_that_was_removed_is_written_again(self) -> None:
        note_fault(raised(1), DOING)
        traces()[0].unlink()
        note_fault(raised(1), DOING)
        assert len(traces()) == 1

    def test_one_run_writes_only_so_many(self) -> None:
        kinds = [type(f"Kind{number}", (Exception,), {}) for number in range(TRACES_MAX + 5)]
        told = [note_fault(kind(), DOING) for kind in kinds]
        assert len(traces()) == TRACES_MAX
        PROSE.holds("trace: not kept", told[-1], KIND=f"Kind{TRACES_MAX + 4}")

    def test_the_oldest_go_and_nothing_else_does(self) -> None:
        folder().mkdir(mode=0o700, parents=True)
        (folder() / "notes.txt").write_text("mine")
        for number in range(30):
            old = folder() / f"fault-20200101-0000{number:02}-1-0.txt"
            old.write_text("old")
            os.utime(old, (number, number))
        note_fault(raised(1), DOING)
        names = [path.name for path in traces()]
        assert len(names) == FILES_MAX + 1
        assert "notes.txt" in names
        assert "fault-20200101-000029-1-0.txt" in names
        assert "fault-20200101-000010-1-0.txt" not in names

    @pytest.mark.parametrize(
        ("how", "key"),
        [
            ("file", "trace: a file in the way"),
            ("link", "trace: a link in the way"),
            ("open to others", "trace: a folder open to others"),
        ],
    )
    def test_where_none_can_be_kept_it_is_said(self, how: str, key: str, tmp_path: Path) -> None:
        state = tmp_path / "state" / "signoff"
        state.parent.mkdir()
        if how == "file":
            state.write_text("")
        elif how == "link":
            state.symlink_to(tmp_path / "nowhere")
        else:
            state.mkdir()
            state.chmod(0o777)
        words = note_fault(raised(SECRET), DOING)
        PROSE.holds(key, words, FOLDER=tmp_path)
        assert SECRET not in words
        assert not list(tmp_path.rglob("fault-*"))

    def test_a_full_disk_leaves_nothing_behind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Full:
            def __init__(self, descriptor: int, *_: object, **__: object) -> None:
                os.close(descriptor)

            def __enter__(self) -> Full:
                raise OSError(28, "No space left on device")

            def __exit__(self, *_: object) -> None: ...

        monkeypatch.setattr(faults, "open", Full, raising=False)
        words = note_fault(raised(1), DOING)
        PROSE.holds("trace: a full disk", words)
        assert traces() == []


class Strange(Exception):
    @property
    def __cause__(self) -> Exception:  # type: ignore[override]
        raise TypeError(SECRET)


def test_noting_a_fault_never_fails() -> None:
    assert SECRET not in note_fault(Strange(), DOING)


def test_what_servers_and_networks_do_is_no_fault() -> None:
    for problem in (OSError(104, SECRET), TimeoutError(), ValueError(SECRET), EOFError()):
        assert fault_words(problem, DOING) == ""
        assert fault_words(ExceptionGroup("", [problem]), DOING) == ""
    assert not folder().exists()
    words = fault_words(ExceptionGroup("", [raised(SECRET)]), DOING)
    PROSE.holds("trace: of a group", words, TRACE=traces()[0])


class TestWatching:
    @pytest.fixture(autouse=True)
    def _hooks(self) -> Iterator[None]:
        before = threading.excepthook, sys.unraisablehook
        yield
        threading.excepthook, sys.unraisablehook = before
        faults._listener = None

    async def test_what_no_task_callback_or_thread_catches_is_told(self) -> None:
        told: list[str] = []
        faults.watch(told.append)
        loop = asyncio.get_running_loop()
        faults.watch_loop(loop)

        async def work() -> None:
            fails(SECRET)

        class Dies:
            def __del__(self) -> None:
                fails(SECRET)

        loop.call_soon(fails, SECRET)
        task = asyncio.create_task(work())
        await asyncio.wait({task})
        del task
        thread = threading.Thread(target=fails, args=(SECRET,), name="reader")
        thread.start()
        thread.join()
        dying = Dies()
        del dying
        await asyncio.sleep(0)
        assert len(told) == 4
        assert all(words.startswith("internal error (LookupError)") for words in told)
        texts = [path.read_text() for path in traces()]
        assert texts
        assert SECRET not in "".join([*texts, *told])

    async def test_a_peer_that_went_away_is_no_fault(self) -> None:
        told: list[str] = []
        faults.watch(told.append)
        loop = asyncio.get_running_loop()
        faults.watch_loop(loop)
        loop.call_exception_handler({"exception": BrokenPipeError(), "transport": object()})
        assert told == []


@pytest.mark.parametrize(
    "where",
    ["signoff.app.cli.commands.call:run_call", "signoff.app.cli.targets.session:read_target"],
)
def test_the_command_line_ends_with_words_and_a_status_of_its_own(where: str) -> None:
    module, _, name = where.partition(":")
    code = (
        f"import sys, {module} as broken\n"
        f"def fails(*given, **more): raise LookupError(' '.join(sys.argv))\n"
        f"broken.{name} = fails\n"
        "from signoff.app.cli.main import main; main()\n"
    )
    words = ["call", "echo", "demo", "-a", f"password={SECRET}"]
    found = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert found.returncode == 70
    assert found.stdout == ""
    (path,) = traces()
    # A terminal that may not have a letter of the path gets an escape for it.
    told, between, place = found.stderr.partition(" is in ")
    PROSE.holds("trace: of a command", f"{told}{between}TRACE")
    assert place.endswith(f"{path.name}\n")
    assert SECRET not in path.read_text()
