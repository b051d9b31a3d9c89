"""Sign-ins on disk: whole, for their owner alone, bound to server and issuer."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.storage.sign_in_files import LARGEST, name_of, path_of
from signoff.app.storage.sign_ins import ClientIdentity, SignInStore, StoreBusy, StoredSignIn
from signoff.app.storage.state_dir import StoreError
from tests.storage.signed import CLIENT, ENTRY, ISSUER, RESOURCE, SECRETS, numbered

NAME = name_of(RESOURCE, ISSUER)
OTHER_ISSUER = "https://other.example.com"

anything = st.text(max_size=40)
times = st.floats(0, 2e11)
clients = st.builds(ClientIdentity, anything, anything, anything, anything, anything)
entries = st.builds(
    StoredSignIn,
    st.text(max_size=40).filter(lambda text: not set(text) & set("@[]/\\")),
    anything,
    clients,
    anything,
    anything,
    st.lists(anything, max_size=4).map(tuple),
    st.none() | times,
    times,
    times,
)


@pytest.fixture
def store(tmp_path: Path) -> SignInStore:
    return SignInStore(tmp_path / "sign-ins")


def file_of(store: SignInStore) -> Path:
    return path_of(store.folder, NAME)


@given(first=entries, second=entries)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, first: StoredSignIn, second: StoredSignIn
) -> None:
    store = SignInStore(tmp_path_factory.mktemp("store"))
    store.write(first)
    assert store.read(first.resource) == first
    store.write(second)
    assert store.read(second.resource) == second
    assert store.read(second.resource, second.issuer) == second
    is_same = (first.resource, first.issuer) == (second.resource, second.issuer)
    assert len(store.all()) == (1 if is_same else 2)
    assert second in store.forget(second.resource)
    assert store.read(second.resource) is None
    assert not any("new" in name for name in os.listdir(store.folder))


def test_nothing_is_there_before_the_first(store: SignInStore) -> None:
    assert store.read(RESOURCE) is None
    assert store.all() == ()
    assert store.forget(RESOURCE) == ()
    assert store.remove(None).entries == ()
    assert not store.folder.exists()


def test_it_is_in_the_state_folder(tmp_path: Path) -> None:
    store = SignInStore()
    where = store.write(ENTRY)
    assert str(tmp_path / "state") in where
    assert where.startswith("in ")
    assert "readable by you alone (not in a keyring: there is none on this system)" in where
    assert store.place().endswith("(not in a keyring: there is none on this system)")
    assert SignInStore(keyring=False).place().endswith("readable by you alone")


def test_only_the_owner_can_read_it(store: SignInStore) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no modes")
    before = os.umask(0)
    try:
        store.write(ENTRY)
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in store.folder.iterdir()} == {0o600}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610])
def test_one_that_others_can_use_is_reported_and_not_used(store: SignInStore, mode: int) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no modes")
    store.write(ENTRY)
    file_of(store).chmod(mode)
    with pytest.raises(StoreError, match=r"open to other users.*sign in again"):
        store.read(RESOURCE)
    assert store.all() == ()
    assert len(store.listed()[1]) == 1
    store.write(ENTRY)
    assert store.read(RESOURCE) == ENTRY


def test_links_folders_and_pipes_are_not_used(store: SignInStore, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("links need a right there")
    store.write(ENTRY)
    path = file_of(store)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="cannot be read"):
        store.read(RESOURCE)
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(StoreError, match="not a regular file"):
        store.read(RESOURCE)
    path.unlink()
    path.mkdir(mode=0o700)
    with pytest.raises(StoreError, match=r"not a regular file|directory"):
        store.read(RESOURCE)
    with pytest.raises(StoreError, match="cannot be written"):
        store.write(ENTRY)


@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_no_flipped_bit_makes_something_else_of_it(
    tmp_path_factory: pytest.TempPathFactory, at: int, bit: int
) -> None:
    store = SignInStore(tmp_path_factory.mktemp("store"))
    store.write(ENTRY)
    data = bytearray(file_of(store).read_bytes())
    data[at % len(data)] ^= 1 << bit
    file_of(store).write_bytes(data)
    words = ""
    try:
        assert store.read(RESOURCE) == ENTRY  # a blank that stands for another one
    except StoreError as problem:
        words = str(problem)
    assert not words or "is damaged" in words or "newer Signoff" in words
    assert not any(secret in words for secret in SECRETS)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"null", b"\xff", b"[" * 200_000, b'{"version": true}']
)
def test_a_damaged_one_is_reported_and_replaced(store: SignInStore, data: bytes) -> None:
    store.write(ENTRY)
    file_of(store).write_bytes(data)
    with pytest.raises(StoreError, match=r"is damaged.*sign in again"):
        store.read(RESOURCE)
    assert store.remove(RESOURCE).unread == (str(file_of(store)),)
    assert store.read(RESOURCE) is None
    store.write(ENTRY)
    file_of(store).write_bytes(data)
    store.write(ENTRY)
    assert store.read(RESOURCE) == ENTRY


def test_one_of_a_newer_version_is_left_alone(store: SignInStore) -> None:
    store.write(ENTRY)
    path = file_of(store)
    data = path.read_bytes().replace(b'"version":1', b'"version":2')
    path.write_bytes(data)
    for action in (
        lambda: store.read(RESOURCE),
        lambda: store.write(ENTRY),
        lambda: store.forget(RESOURCE),
    ):
        with pytest.raises(StoreError, match=r"newer Signoff.*left as it is"):
            action()
    assert path.read_bytes() == data
    other = replace(ENTRY, issuer=OTHER_ISSUER)
    store.write(other)
    assert store.read(RESOURCE, OTHER_ISSUER) == other


def test_one_of_another_server_is_not_used_under_a_wrong_name(store: SignInStore) -> None:
    store.write(ENTRY)
    target = "https://evil.example.com/mcp"
    file_of(store).rename(path_of(store.folder, name_of(target, ISSUER)))
    with pytest.raises(StoreError, match="another server than its name"):
        store.read(target)


def test_what_is_too_large_is_not_written_and_not_read(store: SignInStore) -> None:
    with pytest.raises(StoreError, match="over 256,000"):
        store.write(replace(ENTRY, access_token="x" * LARGEST))
    with pytest.raises(StoreError, match="over 256,000"):
        store.write(replace(ENTRY, scopes=("x" * 100,) * 3_000))
    assert store.read(RESOURCE) is None
    store.write(ENTRY)
    with file_of(store).open("ab") as file:
        file.write(b" " * LARGEST)
    with pytest.raises(StoreError, match="more than 256,000 bytes"):
        store.read(RESOURCE)


@pytest.mark.parametrize("url", ["https://me:pw@example.com/", "https://me@h/", "https://[::1/"])
def test_no_url_with_credentials_is_stored(store: SignInStore, url: str) -> None:
    with pytest.raises(StoreError, match="credentials") as found:
        store.write(replace(ENTRY, resource=url))
    assert "pw" not in str(found.value)
    assert not store.folder.exists()


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -1.0, 1e300])
def test_no_time_without_a_calendar_is_stored(store: SignInStore, time: float) -> None:
    for entry in (
        replace(ENTRY, until=time),
        replace(ENTRY, signed_in_at=time),
        replace(ENTRY, refreshed_at=time),
    ):
        with pytest.raises(StoreError, match="a time"):
            store.write(entry)


def test_no_repr_has_a_secret() -> None:
    for one in (ENTRY, CLIENT, [ENTRY], numbered(1)):
        shown = f"{one!r} {one}"
        assert not any(secret in shown for secret in (*SECRETS, "aaa", "rrr"))


def test_issuers_and_servers_are_apart(store: SignInStore) -> None:
    other = replace(ENTRY, issuer=OTHER_ISSUER, access_token="other")
    elsewhere = replace(ENTRY, resource="https://mcp.example.com/mcp?tenant=2")
    for one in (ENTRY, other, elsewhere):
        store.write(one)
    assert store.read(RESOURCE, ISSUER) == ENTRY
    assert store.read(RESOURCE, OTHER_ISSUER) == other
    assert store.read("https://mcp.example.com/mcp") is None
    assert store.read(RESOURCE, "https://as.example.com/") is None
    assert store.forget(RESOURCE, ISSUER) == (ENTRY,)
    assert set(store.all()) == {other, elsewhere}
    assert store.remove(None, ISSUER).entries == (elsewhere,)
    assert store.all() == (other,)


def test_the_one_written_last_counts_although_the_clock_was_set_back(store: SignInStore) -> None:
    store.write(replace(ENTRY, signed_in_at=2e9, refreshed_at=2e9))
    other = replace(ENTRY, issuer=OTHER_ISSUER, signed_in_at=5.0, refreshed_at=5.0)
    store.write(other)
    os.utime(path_of(store.folder, name_of(RESOURCE, OTHER_ISSUER)), (1, 1))
    assert store.read(RESOURCE) == other
    store.write(ENTRY)
    assert store.read(RESOURCE) == ENTRY


def test_a_folder_that_cannot_be_written_is_told(store: SignInStore) -> None:
    if sys.platform == "win32" or os.geteuid() == 0:
        pytest.skip("needs modes that count")
    store.write(ENTRY)
    store.folder.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot be"):
            store.write(numbered(1))
        assert store.read(RESOURCE) == ENTRY
    finally:
        store.folder.chmod(0o700)


def test_a_full_disk_leaves_the_old_one(store: SignInStore) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no limit of a file's size")
    import resource
    import signal

    store.write(ENTRY)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
        with pytest.raises(StoreError, match="cannot be written"):
            store.write(numbered(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert store.read(RESOURCE) == ENTRY
    assert not [name for name in os.listdir(store.folder) if name.endswith(".new")]


def test_what_an_ended_writer_left_is_removed(store: SignInStore) -> None:
    store.write(ENTRY)
    (store.folder / ".0123456789abcdef.new").write_text("tokens")
    store.write(ENTRY)
    assert {path.suffix for path in store.folder.iterdir()} == {".json", ".lock"}


def test_the_lock_is_for_one_at_a_time(store: SignInStore) -> None:
    other = SignInStore(store.folder)
    with store.locked(RESOURCE, ISSUER):
        with pytest.raises(StoreBusy, match="another Signoff"), other.locked(RESOURCE, ISSUER, 0.0):
            raise AssertionError
        with pytest.raises(StoreBusy), store.locked(RESOURCE, ISSUER, 0.02):
            raise AssertionError
        with other.locked(RESOURCE, OTHER_ISSUER, 0.0):
            pass
        # Its holder can write and remove.
        store.write(ENTRY)
        assert store.forget(RESOURCE) == (ENTRY,)
    with other.locked(RESOURCE, ISSUER, 0.0):
        pass
