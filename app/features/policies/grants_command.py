"""`signoff grants`: lists remembered approvals and revokes them."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...approval.grants import Grant
from ...approval.questions.server_lines import bound_lines
from ...cli.command import AlsoOnOpen, without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser, add_described, verbs
from ...cli.options.server import AS_JSON
from ...cli.output.printing import print_error, say
from ...cli.targets.targets import UsageError
from ...content.labels import ago, iso, stamp
from ...content.text import shortened, visible
from ...presentation.exit_status import ExitStatus
from ...storage.store import Store, StoreError, reset

if TYPE_CHECKING:
    from ...cli.targets.live import Options
    from ...engine.engine import Engine

NAME_SHOWN = 40
_HEADINGS = ("id", "tool", "server", "covers", "given", "uses", "last used", "ends")


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
    grants, denied = memory.grants(), memory.denied
    problem = memory.problem
    if wanted.json:
        _print_json(grants, denied=denied, problem=problem or None)
    elif not problem:
        _print_table(grants, time.time())
    for name in () if wanted.json else denied:
        say(f"denied for this session: {_short(name)}")
    return _unusable(visible(problem)) if problem else ExitStatus.OK


def _print_json(grants: Sequence[Grant], **more: object) -> None:
    report = {"grants": [_report(grant) for grant in grants], **more}
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
        return
    from rich.cells import cell_len

    rows = [_HEADINGS, *(_row(grant, now) for grant in grants)]
    columns = zip(*rows, strict=True)
    widths = [min(max(map(cell_len, column)), NAME_SHOWN) for column in columns]
    for row, grant in zip(rows, [None, *grants], strict=True):
        cells = [
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        ]
        say("  ".join(cells).rstrip())
        for label, words in bound_lines(grant.runs if grant is not None else None):
            say(f"{'':<{widths[0]}}  {label:<11}  {words}")


def _row(grant: Grant, now: float) -> tuple[str, ...]:
    ends = "with its session" if grant.expires_at is None else stamp(grant.expires_at)
    return (
        str(grant.id),
        _short(grant.tool),
        _short(grant.server_name),
        grant.scope.value,
        ago(grant.given_at, now),
        str(grant.uses),
        "never" if grant.last_used_at is None else ago(grant.last_used_at, now),
        ends,
    )


def _report(grant: Grant) -> dict[str, Any]:
    return {
        "id": grant.id,
        "scope": grant.scope.value,
        "server": grant.server_name,
        "server_digest": grant.server_digest,
        "server_shown": grant.masked_server,
        "tool": grant.tool,
        "definition_digest": grant.definition_digest,
        "arguments_digest": grant.arguments_digest,
        "runs": grant.runs.as_json() if grant.runs is not None else None,
        "for_session": grant.session is not None,
        "given_at": iso(grant.given_at),
        "expires_at": None if grant.expires_at is None else iso(grant.expires_at),
        "uses": grant.uses,
        "last_used_at": None if grant.last_used_at is None else iso(grant.last_used_at),
    }


def _short(text: str) -> str:
    return shortened(text, NAME_SHOWN)


def _unusable(problem: str) -> int:
    print_error(f"nothing is remembered: {problem}")
    return ExitStatus.STORE_UNUSABLE
