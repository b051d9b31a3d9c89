"""`signoff card`: the server card of a URL, and what the live server contradicts of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

from ...cli.command import OnOpen, on_server
from ...cli.options.declared import options, within
from ...cli.options.parser import Parser
from ...cli.options.server import STRICT, FindingReports
from ...cli.options.session import LISTS
from ...cli.output.finding_reports import print_markdown, write_reports
from ...cli.output.located import located_json, print_located, status_of, suite_of
from ...cli.output.readable import Out
from ...cli.targets.live import NotConnected, Options, opened, print_json, run
from ...cli.targets.targets import UsageError
from ...content.json.jsonio import JsonValue
from ...content.text import shortened, visible
from ...engine.all_findings import LocatedFinding, in_order
from ...engine.engine import Engine
from ...engine.session_config import Target
from ...presentation.report_pages import page_of_suites
from ...presentation.server import as_json as server_json
from ...protocol.extensions.card_comparison import (
    SSE,
    STREAMABLE,
    LiveServer,
    compare_card,
    is_with_handshake,
)
from ...protocol.extensions.register import EXTENSIONS
from ...protocol.extensions.server_cards import CARDS, ServerCard
from ...protocol.findings.findings import Finding, note
from ...protocol.wire.frames import WireLog
from ...schemas.secrets.masks import mask_value
from ...transport.http.http import HttpLink
from ...transport.protocol import DISCOVER, MODERN
from ...transport.sign_in.guard import origin_of
from .finding_card import FoundCard, find_card, plain_url, requests_words

_ASK_SECONDS: Final = 10.0
_ENDPOINTS: Final = 3
"""Other endpoints of a card that are connected to."""


@options
class CardOptions(NamedTuple):
    """Options of `card`."""

    strict: bool = STRICT
    reports: FindingReports = within(FindingReports)


def add(parser: Parser) -> None:
    on_server(parser, CardOptions, run_card, uses=LISTS)


def _check(options: Options) -> None:
    """Raise UsageError unless there can be a card."""
    target = options.config.target
    if CARDS not in target.experimental:
        raise UsageError(f"server cards are a draft: turn them on with --experimental {CARDS}")
    if not target.url:
        raise UsageError("a server card is at a URL: give --url URL")


async def _work(options: Options, engine: Engine, wanted: CardOptions) -> int:
    """Fetch the card of an open server, and compare it; returns the exit status."""
    _check(options)
    return await _compared(options, engine, wanted, await find_card(options.config.target))


def _alone(options: Options, wanted: CardOptions) -> int:
    _check(options)
    return run(_fetched_first(options, wanted))


async def _fetched_first(options: Options, wanted: CardOptions) -> int:
    """Fetch the card before the connection, as clients do; also one that fails is reported."""
    found = await find_card(options.config.target)
    failed: list[Engine] = []
    try:
        async with opened(options, failed.append, asks_person=False) as engine:
            return await _compared(options, engine, wanted, found)
    except NotConnected as problem:
        if found.card is None or not failed:
            raise
        words = f"the server was not reached: {shortened(str(problem), 200)}"
        return _tell(options, failed[0], wanted, found, [note("card-not-compared", words)])


run_card = OnOpen(_work, before=lambda wanted: wanted, alone=_alone)
"""Fetch the card of a URL, and compare it with the live server; returns the exit status."""


async def _compared(options: Options, engine: Engine, wanted: CardOptions, found: FoundCard) -> int:
    compared: list[Finding] = []
    if found.card is not None:
        compared += compare_card(found.card, await _live(options, engine, found.card))
    return _tell(options, engine, wanted, found, compared)


async def _live(options: Options, engine: Engine, card: ServerCard) -> LiveServer:
    """What the connection showed; the versions are those of `server/discover` if it is there."""
    server, info = engine.server, engine.server.info or {}
    spoken: tuple[str, ...] = (server.version,)
    speaks_all = options.config.target.protocol in ("auto", MODERN)
    handshake: str | None = None if server.version == MODERN else server.version
    if server.version == MODERN:
        answer = await engine.link.ask(DISCOVER, {}, _ASK_SECONDS)
        told = answer.get("supportedVersions") if isinstance(answer, dict) else None
        if isinstance(told, list):
            spoken = tuple(one for one in told if isinstance(one, str))
        if any(is_with_handshake(one) and one not in spoken for one in card.versions):
            handshake = await _negotiated(options)
            spoken += (handshake,) if handshake else ()
    raws = [one.raw for one in engine.tools]
    tools = (
        None if engine.definitions.missing else tuple(one for one in raws if isinstance(one, dict))
    )

    def text(key: str) -> str:
        value: JsonValue = info.get(key)
        return value if isinstance(value, str) else ""

    target, link = options.config.target, engine.link
    icons = info.get("icons")
    listed = icons if isinstance(icons, list) else []
    sources = (one.get("src") for one in listed if isinstance(one, dict))
    kind = SSE if isinstance(link, HttpLink) and link.uses_sse else STREAMABLE
    if target.transport == "sse":
        kind = ""
    return LiveServer(
        plain_url(target.url),
        text("name"),
        text("version"),
        text("title"),
        text("description"),
        spoken,
        speaks_all,
        handshake,
        tools,
        text("websiteUrl"),
        tuple(one for one in sources if isinstance(one, str)),
        kind,
        _sent_headers(target),
        await _unreached(options, card),
    )


def _sent_headers(target: Target) -> frozenset[str]:
    """Names of the headers that the person gave, or that a sign-in may have added."""
    names = {name.lower() for name, _ in target.headers}
    if target.browser is not None or target.credentials is not None:
        names.add("authorization")
    return frozenset(names)


async def _unreached(options: Options, card: ServerCard) -> dict[str, str]:
    """Connect to other endpoints of the card, and return why each failed, by URL.

    At the same origin only, without headers and sign-in of the person. A server that requires a
    sign-in is there.
    """
    target = options.config.target
    own, origin = plain_url(target.url).rstrip("/"), origin_of(target.url)
    urls = [one.url for one in card.remotes if one.kind in ("", STREAMABLE, SSE)]
    others = [
        url
        for url in dict.fromkeys(urls)
        if "{" not in url and url.rstrip("/") != own and origin_of(url) == origin
    ]
    found = {}
    for url in others[:_ENDPOINTS]:
        there = replace(
            target, url=url, headers=(), credentials=None, browser=None, shown=(), wire=WireLog()
        )
        failed: list[Engine] = []
        config = replace(
            options.config,
            target=there,
            connect_timeout=min(options.config.connect_timeout, _ASK_SECONDS),
            keeps_audit=False,
            keeps_memory=False,
        )
        try:
            async with opened(replace(options, config=config), failed.append, asks_person=False):
                pass
        except NotConnected as problem:
            if not any(one.server.needs_sign_in for one in failed):
                found[url] = shortened(str(problem).partition("\n")[0], 200)
    return found


async def _negotiated(options: Options) -> str:
    """What a second connection negotiates that begins with `initialize`; empty if it fails."""
    target = replace(options.config.target, protocol="legacy", wire=WireLog())
    config = replace(options.config, target=target, audit=None)
    try:
        async with opened(replace(options, config=config), asks_person=False) as engine:
            return engine.server.version
    except NotConnected:
        return ""


def _tell(
    options: Options,
    engine: Engine,
    wanted: CardOptions,
    found: FoundCard,
    compared: list[Finding],
) -> int:
    seen = [LocatedFinding("the card", one) for one in (*found.findings, *compared)]
    seen = in_order(list(dict.fromkeys(seen)))
    status = status_of(seen, is_strict=wanted.strict)
    hiding, reports = options.hiding(engine), wanted.reports
    name, tools = engine.server.name, len(engine.tools)
    suite = suite_of("card", name, ["the card"], seen, is_strict=wanted.strict)
    write_reports("card", [suite], reports, hiding.text, tools=tools, status=status)
    if options.as_json:
        print_json(_report(options, engine, found, seen, status))
    elif reports.markdown:
        print_markdown(page_of_suites("card", [suite]), hiding.text)
    else:
        _print(engine, Out(hiding), found, seen)
    return status


def _report(
    options: Options,
    engine: Engine,
    found: FoundCard,
    seen: list[LocatedFinding],
    status: int,
) -> dict[str, Any]:
    hiding = options.hiding(engine)
    raw: JsonValue = None if found.card is None else dict(found.card.raw)
    if not options.shows_secrets:
        raw = mask_value(raw).value
    fetched = [
        {"url": one.url, "place": one.why, "status": one.status, "outcome": one.outcome}
        for one in found.fetched
    ]
    return {
        "server": server_json(engine, hiding),
        "revision": EXTENSIONS[CARDS].revision,
        "requests": hiding.value(fetched),
        "found_at": hiding.value(found.url or None),
        "place": found.place or None,
        "card": hiding.value(raw),
        "findings": hiding.value([located_json(one, engine.server.version) for one in seen]),
        "exit_status": status,
        "masked": hiding.report(),
    }


def _print(engine: Engine, out: Out, found: FoundCard, seen: list[LocatedFinding]) -> None:
    draft = EXTENSIONS[CARDS]
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    if engine.server.version:
        out.line(("         ", ""), (f"protocol {engine.server.protocol_words}", "dim"))
    for at, words in enumerate(requests_words(found.fetched)):
        out.line(("         " if at else "asked    ", "dim"), (words, "dim"))
    if found.card is not None:
        where = found.place if found.url in found.place else f"{found.url}: {found.place}"
        out.line(("card     ", "dim"), (where, ""))
        for label, words in _facts(found.card):
            out.line((f"{label:<9}", "dim"), (shortened(words, 200), ""))
    out.line(
        ("draft    ", "dim"), (f"{draft.name} {draft.revision[:8]}; a card decides nothing", "dim")
    )
    out.blank()
    print_located(out, seen, engine.server.version)


def _facts(card: ServerCard) -> list[tuple[str, str]]:
    found = [("name", card.name), ("version", card.version), ("title", card.title)]
    found.append(("about", card.description))
    found += [
        ("remote", f"{one.url}  {one.kind}  {', '.join(one.versions)}".rstrip())
        for one in card.remotes
    ]
    return [(label, words) for label, words in found if words]
