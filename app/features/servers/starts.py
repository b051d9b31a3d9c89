"""`signoff servers show`, `consents`, `recent`, `forget`, `export`: one start, and kept ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from ...cli.command import without_server
from ...cli.options.arguments import ask_on_terminal, read_headers
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.output.printing import print_error, say, tell
from ...cli.targets.configured import filled_start, read_files, this_machine
from ...cli.targets.live import print_json
from ...cli.targets.targets import UsageError
from ...content.labels import iso, stamp
from ...content.text import PRINTED_BLANKS, count, shortened, visible
from ...hosts.files.choosing import NoSuchServer, choose_server
from ...hosts.files.exporting import CannotExport, export_entry
from ...hosts.files.servers import THROUGH
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


AS_LISTED: Final = "as signoff servers lists it"
CONFIG: Final[Any] = opt("--config FILE", "look for it in this file")
_HOST: Final[Any] = opt("--host NAME", "look for it in its files")


@options
class StartsShowOptions(NamedTuple):
    """Options of `servers show`."""

    name: str = opt("[HOST/]NAME", AS_LISTED)
    json: bool = AS_JSON
    config: tuple[str, ...] = CONFIG
    host: str = _HOST
    values: tuple[str, ...] = opt(
        "--value NAME=@FILE|$VAR|-", "give a value that the entry asks for"
    )
    header: tuple[str, ...] = opt("--header NAME=@FILE|$VAR|-", "give a header of the address")


@options
class StartsListOptions(NamedTuple):
    """Options of `servers consents` and `servers recent`."""

    json: bool = AS_JSON


@options
class ForgetOptions(NamedTuple):
    """Options of `servers forget`."""

    name: str | None = opt("NAME|DIGEST", nargs="?")
    all: bool = opt("--all", "forget all of them")


def add_show(parser: Parser) -> None:
    """Add the options of `signoff servers show`."""
    without_server(parser, StartsShowOptions, run_show)


def add_consents(parser: Parser) -> None:
    """Add the options of `signoff servers consents`."""
    without_server(parser, StartsListOptions, run_consents)


def add_recent(parser: Parser) -> None:
    """Add the options of `signoff servers recent`."""
    without_server(parser, StartsListOptions, run_recent)


def add_forget(parser: Parser) -> None:
    """Add the options of `signoff servers forget`."""
    without_server(parser, ForgetOptions, run_forget)


def run_show(wanted: StartsShowOptions) -> int:
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
        through = {"through": THROUGH} if found[0].entry.proxy else {}
        print_json(start_json(start) | through | {"consent": is_known})
        return ExitStatus.OK
    for one in start_facts(start, None, is_for_question=False):
        say(f"{one.label:<9}{one.words}")
    if found[0].entry.proxy:
        say(f"{'through':<9}{THROUGH} in its host; Signoff starts the real command")
    say(f"{'consent':<9}{'yes: it starts without a question' if is_known else 'not yet'}")
    say(start_note(start))
    return ExitStatus.OK


def _names(consent: StartConsent) -> tuple[str, ...]:
    """What a consent can be called: its name, its digest, and the digits that the list shows."""
    return consent.name, consent.digest, consent.digest[:DIGITS]


def run_consents(wanted: StartsListOptions) -> int:
    """Print the starts that a person has consented to, the newest first."""
    none: tuple[StartConsent, ...] = ()
    found, problem = _of_store(lambda store: store.starts.all(), none)
    if wanted.json:
        print_json({"consents": [_consent(one) for one in found], "problem": problem or None})
    elif not problem:
        for one in found:
            what = _what(one)
            say(f"{one.digest[:DIGITS]}  {_name(one.name)}  {one.host}  {stamp(one.given_at)}")
            say(f"  {visible(what)}")
            say(f"  from {visible(one.file)}")
        say(f"{count(len(found), 'consent')}" if found else "no consents are kept")
    return _unusable(problem) if problem else ExitStatus.OK


def _what(consent: StartConsent) -> str:
    """The command or the address; of a driver all its commands."""
    facts = consent.facts
    commands = "; ".join(facts.get("commands", []))
    return " ".join(facts.get("runs") or facts.get("opens") or []) or commands


def run_recent(wanted: StartsListOptions) -> int:
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
        "given_at": iso(one.given_at),
        "used_at": iso(one.used_at),
    }


def _recent(one: RecentServer) -> dict[str, Any]:
    return {
        "name": visible(one.name),
        "shown": visible(one.shown),
        "opened_at": iso(one.at),
        "outcome": visible(one.outcome) or None,
        "can_be_opened_again": bool(one.words),
    }


def _name(name: str) -> str:
    return shortened(mask_text(name), NAME_SHOWN)


@options
class ExportOptions(NamedTuple):
    """Options of `servers export`."""

    name: str = opt("[HOST/]NAME")
    target: str = opt("--for HOST", "the host to write the entry for, such as cursor")
    """The host to write for."""
    json: bool = AS_JSON
    config: tuple[str, ...] = CONFIG
    host: str = _HOST
    show_secrets: bool = opt(
        "--show-secrets", "print values that may be secret (default: a variable in their place)"
    )


def add_export(parser: Parser) -> None:
    """Add the options of `signoff servers export`."""
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
