"""Compares a tool with the archetype that its name suggests: differing hints, with reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.hints import Claim, Hint
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ..matrix import cell_word, column_title, overridden
from ..policies.policy import Policy
from ..policies.verdicts import Case
from . import HINTS, Archetype, ExpectedHint, Reading, archetypes, readings

MAX_LOOKED_AT: Final = 400
"""Characters of a name or title whose words are looked at."""
_WORD_SHOWN: Final = 30
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPLIT: Final = re.compile(r"[^0-9A-Za-z]+")


@frozen
class ArchetypeWord:
    """A word that suggests an archetype: `by` is name or title."""

    archetype: Archetype
    word: str
    by: str


@frozen
class Held:
    """One hint beside its archetype. `said` is the declared value, safe to show."""

    hint: str
    expected: ExpectedHint
    said: str
    counts: bool
    differs: bool
    why: str

    @property
    def words(self) -> str:
        """`readOnly not set, so it counts as false, but true is expected (…)`."""
        said = self.said
        if self.said in (Claim.NOT_SET.value, Claim.MALFORMED.value):
            said = f"{said}, so it counts as {'true' if self.counts else 'false'}"
        if self.expected is ExpectedHint.EITHER:
            return f"{self.hint} {said}, and either value fits ({self.why})"
        if self.expected is ExpectedHint.NOT_APPLICABLE:
            if not self.differs:
                return f"{self.hint} {said}, but a read-only tool ignores it ({self.why})"
            return f"{self.hint} {said}, a contradiction ({self.why})"
        if self.differs:
            return f"{self.hint} {said}, but {self.expected.value} is expected ({self.why})"
        return f"{self.hint} {said}, as expected ({self.why})"


@frozen
class Holding:
    """A tool beside the table. `told` has every word that suggests an archetype, the first
    decides.
    """

    tool: ToolDefinition
    told: tuple[ArchetypeWord, ...]
    hints: tuple[Held, ...]

    @property
    def archetype(self) -> Archetype | None:
        return self.told[0].archetype if self.told else None

    @property
    def differing(self) -> tuple[Held, ...]:
        return tuple(held for held in self.hints if held.differs)

    @property
    def decided_words(self) -> str:
        """Name the deciding word, and the other candidates; safe to show."""
        if not self.told:
            return "No archetype matches this name"
        first = self.told[0]
        decided = f"“{first.word}” in its {first.by} decides"
        others = {
            one.archetype.title: one.word
            for one in reversed(self.told[1:])
            if one.archetype is not first.archetype
        }
        if not others:
            return decided
        said = ", ".join(f"“{word}” suggests {title}" for title, word in others.items())
        return f"{decided}, as the first; {said}"

    @property
    def summary(self) -> str:
        """A few words for one line of a list."""
        if self.archetype is None:
            return "fits no archetype"
        names = [held.hint for held in self.differing]
        return f"differs: {', '.join(names)}" if names else "fits"

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The disputes that touch it."""
        archetype = self.archetype
        if archetype is None:
            return ()
        return tuple(one for one in readings() if archetype.name in one.archetypes)


@frozen
class HostSays:
    """Verdicts of a host's rules on a tool, for either value of a hint, on a trusted server."""

    host: str
    if_true: str
    if_false: str


def hold(tool: ToolDefinition) -> Holding:
    """Hold a tool against the table, by the words of its name, else of its title."""
    told = [*_told(tool.name, "name")] or [*_told(tool.title, "title")]
    archetype = told[0].archetype if told else None
    hints = () if archetype is None else tuple(_held(archetype, hint) for hint in tool.hints)
    return Holding(tool, tuple(told), hints)


def words_of(text: str) -> list[str]:
    """The words of a name, in small letters: `getUserName`, `get-user`, `GET user`."""
    short = text[:MAX_LOOKED_AT]
    return [word.casefold() for word in _SPLIT.split(_CAMEL.sub(" ", short)) if word]


