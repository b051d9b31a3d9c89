"""The file is used whole or not at all; damage, whatever it is, makes nothing covered."""

from __future__ import annotations

import itertools
import os
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from signoff.app.approval.grants import Scope
from signoff.app.platforms.files import user_id
from signoff.app.storage import database as database_module
from signoff.app.storage.database import TABLES, VERSION, open_database
from signoff.app.storage.store import Store, StoreError, reset
from tests.approved import approved
from tests.storage.stored import (
    FILE,
    NOW,
    SESSION,
    SNAPSHOTS,
    copied,
    coverage,
    definition,
    entries,
    file_bytes,
    fill,
    grant,
    is_whole,
    opened,
    snapshot,
    use_everything,
)
from tests.tiers import first_quick

PROSE = approved("storage")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """The folder of a closed store with approvals and a history."""
    return fill(tmp_path / "filled")


def assert_empty(store: Store) -> None:
    """A store that cannot be used is as good as an empty one, and says why."""
    assert store.problem
    assert [store.grants.find(one, SESSION, NOW) for one in SNAPSHOTS] == [None] * 4
    assert store.grants.use(1, SESSION, NOW) is False
    assert store.grants.all(NOW) == ()
    assert store.grants.revoke(1) is False
    assert store.grants.clear() == 0
    assert store.grants.void_against("demo server", [("rm", "d2")]) == ()
    assert store.grants.end_session(SESSION) == 0
    assert store.grants.clock_words(NOW) == ""
    with pytest.raises(StoreError):
        store.grants.give(grant())
    history = store.history
    assert (history.last_list("demo server"), history.definitions("demo server")) == (None, None)
    history.record("demo server", "demo", entries(definition("a")), NOW)
    assert history.versions("demo server", "a") == ()
    assert history.last_approved("demo server", "tool0") is None
    assert history.digest_approved("demo server", "tool0") is None
    assert not history.approved("demo server", "tool0", "x", NOW)


def replace_by_text(file: Path) -> None:
    file.write_text("these are not the bytes of a database, " * 200, encoding="ascii")


