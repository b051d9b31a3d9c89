"""`signoff grants`: lists remembered approvals and revokes them."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...approval.grants import Grant
from ...cli.command import AlsoOnOpen, without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser, add_described, verbs
from ...cli.options.server import AS_JSON
from ...cli.output.printing import print_error, say, say_rows
from ...cli.targets.targets import UsageError
from ...content.text import visible
from ...presentation.exit_status import ExitStatus
from ...presentation.grants import as_json, denied_of, denied_words, ended_words, facts
from ...storage.store import Store, StoreError, reset

if TYPE_CHECKING:
    from ...cli.targets.live import Options
    from ...engine.engine import Engine


@options
class ListOptions(NamedTuple):
    """Options of `grants list`."""

    json: bool = AS_JSON


def _grant_id(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of signoff grants list")
    return int(text)


@options
class RevokeOptions(NamedTuple):
    """Options of `grants revoke`."""

    id: int = opt("ID", type=_grant_id)


@options
class ClearOptions(NamedTuple):
    """Options of `grants clear`."""

    reset: bool = opt("--reset", "move a damaged store aside and start a new one")
    """Whether a damaged store is moved aside."""


def add(parser: Parser) -> None:
    kinds = verbs(parser)
    add_described(kinds, "list", "list approvals with scope, age, uses and expiry", _add_list)
    add_described(kinds, "revoke", "revoke one approval", _add_revoke)
    add_described(kinds, "clear", "revoke all approvals", _add_clear)


def _add_list(parser: Parser) -> None:
    work = AlsoOnOpen(lambda wanted: run_list(wanted.json), _list_of_session)
    without_server(parser, ListOptions, work)


def _add_revoke(parser: Parser) -> None:
    work = AlsoOnOpen(lambda wanted: run_revoke(wanted.id), _revoke_in_session)
    without_server(parser, RevokeOptions, work)


def _add_clear(parser: Parser) -> None:
    work = AlsoOnOpen(lambda wanted: run_clear(wanted.reset), _clear_in_session)
    without_server(parser, ClearOptions, work)


def run_list(as_json: bool = False) -> int:
    """Print every remembered approval that has not expired, newest first."""
    now = time.time()
    with Store.open(now=now) as store:
        try:
            grants, clock = store.grants.all(now), store.grants.clock_words(now)
            problem = store.problem
        except StoreError as failed:
            grants, clock, problem = (), "", str(failed)
        place = visible(str(store.path))
    if as_json:
        _print_json(grants, place=place, problem=problem or None, clock=clock or None)
    elif not problem:
        _print_table(grants, now)
        for words in (clock, f"kept in {place}" if grants else ""):
            if words:
                say(words)
    return _unusable(problem) if problem else ExitStatus.OK


async def _list_of_session(options: Options, engine: Engine, wanted: ListOptions) -> int:
    """The same of a session, whose approvals may be kept nowhere; and what it denies."""
    memory = engine.memory
    grants, denied = memory.grants(), denied_of(engine)
    problem = memory.problem
    if wanted.json:
        names = [one.name for one in denied]
        _print_json(grants, denied=names, problem=problem or None)
    elif not problem:
        _print_table(grants, time.time())
    for words in () if wanted.json else (*denied_words(denied), ended_words(memory.ended)):
        if words:
            say(words)
    return _unusable(visible(problem)) if problem else ExitStatus.OK


def _print_json(grants: Sequence[Grant], **more: object) -> None:
    report = {"grants": [as_json(grant) for grant in grants], **more}
    # JSON leaves DEL as it is; it is the one control character that is not escaped.
    print(json.dumps(report, indent=2).replace("\x7f", "\\u007f"))


async def _revoke_in_session(options: Options, engine: Engine, wanted: RevokeOptions) -> int:
    grant = next((one for one in engine.memory.grants() if one.id == wanted.id), None)
    return _revoked(wanted.id, grant is not None and engine.consent.revoke(grant))


async def _clear_in_session(options: Options, engine: Engine, wanted: ClearOptions) -> int:
    if wanted.reset:
        raise UsageError("--reset is for a store that is not in use: quit first")
    return _cleared(engine.consent.revoke_all())


def run_revoke(grant_id: int) -> int:
    """Forget one approval."""
    with Store.open() as store:
        try:
            is_revoked = store.grants.revoke(grant_id)
        except StoreError as failed:
            return _unusable(str(failed))
        if store.problem:
            return _unusable(store.problem)
    return _revoked(grant_id, is_revoked)


def _revoked(grant_id: int, is_revoked: bool) -> int:
    if not is_revoked:
        words = f"no approval has the id {grant_id} (signoff grants list shows them)"
        print_error(words)
        return ExitStatus.USAGE
    say(f"approval {grant_id} is forgotten")
    return ExitStatus.OK


def run_clear(start_anew: bool = False) -> int:
    """Forget every approval; `start_anew` moves a store aside that cannot be used."""
    if start_anew:
        try:
            aside = reset()
        except StoreError as failed:
            return _unusable(str(failed))
        kept = "" if aside is None else f"; the old store is now {visible(str(aside))}"
        say(f"nothing is remembered any more{kept}")
        return ExitStatus.OK
    with Store.open() as store:
        try:
            count = store.grants.clear()
        except StoreError as failed:
            return _unusable(str(failed))
        if store.problem:
            return _unusable(store.problem)
    return _cleared(count)


def _cleared(count: int) -> int:
    say(f"{count} {'approval is' if count == 1 else 'approvals are'} forgotten")
    return ExitStatus.OK


def _print_table(grants: Sequence[Grant], now: float) -> None:
    if not grants:
        say("nothing is remembered")
    say_rows([facts(grant, now) for grant in grants])


def _unusable(problem: str) -> int:
    print_error(f"nothing is remembered: {problem}")
    return ExitStatus.STORE_UNUSABLE
