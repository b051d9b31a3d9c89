"""Files of sign-ins: one for each server and authorization server, whole or not there.

The tokens are in it only if no keyring has them; then it names the place and a digest of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, canonical, parse
from ..platforms.files import NO_LINK, NO_WAIT, open_file, rights, sync_folder, user_id, why
from ..platforms.locks import try_lock
from .keys import TIME_MAX
from .state_dir import FILE_MODE, StoreError, other_owner, shown

VERSION: Final = 1
LARGEST: Final = 256_000
"""Bytes of a file."""
SLOTS: Final = ("a", "b")
"""Accounts of a sign-in in a keyring: new tokens go beside the old ones, which are removed once
the file names the new ones.
"""
AGAIN: Final = "sign in again"
_NAME = re.compile("[0-9a-f]{24}-[0-9a-f]{24}")
_SUFFIX: Final = ".json"
_NEW: Final = ".new"
_OTHERS: Final = 0o077
_PAUSE, _PAUSE_MAX = 0.005, 0.1


class StoreBusy(StoreError):
    """Another Signoff held the lock all the time."""


class NewerFile(StoreError):
    """A file that a newer Signoff wrote, which is left as it is."""


@frozen
class ClientIdentity:
    """What the authorization server knows Signoff as."""

    client_id: str
    secret: str = field(repr=False, default="")
    method: str = "none"
    """How it authenticates: `none`, `client_secret_basic` or `client_secret_post`."""
    redirect_uri: str = ""
    kind: str = "registered"
    """How it came: `registered`, `document` (a client id document) or `given` by a person."""


@frozen
class StoredSignIn:
    """The sign-in at one server, by one authorization server."""

    resource: str
    """The server's URL without credentials, with its query, as the client uses it."""
    issuer: str
    client: ClientIdentity
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False, default="")
    scopes: tuple[str, ...] = ()
    until: float | None = None
    """The end of the access token in seconds since 1970; None if that is not known."""
    signed_in_at: float = 0.0
    refreshed_at: float = 0.0
    requested: tuple[str, ...] = ()
    """The scopes that were requested; the issuer may have granted fewer."""
    token_endpoint: str = ""
    """Where a person has let the tokens go to."""


@frozen
class Kept:
    """A file that was read. If a keyring has the tokens, those of the entry are empty."""

    path: Path
    entry: StoredSignIn
    order: int
    """Of several issuers of one server, the one that was written last has the highest."""
    slot: str = ""
    """The account in the keyring; empty if the tokens are in the file."""
    keyring: str = ""
    """The name of that keyring."""
    digest: str = ""
    has_refresh_token: bool = False

    def with_tokens(self, text: str) -> StoredSignIn | None:
        """The entry with what the keyring has for it; None if that is something else."""
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != self.digest:
            return None
        access, refresh, secret = _listed(text)
        client = replace(self.entry.client, secret=secret)
        return replace(self.entry, client=client, access_token=access, refresh_token=refresh)


def name_of(resource: str, issuer: str) -> str:
    """The name of the file, without its ending."""
    return f"{_digest(resource)}-{_digest(issuer)}"


def account_of(name: str, slot: str) -> str:
    """The account of a sign-in in a keyring."""
    return f"sign-in-{name}-{slot}"


def files_in(folder: Path, resource: str | None = None, issuer: str = "") -> list[Path]:
    """The files of sign-ins in a folder, or those of one server or issuer. Raises StoreError."""
    begin = f"{_digest(resource)}-" if resource is not None else ""
    end = f"-{_digest(issuer)}" if issuer else ""
    try:
        found = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise StoreError(f"{shown(folder)} cannot be read: {why(problem)}") from None
    stems = (name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX))
    return [
        path_of(folder, stem)
        for stem in stems
        if _NAME.fullmatch(stem) and stem.startswith(begin) and stem.endswith(end)
    ]


def path_of(folder: Path, name: str) -> Path:
    """The file of a name."""
    return folder / f"{name}{_SUFFIX}"


