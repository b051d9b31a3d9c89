"""The table of clients, `clients.toml`: what each does with each kind of oddity."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

OUTCOMES: Final = ("lost", "no-connection", "rejected", "hangs")
"""What a client may do, apart from taking it; the first two cost a server everything."""
_WORDS: Final = {
    "lost": "lost in",
    "no-connection": "no connection from",
    "rejected": "rejected by",
    "hangs": "never answered for",
}


@dataclass(frozen=True, slots=True)
class Client:
    """One version of a client library; `family` is its name without the version."""

    id: str
    family: str
    package: str
    version: str


@dataclass(frozen=True, slots=True)
class Table:
    """`rules`: by their code and the id of a client what it does; who takes it is left out."""

    measured: str
    clients: Mapping[str, Client]
    rules: Mapping[str, Mapping[str, str]]

    def words(self, rule: str, what: str = "") -> str:
        """Who does what: `lost in TypeScript SDK 1.32.2 and 2.4.0, AI SDK 1.0.102`.

        `what` is lost is added, such as `all 12 tools`.
        """
        said = []
        for outcome in OUTCOMES:
            concerned = [one for one, does in self.rules[rule].items() if does == outcome]
            if concerned:
                more = f": {what}" if what and outcome == "lost" else ""
                said.append(f"{_WORDS[outcome]} {self._names(concerned)}{more}")
        return "; ".join(said)

    def _names(self, ids: list[str]) -> str:
        versions: dict[str, list[str]] = {}
        for one in ids:
            client = self.clients[one]
            versions.setdefault(client.family, []).append(client.version)
        return ", ".join(f"{family} {' and '.join(of)}" for family, of in versions.items())


@cache
def client_table() -> Table:
    """The table as it was measured."""
    text = files(__package__).joinpath("clients.toml").read_text(encoding="utf-8")
    read = tomllib.loads(text)
    clients = {one: Client(one, **about) for one, about in read["clients"].items()}
    return Table(str(read["measured"]), clients, read["rules"])
