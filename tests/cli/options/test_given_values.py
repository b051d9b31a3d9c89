"""Values given by name: from a file, a variable, the terminal, or the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.cli.options.arguments import (
    FILE_MAX,
    GivenValue,
    read_given_value,
    read_headers,
    repeated,
)
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import UsageError, read_target
from signoff.app.hosts.entries.transports import header_problem
from tests.approved import approved

PROSE = approved("headless")


def ask(name: str) -> str:
    return f"typed for {name}"


def test_where_a_value_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_bytes("\ufeffs3cret\r\n".encode())

    def read(source: str) -> GivenValue:
        return read_given_value("--header", f"K={source}", {"MINE": "of mine"}, ask)

    assert read(f"@{file}") == GivenValue("K", "s3cret")
    assert read("$MINE") == read("${MINE}") == GivenValue("K", "of mine")
    assert read("-") == GivenValue("K", "typed for K")
    assert read("a=b") == GivenValue("K", "a=b", is_literal=True)
    assert read("$MINE and more").is_literal


@pytest.mark.parametrize(
    ("option", "again"),
    [("K=@/f", "K=@/f"), ("K=$V", "K=$V"), ("K=-", "K=-"), ("K=s3cret", "K=-"), ("K=$V x", "K=-")],
)
def test_a_repeated_command_has_no_value(option: str, again: str) -> None:
    assert repeated(option) == again


@given(st.text(min_size=1))
def test_no_literal_value_is_repeated(value: str) -> None:
    again = repeated(f"K={value}")
    assert again == "K=-" or value.startswith(("@", "$"))


def refused(*options: str, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(UsageError) as found:
        read_headers(options, environ or {}, ask)
    return str(found.value)


def test_each_mistake_is_named_without_the_value(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * (FILE_MAX + 1))
    odd = tmp_path / "odd"
    odd.write_bytes(b"\xff\xfe")
    words = [
        refused("Authorization"),
        refused("=x"),
        refused("A=$NOWHERE"),
        refused(f"A=@{tmp_path / 'none'}"),
        refused(f"A=@{large}"),
        refused(f"A=@{odd}"),
        refused("A B=x"),
        refused("Host=x"),
        refused("A=$E", environ={"E": ""}),
        refused("A=$E", environ={"E": "s3cret\r\nX-Evil: 1"}),
        refused("A=s3crét"),
        refused("A=x", "a=y"),
    ]
    assert not any("s3cr" in one for one in words)
    PROSE.holds("mistakes in --header", "\n".join(words), FOLDER=tmp_path)


@given(st.text())
def test_what_passes_cannot_begin_another_line(value: str) -> None:
    if not header_problem("X-Key", value):
        assert value.isascii()
        assert value.isprintable()


def test_only_an_address_takes_headers() -> None:
    with pytest.raises(UsageError):
        read_target(SessionOptions(headers=("A=b",)), ("x",))
    target = read_target(SessionOptions(url="http://127.0.0.1/mcp"), headers=(("A", "b-secret"),))
    assert dict(target.headers) == {"A": "b-secret"}
    assert "b-secret" not in repr(target)
