"""Where a sign-in of a person goes, by the server's metadata, and which checks were set aside."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import Finding, Severity, rank, warning
from .browser_options import LENIENT, BrowserOptions
from .challenge import Demand
from .code_flow import clashing
from .sign_in import SignInDeclined
from .tokens import SignInFailed
from .values import Discovery, SignInCheck, shown, texts

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEVER_BLOCKS: Final = frozenset(("registration", "token-auth", "dpop"))


@frozen
class SignInTarget:
    """Where a sign-in goes, and for what."""

    demand: Demand
    issuer: str
    """As the metadata of the server names it."""
    answers_as: str
    """As the authorization server names itself, which its answers have to repeat."""
    server: Mapping[str, JsonValue]
    """The metadata of the authorization server, as it came."""
    resource: str
    """What the token is for (RFC 8707)."""
    supported: tuple[str, ...]
    """The scopes that the server lists."""
    doubts: tuple[str, ...]
    """Failed checks that the person has set aside, safe to show."""

    def endpoint(self, name: str) -> str:
        """The endpoint of a name, such as `token`; empty without one."""
        value = self.server.get(f"{name}_endpoint")
        return value if isinstance(value, str) else ""

    @property
    def promises_iss(self) -> bool:
        return self.server.get("authorization_response_iss_parameter_supported") is True


def way_of(
    found: Discovery, url: str, options: BrowserOptions, notice: Callable[[Finding], None]
) -> SignInTarget:
    """Where to sign in at the server `url`, by its metadata.

    Raises SignInDeclined if that leads nowhere, and SignInFailed.
    """
    if found.server is None:
        raise SignInDeclined
    doubts = _doubts(found, options, notice)
    if options.issuer and found.issuer != options.issuer:
        raise SignInFailed(
            f"the server names the authorization server {shown(found.issuer)}, and only "
            f"{shown(options.issuer)} may be used, by --issuer"
        )
    document, itself = found.resource or {}, found.server.get("issuer")
    resource = document.get("resource")
    if isinstance(resource, str) and not all("!" <= sign <= "~" for sign in resource):
        raise SignInFailed(f"resource of the metadata is not a URI: {shown(resource)}")
    if names := clashing(found.server.get("authorization_endpoint")):
        raise SignInFailed(
            f"authorization_endpoint of {shown(found.issuer)} has {', '.join(names)} in its query "
            "already, and no parameter may come twice (RFC 6749 3.1)"
        )
    return SignInTarget(
        found.demand,
        found.issuer,
        itself if isinstance(itself, str) and itself else found.issuer,
        found.server,
        resource if isinstance(resource, str) and resource else url,
        tuple(texts(document.get("scopes_supported")) or ()),
        doubts,
    )


def lenient_words(found: Discovery) -> str:
    """How a person can go on although checks failed, as the end of a sentence; empty if that is
    not possible.
    """
    failed = [one for one in found.problems if _blocks(one, found)]
    blocking = [one.name for one in failed]
    names = {name: word for word, checks in LENIENT.items() for name in checks}
    # Another host, or another server, may be an attack: that is for a person who knows better.
    is_other = any(one.name == "resource" or one.variant == "other" for one in failed)
    if not blocking or is_other or any(one not in names for one in blocking):
        return ""
    options = " ".join(f"--lenient {names[one]}" for one in dict.fromkeys(blocking))
    return f"; to sign in as lenient clients do: {options}"


def _doubts(
    found: Discovery, options: BrowserOptions, notice: Callable[[Finding], None]
) -> tuple[str, ...]:
    """The checks that the person has set aside; raises SignInDeclined for any other one."""
    aside = {name for one in options.lenient for name in LENIENT[one]}
    doubts = []
    for one in found.problems:
        if not _blocks(one, found):
            continue
        if one.name not in aside or one.finding is None:
            raise SignInDeclined
        doubts.append(one.finding.message)
    if doubts:
        words = f"signing in although {'; '.join(doubts)} (--lenient)"
        notice(warning("sign-in-lenient", words))
    return tuple(doubts)


def _blocks(check: SignInCheck, found: Discovery) -> bool:
    """True if a sign-in must not go on after a check."""
    if check.finding is None or rank(check.finding.severity) < rank(Severity.ERROR):
        return False
    if check.name == "resource-metadata":
        # The way of 2025-03-26 has none.
        return not found.is_old_way
    return check.name not in _NEVER_BLOCKS
