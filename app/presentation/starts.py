"""The question whether a configured server may start, as lines that are safe to show."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.text import PRINTED_BLANKS, shortened, visible
from ..hosts.files.starting import AGENT, DRIVER, ServerStart
from ..hosts.table import ANY, hosts
from ..schemas.secrets.masks import PLACEHOLDER as MASKED
from ..schemas.secrets.masks import mask_text
from ..storage.starts import StartConsent
from ..transport.stdio.process import server_environment
from ..transport.stdio.program import find_program
from .openings import NOT_FOUND

LONGEST: Final = 4_000
"""Characters of a command or an address that are shown; a longer one is never started."""
RIGHTS: Final = (
    "It runs with your rights as soon as it starts. Its tools run only as the policy decides."
)
RIGHTS_OF_DRIVER: Final = (
    "They run with your rights, in an empty home and without your variables. The digest is of the "
    "whole file: after a change you are asked again."
)
RIGHTS_OF_AGENT: Final = (
    "It runs with your rights, your variables and your configuration. The digest is of the whole "
    "file: after a change you are asked again."
)
MASKED_HERE: Final = "more than in the question on a terminal, which masks nothing that could run"
SENT: Final = "The address gets these headers. Its tools run only as the policy decides."


@frozen
class StartFact:
    """One line of the question; `role` is of widgets' styles, empty for plain text."""

    label: str
    words: str
    role: str = ""


def start_title(start: ServerStart) -> str:
    """`Start github?`, or `Open github?` for an address."""
    if start.transport == DRIVER:
        what = "agent" if start.host == AGENT else "programs of the driver"
        return f"Run the {what} {name_of(start)}?"
    verb = "Start" if start.transport == "stdio" else "Open"
    return f"{verb} {name_of(start)}?"


def name_of(start: ServerStart) -> str:
    """The server's name, masked and safe to show."""
    return shortened(mask_text(start.name), 60) or "(no name)"


def read_as(host: str, scope: str) -> str:
    """How a file was read: the title of its host, and the scope that the host gives its place.

    A file that was given by its path has no place, and the scope `file`.
    """
    words = f"read as {'a file of ' if host == hosts()[ANY].title else ''}{host}"
    return words if scope == "file" else f"{words}, scope {scope}"


def start_facts(
    start: ServerStart, before: StartConsent | None, *, is_for_question: bool = True
) -> list[StartFact]:
    """All that a person has to see, with the differences from the last consent.

    Unless it is for a question, each secret in it is masked, and a line names the place of the
    whole words.
    """
    place = f"{_safe(start.file)}:{start.line}"
    found = [StartFact("from", f"{place}, {read_as(start.title, start.scope)}")]
    facts = start.facts(is_for_question=is_for_question)
    for label, words in facts.items():
        if label == "commands":
            found += [StartFact("runs", _safe(one)) for one in words]
        elif words or label not in ("uses", "loads", "writes"):
            found.append(StartFact(_shown_label(label), _words(label, words)))
        if label == "runs":
            found += _program(start)
    if facts != start.facts(is_for_question=True):
        found.append(StartFact("masked", MASKED_HERE, "warning"))
    found += _differences(start, start.facts(), before)
    found.append(StartFact("digest", start.digest))
    return found


def is_too_long(start: ServerStart) -> bool:
    """True if a person could not see all of it."""
    facts = start.facts(is_for_question=True)
    return any(len(_words(label, words)) > LONGEST for label, words in facts.items())


def start_note(start: ServerStart) -> str:
    """What the consent means."""
    if start.transport == DRIVER:
        return RIGHTS_OF_AGENT if start.host == AGENT else RIGHTS_OF_DRIVER
    return RIGHTS if start.transport == "stdio" else SENT


def start_json(start: ServerStart) -> dict[str, object]:
    """The same as JSON."""
    facts = start.facts()
    return {
        "name": visible(mask_text(start.name)),
        "host": start.host,
        "scope": start.scope,
        "file": visible(start.file),
        "line": start.line,
        "transport": start.transport,
        **(
            {"argv": _each(facts["runs"]), "folder": visible(start.folder)}
            if start.transport == "stdio"
            else {"url": _each(facts["opens"])[0]}
        ),
        "loads": _each(facts.get("loads", [])),
        "env": _each(facts.get("with", [])),
        "headers": _each(facts.get("headers", [])),
        "digest": start.digest,
    }


def _program(start: ServerStart) -> Iterator[StartFact]:
    """The file that is started, unless the command is its path."""
    path = find_program(start.argv[0], server_environment(dict(start.env)), start.folder)
    if not path:
        yield StartFact("program", NOT_FOUND, "warning")
    elif path != start.argv[0]:
        yield StartFact("program", _safe(path))


def _differences(
    start: ServerStart, facts: Mapping[str, Sequence[str]], before: StartConsent | None
) -> Iterator[StartFact]:
    if before is None:
        return
    changed = [
        label
        for label in dict.fromkeys((*facts, *before.facts))
        if list(facts.get(label, ())) != before.facts.get(label, [])
    ]
    for label in changed:
        was = _words(label, before.facts.get(label, []))
        yield StartFact("changed", f"“{_shown_label(label)}” was: {was}", "warning")
    if not changed and start.bound_to != before.bound_to:
        what = "the file" if start.scope in ("project", "file") else "the entry"
        words = f"{what} was changed since you started it last; the facts above are the same"
        yield StartFact("changed", words, "warning")
    elif not changed:
        yield StartFact("changed", "a value that is masked here", "warning")


def _shown_label(label: str) -> str:
    return {"with": "env", "commands": "runs"}.get(label, label)


def _words(label: str, words: Sequence[str]) -> str:
    if label == "runs":
        shown = " ".join(one if MASKED.fullmatch(one) else shlex.quote(one) for one in words)
    elif label == "uses":
        shown = f"your variable{'' if len(words) == 1 else 's'} {', '.join(words)}"
    elif label == "commands":
        shown = "; ".join(words)
    elif label in ("with", "headers"):
        values = "values are not shown"
        shown = f"{', '.join(words)} ({values})" if words else "none"
    else:
        shown = " ".join(words)
    return _safe(shown)


def _safe(text: str) -> str:
    return visible(text, max_blanks=PRINTED_BLANKS)


def _each(words: Sequence[str]) -> list[str]:
    return [_safe(one) for one in words]


AskStart: TypeAlias = Callable[[ServerStart, StartConsent | None], bool]
"""Asks a person whether a server may start, in any thread; with the last consent for its entry."""
