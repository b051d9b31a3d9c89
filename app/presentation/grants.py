"""A remembered approval, or a denial of this session: its facts and its JSON."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..approval.grants import SKILL_MARK, Grant, Scope
from ..approval.questions.server_lines import bound_lines
from ..content.frozen import frozen
from ..content.labels import ago, iso, stamp
from ..content.text import count, shortened, visible
from ..content.texts.facts import Fact, FactPlace

if TYPE_CHECKING:
    from ..engine.engine import Engine

NAME_SHOWN: Final = 40
"""Characters of a name in a cell."""
OF_SKILL: Final = {
    Scope.SESSION: "this skill, this session",
    Scope.UNTIL: "this skill, until a date",
}
"""The scopes of an approval of a skill, in words."""


@frozen
class DeniedTool:
    """A tool that is denied for this session; its exact name."""

    name: str


Remembered: TypeAlias = Grant | DeniedTool


def denied_of(engine: Engine) -> list[DeniedTool]:
    """All that is denied in this session: tools, and requests of the server."""
    return [DeniedTool(name) for name in (*engine.memory.denied, *engine.requests.muted)]


def facts(row: Remembered, now: float) -> list[Fact]:
    """Word an approval or a denial; `now` is in seconds of the epoch."""
    if isinstance(row, DeniedTool):
        return [
            Fact("covers", "denied, this session"),
            _name("tool", row.name),
            Fact("arguments", "any", FactPlace.DETAIL),
        ]
    return list(_facts(row, now))


def _facts(grant: Grant, now: float) -> Iterator[Fact]:
    yield Fact("id", str(grant.id))
    yield _name("tool", grant.tool)
    yield _name("server", grant.server_name)
    for line in identity_lines(grant.masked_server):
        yield Fact("", line, FactPlace.DETAIL)
    yield Fact("covers", scope_words(grant))
    for label, words in bound_lines(grant.runs):
        yield Fact(label, words, FactPlace.BELOW)
    if grant.is_of_skill:
        digest = grant.definition_digest.removeprefix(SKILL_MARK)
        yield _digest("content", digest, "another file or frontmatter ends it")
    else:
        yield _digest("definition", grant.definition_digest, "any other definition asks again")
    if grant.arguments_digest is not None:
        yield _digest("arguments", grant.arguments_digest, "any others ask again")
    yield Fact("given", ago(grant.given_at, now))
    yield Fact("uses", count(grant.uses, "use"))
    yield Fact("last used", _last_used(grant, now))
    yield Fact("ends", "with its session" if grant.expires_at is None else stamp(grant.expires_at))


def scope_words(grant: Grant) -> str:
    """What an approval covers."""
    return OF_SKILL[grant.scope] if grant.is_of_skill else grant.scope.value


def _name(label: str, name: str) -> Fact:
    return Fact(label, visible(name), short=shortened(name, NAME_SHOWN))


def _digest(label: str, digest: str, effect: str) -> Fact:
    return Fact(label, f"sha256 {digest[:16]}; {effect}", FactPlace.DETAIL)


def _last_used(grant: Grant, now: float) -> str:
    return "never" if grant.last_used_at is None else ago(grant.last_used_at, now)


def denied_words(denied: Iterable[DeniedTool]) -> Iterator[str]:
    """Each denial as a sentence."""
    for one in denied:
        yield f"{shortened(one.name, NAME_SHOWN)} is denied for this session, with any arguments"


def ended_words(names: Iterable[str]) -> str:
    """Name the approvals that ended in this session; empty for none."""
    shown = ", ".join(map(visible, names))
    return f"ended in this session, since the definition changed: {shown}" if shown else ""


def identity_lines(identity: str) -> list[str]:
    """Describe the identity that an approval is bound to; a command as words."""
    try:
        _, folder, variables, argv, *names = json.loads(identity)
        command = shlex.join(argv)
    except (ValueError, TypeError):
        return [visible(identity)]
    lines = [visible(command), f"in the folder {visible(str(folder))}"]
    if variables:
        lines.append(f"with the variables {visible(', '.join(map(str, variables)))}")
    if names:
        lines.append(f"as the server {visible(', '.join(map(str, names)))} of several")
    return lines


def as_json(grant: Grant) -> dict[str, Any]:
    """The same as JSON, with whole digests."""
    return {
        "id": grant.id,
        "kind": "skill" if grant.is_of_skill else "tool",
        "scope": scope_words(grant),
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
