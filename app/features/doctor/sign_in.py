"""The sign-in in the report of doctor: what was fetched, each check, and which clients go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...cli.output.readable import ROLE_STYLES, Out
from ...engine.all_findings import LocatedFinding
from ...engine.engine import Engine
from ...presentation.junit import Ending, TestCase
from ...protocol.clients.sign_in import ClientSignIn, Does, behaviour, read_on
from ...protocol.findings.findings import ROLES, SIGNS, Severity
from ...protocol.findings.spec_sections import SpecSection, section_behind
from ...transport.http.http import HttpLink
from ...transport.sign_in.signed_in import SignedIn
from ...transport.sign_in.values import Discovery, SignInCheck, shown

WHERE: Final = "the sign-in"
_DOES: Final = {
    Does.GOES_ON: "sign in anyway",
    Does.GUESSES: "guess an address",
    Does.REFUSES: "refuse",
}
_LABEL: Final = 9


async def sign_in_of(engine: Engine) -> Discovery | None:
    """The discovery of a server that required a sign-in; None for any other server."""
    link = engine.link
    return await link.sign_in() if isinstance(link, HttpLink) else None


def signed_in_of(engine: Engine) -> SignedIn | None:
    """How Signoff signed in itself; None without credentials."""
    link = engine.link
    return link.signed_in if isinstance(link, HttpLink) else None


def sign_in_findings(found: Discovery | None) -> list[LocatedFinding]:
    """The findings of a discovery."""
    checks = found.checks if found is not None else ()
    return [LocatedFinding(WHERE, one.finding) for one in checks if one.finding is not None]


def sign_in_cases(found: Discovery, failing: set[Severity]) -> Iterator[TestCase]:
    """A test case for each check."""
    for one in found.checks:
        is_failed = one.finding is not None and one.finding.severity in failing
        kind = one.finding.code if one.finding is not None and is_failed else ""
        text = "\n".join([_whole(one), *(f"{name}: {value}" for name, value in one.compared)])
        ending = Ending.FAILED if is_failed else Ending.PASSED
        shown = _whole(one) if is_failed else ""
        yield TestCase("signoff.doctor.sign-in", one.name, ending, kind, shown, text)


def _whole(check: SignInCheck) -> str:
    """The result of a check with its advice."""
    words = check.finding.message if check.finding is not None else check.words
    return f"{words}. {_fix(check)}" if check.fix else words


def _fix(check: SignInCheck) -> str:
    return f"Fix ({check.fixer}): {check.fix}" if check.fixer else check.fix


def sign_in_report(found: Discovery, version: str) -> dict[str, Any]:
    """A discovery for JSON."""
    bearer = found.demand.bearer
    return {
        "url": found.url,
        "status": found.demand.status,
        "challenge": None
        if bearer is None
        else {shown(name): shown(value) for name, value in bearer.params.items()},
        "old_way": found.is_old_way,
        "authorization_server": shown(found.issuer) if found.issuer else None,
        "fetched": [
            {
                "document": one.what,
                "url": one.url,
                "why": one.why,
                "status": one.status or None,
                "requested": not one.is_refused,
                "problem": one.problem,
                "found": one.document is not None,
            }
            for one in found.fetched
        ],
        "checks": [_check_json(one, version) for one in found.checks],
        "clients_read": read_on(),
    }


def _check_json(check: SignInCheck, version: str) -> dict[str, Any]:
    section = _section(check, version)
    return {
        "check": check.name,
        "result": check.result,
        "code": check.finding.code if check.finding is not None else None,
        "message": check.finding.message if check.finding is not None else check.words,
        "clause": check.clause,
        "specification": None if section is None else section.as_json(),
        "since": check.since or None,
        "compared": dict(check.compared),
        "fixed_by": check.fixer.value if check.fixer else None,
        "fix": check.fix,
        "clients": [one.as_json() for one in _clients(check)],
    }


def _section(check: SignInCheck, version: str) -> SpecSection | None:
    return None if check.finding is None else section_behind(check.finding.code, version)


def _clients(check: SignInCheck) -> tuple[ClientSignIn, ...]:
    return () if check.finding is None else behaviour(check.finding.code, check.variant)


def print_signed_in(out: Out, found: SignedIn) -> None:
    """Print how Signoff signed in itself."""
    head, *more = found.rows
    _row(out, "sign-in", (f"{head[0]} {head[1]}", "bold"))
    for label, words in more:
        _row(out, "", (f"{label}: ", "dim"), (words, ""))


def print_sign_in(out: Out, found: Discovery, version: str) -> None:
    """Print a discovery: the documents, the checks, and the clients."""
    _row(out, "sign-in", (f"required: {found.demand.status} by {shown(found.url)}", "bold"))
    if found.demand.has_token:
        _row(out, "", ("the request had a token, which the server did not accept", "dim"))
    label = "fetched"
    for document in found.fetched:
        _row(out, label, (document.url, ""))
        is_odd = document.document is None and not document.is_absent
        outcome = (f"  {document.outcome}", "yellow" if is_odd else "")
        _row(out, "", outcome, (f"  {document.what}: {document.why}", "dim"))
        label = ""
    label = "checks"
    for one in found.checks:
        _print_check(out, one, version, label)
        label = ""


def _print_check(out: Out, check: SignInCheck, version: str, label: str) -> None:
    finding = check.finding
    if finding is None:
        _row(out, label, ("✓ ", "green"), (f"{check.name}: {check.words}", ""), _clause(check))
        return
    style = ROLE_STYLES[ROLES[finding.severity]]
    sign = (f"{SIGNS[finding.severity]} ", style)
    _row(out, label, sign, (f"{check.name}: {finding.code}", style), _clause(check))
    _row(out, "", (f"  {check.words if check.compared else finding.message}", ""))
    width = max((len(name) for name, _ in check.compared), default=0)
    for name, value in check.compared:
        _row(out, "", (f"  {name:<{width}}  ", "dim"), (value, "bold"))
    if check.fix:
        _row(out, "", (f"  {_fix(check)}", ""))
    if (section := _section(check, version)) is not None:
        _row(out, "", (f"  {section.url}", "dim"))
    _print_clients(out, _clients(check))


def _clause(check: SignInCheck) -> tuple[str, str]:
    since = f", since {check.since}" if check.since else ""
    return (f"  ({check.clause}{since})", "dim")


def _print_clients(out: Out, found: tuple[ClientSignIn, ...]) -> None:
    """Print who goes on, guesses or refuses, each with its source."""
    for does, words in _DOES.items():
        for one in found:
            if one.does is does:
                _row(out, "", (f"  {words}: ", "dim"), (one.client, ""), (f"  {one.source}", "dim"))
    if found:
        unknown = [one.client for one in found if one.does is Does.NOT_KNOWN]
        _row(out, "", (f"  not known: {', '.join([*unknown, 'other hosts'])}", "dim"))


def _row(out: Out, label: str, *pieces: tuple[str, str]) -> None:
    out.line((f"{label:<{_LABEL}}", "dim"), *pieces)
