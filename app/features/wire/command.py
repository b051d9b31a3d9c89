"""`signoff wire CAPTURE`: shows a captured session on the screen, as lines, as JSON or as a
page.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NamedTuple

from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.output.printing import print_error, say
from ...cli.output.report_files import STANDARD_OUTPUT, write_report
from ...cli.process import why_plain
from ...cli.targets.given_files import given_capture
from ...platforms.output import other_charset
from ...presentation.exit_status import ExitStatus
from ...protocol.wire.capture import CapturedLog, listed_schemas
from ...protocol.wire.export import read_filter
from ...protocol.wire.frames import Frame
from ...protocol.wire.rows import NO_MATCH, Showing, WireBook
from ...storage.state_dir import shown


@options
class WireOptions(NamedTuple):
    """Options of `wire CAPTURE`."""

    capture: str = opt("CAPTURE", "a file written by --capture")
    words: tuple[str, ...] = opt(
        "FILTER",
        "show only messages with these words, method:NAME, call:N, from:server or error",
        nargs="*",
    )
    """Of the filter."""
    json: bool = opt("--json", "print the messages as lines of a capture", rivals="shapes")
    html: str = opt(
        "--html FILE",
        "write the messages as one page of HTML to FILE (-: print it)",
        rivals="shapes",
    )
    """The file that takes it as a page; empty for none."""
    plain: bool = opt(
        "--plain", "print one line for each message (default without a terminal)", rivals="shapes"
    )


def add(parser: Parser) -> None:
    without_server(parser, WireOptions, run_wire)
    parser.set_defaults(adjust_words=_adjust_words)


def _adjust_words(parser: Parser, given: argparse.Namespace, rest: list[str]) -> list[str]:
    """Take words that come after options, too; returns unknown words."""
    if any(word.startswith("-") for word in rest):
        return rest
    given.words += rest
    return []


def run_wire(work: WireOptions) -> int:
    """Show the wire traffic of a capture; returns the exit status."""
    place = Path(work.capture).expanduser()
    words = " ".join(work.words)
    try:
        wanted = read_filter(words)
        capture = given_capture(place)
    except ValueError as problem:
        return _usage(str(problem))
    schemas = listed_schemas(capture)
    if _has_screen(work):
        from ...cli.targets.session import read_policy_setting
        from ...platforms.vanishing import hang_up_with_terminal
        from ...storage.settings.file import load_settings
        from .listing import CapturedWire
        from .screen import run

        hang_up_with_terminal()
        source = CapturedWire(place.name, CapturedLog(capture), schemas)
        return run(source, words, read_policy_setting(load_settings(os.environ))[0])
    log = CapturedLog(capture, kept=sys.maxsize)
    book = WireBook(log)
    book.update(log.count)
    frames = [one for one in book.frames if wanted.matches(one, book)]
    showing = Showing(book, schemas.get)
    if not frames and not work.html:
        print_error(NO_MATCH if words else "the file has no messages")
    return _write(work, frames, book, showing, place.name)


def _write(
    work: WireOptions, frames: list[Frame], book: WireBook, showing: Showing, name: str
) -> int:
    if work.html:
        from ...calls.answer_files import NotSaved, place_of, save_file
        from ...protocol.wire.export import wire_page

        page = wire_page(frames, book, showing, name)
        if work.html == STANDARD_OUTPUT:
            write_report("--html", work.html, b"".join(page).decode("utf-8"))
            return ExitStatus.OK
        try:
            written = save_file(place_of(work.html), page)
        except NotSaved as problem:
            return _usage(f"--html {shown(work.html)}: {problem.reason}")
        say(f"{shown(written.place)}: {len(frames):,} messages, secrets masked")
    elif work.json:
        from ...protocol.wire.export import json_lines

        for line in json_lines(frames, showing):
            sys.stdout.write(line.decode("utf-8"))
    else:
        from ...protocol.wire.export import plain_line
        from ...protocol.wire.rows import row_of

        for frame in frames:
            say(plain_line(row_of(frame, book, showing)))
    return ExitStatus.OK


def _has_screen(work: WireOptions) -> bool:
    """True if it goes onto the screen: if there is one that can be drawn on."""
    if work.html or work.json or work.plain:
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    # Some terminals may take bytes of UTF-8 for control characters.
    return not why_plain(os.environ.get("TERM", "")) and not other_charset()


def _usage(problem: str) -> int:
    print_error(problem)
    return ExitStatus.USAGE
