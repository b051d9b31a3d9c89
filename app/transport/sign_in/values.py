"""Values of a discovery: what was fetched, each check with its strings, and who has to act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.labels import some_named
from ...content.text import count, shortened
from ...protocol.findings.findings import Finding, Severity, rank
from .challenge import Demand
from .fetching import Fetched

SHOWN: Final = 200
"""Characters of each value of a document that is shown."""
ITEMS_SHOWN: Final = 12
RESOURCE: Final = "protected resource metadata"
SERVER: Final = "authorization server metadata"


class Fixer(StrEnum):
    """Who has to act on a problem."""

    AUTHOR = "the server's author"
    OPERATOR = "the authorization server's operator"
    USER = "you"


@frozen
class SignInCheck:
    """One check: what was compared, by which clause, and what follows; texts are safe to show."""

    name: str
    """Stable, such as `issuer`."""
    clause: str
    """The clause of a standard behind it; the specification's section goes by the finding."""
    words: str
    """The result."""
    finding: Finding | None = None
    """None if the check passed."""
    compared: tuple[tuple[str, str], ...] = ()
    """The strings that were compared, each with what it is."""
    fixer: Fixer | None = None
    fix: str = ""
    since: str = ""
    """The revision that has the rule, if not all have it."""
    variant: str = ""
    """The kind of difference, if clients distinguish its kinds."""

    @property
    def is_passed(self) -> bool:
        return self.finding is None

    @property
    def result(self) -> str:
        return "passed" if self.finding is None else self.finding.severity.value


@frozen
class Discovery:
    """The whole discovery of one server's sign-in."""

    url: str
    """The server, without credentials."""
    demand: Demand
    fetched: tuple[Fetched, ...]
    """In the order of the requests."""
    checks: tuple[SignInCheck, ...]
    issuer: str = ""
    """The authorization server that was chosen, as the metadata has it; empty for none. Raw."""
    resource: Mapping[str, JsonValue] | None = None
    """The resource metadata that counts, as it came."""
    server: Mapping[str, JsonValue] | None = None
    """The metadata of the authorization server, as it came."""
    is_old_way: bool = False
    """Whether the way of 2025-03-26 is used: no resource metadata, the server's own origin."""

    @property
    def problems(self) -> tuple[SignInCheck, ...]:
        """Checks that did not pass, those that matter most first."""
        failed = [one for one in self.checks if one.finding is not None]
        return tuple(sorted(failed, key=lambda one: -_rank(one)))

    @property
    def has_error(self) -> bool:
        return any(_rank(one) == rank(Severity.ERROR) for one in self.checks)

    @property
    def line(self) -> str:
        """The result in one line."""
        if self.resource is None and self.server is None and self.is_old_way:
            return "the server publishes no metadata, so clients cannot sign in by themselves"
        serious = [one for one in self.problems if _rank(one) > rank(Severity.NOTE)]
        if serious and serious[0].finding is not None:
            more = f" (and {count(len(serious) - 1, 'more problem')})" if serious[1:] else ""
            who = f"; to be fixed by {serious[0].fixer}" if serious[0].fixer else ""
            return f"{serious[0].finding.message}{who}{more}"
        where = f" at {shown(self.issuer)}" if self.issuer else ""
        return f"its metadata has no problem; clients sign in{where}"


def _rank(check: SignInCheck) -> int:
    return -1 if check.finding is None else rank(check.finding.severity)


def absence(fetched: Sequence[Fetched]) -> str:
    """The kind of an absence: `absent` if each place has nothing, otherwise `unreadable`."""
    return "absent" if all(one.is_absent for one in fetched) else "unreadable"


def shown(value: JsonValue) -> str:
    """A value of a document, safe to show on one line."""
    if isinstance(value, str):
        return shortened(value, SHOWN) if value else "(empty)"
    if isinstance(value, list):
        return some_named(value, ITEMS_SHOWN, shown) or "(empty list)"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return shortened(str(value), SHOWN) if not isinstance(value, dict) else "an object"


def kind_words(value: JsonValue) -> str:
    """The type of a JSON value, with its article."""
    if value is None:
        return "null"
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "a boolean"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), "a number")


def texts(value: JsonValue) -> list[str] | None:
    """A list of strings; None for anything else."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [one for one in value if isinstance(one, str)]
    return None
