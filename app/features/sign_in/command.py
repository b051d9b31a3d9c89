"""`signoff tokens`: the stored sign-ins, with everything about them but their tokens."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...cli.command import without_server
from ...cli.options.declared import options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.output.printing import say, tell
from ...cli.targets.live import print_json
from ...content.labels import iso
from ...content.text import count
from ...presentation.exit_status import ExitStatus
from ...storage.sign_in_files import Kept
from ...storage.sign_ins import SignInStore
from ...storage.state_dir import StoreError, shown
from .words import NONE_STORED, came_words, end_words, name, signed_in_words


@options
class TokensOptions(NamedTuple):
    """Options of `tokens`."""

    json: bool = AS_JSON


def add(parser: Parser) -> None:
    """Add the options of `signoff tokens`."""
    without_server(parser, TokensOptions, lambda wanted: run_tokens(wanted.json))


def run_tokens(as_json: bool = False, store: SignInStore | None = None) -> int:
    """Print all stored sign-ins; returns the exit status."""
    store = store or SignInStore()
    found: tuple[Kept, ...] = ()
    try:
        found, problems = store.listed()
    except StoreError as problem:
        problems = (str(problem),)
    if as_json:
        print_json({"sign_ins": [_report(one) for one in found], "problems": list(problems)})
    else:
        now = time.time()
        for one in found:
            for line in _lines(store, one, now):
                say(line)
        if found or not problems:
            say(count(len(found), "sign-in") if found else NONE_STORED)
        for words in problems:
            tell(f"signoff: {words}")
    return ExitStatus.STORE_UNUSABLE if problems else ExitStatus.OK


def _lines(store: SignInStore, kept: Kept, now: float) -> Iterator[str]:
    entry = kept.entry
    yield name(entry.resource)
    for label, words in (
        ("issuer", name(entry.issuer)),
        ("client", f"{name(entry.client.client_id)} ({came_words(entry.client.kind)})"),
        ("scopes", name(" ".join(entry.scopes)) if entry.scopes else "none"),
        ("signed in", signed_in_words(entry, now)),
        ("token", end_words(entry.until, now, has_refresh_token=kept.has_refresh_token)),
        ("stored", store.place_of(kept)),
    ):
        yield f"  {label:<9}  {words}"


def _report(kept: Kept) -> dict[str, Any]:
    entry, client = kept.entry, kept.entry.client
    return {
        "resource": name(entry.resource),
        "issuer": name(entry.issuer),
        "client_id": name(client.client_id),
        "client_kind": shown(client.kind),
        "client_method": shown(client.method),
        "scopes": [name(one) for one in entry.scopes],
        "signed_in_at": iso(entry.signed_in_at),
        "refreshed_at": iso(entry.refreshed_at) if entry.refreshed_at else None,
        "expires_at": iso(entry.until) if entry.until is not None else None,
        "has_refresh_token": kept.has_refresh_token,
        "keyring": shown(kept.keyring) if kept.slot else None,
        "file": shown(kept.path),
    }