def tokens_text(entry: StoredSignIn) -> str:
    """What a keyring is given."""
    return canonical([entry.access_token, entry.refresh_token, entry.client.secret])


def read_kept(path: Path) -> Kept | None:
    """A file, or None if there is none. Raises StoreError."""
    data = _read(path)
    if data is None:
        return None
    try:
        raw = parse(data).value
    except JsonError as problem:
        raise _damaged(path, f"it is not JSON: {problem.reason}") from None
    version = raw.get("version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > VERSION:
        words = f"{shown(path)} was written by a newer Signoff (version {version}, not {VERSION})"
        raise NewerFile(f"{words}: it is left as it is; use that Signoff, or move the file away")
    if not isinstance(raw, dict) or version != VERSION or raw.pop("seal", None) != _seal(raw):
        raise _damaged(path, "its content does not match its digest")
    try:
        kept = _kept(path, raw)
    except (KeyError, TypeError, ValueError):
        raise _damaged(path, "a value has the wrong type") from None
    if path.name != path_of(path.parent, name_of(kept.entry.resource, kept.entry.issuer)).name:
        raise _damaged(path, "it is about another server than its name")
    return kept


def file_bytes(entry: StoredSignIn, order: int, slot: str = "", keyring: str = "") -> bytes:
    """The content of a file; with a slot the tokens are in that keyring.

    Raises StoreError for what cannot be stored.
    """
    text = tokens_text(entry)
    client = entry.client
    try:
        times = [_time(entry.signed_in_at), _time(entry.refreshed_at)]
        until = None if entry.until is None else _time(entry.until)
    except ValueError:
        raise StoreError("a time of the sign-in is none that a calendar has") from None
    raw: dict[str, JsonValue] = {
        "version": VERSION,
        "order": order,
        "resource": entry.resource,
        "issuer": entry.issuer,
        "client_id": client.client_id,
        "client_method": client.method,
        "client_redirect_uri": client.redirect_uri,
        "client_kind": client.kind,
        "scopes": list(entry.scopes),
        "requested": list(entry.requested),
        "token_endpoint": entry.token_endpoint,
        "until": until,
        "signed_in_at": times[0],
        "refreshed_at": times[1],
        "has_refresh_token": bool(entry.refresh_token),
        "keyring": keyring,
        "slot": slot,
        "tokens": hashlib.sha256(text.encode()).hexdigest() if slot else text,
    }
    raw["seal"] = _seal(raw)
    data = canonical(raw).encode() + b"\n"
    if len(data) > LARGEST:
        raise StoreError(f"the sign-in has {len(data):,} bytes, over {LARGEST:,}")
    return data


def check_resource(resource: str) -> None:
    """Raise StoreError for a URL with credentials in it, which a file would show."""
    try:
        has_user = "@" in urlsplit(resource).netloc
    except ValueError:
        has_user = True
    if has_user:
        raise StoreError("the URL of the server has credentials in it, so it is not stored")


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file: whenever it ends, the file is the old one or the new one, whole.

    Raises StoreError.
    """
    made = path.with_name(f".{secrets.token_hex(8)}{_NEW}")
    try:
        held = open_file(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, FILE_MODE)
        try:
            with open(held, "wb", closefd=False) as file:
                file.write(data)
                file.flush()
            os.fsync(held)
        finally:
            os.close(held)
        os.replace(made, path)
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be written: {why(problem)}") from None
    finally:
        with contextlib.suppress(OSError):
            made.unlink()
    # The file is there; at worst a disk that loses power has the old one.
    with contextlib.suppress(OSError):
        sync_folder(path.parent)


def remove_file(path: Path) -> None:
    """Remove a file, if there is one. Raises StoreError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be removed: {why(problem)}") from None
    with contextlib.suppress(OSError):
        sync_folder(path.parent)


def tidy(folder: Path) -> None:
    """Remove what writers left that were ended; only for the holder of the lock of writers."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(".") and name.endswith(_NEW):
                with contextlib.suppress(OSError):
                    (folder / name).unlink()


@contextlib.contextmanager
def lock_of(path: Path, seconds: float, busy: str) -> Iterator[None]:
    """Hold the lock on a file; it is empty, and stays. Raises StoreBusy with the words `busy`."""
    try:
        held = open_file(path, os.O_RDWR | os.O_CREAT | NO_LINK, FILE_MODE)
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be opened: {why(problem)}") from None
    try:
        _wait(held, path, seconds, busy)
        yield
    finally:
        os.close(held)


def _wait(held: int, path: Path, seconds: float, busy: str) -> None:
    end, pause = time.monotonic() + seconds, _PAUSE
    while True:
        try:
            return try_lock(held)
        except BlockingIOError:
            left = end - time.monotonic()
            if left <= 0:
                raise StoreBusy(busy) from None
        except OSError as problem:
            raise StoreError(f"{shown(path)} cannot be locked: {why(problem)}") from None
        time.sleep(min(pause, left))
        pause = min(2 * pause, _PAUSE_MAX)


def _read(path: Path) -> bytes | None:
    """The bytes of a file that only its owner can use. Raises StoreError."""
    try:
        held = open_file(path, os.O_RDONLY | NO_LINK | NO_WAIT)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be read: {why(problem)}") from None
    try:
        found = os.fstat(held)
        if not stat.S_ISREG(found.st_mode):
            raise StoreError(f"{shown(path)} is not a regular file")
        if found.st_uid != user_id():
            raise other_owner(path, found.st_uid)
        if rights(found) & _OTHERS:
            words = f"{shown(path)} is open to other users, who may have its tokens: {AGAIN}"
            raise StoreError(f"{words} (or, if you are its only user: chmod 600)")
        with open(held, "rb", closefd=False) as file:
            data = file.read(LARGEST + 1)
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be read: {why(problem)}") from None
    finally:
        os.close(held)
    if len(data) > LARGEST:
        raise StoreError(f"{shown(path)} has more than {LARGEST:,} bytes: {AGAIN}")
    return data


def _kept(path: Path, raw: Mapping[str, JsonValue]) -> Kept:
    """The values of a file; raises KeyError, TypeError or ValueError if one is wrong."""
    slot, tokens = _text(raw["slot"]), _text(raw["tokens"])
    if slot not in ("", *SLOTS):
        raise ValueError(slot)
    access, refresh, secret = ("", "", "") if slot else _listed(tokens)
    client = ClientIdentity(
        _text(raw["client_id"]),
        secret,
        _text(raw["client_method"]),
        _text(raw["client_redirect_uri"]),
        _text(raw["client_kind"]),
    )
    until, order = raw["until"], raw["order"]
    if not isinstance(order, int):
        raise TypeError(order)
    entry = StoredSignIn(
        _text(raw["resource"]),
        _text(raw["issuer"]),
        client,
        access,
        refresh,
        tuple(map(_text, _list(raw["scopes"]))),
        None if until is None else _time(until),
        _time(raw["signed_in_at"]),
        _time(raw["refreshed_at"]),
        tuple(map(_text, _list(raw["requested"]))),
        _text(raw["token_endpoint"]),
    )
    has_refresh = raw["has_refresh_token"] is True
    digest = tokens if slot else ""
    return Kept(path, entry, order, slot, _text(raw["keyring"]), digest, has_refresh)


def _listed(text: str) -> tuple[str, str, str]:
    access, refresh, secret = map(_text, _list(parse(text).value))
    return access, refresh, secret


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise TypeError(type(value))
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value))
    return value


def _time(value: Any) -> float:
    """Raise ValueError for a time that no calendar has."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < TIME_MAX:
        raise ValueError(value)
    return float(value)


def _seal(raw: Mapping[str, JsonValue]) -> str:
    return hashlib.sha256(canonical(dict(raw)).encode()).hexdigest()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _damaged(path: Path, what: str) -> StoreError:
    return StoreError(f"{shown(path)} is damaged ({what}): {AGAIN}")
