"""What the metadata of a server may let Signoff request."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.sign_in.guard import Zone, guard_of, zone_of, zone_of_host

PUBLIC = ("https://mcp.example.com/mcp", "93.184.216.34")
HERE = ("http://127.0.0.1:8000/mcp", "127.0.0.1")
LAN = ("http://10.0.0.5/mcp", "10.0.0.5")


def why(server: tuple[str, str], url: str) -> str:
    guard = guard_of(*server)
    assert guard is not None
    return guard.why_not(url)


@pytest.mark.parametrize(
    "url",
    [
        *("http://169.254.169.254/latest/meta-data", "https://169.254.169.254/"),
        *("https://[fd00:ec2::254]/", "https://10.0.0.1/", "https://192.168.1.1/"),
        *("https://127.0.0.1/", "https://127.1/", "https://0x7f000001/", "https://2130706433/"),
        *("https://017700000001/", "https://[::1]/", "https://[::ffff:10.0.0.1]/"),
        *("https://[64:ff9b::a00:1]/", "https://localhost/", "https://db.localhost/"),
        *("https://0.0.0.0/", "http://127.0.0.1:22/", "http://as.example.com/"),
        *("https://user:password@as.example.com/", "javascript:alert(1)", "file:///etc/passwd"),
        *("data:application/json,{}", "ftp://as.example.com/", "//as.example.com/"),
        *("as.example.com", "https://", "https://as.example.com:0/"),
        *("https://as.example.com:99999/", "https://as.example.com/\r\nHost: x"),
        *("https://as.example.com\\@10.0.0.1/", f"https://as.example.com/{'x' * 3_000}"),
    ],
)
def test_a_public_server_cannot_let_signoff_request_this(url: str) -> None:
    assert why(PUBLIC, url)


@pytest.mark.parametrize(
    ("server", "url", "may"),
    [
        (PUBLIC, "https://as.example.com/x", True),
        (PUBLIC, "https://mcp.example.com/.well-known/oauth-protected-resource/mcp", True),
        (PUBLIC, "https://93.184.216.34/", True),
        (HERE, "http://127.0.0.1:9000/x", True),
        (HERE, "http://localhost:9000/x", True),
        (HERE, "https://10.0.0.1/x", True),
        (HERE, "https://as.example.com/x", True),
        (LAN, "http://10.0.0.5/.well-known/oauth-protected-resource", True),
        (LAN, "https://10.0.0.6/x", True),
        (LAN, "http://127.0.0.1:22/", False),
        (LAN, "http://10.0.0.6/x", False),
        (HERE, "http://10.0.0.1/x", False),
        (HERE, "http://169.254.169.254/", False),
    ],
)
def test_what_may_be_requested(server: tuple[str, str], url: str, may: bool) -> None:
    assert (why(server, url) == "") is may


def test_the_address_that_a_name_resolves_to_counts() -> None:
    guard = guard_of(*PUBLIC)
    assert guard is not None
    assert guard.why_not_address("as.example.com", "93.184.216.35") == ""
    assert "10.0.0.1" in guard.why_not_address("as.example.com", "10.0.0.1")
    # The server's own name must not lead inside in the meantime.
    assert guard.why_not_address("mcp.example.com", "127.0.0.1")
    own = guard_of("https://mcp.example.com/", "169.254.1.1")
    assert own is not None
    assert own.why_not_address("mcp.example.com", "169.254.1.1") == ""


def test_a_server_behind_a_proxy_counts_by_its_name() -> None:
    behind, here = guard_of("https://a.example/", ""), guard_of("http://localhost/", "")
    assert behind is not None
    assert here is not None
    assert (behind.zone, here.zone) == (Zone.PUBLIC, Zone.LOOPBACK)


@given(st.ip_addresses(v=4))
def test_an_address_is_in_the_same_place_however_it_is_written(address: IPv4Address) -> None:
    zone = zone_of(str(address))
    assert zone_of_host(str(int(address))) is zone
    assert zone_of_host(hex(int(address))) is zone
    assert zone_of(f"::ffff:{address}") is zone


@given(st.text(max_size=60))
def test_any_text_gets_an_answer(text: str) -> None:
    guard = guard_of(*PUBLIC)
    assert guard is not None
    guard.why_not(text)
    guard.why_not(f"https://{text}/")
    zone_of(text)
