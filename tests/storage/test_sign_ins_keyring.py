"""Tokens in a keyring: only if it keeps them, and never waited for."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null

from signoff.app.platforms import keyrings
from signoff.app.storage.sign_ins import SignInStore
from signoff.app.storage.state_dir import StoreError
from tests.storage.keyring_backends import (
    Forgetful,
    Hanging,
    InMemory,
    Locked,
    NotRecommended,
    Plaintext,
    Small,
    Strict,
)
from tests.storage.signed import ENTRY, RESOURCE, SECRETS, numbered


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SignInStore]:
    yield SignInStore(tmp_path / "sign-ins")
    keyring.set_keyring(null.Keyring())  # type: ignore[no-untyped-call]


def used(backend: KeyringBackend) -> None:
    keyring.set_keyring(backend)


def files(store: SignInStore) -> str:
    return "".join(path.read_text() for path in store.folder.iterdir())


def test_only_the_tokens_are_in_it(store: SignInStore) -> None:
    backend = InMemory()
    used(backend)
    assert store.place().startswith("in the keyring (InMemory); all but the tokens in ")
    assert backend.texts == {}
    assert store.write(ENTRY).startswith("in the keyring (InMemory); all but the tokens in ")
    assert store.read(RESOURCE) == ENTRY
    assert not any(secret in files(store) for secret in SECRETS)
    ((service, _),) = backend.texts
    assert service == "signoff"
    assert json.loads(*backend.texts.values()) == [
        ENTRY.access_token,
        ENTRY.refresh_token,
        ENTRY.client.secret,
    ]
    kept = store.listed()[0][0]
    assert kept.entry.access_token == ""
    assert kept.has_refresh_token
    store.write(numbered(7))
    assert len(backend.texts) == 1
    assert store.all() == (numbered(7),)
    assert store.forget(RESOURCE) == (numbered(7),)
    assert backend.texts == {}


@pytest.mark.parametrize("kind", [fail.Keyring, null.Keyring, Plaintext, NotRecommended])
def test_what_is_no_keyring_gets_nothing(store: SignInStore, kind: type[KeyringBackend]) -> None:
    backend = kind()
    used(backend)
    assert "(not in a keyring: there is none on this system)" in store.write(ENTRY)
    assert not getattr(backend, "texts", {})
    assert store.read(RESOURCE) == ENTRY


def test_one_that_forgets_is_not_used(store: SignInStore) -> None:
    used(Forgetful())
    assert "it failed (PasswordDeleteError)" in store.place()
    store.write(ENTRY)
    assert store.read(RESOURCE) == ENTRY


@pytest.mark.parametrize("kind", [Small, Strict])
def test_tokens_that_do_not_fit_go_into_the_file(
    store: SignInStore, kind: type[InMemory], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    backend = kind()
    used(backend)
    assert "in the keyring" in store.write(ENTRY)
    where = store.write(numbered(1))
    assert "not in the keyring" in where
    assert "aaa" not in where
    assert "aaa" not in caplog.text
    assert backend.texts == {}
    assert store.read(RESOURCE) == numbered(1)
    assert store.write(ENTRY).startswith("in the keyring")
    assert store.read(RESOURCE) == ENTRY


def test_one_that_hangs_is_not_waited_for(
    store: SignInStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyrings, "SECONDS", 0.1)
    backend = Hanging()
    used(backend)
    began = time.monotonic()
    try:
        assert "it did not answer within 0.1 s" in store.place()
        assert "in a keyring: it d" in store.write(ENTRY)
        for _ in range(20):
            assert store.read(RESOURCE) == ENTRY
            store.write(ENTRY)
        assert time.monotonic() - began < 20
        assert keyrings._hung is not None
    finally:
        backend.go.set()
    keyrings._hung.join()
    # The probe has removed what it wrote; the answer of the check stands.
    assert backend.texts == {}
    assert "it did not answer" in store.place()


def test_tokens_in_a_locked_one_are_told_and_kept(store: SignInStore) -> None:
    backend = Locked()
    backend.is_locked = False
    used(backend)
    store.write(ENTRY)
    backend.is_locked = True
    with pytest.raises(StoreError, match="are in the keyring, and it is locked"):
        store.read(RESOURCE)
    assert store.all() == ()
    assert store.listed()[0][0].entry.issuer == ENTRY.issuer
    where = store.write(numbered(1))
    assert (
        "(not in the keyring (Locked): it is locked, or cannot be opened (KeyringLocked))" in where
    )
    assert store.read(RESOURCE) == numbered(1)
    backend.is_locked = False
    store.write(ENTRY)
    assert store.read(RESOURCE) == ENTRY
    backend.is_locked = True
    removed = store.remove(RESOURCE)
    assert "an entry of the keyring could not be removed (signoff / sign-in-" in removed.problems[0]
    assert removed.entries[0].access_token == ""
    assert store.read(RESOURCE) is None


def test_other_tokens_in_it_are_not_used(store: SignInStore) -> None:
    backend = InMemory()
    used(backend)
    store.write(ENTRY)
    (account,) = backend.texts
    backend.texts[account] = json.dumps(["of somebody else", "", ""])
    with pytest.raises(StoreError, match=r"does not have the tokens.*sign in again"):
        store.read(RESOURCE)
    del backend.texts[account]
    with pytest.raises(StoreError, match=r"does not have the tokens.*sign in again"):
        store.read(RESOURCE)
    store.write(ENTRY)
    assert store.read(RESOURCE) == ENTRY


def test_a_writer_that_ended_between_keyring_and_file_changed_nothing(store: SignInStore) -> None:
    backend = InMemory()
    used(backend)
    store.write(ENTRY)
    before = {path: path.read_bytes() for path in store.folder.iterdir()}
    texts = dict(backend.texts)
    store.write(replace(ENTRY, access_token="new"))
    for path, data in before.items():
        path.write_bytes(data)
    backend.texts |= texts
    assert len(backend.texts) == 2
    assert store.read(RESOURCE) == ENTRY
    store.forget(RESOURCE)
    assert backend.texts == {}


def test_without_a_keyring_none_is_asked(store: SignInStore) -> None:
    backend = InMemory()
    used(backend)
    plain = SignInStore(store.folder, keyring=False)
    assert plain.write(ENTRY).endswith(".json, readable by you alone")
    assert backend.texts == {}
    store.write(ENTRY)
    with pytest.raises(StoreError, match="in the keyring, which is not used here"):
        plain.read(RESOURCE)


def test_nothing_is_imported_before_it_is_needed() -> None:
    import subprocess

    words = "import sys, signoff.app.storage.sign_ins; assert 'keyring' not in sys.modules"
    subprocess.run([sys.executable, "-c", words], check=True)
