"""The baseline of `signoff decide`: a text file that is reviewed with the code.

It has a header, the hosts, one line for each client library and each tool, and one for each tool
and host. Of a server it holds names of tools, digests and hints: no title and no description. Lines
are sorted, so the same decisions give the same bytes, and a change of one decision is one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Final

from ...approval.matrix import HINT_NAMES
from ...approval.policies.verdicts import DOUBT_BY_FINDING
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, parse
from ...content.labels import some_named
from ...content.suggest import did_you_mean
from ...content.text import count, shortened
from ...protocol.hints import Claim
from ...protocol.server import Trust
from .decisions import (
    Decisions,
    ToolDecision,
    claims_of,
    decision_of,
    decision_words,
    doubts_in,
    rows_by_name,
)

VERSION: Final = 1
HEADER: Final = f"# signoff decisions {VERSION}; written by: signoff decide --write-baseline FILE"
LONGEST: Final = 16_000_000
"""Characters of a baseline."""
LONGEST_LINE: Final = 200_000
MOST_MISTAKES: Final = 30

_SHOWN: Final = 60
_HEADER: Final = re.compile(r"# signoff decisions (\d{1,9});.*")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:+-]{0,127}")
"""Names that are written as they are; every other name is a JSON string in ASCII."""
_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^ "]+')
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_CLAIMS: Final = {
    Claim.TRUE: "true",
    Claim.FALSE: "false",
    Claim.NOT_SET: "-",
    Claim.MALFORMED: "malformed",
}
_BY_WORD: Final = {word: claim for claim, word in _CLAIMS.items()}
_DOUBTS: Final = "doubts="
_TAKES: Final = {"takes": True, "loses": False}
_CONFLICT: Final = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_WRITE_AGAIN: Final = "write it again with --write-baseline"


@frozen
class BaselineTool:
    """One definition: its digest and hints, and the decision of each host, in their order."""

    name: str
    digest: str
    claims: tuple[Claim, ...]
    """In the order of HINT_NAMES."""
    doubts: tuple[str, ...]
    decisions: tuple[ToolDecision, ...]
    line: int = field(default=0, compare=False)
    """The line of the file; 0 for a tool that was not read."""


@frozen
class Baseline:
    """The decisions that were reviewed."""

    trust: Trust
    hosts: tuple[str, ...]
    """Sorted."""
    libraries: tuple[tuple[str, bool], ...]
    """Ids of client libraries, sorted, and whether each takes the list."""
    tools: tuple[BaselineTool, ...]
    """Sorted by name, then by digest."""


class BaselineError(ValueError):
    """All mistakes of a baseline, as `line 3: ...`, safe to show."""

    def __init__(self, mistakes: Sequence[tuple[int, str]]) -> None:
        ordered = sorted(mistakes, key=lambda one: one[0])[:MOST_MISTAKES]
        self.lines = [f"line {line}: {words}" for line, words in ordered]
        if more := len(mistakes) - len(ordered):
            self.lines.append(f"and {count(more, 'more mistake')}")
        super().__init__("\n".join(self.lines))


def baseline_of(decisions: Decisions) -> Baseline:
    """The baseline of present decisions. Raises JsonError for a definition without a digest."""
    order = sorted(range(len(decisions.columns)), key=lambda at: decisions.hosts[at])
    tools = []
    for name, rows in rows_by_name(decisions):
        for row in rows:
            found = decisions.decisions(row)
            tool = row.own_tool
            tools.append(
                BaselineTool(
                    name,
                    tool.digest,
                    claims_of(tool),
                    doubts_in(tool),
                    tuple(found[at] for at in order),
                )
            )
    return Baseline(
        decisions.trust,
        tuple(decisions.hosts[at] for at in order),
        tuple(sorted((one.id, one.takes) for one in decisions.libraries)),
        tuple(tools),
    )


def write_baseline(baseline: Baseline) -> str:
    """The text of the file. Raises ValueError for one that could not be read back."""
    text = "".join(f"{line}\n" for line in _lines(baseline))
    if len(text) > LONGEST or max(map(len, text.split("\n"))) > LONGEST_LINE:
        raise ValueError("the baseline would be too long to be read back")
    return text


def _lines(baseline: Baseline) -> Iterator[str]:
    yield HEADER
    yield f"trust {baseline.trust.value}"
    yield from (f"host {quoted(host)}" for host in baseline.hosts)
    for name, takes in baseline.libraries:
        yield f"library {quoted(name)} {'takes' if takes else 'loses'}"
    for tool in baseline.tools:
        name = quoted(tool.name)
        hints = (
            f"{hint}={_CLAIMS[claim]}" for hint, claim in zip(HINT_NAMES, tool.claims, strict=True)
        )
        doubts = [f"{_DOUBTS}{','.join(tool.doubts)}"] if tool.doubts else []
        yield " ".join(("tool", name, tool.digest, *hints, *doubts))
        for host, decision in zip(baseline.hosts, tool.decisions, strict=True):
            yield f"decision {name} {quoted(host)} {decision.word}"


def quoted(name: str) -> str:
    """A name as one word of a line."""
    if _PLAIN.fullmatch(name):
        return name
    return json.dumps(name, ensure_ascii=True)


def is_baseline(line: str) -> bool:
    """True if this is the first line of a baseline, of any version."""
    return _HEADER.fullmatch(line.removeprefix("\ufeff").rstrip("\r\n")) is not None


def read_baseline(text: str) -> Baseline:
    """Read a baseline. Raises BaselineError with all mistakes."""
    if len(text) > LONGEST:
        raise BaselineError([(1, f"longer than {LONGEST:,} characters")])
    return _BaselineReader().read(text)


class _BaselineReader:
    """Reads line by line, and notes mistakes instead of raising them."""

    def __init__(self) -> None:
        self._mistakes: list[tuple[int, str]] = []
        self._line = 0
        self._trust: Trust | None = None
        self._hosts: dict[str, int] = {}
        self._libraries: dict[str, bool] = {}
        self._tools: list[_HalfRead] = []
        self._unknown: set[str] = set()
        """Hosts without a line, each a mistake only once."""
        self._follows_mistake = False
        """True after a broken tool line: mistakes in its decisions are left out."""
        self._kinds: dict[str, Callable[[list[str]], None]] = {
            "trust": self._read_trust,
            "host": self._read_host,
            "library": self._read_library,
            "tool": self._read_tool,
            "decision": self._read_decision,
        }

    def read(self, text: str) -> Baseline:
        lines = text.split("\n")
        self._line = 1
        if not self._is_ours(lines[0].removeprefix("\ufeff").rstrip("\r")):
            raise BaselineError(self._mistakes)
        for number, line in enumerate(lines[1:], 2):
            self._line = number
            self._read_line(line.rstrip(" \t\r"))
        self._line = len(lines)
        if self._trust is None:
            self._wrong('the line "trust untrusted" or "trust trusted" is missing')
        hosts = tuple(sorted(self._hosts))
        for tool in self._tools:
            missing = [host for host in hosts if host not in tool.decisions]
            if missing and not tool.has_mistake:
                self._line = tool.line
                named = some_named(missing, 3, _shown)
                self._wrong(f"{_shown(tool.name)} has no decision for {named}")
        if self._mistakes or self._trust is None:
            raise BaselineError(self._mistakes)
        read = [tool.whole(hosts) for tool in self._tools]
        return Baseline(
            self._trust,
            hosts,
            tuple(sorted(self._libraries.items())),
            tuple(sorted(read, key=lambda tool: (tool.name, tool.digest))),
        )

    def _wrong(self, words: str) -> None:
        self._mistakes.append((self._line, words))

    def _is_ours(self, line: str) -> bool:
        found = _HEADER.fullmatch(line)
        if found is None:
            self._wrong(f'not a baseline of signoff decide: expected "{HEADER}"')
        elif int(found[1]) != VERSION:
            self._wrong(
                f"version {int(found[1])}: only version {VERSION} is supported; {_WRITE_AGAIN}"
            )
        else:
            return True
        return False

    def _read_line(self, line: str) -> None:
        if not line or line.startswith("#"):
            return
        if len(line) > LONGEST_LINE:
            self._wrong(f"longer than {LONGEST_LINE:,} characters")
            return
        if line.startswith(_CONFLICT):
            self._wrong(f"a conflict of a merge: resolve it, or {_WRITE_AGAIN}")
            return
        if not line.startswith("decision "):
            self._follows_mistake = False
        words = self._words(line)
        if words is None:
            self._follow_mistake()
            return
        read = self._kinds.get(words[0])
        if read is None:
            hint = did_you_mean(words[0], self._kinds)
            self._wrong(f"unknown kind of line {_shown(words[0])}{hint} ({', '.join(self._kinds)})")
            self._follow_mistake()
            return
        read(words[1:])

    def _follow_mistake(self) -> None:
        """Expect no decisions that are known to be whole until the next tool."""
        self._follows_mistake = True
        if self._tools:
            self._tools[-1].has_mistake = True

    def _words(self, line: str) -> list[str] | None:
        """The words of a line, with quoted names as they are; None after a mistake."""
        words, at = [], 0
        while at < len(line):
            found = _WORD.match(line, at)
            ends = found.end() if found else at
            if found is None or (ends < len(line) and line[ends] != " "):
                self._wrong(f"column {at + 1}: expected a word or a JSON string")
                return None
            word = found.group()
            if word.startswith('"'):
                try:
                    word = str(parse(word).value)
                except JsonError as problem:
                    self._wrong(f"column {at + 1}: not a JSON string: {problem.reason}")
                    return None
            words.append(word)
            at = ends + 1
        return words

    def _has(self, words: list[str], least: int, form: str) -> bool:
        if len(words) >= least:
            return True
        self._wrong(f"too few words: expected {form}")
        return False

    def _done(self, words: list[str], most: int, form: str) -> None:
        if len(words) > most:
            self._wrong(f"unexpected {_shown(words[most])}: expected {form}")

    def _read_trust(self, words: list[str]) -> None:
        form = "trust untrusted|trusted"
        if not self._has(words, 1, form):
            return
        known = [one.value for one in Trust]
        if words[0] not in known:
            hint = did_you_mean(words[0], known)
            self._wrong(f"unknown trust {_shown(words[0])}{hint} ({', '.join(known)})")
        elif self._trust is not None:
            self._wrong("trust is given twice")
        else:
            self._trust = Trust(words[0])
        self._done(words, 1, form)

    def _read_host(self, words: list[str]) -> None:
        form = "host NAME"
        if not self._has(words, 1, form):
            return
        if words[0] in self._hosts:
            self._wrong(f"{_shown(words[0])} is given twice, first on line {self._hosts[words[0]]}")
        if self._tools:
            self._wrong("a host comes before the first tool")
        self._hosts.setdefault(words[0], self._line)
        self._done(words, 1, form)

    def _read_library(self, words: list[str]) -> None:
        form = "library NAME takes|loses"
        if not self._has(words, 2, form):
            return
        if words[1] not in _TAKES:
            hint = did_you_mean(words[1], _TAKES)
            self._wrong(f"unknown word {_shown(words[1])}{hint} ({', '.join(_TAKES)})")
        if words[0] in self._libraries:
            self._wrong(f"{_shown(words[0])} is given twice")
        self._libraries[words[0]] = _TAKES.get(words[1], True)
        self._done(words, 2, form)

    def _read_tool(self, words: list[str]) -> None:
        form = f"tool NAME DIGEST {' '.join(f'{hint}=...' for hint in HINT_NAMES)}"
        if not self._has(words, 2 + len(HINT_NAMES), form):
            self._follows_mistake = True
            return
        name, digest, rest = words[0], words[1], words[2:]
        known = len(self._mistakes)
        if not _DIGEST.fullmatch(digest):
            self._wrong(
                f"{_shown(digest)} is an invalid digest: 64 hexadecimal digits; {_WRITE_AGAIN}"
            )
        claims = tuple(
            self._claim(hint, word) for hint, word in zip(HINT_NAMES, rest, strict=False)
        )
        rest = rest[len(HINT_NAMES) :]
        doubts: tuple[str, ...] = ()
        if rest and rest[0].startswith(_DOUBTS):
            doubts = self._doubts(rest[0].removeprefix(_DOUBTS))
            rest = rest[1:]
        self._done(rest, 0, "the end of the line")
        # One word too many or too few shifts all that follow.
        del self._mistakes[known + 1 :]
        self._tools.append(_HalfRead(name, digest, claims, doubts, self._line))

    def _claim(self, hint: str, word: str) -> Claim:
        name, _, value = word.partition("=")
        if name != hint:
            self._wrong(f"expected {hint}=..., got {_shown(word)}")
        elif value not in _BY_WORD:
            near = did_you_mean(value, _BY_WORD)
            self._wrong(f"{hint}: unknown value {_shown(value)}{near} ({', '.join(_BY_WORD)})")
        return _BY_WORD.get(value, Claim.NOT_SET)

    def _doubts(self, word: str) -> tuple[str, ...]:
        given = word.split(",")
        for one in given:
            if one not in DOUBT_BY_FINDING:
                near = did_you_mean(one, DOUBT_BY_FINDING)
                known = ", ".join(DOUBT_BY_FINDING)
                self._wrong(f"unknown doubt {_shown(one)}{near} ({known})")
        return tuple(sorted(set(given)))

    def _read_decision(self, words: list[str]) -> None:
        form = "decision TOOL HOST DECISION"
        if not self._has(words, 3, form):
            return
        name, host, word = words[:3]
        known = decision_words()
        decision = ToolDecision(decision_of("asks").outcome)
        if word in known:
            decision = decision_of(word)
        else:
            hint = did_you_mean(word, known)
            self._wrong(f"unknown decision {_shown(word)}{hint} ({', '.join(known)})")
        tool = self._tools[-1] if self._tools else None
        if host not in self._hosts:
            if host not in self._unknown:
                hint = did_you_mean(host, self._hosts)
                self._wrong(f"{_shown(host)} has no host line{hint}")
            self._unknown.add(host)
            if tool is not None:
                tool.has_mistake = True
        if self._follows_mistake:
            return
        if tool is None or tool.name != name:
            self._follow_mistake()
            near = did_you_mean(name, [one.name for one in self._tools])
            self._wrong(f"the decision on {_shown(name)} has to follow its tool line{near}")
        elif host in tool.decisions:
            self._wrong(f"{_shown(name)} has two decisions for {_shown(host)}")
        else:
            tool.decisions[host] = decision
        self._done(words, 3, form)


class _HalfRead:
    """A tool whose decisions follow."""

    def __init__(
        self, name: str, digest: str, claims: tuple[Claim, ...], doubts: tuple[str, ...], line: int
    ) -> None:
        self.name, self.digest, self.claims, self.doubts = name, digest, claims, doubts
        self.line = line
        self.has_mistake = False
        """True if a line about it is broken, so that a decision may be missing."""
        self.decisions: dict[str, ToolDecision] = {}

    def whole(self, hosts: Sequence[str]) -> BaselineTool:
        decisions = tuple(self.decisions[host] for host in hosts)
        return BaselineTool(self.name, self.digest, self.claims, self.doubts, decisions, self.line)


def _shown(word: str) -> str:
    return f'"{shortened(word, _SHOWN)}"'
