"""The table of client libraries and their handling of each defect, read from `clients.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from ...content.frozen import frozen

_FILE: Final = Path(__file__).with_name("clients.toml")


class DefectEffect(StrEnum):
    """Effect of a defect on a client."""

    OK = "ok"
    LOST = "lost"
    """The whole list of tools is refused."""
    REJECTED = "rejected"
    """The result of a call never reaches the program."""
    NO_CONNECTION = "no-connection"
    HANGS = "hangs"
    """The client waits until its time limit."""
    NOT_TRIED = "not-tried"


class Where(StrEnum):
    """The message in which a defect is seen."""

    INITIALIZE = "initialize"
    LIST = "list"
    ANSWER = "answer"


@frozen
class Client:
    """One version of a client library, and where to get it."""

    id: str
    name: str
    version: str
    registry: str
    package: str
    measured: str

    @property
    def words(self) -> str:
        """Name and version, such as `TypeScript SDK 1.32.2`."""
        return f"{self.name} {self.version}"


@frozen
class ClientRule:
    """One kind of defect, and its effect on each client, by the id of the client."""

    code: str
    where: Where
    words: str
    fix: str
    values: Mapping[str, DefectEffect]
    is_allowed: bool = False
    """Whether the specifications allow it, so that the client is to blame."""

    def clients(self, *values: DefectEffect) -> tuple[Client, ...]:
        """The clients that make one of these of it, in the order of the table."""
        return tuple(one for one in clients().values() if self.values[one.id] in values)

    @property
    def lost_in(self) -> tuple[Client, ...]:
        """The clients in which the whole list is lost."""
        return self.clients(DefectEffect.LOST)

    @property
    def rejected_in(self) -> tuple[Client, ...]:
        """The clients in which a result never reaches the program."""
        return self.clients(DefectEffect.REJECTED, DefectEffect.HANGS)


@cache
def clients() -> Mapping[str, Client]:
    """The clients by id, in the order of the table."""
    return _read()[0]


@cache
def rules() -> Mapping[str, ClientRule]:
    """The rules by code, in the order of the table."""
    return _read()[1]


def client_words(found: Iterable[Client]) -> str:
    """Clients with their versions, as `TypeScript SDK 1.32.2 and 2.4.0, AI SDK 1.0.102`."""
    versions: dict[str, list[str]] = {}
    for one in found:
        versions.setdefault(one.name, []).append(one.version)
    return ", ".join(f"{name} {' and '.join(some)}" for name, some in versions.items())


@cache
def _read() -> tuple[Mapping[str, Client], Mapping[str, ClientRule]]:
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    measured = {one["id"]: Client(**one) for one in data["client"]}
    kinds = {one["code"]: _rule(one, tuple(measured)) for one in data["rule"]}
    return measured, kinds


def _rule(row: Mapping[str, Any], ids: tuple[str, ...]) -> ClientRule:
    values = {one: DefectEffect(row[one]) for one in ids}
    is_allowed = row.get("allowed", False)
    return ClientRule(
        row["code"], Where(row["where"]), row["words"], row["fix"], values, is_allowed
    )
