"""What clients do about a problem of a sign-in, read from `sign_in.toml`."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from ...content.frozen import frozen
from .table import clients

_FILE: Final = Path(__file__).with_name("sign_in.toml")


class Does(StrEnum):
    """The effect of a problem on a client that signs in."""

    REFUSES = "refuses"
    GOES_ON = "goes-on"
    GUESSES = "guesses"
    """It goes on at an address that no metadata names."""
    NOT_KNOWN = "not-known"


@frozen
class ClientSignIn:
    """One client and one problem."""

    client: str
    """Its name and version."""
    does: Does
    source: str = ""
    """The file and line, or function, that was read; empty if it is not known."""

    def as_json(self) -> dict[str, str]:
        return {"client": self.client, "does": self.does.value, "source": self.source}


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return found


def read_on() -> str:
    """The day on which the clients' code was read."""
    return str(_table()["read"])


def behaviour(code: str, variant: str = "") -> tuple[ClientSignIn, ...]:
    """Each client with a problem, libraries and hosts; empty if no client was read for it."""
    rules = [one for one in _table()["rule"] if one["code"] == code]
    exact = [one for one in rules if variant and one.get("variant") == variant]
    if not rules:
        return ()
    rule: dict[str, Any] = next(iter([*exact, *(one for one in rules if "variant" not in one)]), {})
    others: dict[str, str] = _table()["others"]
    names = {key: one.words for key, one in clients().items()} | others
    return tuple(_one(key, name, rule) for key, name in names.items())


def _one(key: str, name: str, rule: dict[str, Any]) -> ClientSignIn:
    if key not in rule:
        return ClientSignIn(name, Does.NOT_KNOWN)
    does, place = rule[key]
    file = _table()["files"][key]
    joined = f"{file}{place}" if file.endswith("/") else f"{file}:{place}"
    return ClientSignIn(name, Does(does), joined)
