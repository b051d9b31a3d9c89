"""`signoff grants`: what it prints, and its exit statuses; nothing reaches a terminal raw."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from signoff.app.approval.fingerprint import Role, RunFile, ServerFingerprint
from signoff.app.approval.grants import Scope, identity_digest
from signoff.app.features.policies.grants_command import run_clear, run_list, run_revoke
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.storage.store import Store
from tests.approved import approved
from tests.storage.stored import FILE, grant, snapshot

PROSE = approved("cli-grants")

Said = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    return tmp_path / "signoff"


@pytest.fixture
def store(folder: Path) -> Store:
    """Another Signoff, which is running."""
    return Store.open()


def test_an_empty_store_and_clearing(folder: Path, capsys: Said) -> None:
    assert run_list() == ExitStatus.OK
    assert capsys.readouterr().out == "nothing is remembered\n"
    assert run_list(as_json=True) == ExitStatus.OK
    report = json.loads(capsys.readouterr().out)
    place = str(folder / FILE)
    assert report == {"grants": [], "place": place, "problem": None, "clock": None}
    now, store = time.time(), Store.open()
    for name in ("a", "b"):
        store.grants.give(grant(of=snapshot(name), at=now))
    assert run_clear() == ExitStatus.OK
    assert run_clear() == ExitStatus.OK
    PROSE.holds("clear: twice", capsys.readouterr().out)
    assert store.grants.all(now) == ()


def test_the_table(store: Store, capsys: Said) -> None:
    now = time.time()
    dated = store.grants.give(grant(of=snapshot("delete_file"), at=now))
    store.grants.give(grant(Scope.ARGUMENTS, snapshot("写文件"), at=now - 7200))
    store.grants.use(dated.id, "", now)
    assert run_list() == ExitStatus.OK
    header, second, first, place = capsys.readouterr().out.splitlines()
    assert header.split() == [
        "id",
        "tool",
        "server",
        "covers",
        "given",
        "uses",
        "last",
        "used",
        "ends",
    ]
    assert "  1 use   " in first
    PROSE.holds("list: until a date", first[:48].rstrip())
    PROSE.holds("list: for a session", second)
    assert place == f"kept in {store.path}"


def test_the_report(store: Store, capsys: Said) -> None:
    now = float(int(time.time()))
    one = store.grants.give(grant(Scope.UNTIL, snapshot("delete\x7f\ud800"), days=2, at=now))
    assert run_list(as_json=True) == ExitStatus.OK
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert "\x7f" not in printed
    [shown] = json.loads(printed)["grants"]
    assert shown.pop("expires_at") > shown.pop("given_at")
    assert shown == {
        "id": one.id,
        "kind": "tool",
        "scope": Scope.UNTIL,
        "server": "demo",
        "server_digest": identity_digest("demo server"),
        "server_shown": "demo server",
        "tool": "delete\x7f\ud800",
        "definition_digest": "d1",
        "arguments_digest": None,
        "runs": None,
        "for_session": False,
        "uses": 0,
        "last_used_at": None,
    }


RUNS = ServerFingerprint(
    (
        RunFile(Role.PROGRAM, "/usr/bin/python3", "/usr/bin/python3.12", 7, "1a2b" * 16),
        RunFile(Role.SCRIPT, "/x/\x1b[2Jserver.py", "/x/\x1b[2Jserver.py", 60_000_000, None, 5),
    ),
    "t" * 32,
    (("API_KEY", "0" * 32), ("REGION", "1" * 32)),
)


def test_what_each_is_bound_to(store: Store, capsys: Said) -> None:
    store.grants.give(grant(of=replace(snapshot(), runs=RUNS), at=time.time()))
    assert run_list() == ExitStatus.OK
    _, _, *bound, _ = capsys.readouterr().out.splitlines()
    PROSE.holds("list: what each is bound to", "\n".join(bound))
    assert run_list(as_json=True) == ExitStatus.OK
    [shown] = json.loads(capsys.readouterr().out)["grants"]
    assert shown["runs"] == RUNS.as_json()


def test_names_cannot_act_on_the_terminal(store: Store, capsys: Said) -> None:
    now = time.time()
    for name in ("\x1b[2J\x9b", "a\nfake  line", "\u202egnp", "x" * 5000, "\ud800"):
        store.grants.give(grant(of=snapshot(name), at=now))
    assert run_list() == ExitStatus.OK
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 7
    assert not set(printed) & {"\x1b", "\x9b", "\u202e", "\ud800"}
    assert "x" * 40 + "…" in printed


def test_revoking_one(store: Store, capsys: Said) -> None:
    now = time.time()
    one = store.grants.give(grant(at=now))
    assert run_revoke(one.id) == ExitStatus.OK
    assert capsys.readouterr().out == f"approval {one.id} is forgotten\n"
    assert not store.grants.use(one.id, "", now)
    assert run_revoke(one.id) == ExitStatus.USAGE
    PROSE.holds("revoke: no such id", capsys.readouterr().err)
    assert run_revoke(-(2**80)) == ExitStatus.USAGE


@pytest.mark.parametrize(
    ("kind", "key"), [("damaged", "list: a damaged store"), ("newer", "list: a newer store")]
)
def test_a_store_that_cannot_be_used_is_said_and_can_be_moved_aside(
    folder: Path, capsys: Said, kind: str, key: str
) -> None:
    with Store.open() as made:
        made.grants.give(grant(at=time.time()))
    if kind == "newer":
        with sqlite3.connect(folder / FILE) as connection:
            connection.execute("PRAGMA user_version = 4")
        connection.close()
    else:
        (folder / FILE).write_text("no database " * 1000)
    before = (folder / FILE).read_bytes()
    runs: list[Callable[[], int]] = [run_list, run_clear, lambda: run_revoke(1)]
    for run in runs:
        assert run() == ExitStatus.STORE_UNUSABLE
        said = capsys.readouterr()
        assert said.out == ""
        PROSE.holds(key, said.err, FOLDER=folder)
    assert run_list(as_json=True) == ExitStatus.STORE_UNUSABLE
    assert json.loads(capsys.readouterr().out)["problem"]
    assert run_clear(start_anew=True) == ExitStatus.OK
    [aside] = folder.glob("store-aside-*")
    printed = capsys.readouterr().out
    if kind == "damaged":
        PROSE.holds("clear: moved aside", printed, ASIDE=aside)
    assert run_list() == ExitStatus.OK
    assert aside.read_bytes() == before


def test_a_clock_that_went_back_is_said(folder: Path, capsys: Said) -> None:
    with Store.open(now=time.time() + 7200) as ahead:
        ahead.grants.give(grant(at=time.time() + 7200))
    assert run_list() == ExitStatus.OK
    printed = capsys.readouterr().out
    [clock] = [line for line in printed.splitlines() if "(2 h 00 min)" in line]
    PROSE.holds("list: the clock went back", clock)
    assert "in the future" in printed
