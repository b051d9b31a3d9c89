"""What a refusal says: bounded, sanitised, quoted, whatever the server wrote."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.transport.http.refusals import (
    CHECK_PATH,
    SAID_MAX,
    USUAL_PATH,
    Refusal,
    beyond_status,
    said_in,
)

JSON = "application/json"
HTML = "text/html"


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b"", "", ""),
        (b" \r\n\t ", "text/plain", ""),
        (b"no\n  access\tfor you", "text/plain", "no access for you"),
        (
            b'{"error":"invalid_token","error_description":"expired"}',
            JSON,
            "invalid_token: expired",
        ),
        (
            b'{"type":"about:blank","title":"Forbidden","detail":"by rule 7"}',
            JSON,
            "Forbidden: by rule 7",
        ),
        (b'{"jsonrpc":"2.0","error":{"code":1,"message":"not you"},"id":null}', JSON, "not you"),
        (b'{"detail":[{"msg":"x"}]}', JSON, '{"detail":[{"msg":"x"}]}'),
        (b'{"message": broken', JSON, '{"message": broken'),
        (b'{"message":"no"}', "text/plain", "no"),
        (b"<html><title>A &amp; B\n</title><p>x</p>", HTML, "A & B"),
        (b"<!DOCTYPE html><h1>Blocked</h1>", "", "Blocked"),
        (
            b"<html><style>p {}</style><script>x()</script><p>Only <b>text</b></p>",
            HTML,
            "Only text",
        ),
        (b"\x89PNG\r\n", "image/png", ""),
        (b"\xff\xfe\x1b]52;c;AAAA\x07", "text/plain", "��␛]52;c;AAAA␇"),
        ("a\u202eb\u200b".encode(), "text/plain", visible("a\u202eb\u200b")),
    ],
)
def test_what_a_body_says(body: bytes, kind: str, said: str) -> None:
    assert said_in(body, kind) == said


def test_credentials_are_not_repeated_even_where_the_words_are_cut() -> None:
    body = b"x" * (SAID_MAX - 4) + b"s3cret-word"
    assert "s3c" not in said_in(body, "text/plain", ("s3cret-word",))


@pytest.mark.parametrize("said", ["Not Found", "404 Not Found", "not found.", "404"])
def test_the_status_once_more_is_nothing_said(said: str) -> None:
    assert beyond_status(said, 404) == ""
    assert beyond_status(f"{said}: /mcp", 404) != ""


@given(
    st.binary(max_size=400)
    | st.text(max_size=200).map(lambda text: json.dumps({"error": {"message": text}}).encode())
    | st.text(max_size=200).map(lambda text: b"<html><title>" + text.encode("utf-8", "replace")),
    st.sampled_from(["", JSON, HTML, "text/plain"]),
    st.sampled_from([300, 400, 401, 403, 404, 405, 429, 500, 503, 599, 999]),
    st.text(max_size=80),
)
def test_the_words_are_one_safe_line_of_bounded_length(
    body: bytes, kind: str, status: int, header: str
) -> None:
    said = said_in(body, kind)
    headers = {"www-authenticate": header, "retry-after": header, "allow": header}
    words = Refusal(status, headers, said).words
    assert words.startswith(f"the server answered {status}")
    assert visible(words) == words
    assert "\n" not in words
    assert len(words) < 12 * SAID_MAX
    # Nothing in a quotation ends it.
    assert words.count("“") == words.count("”")


@pytest.mark.parametrize(
    "body", [b"<" * 64_000, b"<title " * 9_000, b"<script>" * 8_000, b"[" * 64_000]
)
def test_a_page_that_is_made_to_be_slow_is_not(body: bytes) -> None:
    assert len(said_in(body, HTML)) <= 12 * SAID_MAX


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize(
    ("path", "advice"), [("/", USUAL_PATH), ("/api", USUAL_PATH), ("/a/mcp/", CHECK_PATH)]
)
def test_an_address_that_takes_no_messages_has_advice_on_the_path(
    status: int, path: str, advice: str
) -> None:
    assert Refusal(status, {}, "", path=path).words.endswith(advice)
    assert advice not in Refusal(500, {}, "", path=path).words
