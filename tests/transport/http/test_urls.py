"""What is shown of a URL, and what a server is known by."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.http.frames import endpoint, masked
from signoff.app.transport.http.http import HttpLink
from tests.transport.webbed import Asked

Greets = Callable[[Asked], bytes]


@given(st.text("abc:@/?#%[]. \x00é", max_size=30))
def test_a_password_is_never_shown(password: str) -> None:
    url = f"http://u:{password}@host.example/mcp"
    try:
        shown, bound = masked(url), endpoint(url)
    except ValueError:
        return
    if "/" not in password and "?" not in password and "#" not in password:
        assert shown == "http://u:***@host.example/mcp"
        assert bound == "http://host.example/mcp"


@pytest.mark.parametrize(
    ("url", "bound"),
    [
        ("HTTP://Host.Example:80", "http:http://host.example/"),
        ("https://u:p@host.example:443/a?b=c#d", "http:https://host.example/a"),
        ("http://[::1]:8080/A", "http:http://[::1]:8080/A"),
        ("https://host.example:80/", "http:https://host.example:80/"),
    ],
)
def test_the_identity_is_origin_and_path(url: str, bound: str) -> None:
    assert HttpLink(url).identity == bound
