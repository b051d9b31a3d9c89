"""Rules of a policy on requests of the server: elicitation, URL visits, sampling, roots.

No policy makes up an answer: a rule on elicitation or sampling asks or refuses. Roots are sent
without asking, so a rule on them allows or refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar, Final, Protocol

from ...content.frozen import frozen
from ...protocol.answers.links import LinkKind, look_at
from ...protocol.server import Trust
from ...protocol.server_requests.capabilities import ELICITATION, ROOTS, SAMPLING
from ...protocol.server_requests.elicitation import Elicitation, secrets_asked
from ...protocol.server_requests.sampling import Sampling
from .rule_text import REQUESTS
from .rules import NameGlobs, Then, quoted, with_or

MAY_SAY: Final = {
    ELICITATION: (Then.ASK, Then.REFUSE),
    SAMPLING: (Then.ASK, Then.REFUSE),
    ROOTS: (Then.ALLOW, Then.REFUSE),
}
FORM, URL = "form", "url"


@frozen
class RequestCase:
    """Facts that a policy may know of one request of a server. None: not known."""

    asks: str
    """One of REQUESTS."""
    trust: Trust
    server: str = ""
    """The configured name."""
    mode: str = ""
    """Of an elicitation."""
    host: str | None = ""
    """The host of the page to visit, in lower case; empty for other requests."""
    asks_for_secret: bool = False
    """Whether a field of the form looks like a secret."""
    gives_tools: bool = False
    """Whether the model may ask for tools."""


def case_of_request(asked: Elicitation | Sampling | None, server: str, trust: Trust) -> RequestCase:
    """The case of a request as it was read; None means a request for the list of roots."""
    match asked:
        case Sampling():
            return RequestCase(SAMPLING, trust, server, gives_tools=bool(asked.tools))
        case Elicitation(mode="url"):
            return RequestCase(ELICITATION, trust, server, mode=URL, host=_host(asked.url))
        case Elicitation():
            secret = bool(secrets_asked(asked))
            return RequestCase(ELICITATION, trust, server, mode=FORM, asks_for_secret=secret)
        case None:
            return RequestCase(ROOTS, trust, server)


def _host(url: str) -> str | None:
    facts = look_at(url)
    if facts.kind is not LinkKind.WEB or not facts.can_open or not facts.host:
        return None
    return facts.host.casefold().rstrip(".")


class RequestCondition(Protocol):
    """One thing that a rule demands of a request."""

    def matches(self, case: RequestCase) -> bool | None:
        """None if the case has too few facts to decide."""
        ...

    def why_not(self, case: RequestCase) -> str:
        """The reason why it does not hold, in words that are safe to show."""
        ...

    @property
    def words(self) -> str:
        """Describe the condition, in words that are safe to show."""
        ...


class NamedBy(StrEnum):
    """The name that a `RequestNameCondition` tests; the value is its key in a file."""

    SERVER = "server"
    HOST = "host"


@frozen
class RequestNameCondition:
    """The configured name of the server, or the host of the page, fits one of the globs."""

    of: NamedBy
    globs: NameGlobs

    def matches(self, case: RequestCase) -> bool | None:
        name = self._name(case)
        return None if name is None else bool(name) and self.globs.fit(name)

    def why_not(self, case: RequestCase) -> str:
        name = self._name(case)
        if not name:
            return "its address has no host" if name is None else "it has no page"
        if self.matches(case) is None:
            return f"the name of the {self.of} is too long to test"
        return f"the {self.of} is {quoted(name)}, not {with_or(map(quoted, self.globs.globs))}"

    @property
    def words(self) -> str:
        return f"{self.of} {with_or(map(quoted, self.globs.globs))}"

    def _name(self, case: RequestCase) -> str | None:
        return case.server if self.of is NamedBy.SERVER else case.host


@frozen
class ChoiceCondition:
    """The trust of the server, or the mode of the elicitation."""

    of: str
    """`trust` or `mode`."""
    value: str

    def matches(self, case: RequestCase) -> bool:
        return self._actual(case) == self.value

    def why_not(self, case: RequestCase) -> str:
        subject = "server" if self.of == "trust" else self.of
        return f"the {subject} is {self._actual(case)}"

    @property
    def words(self) -> str:
        return f"{self.of} {self.value}"

    def _actual(self, case: RequestCase) -> str:
        return case.trust.value if self.of == "trust" else case.mode


@frozen
class SecretCondition:
    """Tests whether a field of the form looks like a secret."""

    wanted: bool

    def matches(self, case: RequestCase) -> bool:
        return case.asks_for_secret is self.wanted

    def why_not(self, case: RequestCase) -> str:
        return f"{'no' if self.wanted else 'a'} field of it looks like a secret"

    @property
    def words(self) -> str:
        return f"{'a' if self.wanted else 'no'} field that looks like a secret"


@frozen
class ToolsCondition:
    """Tests whether the sampling request offers tools to the model."""

    wanted: bool

    def matches(self, case: RequestCase) -> bool:
        return case.gives_tools is self.wanted

    def why_not(self, case: RequestCase) -> str:
        return f"the model is given {'no ' if self.wanted else ''}tools"

    @property
    def words(self) -> str:
        return f"{'' if self.wanted else 'no '}tools for the model"


@frozen
class RequestRule:
    """One rule on requests of a server. It applies if every condition holds."""

    number: int
    """Its place in the policy, from 1, among the rules of every kind."""
    then: Then
    on: frozenset[str]
    """Some of REQUESTS."""
    name: str = ""
    reason: str = ""
    conditions: tuple[RequestCondition, ...] = ()
    line: int = 0
    reviews_result: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """`rule 2: no secrets`."""
        return f"rule {self.number}: {self.name}" if self.name else f"rule {self.number}"

    @property
    def is_unconditional(self) -> bool:
        return not self.conditions

    @property
    def demands(self) -> tuple[object, ...]:
        """Equal for rules that apply to the same cases."""
        return (self.on, self.conditions)

    @property
    def words(self) -> str:
        """Describe its conditions, in words that are safe to show."""
        return "; ".join((f"on {on_words(self.on)}", *(one.words for one in self.conditions)))

    def matches(self, case: RequestCase) -> bool:
        return not self.why_not(case)

    def why_not(self, case: RequestCase) -> tuple[str, ...]:
        """Everything that keeps it from matching, in words; empty if it matches."""
        if case.asks not in self.on:
            return (f"the rule is on {on_words(self.on)}",)
        return tuple(one.why_not(case) for one in self.conditions if self._fails(one.matches(case)))

    def _fails(self, held: bool | None) -> bool:
        """True if a condition keeps the rule from matching; an unknown one only helps a refusal."""
        return held is False or (held is None and self.then is not Then.REFUSE)


def on_words(on: Iterable[str]) -> str:
    """`elicitation or roots`, in the order of REQUESTS."""
    chosen = frozenset(on)
    return with_or(one for one in REQUESTS if one in chosen)
