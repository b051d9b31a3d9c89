"""`signoff sign-out`: removes stored sign-ins, and notifies the authorization server if wanted."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.grouping import file_path
from ...cli.options.parser import Parser
from ...cli.output.printing import print_error, say
from ...cli.targets.targets import UsageError
from ...content.labels import coarse
from ...presentation.exit_status import ExitStatus
from ...storage.sign_ins import Removed, SignInStore, StoredSignIn
from ...storage.state_dir import StoreError
from ...transport.http.reach import NoCertificates, Reach
from .words import NONE_STORED, name

_PORTS = {"http": 80, "https": 443}


@options
class SignOutOptions(NamedTuple):
    """Options of `sign-out`."""

    url: str | None = opt("URL", "the server, as signoff tokens lists it", nargs="?")
    all: bool = opt("--all", "remove all stored sign-ins")
    issuer: str = opt("--issuer URL", "remove only those of this authorization server")
    revoke: bool = opt("--revoke", "revoke the tokens at the authorization server, too (RFC 7009)")
    ca: str | None = opt(
        "--ca FILE",
        "with --revoke: trust the certificates in this PEM file, too (default: those of the "
        "system)",
        type=file_path,
    )


def add(parser: Parser) -> None:
    """Add the options of `signoff sign-out`."""
    parser.usage = f"{parser.prog} (URL | --all) [--issuer URL] [--revoke [--ca FILE]]"
    without_server(parser, SignOutOptions, run_sign_out)


def run_sign_out(wanted: SignOutOptions, store: SignInStore | None = None) -> int:
    """Remove sign-ins and print them; returns the exit status. Raises UsageError."""
    if (wanted.url is None) is not wanted.all:
        raise UsageError("give the URL of a server that signoff tokens lists, or --all")
    if wanted.ca and not wanted.revoke:
        raise UsageError("--ca is for --revoke: nothing else of sign-out is sent")
    try:
        verify = Reach(wanted.ca or "").context()
    except NoCertificates as problem:
        raise UsageError(str(problem)) from None
    store = store or SignInStore()
    try:
        removed = _removed(store, wanted)
    except StoreError as problem:
        print_error(str(problem))
        return ExitStatus.STORE_UNUSABLE
    for line in _lines(removed):
        say(line)
    for words in removed.problems:
        print_error(words)
    if not (removed.entries or removed.unread or removed.problems):
        return _nothing(wanted)
    told = _tell_servers(removed.entries, verify) if wanted.revoke else _untold(removed.entries)
    return ExitStatus.STORE_UNUSABLE if removed.problems else told


def _removed(store: SignInStore, wanted: SignOutOptions) -> Removed:
    """Remove what the words name: exactly this URL, or else one written differently."""
    removed = store.remove(wanted.url, wanted.issuer)
    if wanted.url is None or removed.entries or removed.unread or removed.problems:
        return removed
    plain = _plain(wanted.url)
    alike = {one.entry.resource for one in store.listed()[0] if _plain(one.entry.resource) == plain}
    return store.remove(alike.pop(), wanted.issuer) if len(alike) == 1 else removed


def _plain(url: str) -> str:
    """A URL without credentials, fragment, default port and a slash at its end."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme.lower(), (parts.hostname or "").lower(), parts.port
    except ValueError:
        return url
    at = "" if port is None or port == _PORTS.get(scheme) else f":{port}"
    return urlunsplit((scheme, f"{host}{at}", parts.path.rstrip("/"), parts.query, ""))


def _nothing(wanted: SignOutOptions) -> int:
    if wanted.url is None:
        say(NONE_STORED + (f" of {name(wanted.issuer)}" if wanted.issuer else ""))
        return ExitStatus.OK
    of = f" of {name(wanted.issuer)}" if wanted.issuer else ""
    print_error(f"no sign-in at {name(wanted.url)}{of} is stored (signoff tokens lists them)")
    return ExitStatus.USAGE


def _lines(removed: Removed) -> Iterator[str]:
    for entry, place in zip(removed.entries, removed.places, strict=True):
        yield f"signed out of {name(entry.resource)} (issuer {name(entry.issuer)})"
        yield f"  removed: the tokens {place}, and the client {name(entry.client.client_id)}"
    for path in removed.unread:
        yield f"removed {path}, which could not be used"


def _untold(entries: tuple[StoredSignIn, ...]) -> int:
    now = time.time()
    for entry in entries:
        left = entry.until - now if entry.until is not None else 0
        until = f" (the access token for {coarse(left)})" if left > 0 else ""
        say(
            f"{name(entry.issuer)} was not notified (--revoke does that): copies of the tokens "
            f"count there until they end{until}"
        )
    return ExitStatus.OK


def _tell_servers(entries: tuple[StoredSignIn, ...], verify: ssl.SSLContext | bool) -> int:
    """Revoke the tokens of what was removed; 5 if a server could not be notified."""
    from .revoking import revoke

    is_told = True
    for entry in entries:
        problem = asyncio.run(revoke(entry, verify))
        is_told = is_told and not problem
        if problem:
            print_error(f"{name(entry.issuer)} was not notified: {problem}")
        else:
            say(f"{name(entry.issuer)} has revoked the tokens")
    return ExitStatus.OK if is_told else ExitStatus.LOST
