"""`signoff tokens` and `signoff sign-out`: what they print, and never a token."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from keyring.backends import null

from signoff.app.features.sign_in.command import run_tokens
from signoff.app.features.sign_in.sign_out import SignOutOptions, run_sign_out
from signoff.app.features.sign_in.words import end_words, signed_in_words
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.storage.sign_in_files import name_of, path_of
from signoff.app.storage.sign_ins import ClientIdentity, SignInStore
from tests.approved import approved
from tests.cli.running import run
from tests.storage.keyring_backends import InMemory
from tests.storage.signed import ENTRY, ISSUER, RESOURCE, SECRETS

PROSE = approved("cli-sign-ins")
Said = pytest.CaptureFixture[str]
NOW = 1_000_000_000.0
OTHER = replace(
    ENTRY,
    resource="https://other.example.com/mcp",
    client=ClientIdentity("https://client.example.com/id.json", kind="document"),
    refresh_token="",
    scopes=(),
    until=None,
)


@pytest.fixture
def store(tmp_path: Path) -> SignInStore:
    store = SignInStore(tmp_path / "sign-ins")
    for one in (ENTRY, OTHER):
        now = time.time()
        store.write(replace(one, signed_in_at=now - 200_000, refreshed_at=now - 190, until=None))
    return store


def has_no_secret(said: str) -> bool:
    return not any(secret in said for secret in SECRETS)


def test_an_empty_store(tmp_path: Path) -> None:
    ended = run(tmp_path, "tokens")
    assert (ended.status, ended.stdout) == (ExitStatus.OK, "no sign-ins are stored\n")
    assert run(tmp_path, "tokens", "--json").report == {"sign_ins": [], "problems": []}
    ended = run(tmp_path, "sign-out", RESOURCE)
    assert ended.status == ExitStatus.USAGE
    PROSE.holds("none at a URL", ended.stderr)
    assert run(tmp_path, "sign-out", "--all").status == ExitStatus.OK


@pytest.mark.parametrize("words", ["tokens --help", "sign-out --help"])
def test_help(tmp_path: Path, words: str) -> None:
    PROSE.holds(words, run(tmp_path, *words.split()).stdout)


@pytest.mark.parametrize("words", [(), (RESOURCE, "--all"), ("--issuer", ISSUER)])
def test_sign_out_needs_a_url_or_all(tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = run(tmp_path, "sign-out", *words)
    assert ended.status == ExitStatus.USAGE
    assert "give the URL of a server" in ended.stderr


def test_the_list(store: SignInStore, capsys: Said) -> None:
    assert run_tokens(store=store) == ExitStatus.OK
    said = capsys.readouterr().out
    PROSE.holds("the list", said, FOLDER=store.folder)
    assert has_no_secret(said)
    assert run_tokens(as_json=True, store=store) == ExitStatus.OK
    said = capsys.readouterr().out
    assert has_no_secret(said)
    first, second = json.loads(said)["sign_ins"]
    assert first["resource"] == RESOURCE
    assert first["client_kind"] == "registered"
    assert first["scopes"] == ["read", "write"]
    assert first["has_refresh_token"] is True
    assert first["keyring"] is None
    assert first["file"] == str(path_of(store.folder, name_of(RESOURCE, ISSUER)))
    assert second["has_refresh_token"] is False
    assert second["expires_at"] is None


def test_the_keyring_is_named_and_not_asked(tmp_path: Path, capsys: Said) -> None:
    backend = InMemory()
    keyring.set_keyring(backend)
    store = SignInStore(tmp_path / "sign-ins")
    try:
        store.write(ENTRY)
        texts = dict(backend.texts)
        backend.texts.clear()
        assert run_tokens(store=store) == ExitStatus.OK
        said = capsys.readouterr().out
        assert "stored     in the keyring (InMemory)" in said
        assert "has a refresh token" in said
        backend.texts.update(texts)
        assert run_sign_out(SignOutOptions(RESOURCE), store) == ExitStatus.OK
        said = capsys.readouterr().out
        assert "removed: the tokens in the keyring (InMemory)" in said
        assert has_no_secret(said)
        assert backend.texts == {}
    finally:
        keyring.set_keyring(null.Keyring())  # type: ignore[no-untyped-call]


def test_words_of_time() -> None:
    ends = (None, NOW + 2_460, NOW - 3 * 3_600, NOW + 100_000, NOW - 5)
    found = [
        end_words(until, NOW, has_refresh_token=has) for until in ends for has in (True, False)
    ]
    found += [
        signed_in_words(replace(ENTRY, signed_in_at=at, refreshed_at=refreshed), NOW)
        for at, refreshed in ((0.0, 0.0), (NOW - 60, 0.0), (NOW - 9_000, NOW), (NOW + 99, 0.0))
    ]
    PROSE.holds("words of time", "\n".join(found))


def test_hostile_texts_are_made_safe(tmp_path: Path, capsys: Said) -> None:
    store = SignInStore(tmp_path / "sign-ins")
    evil = "\x1b[31mred\u202e [b]"
    client = ClientIdentity(evil, kind=evil, method=evil)
    store.write(replace(ENTRY, issuer=evil, client=client, scopes=(evil, "\ud800")))
    url = "https://h/?token=ghp_" + "abcdefghij0123456789abcdefghij012345"
    store.write(replace(ENTRY, resource=url))
    assert run_tokens(store=store) == ExitStatus.OK
    assert run_tokens(as_json=True, store=store) == ExitStatus.OK
    assert run_sign_out(SignOutOptions(all=True), store) == ExitStatus.OK
    said = capsys.readouterr()
    assert not set(said.out + said.err) & {"\x1b", "\u202e"}
    assert "ghp_" not in said.out


def test_sign_out_tells_what_it_removed(store: SignInStore, capsys: Said) -> None:
    assert run_sign_out(SignOutOptions(RESOURCE), store) == ExitStatus.OK
    said = capsys.readouterr()
    PROSE.holds("signed out of one", said.out + said.err, FOLDER=store.folder)
    assert has_no_secret(said.out)
    assert [one.resource for one in store.all()] == [OTHER.resource]
    assert run_sign_out(SignOutOptions(all=True), store) == ExitStatus.OK
    assert store.all() == ()


@pytest.mark.parametrize(
    "url",
    [
        "HTTPS://Other.example.com:443/mcp/",
        "https://other.example.com/mcp#fragment",
        "https://me:pw@other.example.com/mcp",
    ],
)
def test_a_url_written_differently_is_found(store: SignInStore, url: str) -> None:
    assert run_sign_out(SignOutOptions(url), store) == ExitStatus.OK
    assert [one.resource for one in store.all()] == [RESOURCE]


@pytest.mark.parametrize("url", ["https://other.example.com/", "https://[::1/", "mcp", ""])
def test_another_url_is_not(store: SignInStore, url: str) -> None:
    assert run_sign_out(SignOutOptions(url), store) == ExitStatus.USAGE
    assert run_sign_out(SignOutOptions(RESOURCE, issuer="https://x"), store) == ExitStatus.USAGE
    assert len(store.all()) == 2


def test_what_cannot_be_read_is_told(store: SignInStore, capsys: Said) -> None:
    path = path_of(store.folder, name_of(RESOURCE, ISSUER))
    path.write_text("{}")
    assert run_tokens(store=store) == ExitStatus.STORE_UNUSABLE
    said = capsys.readouterr()
    PROSE.holds("a damaged one, list", said.err, FOLDER=store.folder)
    assert "1 sign-in\n" in said.out
    assert run_tokens(as_json=True, store=store) == ExitStatus.STORE_UNUSABLE
    assert "is damaged" in json.loads(capsys.readouterr().out)["problems"][0]
    assert run_sign_out(SignOutOptions(RESOURCE), store) == ExitStatus.OK
    PROSE.holds("a damaged one, sign-out", capsys.readouterr().out, FOLDER=store.folder)
    assert not path.exists()


def test_one_of_a_newer_signoff_stays(store: SignInStore, capsys: Said) -> None:
    path = path_of(store.folder, name_of(RESOURCE, ISSUER))
    path.write_text('{"version": 2}')
    assert run_sign_out(SignOutOptions(all=True), store) == ExitStatus.STORE_UNUSABLE
    said = capsys.readouterr()
    PROSE.holds("a newer one, sign-out", said.err, FOLDER=store.folder)
    assert path.exists()


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path, capsys: Said) -> None:
    folder = tmp_path / "sign-ins"
    folder.write_text("")
    store = SignInStore(folder)
    assert run_tokens(store=store) == ExitStatus.STORE_UNUSABLE
    assert run_sign_out(SignOutOptions(all=True), store) == ExitStatus.STORE_UNUSABLE
    assert capsys.readouterr().err.count("is not a folder") == 2
