"""`signoff servers show`, `consents`, `recent`, `forget`, `export`: one start, and kept ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeVar

from ...cli.command import without_server
from ...cli.options.arguments import ask_on_terminal, read_headers
from ...cli.options.parser import Parser
from ...cli.options.server import add_json
from ...cli.output.printing import print_error, say, tell
from ...cli.targets.configured import filled_start, read_files, this_machine
from ...cli.targets.live import print_json
from ...cli.targets.targets import UsageError
from ...content.labels import stamp
from ...content.text import PRINTED_BLANKS, count, shortened, visible
from ...hosts.files.choosing import NoSuchServer, choose_server
from ...hosts.files.exporting import CannotExport, export_entry
from ...hosts.table import UnknownHost, host_named
from ...presentation.exit_status import ExitStatus
from ...presentation.starts import start_facts, start_json, start_note
from ...schemas.secrets.masks import mask_text
from ...storage.starts import RecentServer, StartConsent
from ...storage.state_dir import StoreError
from ...storage.store import Store

DIGITS: Final = 16
"""Digits of a digest in the list of consents."""

Found = TypeVar("Found")
NAME_SHOWN = 40


class ShowOptions(NamedTuple):
    """Options of `servers show`."""

    name: str
    json: bool = False
    config: tuple[str, ...] = ()
    host: str = ""
    values: tuple[str, ...] = ()
    header: tuple[str, ...] = ()


class ListOptions(NamedTuple):
    """Options of `servers consents` and `servers recent`."""

    json: bool = False


class ForgetOptions(NamedTuple):
    """Options of `servers forget`."""

    name: str | None = None
    all: bool = False


def add_places(parser: Parser) -> None:
    """Add the options on where a server is looked for."""
    parser.add_argument(
        "--config", metavar="FILE", action="append", default=[], help="look for it in this file"
    )
    parser.add_argument("--host", metavar="NAME", default="", help="look for it in its files")


def add_show(parser: Parser) -> None:
    """Add the options of `signoff servers show`."""
    parser.add_argument("name", metavar="[HOST/]NAME", help="as signoff servers lists it")
    add_json(parser)
    add_places(parser)
    parser.add_argument(
        "--value",
        dest="values",
        metavar="NAME=@FILE|$VAR|-",
        action="append",
        default=[],
        help="give a value that the entry asks for",
    )
    parser.add_argument(
        "--header",
        metavar="NAME=@FILE|$VAR|-",
        action="append",
        default=[],
        help="give a header of the address",
    )
    without_server(parser, ShowOptions, run_show)


def add_consents(parser: Parser) -> None:
    """Add the options of `signoff servers consents`."""
    add_json(parser)
    without_server(parser, ListOptions, run_consents)


def add_recent(parser: Parser) -> None:
    """Add the options of `signoff servers recent`."""
    add_json(parser)
    without_server(parser, ListOptions, run_recent)


def add_forget(parser: Parser) -> None:
    """Add the options of `signoff servers forget`."""
    parser.add_argument("name", nargs="?", metavar="NAME|DIGEST")
    parser.add_argument("--all", action="store_true", help="forget all of them")
    without_server(parser, ForgetOptions, run_forget)


def run_show(wanted: ShowOptions) -> int:
    """Print what would be started, its digest, and whether a person has consented to it."""
    machine = this_machine()
    files = read_files(wanted.config, wanted.host, machine)
    try:
        found = choose_server(files, wanted.name, folder=machine.folder)
    except NoSuchServer as problem:
        raise UsageError(str(problem)) from None
    given = read_headers(wanted.header, os.environ, ask_on_terminal)
    headers = [(one.name, one.value) for one in given]
    start = filled_start(found, machine, wanted.values, headers)
    none: tuple[StartConsent, ...] = ()
    kept, _ = _of_store(lambda store: store.starts.all(), none)
    is_known = any(one.digest == start.digest for one in kept)
    if wanted.json:
        print_json(start_json(start) | {"consent": is_known})
        return ExitStatus.OK
    for one in start_facts(start, None, is_for_question=False):
        say(f"{one.label:<9}{one.words}")
    say(f"{'consent':<9}{'yes: it starts without a question' if is_known else 'not yet'}")
    say(start_note(start))
    return ExitStatus.OK


def _names(consent: StartConsent) -> tuple[str, ...]:
    """What a consent can be called: its name, its digest, and the digits that the list shows."""
    return consent.name, consent.digest, consent.digest[:DIGITS]


def run_consents(wanted: ListOptions) -> int:
    """Print the starts that a person has consented to, the newest first."""
    none: tuple[StartConsent, ...] = ()
    found, problem = _of_store(lambda store: store.starts.all(), none)
    if wanted.json:
        print_json({"consents": [_consent(one) for one in found], "problem": problem or None})
    elif not problem:
        for one in found:
            what = " ".join(one.facts.get("runs") or one.facts.get("opens") or [])
            say(f"{one.digest[:DIGITS]}  {_name(one.name)}  {one.host}  {stamp(one.given_at)}")
            say(f"  {visible(what)}")
            say(f"  from {visible(one.file)}")
        say(f"{count(len(found), 'consent')}" if found else "no consents are kept")
    return _unusable(problem) if problem else ExitStatus.OK


def run_recent(wanted: ListOptions) -> int:
    """Print the servers that were opened last."""
    none: tuple[RecentServer, ...] = ()
    found, problem = _of_store(lambda store: store.recents.all(), none)
    if wanted.json:
        print_json({"servers": [_recent(one) for one in found], "problem": problem or None})
    elif not problem:
        for one in found:
            say(f"{_name(one.name)}  {stamp(one.at)}  {visible(one.outcome) or 'open'}")
            say(f"  {visible(one.shown)}")
        say(f"{count(len(found), 'server')}" if found else "no recent servers are kept")
    return _unusable(problem) if problem else ExitStatus.OK


def run_forget(wanted: ForgetOptions) -> int:
    """Forget consents and recent servers: those of a name or a digest, or all."""
    if (wanted.name is None) is not wanted.all:
        raise UsageError("give a name or a digest of signoff servers consents, or --all")

    def forget(store: Store) -> tuple[int, int]:
        if wanted.all:
            return store.starts.clear(), store.recents.clear()
        starts = [one.digest for one in store.starts.all() if wanted.name in _names(one)]
        recents = [one.key for one in store.recents.all() if one.name == wanted.name]
        return store.starts.forget(starts), sum(map(store.recents.forget, recents))

    (starts, recents), problem = _of_store(forget, (0, 0))
    if problem:
        return _unusable(problem)
    if not (starts or recents or wanted.all):
        print_error(f"nothing is kept of {visible(wanted.name or '')}")
        return ExitStatus.USAGE
    say(f"{count(starts, 'consent')} and {count(recents, 'recent server')} forgotten")
    return ExitStatus.OK


def _of_store(read: Callable[[Store], Found], empty: Found) -> tuple[Found, str]:
    """What the store has, and why it cannot be used."""
    with Store.open() as store:
        try:
            return read(store), store.problem
        except StoreError as failed:
            return empty, str(failed)


def _unusable(problem: str) -> int:
    print_error(f"nothing is remembered: {problem}")
    return ExitStatus.STORE_UNUSABLE


def _consent(one: StartConsent) -> dict[str, Any]:
    return {
        "digest": one.digest,
        "name": visible(mask_text(one.name)),
        "host": one.host,
        "file": visible(one.file),
        "facts": {label: [visible(word) for word in words] for label, words in one.facts.items()},
        "given_at": _iso(one.given_at),
        "used_at": _iso(one.used_at),
    }


def _recent(one: RecentServer) -> dict[str, Any]:
    return {
        "name": visible(one.name),
        "shown": visible(one.shown),
        "opened_at": _iso(one.at),
        "outcome": visible(one.outcome) or None,
        "can_be_opened_again": bool(one.words),
    }


def _name(name: str) -> str:
    return shortened(mask_text(name), NAME_SHOWN)


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


class ExportOptions(NamedTuple):
    """Options of `servers export`."""

    name: str
    target: str = ""
    """The host to write for."""
    json: bool = False
    config: tuple[str, ...] = ()
    host: str = ""
    show_secrets: bool = False


def add_export(parser: Parser) -> None:
    """Add the options of `signoff servers export`."""
    parser.add_argument("name", metavar="[HOST/]NAME")
    parser.add_argument(
        "--for",
        dest="target",
        metavar="HOST",
        default="",
        help="the host to write the entry for, such as cursor",
    )
    add_json(parser)
    add_places(parser)
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="print values that may be secret (default: a variable in their place)",
    )
    without_server(parser, ExportOptions, run_export)


def run_export(wanted: ExportOptions) -> int:
    """Print the entry on standard output, and notes on standard error. Raises UsageError."""
    if not wanted.target:
        raise UsageError("for which host? Give --for HOST, such as --for cursor")
    files = read_files(wanted.config, wanted.host, this_machine())
    try:
        server, _ = choose_server(files, wanted.name)
        host = host_named(wanted.target)
        made = export_entry(server.entry, host, shows_secrets=wanted.show_secrets)
    except (NoSuchServer, UnknownHost, CannotExport) as problem:
        raise UsageError(str(problem)) from None
    if wanted.json:
        print_json(
            {
                "host": host.host,
                "file": made.path,
                "format": made.format,
                "text": _safe(made.text),
                "notes": list(made.notes),
            }
        )
        return ExitStatus.OK
    for line in _safe(made.text).split("\n"):
        say(line)
    tell(f"for {host.title}, {made.path}; it is not written there")
    for one in made.notes:
        tell(f"note: {one}")
    return ExitStatus.OK


def _safe(text: str) -> str:
    return visible(text, multiline=True, max_blanks=PRINTED_BLANKS)
