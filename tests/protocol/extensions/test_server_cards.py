"""Server cards: read by the schema of the draft, and compared with a live server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.protocol.extensions.card_comparison import LiveServer, compare_card
from signoff.app.protocol.extensions.server_cards import (
    CARD_TYPE,
    CATALOG_TYPE,
    SCHEMA,
    header_findings,
    read_card,
)

Json = dict[str, Any]
URL = "https://a.example/mcp"
MINIMAL: Json = {
    "$schema": SCHEMA,
    "name": "example/minimal",
    "version": "1.0.0",
    "description": "The least that is valid.",
}
REMOTE: Json = {
    "type": "streamable-http",
    "url": "https://{tenant}.a.example/mcp",
    "headers": [
        {
            "name": "Authorization",
            "isRequired": True,
            "isSecret": True,
            "value": "Bearer {token}",
            "variables": {"token": {"isRequired": True, "isSecret": True}},
        }
    ],
    "variables": {"tenant": {"isRequired": True, "default": "default"}},
    "supportedProtocolVersions": ["2025-06-18", "2025-11-25"],
}
LIVE = LiveServer(URL, "minimal", "1.0.0", spoken=("2026-07-28",), speaks_all=True)
TEXTS = st.none() | st.booleans() | st.integers() | st.text(max_size=30)
JSON = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


def card(**changes: Any) -> Json:
    return {**MINIMAL, **changes}


def remote(**changes: Any) -> Json:
    return card(remotes=[{**REMOTE, **changes}])


def header(**changes: Any) -> Json:
    return remote(headers=[{**REMOTE["headers"][0], **changes}])


def found(document: Json) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in read_card(document).findings]


def without(key: str) -> Json:
    return {name: value for name, value in MINIMAL.items() if name != key}


@pytest.mark.parametrize("document", [MINIMAL, card(remotes=[REMOTE]), card(title="T", _meta={})])
def test_what_the_schema_allows_has_no_findings(document: Json) -> None:
    assert found(document) == []


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (without("$schema"), "$schema"),
        (without("name"), "name"),
        (without("version"), "version"),
        (without("description"), "description"),
        (card(name="no-slash"), "name"),
        (card(name="two/slashes/here"), "name"),
        (card(name="ab/"), "name"),
        (card(**{"$schema": SCHEMA.replace("v1", "2025-11-25")}), "$schema"),
        (card(**{"$schema": SCHEMA.replace("server-card", "server")}), "$schema"),
        *((card(version=one), "version") for one in ("^1.2.3", "~1.2", ">=1.2", "1.x", "1.*")),
        (card(version="1.0 - 2.0"), "version"),
        (card(version="1" * 256), "version"),
        (card(description=""), "description"),
        (card(description="x" * 101), "description"),
        (card(title="x" * 101), "title"),
        (card(title=1), "title"),
        (card(websiteUrl="no uri"), "websiteUrl"),
        (card(repository={"source": "github"}), "repository.url"),
        (card(repository={"url": "https://a.example"}), "repository.source"),
        (
            card(repository={"url": "https://a.example", "source": "x", "subfolder": "../a"}),
            "repository.subfolder",
        ),
        (card(icons=[{"theme": "dark"}]), "icons[0]"),
        (card(icons={}), "icons"),
        (card(icons=[{"src": "javascript:alert(1)"}]), "icons[0].src"),
        (card(icons=[{"src": "file:///etc/passwd"}]), "icons[0].src"),
        (card(icons=[{"src": "https://a.example/i.png", "sizes": ["48"]}]), "icons[0].sizes"),
        (card(icons=[{"src": "https://a.example/i.png", "mimeType": 1}]), "icons[0].mimeType"),
        (card(_meta=1), "_meta"),
        (remote(type="stdio"), "remotes[0].type"),
        (remote(url="ftp://a.example"), "remotes[0].url"),
        (remote(url="{other}/mcp"), "remotes[0].url"),
        (remote(supportedProtocolVersions=[1]), "remotes[0].supportedProtocolVersions"),
        (
            remote(variables={"tenant": {"isRequired": "yes"}}),
            "remotes[0].variables.tenant.isRequired",
        ),
        (header(format="date"), "remotes[0].headers[0].format"),
        (header(value="Bearer {other}", variables={}), "remotes[0].headers[0].value"),
    ],
)
def test_what_breaks_the_schema_is_named_by_its_place(document: Json, place: str) -> None:
    assert found(document) == [("card-invalid", f"$.{place}")]


@pytest.mark.parametrize(
    "document",
    [
        header(value="Bearer abcdef"),
        header(isSecret=False, variables={"token": {}}),
        card(description="token ghp_0123456789abcdefghijABCDEFGHIJ012345"),
        remote(variables={"tenant": {"isSecret": True, "default": "hunter2"}}),
    ],
)
def test_a_secret_in_a_card_is_found(document: Json) -> None:
    assert "card-secret" in {code for code, _ in found(document)}


def test_a_card_of_an_earlier_shape_is_read_as_such() -> None:
    old: Json = {
        "serverInfo": {"name": "minimal", "version": "1.0.0"},
        "protocolVersion": "2025-06-18",
        "transport": {"type": "streamable-http", "endpoint": URL},
        "tools": [{"name": "a", "annotations": {"readOnlyHint": True}}, {"name": "b"}],
    }
    read = read_card(old)
    assert [one.code for one in read.findings] == ["card-first-cut"]
    assert (read.name, read.versions, read.remotes[0].url) == ("minimal", ("2025-06-18",), URL)
    tools: tuple[Json, ...] = ({"name": "a", "annotations": {"readOnlyHint": False}}, {"name": "c"})
    compared = list(compare_card(read, replace(LIVE, tools=tools, spoken=("2025-06-18",))))
    assert [one.code for one in compared] == ["card-tools-differ"] * 3


@given(JSON)
def test_any_document_is_read_and_its_findings_are_safe(value: Any) -> None:
    documents = [card(remotes=[value]), card(name=value), remote(headers=value), card(icons=value)]
    documents += [{"serverInfo": {}, "transport": value, "tools": value}]
    for document in [*documents, *([value] if isinstance(value, dict) else [])]:
        read = read_card(document)
        for one in (*read.findings, *compare_card(read, LIVE)):
            assert visible(one.message) == one.message


def contradictions(changes: Json, live: LiveServer) -> list[str]:
    return [one.path for one in compare_card(read_card(card(**changes)), live)]


@pytest.mark.parametrize(
    ("name", "is_same"),
    [
        ("minimal", True),
        ("example/minimal", True),
        ("Minimal", True),
        ("other", False),
        ("example", False),
    ],
)
def test_the_name_is_that_of_the_server_with_or_without_its_namespace(
    name: str, is_same: bool
) -> None:
    assert (contradictions({}, replace(LIVE, name=name)) == []) is is_same


def test_every_value_that_differs_is_a_contradiction() -> None:
    live = replace(LIVE, version="2", title="Other", description="Other")
    assert contradictions({"title": "T"}, live) == ["$.version", "$.title", "$.description"]


def remotes(*versions: str, url: str = URL) -> Json:
    one = {"type": "streamable-http", "url": url, "supportedProtocolVersions": [*versions]}
    return {"remotes": [one]}


@pytest.mark.parametrize(
    ("promised", "handshake", "expected"),
    [
        (("2026-07-28",), None, 0),
        (("2026-07-28", "2030-01-01"), None, 1),
        (("2026-07-28", "2025-11-25"), None, 0),
        (("2026-07-28", "2025-11-25"), "2025-11-25", 0),
        (("2026-07-28", "2025-11-25"), "2025-06-18", 1),
        (("2026-07-28", "2025-03-26"), "2025-06-18", 0),
        (("2026-07-28", "2025-11-25"), "", 1),
    ],
)
def test_a_promised_version_that_is_not_spoken_is_an_error(
    promised: tuple[str, ...], handshake: str | None, expected: int
) -> None:
    live = replace(LIVE, handshake=handshake)
    assert len(contradictions(remotes(*promised), live)) == expected


def test_a_spoken_version_that_is_not_promised_is_named_once() -> None:
    live = replace(LIVE, spoken=("2026-07-28", "2025-11-25"))
    found = list(compare_card(read_card(card(**remotes("2026-07-28"))), live))
    assert [one.severity.value for one in found] == ["warning"]


@pytest.mark.parametrize(
    ("template", "is_here"),
    [
        (URL, True),
        (f"{URL}/", True),
        ("https://{host}.example/mcp", True),
        ("{base}/mcp", False),
        ("https://{a}{b}.example/{c}", False),
        ("https://{a}.{b}/{c}p", True),
        ("https://" + "{a}" * 39 + "/x", False),
        ("https://" + "{a}" * 400, False),
        ("https://a.example/other", False),
        ("https://b.example/mcp", False),
    ],
)
def test_a_remote_leads_to_the_server_or_it_is_named(template: str, is_here: bool) -> None:
    assert (contradictions(remotes(url=template), LIVE) == []) is is_here


def test_the_headers_of_the_draft_are_looked_for() -> None:
    cors = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET",
        "Access-Control-Allow-Headers": "content-type, If-None-Match",
        "Access-Control-Expose-Headers": "ETag",
    }
    whole = {
        "Content-Type": f"{CARD_TYPE}; charset=utf-8",
        "Cache-Control": "x",
        "ETag": "1",
        **cors,
    }
    assert header_findings(whole.items()) == []
    for name in whole:
        less = [(key, value) for key, value in whole.items() if key != name]
        assert [one.code for one in header_findings(less)] == ["card-headers"], name
    assert header_findings([("content-type", CATALOG_TYPE)], CATALOG_TYPE) == []


@pytest.mark.parametrize(
    ("kinds", "live", "severity"),
    [
        (["streamable-http"], "streamable-http", None),
        (["sse", "streamable-http"], "streamable-http", None),
        (["http"], "streamable-http", None),
        (["sse"], "streamable-http", "warning"),
        (["streamable-http"], "sse", "error"),
        (["streamable-http"], "", None),
    ],
)
def test_the_transport_of_the_endpoint_is_compared(
    kinds: list[str], live: str, severity: str | None
) -> None:
    read = read_card(card(remotes=[{"type": one, "url": URL} for one in kinds]))
    found = [*compare_card(read, replace(LIVE, kind=live))]
    assert [one.severity.value for one in found] == ([severity] if severity else [])


def test_headers_icons_website_and_endpoints_are_compared() -> None:
    other = "https://a.example/other"
    headers = [{"name": "X-Key", "isRequired": True}, {"name": "X-May"}]
    read = read_card(
        card(
            remotes=[
                {"type": "streamable-http", "url": URL, "headers": headers},
                {"type": "streamable-http", "url": other},
            ],
            icons=[{"src": "https://a.example/a.png"}],
            websiteUrl="https://a.example/",
        )
    )
    assert [*compare_card(read, replace(LIVE, sent=frozenset(("x-key",))))] == []
    live = replace(
        LIVE,
        icons=("https://a.example/b.png",),
        website="https://b.example/",
        unreached={other: "404 Not Found"},
    )
    found = {one.path: one.severity.value for one in compare_card(read, live)}
    assert found == {
        "$.icons": "warning",
        "$.websiteUrl": "warning",
        "$.remotes[0].headers": "warning",
        "$.remotes[1].url": "error",
    }
