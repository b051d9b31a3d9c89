"""The sign-ins of a flow: answered as written, and compared with what they must be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ....approval.approval import BY_NO_APPROVER, Decision, approve, deny
from ....cli.approving.approvers import NO_BROWSER
from ....cli.output.results import Check
from ....content.text import count
from ....transport.sign_in.following import follow, is_followed
from ..matching import NOTHING, Judges, Match, filled_in, match_text
from ..sign_in_grammar import FOLLOW, NONE

if TYPE_CHECKING:
    import ssl

    from ....approval.sign_in import AboutSignIn, SignInRequest
    from ....content.files.tree import SourceLocation
    from ....content.json.jsonio import JsonValue
    from ....engine.engine import Engine
    from ....transport.sign_in.asking import SignInVisit
    from ..flow import Expected, SignInWanted

REFRESH_SECONDS: Final = 5.0
"""How long a refresh that is under way is waited for."""
_LOOK_SECONDS: Final = 0.02
_UNWANTED: Final = "no sign_in of the flow expects a sign-in here"
NAME: Final = "sign_in"


def filled_sign_in(wanted: SignInWanted, values: Mapping[str, JsonValue]) -> SignInWanted:
    """The same with its variables replaced. Raises UnknownVariable."""
    expected = (replace(one, value=filled_in(one.value, values)) for one in wanted.expected)
    return replace(wanted, expected=tuple(expected)) if wanted.expected else wanted


class FlowSignIns:
    """Answers the sign-ins of one server by the `sign_in` of the connection, and of each step."""

    def __init__(
        self, first: SignInWanted | None, *, is_strict: bool, verify: ssl.SSLContext | bool
    ) -> None:
        """`first` is that of the connection; `is_strict`: a sign-in that none expects is a fault.
        `verify` is how certificates of pages are checked.
        """
        self._first = first
        self._wanted = first
        self._is_strict = is_strict
        self._verify = verify
        self._asked: list[SignInRequest] = []
        self._problems: list[str] = []
        self._refreshed = 0
        """Tokens that came without a question, at the newest `sign_in`."""

    @property
    def facts(self) -> list[str]:
        """What happened, in a few words each; raw."""
        return [
            f"asked to sign in for {' '.join(one.scopes) or 'no scopes'}" for one in self._asked
        ]

    def begin(self, wanted: SignInWanted | None) -> None:
        """A step begins."""
        self._wanted = wanted
        self._asked.clear()
        self._problems.clear()

    def end(self) -> None:
        """No step runs: sign-ins are those of the connection."""
        self.begin(self._first)

    async def ask(self, question: AboutSignIn) -> Decision:
        """Answer as it is written."""
        request, wanted = question.wanted, self._wanted
        if wanted is None and not self._is_strict:
            return deny(BY_NO_APPROVER, NO_BROWSER)
        self._asked.append(request)
        if wanted is None or wanted.answer == NONE:
            return deny("you", _UNWANTED)
        if len(self._asked) > 1:
            return deny("you", "the flow expects one sign-in here")
        if wanted.answer != FOLLOW:
            return deny("you", "the flow refuses it")
        if problem := _far(request):
            self._problems.append(problem)
            return deny("you", problem)
        return approve("you")

    async def visit(self, visit: SignInVisit) -> None:
        """Follow the page, on this machine alone."""
        if problem := await follow(visit, self._verify):
            self._problems.append(problem)
            visit.cancel()

    @property
    def first(self) -> SignInWanted | None:
        """That of the connection."""
        return self._first

    async def checks(
        self, engine: Engine | None, spot: SourceLocation, judges: Judges
    ) -> list[Check]:
        """Compare what was asked since `begin`; `spot` is the place of a step without `sign_in`."""
        wanted = self._wanted
        if wanted is None:
            if not self._asked:
                return []
            return [Check(NAME, "no sign-in is asked", self._said, False, spot)]
        number = int(wanted.answer != NONE)
        expected = "one sign-in is asked" if number else "no sign-in is asked"
        is_so = len(self._asked) == number
        found = [Check(NAME, expected, self._said, is_so, wanted.spot)]
        found += [
            Check(NAME, "a page that leads back", one, False, wanted.spot) for one in self._problems
        ]
        for one in wanted.expected:
            for match in await self._matches(one, engine, judges):
                name = f"{NAME} {one.name}"
                found.append(Check(name, match.expected, match.seen, match.passed, one.spot))
        self._refreshed = refreshed(engine)
        return found

    @property
    def _said(self) -> str:
        return (
            f"{count(len(self._asked), 'sign-in')}: {'; '.join(self.facts)}"
            if self._asked
            else ("no sign-in is asked")
        )

    async def _matches(self, one: Expected, engine: Engine | None, judges: Judges) -> list[Match]:
        if one.name == "refreshed":
            return [await self._refreshes(one.value, engine)]
        request = self._asked[0] if self._asked else None
        match one.name:
            case "scopes":
                return _scopes(one.value, request.scopes if request else None)
            case "added":
                return _scopes(one.value, request.added if request else None)
            case "issuer":
                return await match_text(one.value, request.issuer if request else None, judges)
        kind = request.client_kind if request else NOTHING
        return [Match(kind == one.value, one.value, kind)]

    async def _refreshes(self, wanted: int, engine: Engine | None) -> Match:
        """Count the tokens; a refresh begins before a token ends, and may outlast the step."""
        until = time.monotonic() + REFRESH_SECONDS
        while (seen := refreshed(engine) - self._refreshed) < wanted:
            if time.monotonic() >= until:
                break
            await asyncio.sleep(_LOOK_SECONDS)
        words = f"{count(wanted, 'token')} without a question"
        return Match(seen == wanted, words, f"{count(seen, 'token')} without a question")


def refreshed(engine: Engine | None) -> int:
    """Tokens of the connection that came without a question."""
    facts = getattr(engine.link, "signed_in", None) if engine is not None else None
    return 0 if facts is None else int(facts.refreshed)


def _far(request: SignInRequest) -> str:
    """Why a flow does not sign in there; empty if everything is on this machine."""
    for one in (request.page, request.token_endpoint, request.registration_endpoint):
        if one and not is_followed(one):
            return f"a flow signs in on this machine alone, and {one} is not on it"
    return ""


def _scopes(wanted: Any, found: Sequence[str] | None) -> list[Match]:
    """Compare scopes, whose order does not count."""
    seen = NOTHING if found is None else " ".join(found) or "no scopes"
    have = set(found or ())
    if not isinstance(wanted, Mapping):
        expected = " ".join(wanted) or "no scopes"
        return [Match(found is not None and have == set(wanted), expected, seen)]
    matches = [Match(one in have, f"contains {one}", seen) for one in wanted.get("contains", ())]
    matches += [Match(one not in have, f"lacks {one}", seen) for one in wanted.get("lacks", ())]
    return matches
