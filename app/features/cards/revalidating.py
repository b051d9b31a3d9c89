"""Requests a card again by its entity tag, and finds what the responses contradict.

Two requests: one with the tag of the card, one with a tag that the server cannot have given. The
rules are those of discovery.md, "Caching", and of HTTP (RFC 9110, sections 8.8.3 and 13.1.2; RFC
9111, section 5.2.2).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from ...content.text import shortened
from ...protocol.findings.findings import Finding, error, warning
from ...transport.sign_in.fetching import Fetched

UNKNOWN: Final = '"signoff-never-given"'
"""An entity tag that no server has given."""
SAME: Final = "again, by its ETag"
OTHER: Final = "again, by an unknown ETag"
NOT_MODIFIED: Final = 304
_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')
_SHOWN: Final = 60
_MAX_AGE: Final = re.compile(r"[0-9]{1,10}")

AskAgain = Callable[[str, str], Awaitable[Fetched]]
"""Requests the card again: what for, and the value of If-None-Match."""


def header(fetched: Fetched, name: str) -> str:
    """A header of a response; empty if it is not set."""
    return next((value for key, value in fetched.headers if key == name), "")


async def revalidated(card: Fetched, ask: AskAgain) -> list[Finding]:
    """Findings on the caching of a card that was fetched without a tag."""
    tag = header(card, "etag").strip()
    found = [*_about_control(header(card, "cache-control"))]
    if not tag:
        return found
    if not _TAG.fullmatch(tag):
        shown = shortened(tag, _SHOWN)
        words = f"ETag is {shown}, which is not a tag in quotes: clients drop it"
        return [*found, warning("card-caching", words)]
    found += _about_same(card, await ask(SAME, tag), tag)
    found += _about_other(await ask(OTHER, UNKNOWN))
    return found


def unasked_findings(fetched: Fetched) -> Iterator[Finding]:
    """A 304 for a request without If-None-Match: the client has no card that it could keep."""
    if fetched.status == NOT_MODIFIED:
        words = f"{fetched.url} responds with 304 to a request without If-None-Match"
        yield error("card-caching", words)


def _about_same(card: Fetched, again: Fetched, tag: str) -> Iterator[Finding]:
    shown, other = shortened(tag, _SHOWN), header(again, "etag").strip()
    if again.status == NOT_MODIFIED:
        if other and _strong(other) != _strong(tag):
            words = f"304 for ETag {shown} has ETag {shortened(other, _SHOWN)}"
            yield error("card-caching", words)
    elif again.document is None:
        words = f"with If-None-Match the card is missing: {again.outcome}"
        yield error("card-caching", words)
    elif other == tag and again.digest != card.digest:
        words = f"one ETag, {shown}, for two contents: a client keeps the old card"
        yield error("card-caching", words)
    elif other == tag:
        words = f"If-None-Match is ignored: 200 with the whole card for its own ETag {shown}"
        yield warning("card-caching", words)
    elif again.digest == card.digest:
        words = "another ETag for the same bytes: each look fetches the whole card"
        yield warning("card-caching", words)


def _about_other(again: Fetched) -> Iterator[Finding]:
    if again.status == NOT_MODIFIED:
        words = f"304 for {UNKNOWN}, which was never given: a client keeps an old card for ever"
        yield error("card-caching", words)


def _strong(tag: str) -> str:
    """A tag for the weak comparison, which is that of If-None-Match (RFC 9110, 8.8.3.2)."""
    return tag.removeprefix("W/")


def _about_control(value: str) -> Iterator[Finding]:
    """Directives with which no client can keep the card; nothing if the header is missing."""
    if not value.strip():
        return
    directives = {}
    for one in value.split(","):
        name, _, given = one.strip().partition("=")
        directives[name.strip().lower()] = given.strip().strip('"')
    for name, effect in (
        ("no-store", "no client may keep the card"),
        ("private", "no shared cache may keep a card, which is public"),
    ):
        if name in directives:
            yield warning("card-caching", f"Cache-Control has {name}: {effect}")
    age = directives.get("max-age")
    if age is None and not directives.keys() & {"no-store", "no-cache", "s-maxage"}:
        yield warning("card-caching", "Cache-Control has no max-age: its time is a guess")
    elif age is not None and not _MAX_AGE.fullmatch(age):
        shown = shortened(age, _SHOWN)
        words = f"max-age is {shown}, which is not a number of seconds"
        yield warning("card-caching", words)