def truncate_half(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2 // 4096 * 4096)


def of_version(number: int) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        connection = sqlite3.connect(file)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.close()

    return change


def make_foreign(file: Path) -> None:
    file.unlink()
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE grants (id)")
    connection.close()


def drop_table(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("DROP TABLE grants")
    connection.close()


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "text": (replace_by_text, "is damaged"),
    "half": (truncate_half, "is damaged"),
    "fifty bytes": (lambda file: os.truncate(file, 50), "is damaged"),
    "newer": (of_version(99), "newer Signoff (version 99, this one knows 1)"),
    "version 2": (of_version(2), "newer Signoff (version 2, this one knows 1)"),
    "version 4": (of_version(4), "newer Signoff (version 4, this one knows 1)"),
    "unknown": (of_version(-1), "newer Signoff (version -1, this one knows 1)"),
    "no version": (of_version(0), "is damaged (it has no version)"),
    "foreign": (make_foreign, "not a store of Signoff"),
    "no table": (drop_table, "is damaged"),
    "folder": (make_folder, "is a folder"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_left_and_nothing_is_remembered(filled: Path, kind: str) -> None:
    damage, words = DAMAGE[kind]
    damage(filled / FILE)
    before = None if kind == "folder" else file_bytes(filled)
    store = Store.open(filled, NOW)
    assert words in store.problem
    assert_empty(store)
    store.close()
    assert before is None or file_bytes(filled) == before

    aside = reset(filled, NOW)
    assert aside is not None
    assert aside.exists()
    assert before is None or aside.read_bytes() == before
    with opened(filled) as anew:
        assert anew.grants.all(NOW) == ()
        assert anew.grants.give(grant()).id == 1


@pytest.mark.parametrize("kind", [kind for kind in DAMAGE if kind != "folder"])
def test_the_words_say_how_to_start_anew(filled: Path, kind: str) -> None:
    DAMAGE[kind][0](filled / FILE)
    assert "`signoff grants clear --reset`" in Store.open(filled, NOW).problem


@pytest.mark.skipif(user_id() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(filled: Path) -> None:
    (filled / FILE).chmod(0)
    assert_empty(Store.open(filled, NOW))


@pytest.mark.skipif(user_id() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_refused(filled: Path) -> None:
    (filled / FILE).chmod(0o400)
    assert_empty(Store.open(filled, NOW))


def test_an_emptied_file_beside_its_log_is_damage(filled: Path) -> None:
    (filled / f"{FILE}-wal").write_bytes(b"something")
    (filled / f"{FILE}-wal").chmod(0o600)
    os.truncate(filled / FILE, 0)
    store = Store.open(filled, NOW)
    PROSE.holds("store: emptied", store.problem, FOLDER=filled)
    assert (filled / f"{FILE}-wal").read_bytes() == b"something"


@pytest.mark.slow
def test_no_flipped_bit_makes_an_approval_cover_anything_else(filled: Path, tmp_path: Path) -> None:
    with opened(filled) as store:
        given = {coverage(one) for one in store.grants.all(NOW)}
    whole = file_bytes(filled)
    chance = random.Random(7)
    places = [*range(0, 100, 3), *chance.sample(range(100, len(whole)), 150)]
    places += [whole.index(b"delete_file") + 10, whole.index(b"demo server")]
    noticed = 0
    for number, place in enumerate(places):
        folder = copied(filled, tmp_path / str(number))
        flipped = bytearray(whole)
        flipped[place] ^= 1 << chance.randrange(8)
        (folder / FILE).write_bytes(flipped)
        store = Store.open(folder, NOW)
        try:
            found = [store.grants.find(one, SESSION, NOW) for one in SNAPSHOTS]
            assert found[1:3] == [None, None]
            kept = [one for one in (*found, *store.grants.all(NOW)) if one is not None]
            assert {coverage(one) for one in kept} <= given
        except StoreError:
            assert store.problem
        use_everything(store)
        noticed += bool(store.problem)
        store.close()
    assert noticed > 10


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.6, 0.95])
def test_a_truncated_file_covers_nothing_new(filled: Path, share: float) -> None:
    os.truncate(filled / FILE, int(len(file_bytes(filled)) * share))
    store = Store.open(filled, NOW)
    for one in SNAPSHOTS[1:3]:
        assert store.grants.find(one, SESSION, NOW) is None
    use_everything(store)
    store.close()


def test_damage_that_is_met_later_ends_the_store(filled: Path) -> None:
    whole = bytearray(file_bytes(filled))
    whole[whole.index(b"d" * 200)] ^= 1
    (filled / FILE).write_bytes(whole)
    with opened(filled) as store:
        assert store.grants.find(SNAPSHOTS[0], SESSION, NOW) is not None
        with pytest.raises(StoreError, match="is damaged"):
            store.history.definitions("demo server")
        assert_empty(store)


@pytest.mark.slow
def test_a_locked_file_is_not_waited_for_long(filled: Path) -> None:
    other = sqlite3.connect(filled / FILE, isolation_level=None)
    with opened(filled) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another program is using it"):
            store.grants.use(1, SESSION, NOW)
        assert store.grants.find(SNAPSHOTS[0], SESSION, NOW) is not None
        PROSE.holds("store: locked", Store.open(filled, NOW).problem, FOLDER=filled)
        other.execute("ROLLBACK")
        assert store.grants.use(1, SESSION, NOW)
    other.close()


def test_a_file_that_is_moved_away_approves_nothing_more(filled: Path) -> None:
    with opened(filled) as store, opened(filled) as other:
        assert reset(filled, NOW)
        with pytest.raises(StoreError, match="was moved or removed"):
            store.grants.find(SNAPSHOTS[0], SESSION, NOW)
        assert_empty(store)
        with opened(filled), pytest.raises(StoreError, match="was moved or removed"):
            other.grants.use(1, SESSION, NOW)


def test_resetting_twice_keeps_both(filled: Path) -> None:
    first = reset(filled, NOW)
    assert reset(filled, NOW) is None
    opened(filled).close()
    second = reset(filled, NOW)
    assert first is not None
    assert second is not None
    assert first != second
    assert first.exists()
    assert second.exists()


def test_a_full_disk_refuses_to_give_and_to_use(filled: Path) -> None:
    with opened(filled) as store:
        with store._database.reading() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")
        many = (grant(of=snapshot(f"tool {number}" + "x" * 500)) for number in itertools.count())
        with pytest.raises(StoreError, match="the disk is full"):
            list(map(store.grants.give, many))
        assert store.problem == ""
        kept = store.grants.all(NOW)
        assert store.grants.find(SNAPSHOTS[0], SESSION, NOW) in kept
        assert store.grants.clear() == len(kept)
    assert is_whole(filled)


def limited_to(size: int) -> Callable[[], None]:
    """For a process of its own: no file may become larger."""
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("size", first_quick([0, 1, 4096, 5000, 40_000, 100_000], 2))
def test_where_nothing_can_be_written_no_approval_counts_as_used(filled: Path, size: int) -> None:
    code = (
        "import sys, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from pathlib import Path; from tests.storage.stored import NOW, SESSION\n"
        "from signoff.app.storage.store import Store, StoreError\n"
        "store = Store.open(Path(sys.argv[1]), NOW)\n"
        "if store.problem: print('problem', store.problem); sys.exit()\n"
        "for number in range(300):\n"
        "    try: done = store.grants.use(1, SESSION, NOW)\n"
        "    except StoreError as words: print('failed', words); break\n"
        "    assert done; print('used')\n"
    )
    # -B: what is compiled would be cut short, too, and read by whoever comes next.
    ended = subprocess.run(
        [sys.executable, "-B", "-c", code, str(filled)],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=limited_to(size),
    )
    said = ended.stdout.splitlines()
    assert said[-1].startswith(("problem", "failed"))
    assert "Traceback" not in ended.stderr
    with opened(filled) as store:
        uses = {one.id: one.uses for one in store.grants.all(NOW)}
        assert uses[1] == said.count("used")
    assert is_whole(filled)


def test_a_store_begins_at_version_1(tmp_path: Path) -> None:
    database = open_database(tmp_path / "s")
    with database.reading() as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,) == (1,)
    database.close()


def test_tables_are_made_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "s"
    with monkeypatch.context() as patched:
        patched.setattr(database_module, "TABLES", (*TABLES, "nonsense"))
        with pytest.raises(StoreError):
            open_database(folder)
    connection = sqlite3.connect(folder / FILE)
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    connection.close()
    opened(folder).close()


def test_what_was_committed_survives_a_power_cut(filled: Path) -> None:
    database = open_database(filled)
    with database.reading() as connection:
        settings = ("synchronous", "journal_mode", "foreign_keys", "trusted_schema")
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in settings]
    database.close()
    assert found == [2, "wal", 1, 0]


def test_one_store_serves_many_threads(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        given = store.grants.give(grant())
        failed: list[Exception] = []

        def work(number: int) -> None:
            try:
                for turn in range(10):
                    assert store.grants.use(given.id, SESSION, NOW)
                    mine = store.grants.give(grant(of=snapshot(f"{number}/{turn}")))
                    assert store.grants.revoke(mine.id)
            except Exception as problem:
                failed.append(problem)

        threads = [threading.Thread(target=work, args=[number]) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert [one.uses for one in store.grants.all(NOW)] == [60]


def test_a_closed_store_remembers_nothing(filled: Path) -> None:
    store = opened(filled)
    store.close()
    store.close()
    assert_empty(store)


@pytest.mark.started_anew
def test_importing_the_store_brings_in_no_sqlite() -> None:
    said = "print('sqlite3' in sys.modules, 'psutil' in sys.modules)"
    code = f"import sys, signoff.app.storage.store; {said}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ended.stdout.split() == [b"False", b"False"]


def test_session_approvals_leave_no_files_behind(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        store.grants.give(grant(Scope.SESSION))
        assert len(list((tmp_path / "s" / "sessions").iterdir())) == 1
    assert list((tmp_path / "s" / "sessions").iterdir()) == []
    with opened(tmp_path / "s") as store:
        assert store.grants.all(NOW) == ()