def hosts_on(tool: ToolDefinition, reading: Reading, hosts: Iterable[Policy]) -> list[HostSays]:
    """Verdicts of each host's rules on the tool by either reading; its other hints stay."""
    either = [overridden(tool, {reading.hint: value}) for value in (True, False)]
    return [
        HostSays(
            visible(column_title(host)),
            *(cell_word(host.judge(Case(one, Trust.TRUSTED))) for one in either),
        )
        for host in hosts
    ]


def hosts_words(said: Sequence[HostSays]) -> str:
    """The same in a sentence: who decides otherwise, and that the others do not."""
    if not said:
        return "no host rules found"
    moved = [one for one in said if one.if_true != one.if_false]
    rest = len(said) - len(moved)
    if not moved:
        return f"each of {len(said)} sets of host rules decides the same with either value"
    words = "; ".join(
        f"{one.host}: {one.if_true} if true, {one.if_false} if false" for one in moved
    )
    return f"{words}. The other {rest} do not depend on it." if rest else f"{words}."


def holding_json(holding: Holding, hosts: Sequence[Policy]) -> dict[str, JsonValue]:
    """The shape that `signoff archetypes --json` prints of a tool."""
    archetype = holding.archetype
    return {
        "name": holding.tool.name,
        "archetype": archetype.name if archetype else None,
        "decided": holding.decided_words,
        "told_by": [
            {"word": one.word, "by": one.by, "archetype": one.archetype.name}
            for one in holding.told
        ],
        "differs": [held.hint for held in holding.differing],
        "hints": {
            held.hint: {
                "expected": held.expected.as_json(),
                "claimed": Claim(held.said).as_json(),
                "counts": held.counts,
                "differs": held.differs,
                "why": held.why,
            }
            for held in holding.hints
        },
        "readings": {
            one.name: {
                "hint": one.hint,
                "hosts": {
                    host.host: {"if_true": host.if_true, "if_false": host.if_false}
                    for host in hosts_on(holding.tool, one, hosts)
                },
            }
            for one in holding.readings
        },
    }


def table_json() -> dict[str, JsonValue]:
    """The table and the disputes, with their sources."""
    return {
        "archetypes": [
            {
                "name": one.name,
                "title": one.title,
                "means": one.means,
                "words": [" ".join(words) for words in one.words],
                "hints": {hint: one.hints[hint].value for hint in HINTS},
                "why": dict(one.why),
            }
            for one in archetypes()
        ],
        "readings": [
            {
                "name": one.name,
                "question": one.question,
                "hint": one.hint,
                "archetypes": list(one.archetypes),
                "date": one.date,
                "true": {"words": one.if_true.words, "sources": list(one.if_true.sources)},
                "false": {"words": one.if_false.words, "sources": list(one.if_false.sources)},
            }
            for one in readings()
        ],
    }


def _told(text: str, by: str) -> Iterator[ArchetypeWord]:
    """Every word of an archetype, in the order of the text; phrases before words."""
    words = words_of(text)
    at = 0
    while at < len(words):
        found = _longest(words, at)
        if found is None:
            at += 1
            continue
        archetype, length = found
        shown = visible(cut(" ".join(words[at : at + length]), _WORD_SHOWN).text)
        yield ArchetypeWord(archetype, shown, by)
        at += length


def _longest(words: Sequence[str], at: int) -> tuple[Archetype, int] | None:
    fitting = [
        (archetype, len(phrase))
        for archetype in archetypes()
        for phrase in archetype.words
        if tuple(words[at : at + len(phrase)]) == phrase
    ]
    return max(fitting, key=lambda one: one[1], default=None)


def _held(archetype: Archetype, hint: Hint) -> Held:
    expected = archetype.hints[hint.name]
    match expected:
        case ExpectedHint.EITHER:
            differs = hint.claim is Claim.MALFORMED
        case ExpectedHint.NOT_APPLICABLE:
            differs = hint.name == "destructive" and hint.claim is Claim.TRUE
        case _:
            differs = hint.effective is not (expected is ExpectedHint.TRUE)
    why = archetype.why[hint.name]
    return Held(hint.name, expected, hint.claim.value, hint.effective, differs, why)
