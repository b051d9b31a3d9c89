"""Where a URI leads, and what is odd about it, before anybody follows it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import hidden
from signoff.app.protocol.answers.links import URI_MAX, LinkKind, look_at, size_words

WEB = LinkKind.WEB


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("https://example.org/a", WEB),
        ("HTTP://example.org", WEB),
        ("mailto:ann@example.org", LinkKind.MAIL),
        ("file:///etc/hosts", LinkKind.FILE),
        ("demo://config/settings.json", LinkKind.OWN),
        ("vscode://file/etc/passwd", LinkKind.OWN),
        ("smb://host/share", LinkKind.OWN),
        ("javascript:alert(1)", LinkKind.NEVER),
        ("JaVaScRiPt:alert(1)", LinkKind.NEVER),
        ("data:text/html,x", LinkKind.NEVER),
        ("vbscript:x", LinkKind.NEVER),
        ("notes/1", LinkKind.MALFORMED),
        ("", LinkKind.MALFORMED),
        (" https://example.org", LinkKind.MALFORMED),
        ("java\nscript:alert(1)", LinkKind.MALFORMED),
    ],
)
def test_only_the_web_and_mail_can_be_opened_outside(uri: str, kind: LinkKind) -> None:
    facts = look_at(uri)
    assert facts.kind is kind
    assert facts.can_open is (kind in (WEB, LinkKind.MAIL))


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("https://example.org/a?b#c", "example.org"),
        ("https://example.org:8443", "example.org"),
        ("https://bank.example@evil.example/", "evil.example"),
        ("https://bank.example:443@evil.example", "evil.example"),
        ("https://a@b@evil.example/", "evil.example"),
        ("https://evil.example?@bank.example/", "evil.example"),
        ("https://evil.example#@bank.example/", "evil.example"),
        # Browsers end the host here; RFC 3986 would go on to the @.
        ("https://evil.example\\@bank.example/", "evil.example"),
        ("http://[::1]:8080/x", "[::1]"),
        ("https:///nothing", ""),
        ("https:example.org", ""),
    ],
)
def test_the_host_is_the_one_that_a_browser_would_go_to(uri: str, host: str) -> None:
    assert look_at(uri).host == host


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("https://xn--pple-43d.com/", "Punycode: xn--pple-43d is drawn as “аpple” by browsers"),
        ("https://аpple.com/", "U+0430 CYRILLIC SMALL LETTER A"),
        ("https://аpple.com/", "in ASCII the host is xn--pple-43d.com"),
        ("https://bank.example@evil.example/", "“bank.example@” before the host"),
        ("https://example.org:8443/", "port 8443 is not the usual one"),
        ("http://example.org/", "not encrypted"),
        ("https://93.184.216.34/", "a bare IPv4 address"),
        ("https://10.0.0.1/", "a private address, in your own network"),
        ("https://192.168.1.1/", "a private address"),
        ("https://[fd00::1]/", "a private address"),
        ("https://127.0.0.1/", "your own machine"),
        ("https://0.0.0.0/", "your own machine"),
        ("https://[::1]/", "your own machine"),
        ("https://[::ffff:127.0.0.1]/", "your own machine"),
        ("https://2130706433/", "which means 127.0.0.1"),
        ("https://0x7f.1/", "which means 127.0.0.1"),
        ("https://0177.0.0.1/", "which means 127.0.0.1"),
        ("https://１２７.0.0.1/", "which means 127.0.0.1"),
        ("https://169.254.169.254/", "where clouds keep credentials"),
        ("https://localhost/", "your own machine or network"),
        ("https://printer/", "your own machine or network"),
        ("https://nas.local./", "your own machine or network"),
        ("https://ex%61mple.org/", "percent-encoded"),
        ("https://example.org/\u202ecod.exe", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("mailto:a@example.org?bcc=b@example.org", "more recipients"),
        ("mailto:a@example.org?body=hello", "the server wrote subject or text"),
        ("file://server/share", "names the host “server”"),
    ],
)
def test_what_is_odd_is_said(uri: str, words: str) -> None:
    assert any(words in caution for caution in look_at(uri).cautions), look_at(uri).cautions


@pytest.mark.parametrize(
    "uri", ["https://example.org/", "https://example.org:443/a", "https://sub.example.co.uk/?q=1"]
)
def test_nothing_is_said_of_what_is_usual(uri: str) -> None:
    assert look_at(uri).cautions == ()


@pytest.mark.parametrize(
    "uri",
    [
        *("https://example.org/a b", "https://example.org/\n", "https://example.org/\x00"),
        *("https://example.org/\u200b", "https://example.org/%zz", "https://example.org/`id`"),
        *("https://evil.example\\@bank.example/", "https://ex%61mple.org/", "https://exam。ple/"),
        *("https://[::1]evil.example/", "https://example.org:99999/"),
        *("https://example.org:8080x/", "https://", "https://" + "a" * URI_MAX),
        "mailto:a@example.org?attach=/etc/passwd",
        "mailto:a@example.org?Attachment=/etc/passwd",
        *("mailto:a@example.org?subject=x%0D%0ABcc:b@example.org", "file:///etc/passwd"),
    ],
)
def test_what_no_program_should_be_given_is_never_opened(uri: str) -> None:
    facts = look_at(uri)
    assert not facts.can_open
    assert facts.why_not


def test_the_path_of_a_file_is_shown_as_it_is_on_the_disk() -> None:
    assert look_at("file:///etc/my%20file?x#y").path == "/etc/my file"
    assert look_at("file://localhost/etc/hosts").path == "/etc/hosts"


@given(st.text() | st.text(alphabet="htps:/@.%[]xn-0123\\?#"))
def test_any_text_is_taken_apart(text: str) -> None:
    for uri in (text, f"https://{text}", f"mailto:{text}", f"file:{text}", f"{text}://{text}"):
        facts = look_at(uri)
        assert facts.uri == uri
        assert not any(hidden(words) for words in (*facts.cautions, facts.why_not))
        if facts.can_open:
            assert facts.kind in (WEB, LinkKind.MAIL)
            assert not hidden(uri)
            assert not any(char.isspace() for char in uri)
            assert uri[0].isalpha()
        if facts.can_open and facts.kind is WEB:
            assert facts.host


@pytest.mark.parametrize(
    ("claim", "words", "is_size"),
    [
        (None, "", True),
        (0, "0 bytes", True),
        (1, "1 byte", True),
        (999, "999 bytes", True),
        (4_404_019, "4.4 MB (4,404,019 bytes)", True),
        (5.0, "5 bytes", True),
        (-5, "an impossible size: -5", False),
        (0.5, "a size that is not a number of bytes: 0.5", False),
        (True, "a size that is not a number of bytes: true", False),
        ("4\u202e2", 'a size that is not a number of bytes: "4\\u202e2"', False),
        ({"a": 1}, 'a size that is not a number of bytes: {"a":1}', False),
        (10**18, "an impossible size: 1000000000000000000", False),
    ],
)
def test_sizes_are_said_in_full_and_malformed_ones_quoted(
    claim: JsonValue, words: str, is_size: bool
) -> None:
    assert size_words(claim) == (words, is_size)


def test_a_number_that_cannot_be_written_is_no_size() -> None:
    words, is_size = size_words(10**5000)
    assert not is_size
    assert len(words) < 200
