"""A remembered approval as a row of its table: written, sealed, and read again."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..approval.grants import Grant
from ..approval.what_runs import WhatRuns, read_what_runs
from ..schemas.secrets.commands import mask_identity
from ..schemas.secrets.secrets import mask_text
from .database import Database
from .keys import as_key, as_text, is_time, seal

COLUMNS = """id, server_digest, server_name, server_shown, tool, definition, arguments, session,
    given_at, expires_at, uses, last_used_at, seal, runs"""
MARKS = ",".join("?" * len(COLUMNS.split(",")))
Row: TypeAlias = tuple[Any, ...]


def values_of(grant: Grant) -> list[Any]:
    """What a grant covers and for how long, as it is kept: from `server_digest` on."""
    given_at = float(grant.given_at)
    expires_at = None if grant.expires_at is None else float(grant.expires_at)
    if expires_at is None and grant.session is None:
        raise ValueError("a remembered approval ends with a session or at a time")
    if not is_time(given_at) or not (expires_at is None or is_time(expires_at)):
        raise ValueError("not the times of an approval")
    return [
        as_key(grant.server_digest),
        as_key(mask_text(grant.server_name)),
        as_key(mask_identity(grant.server_shown)),
        as_key(grant.tool),
        as_key(grant.definition_digest),
        None if grant.arguments_digest is None else as_key(grant.arguments_digest),
        None if grant.session is None else as_key(grant.session),
        given_at,
        expires_at,
        None if grant.runs is None else as_key(grant.runs.text),
    ]


def seal_of(values: list[Any]) -> str:
    """The seal of a row, so that a flipped bit never makes it cover something else."""
    # As it was before there was anything to say of what runs.
    return seal(values[:-1] if values[-1] is None else values)


class GrantRows:
    """Reads rows; one that is not as it was written ends the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, row: Row) -> Grant:
        """Raises StoreError, and the store ends, where a row is not as it was written."""
        uses, used_at, sealed, runs = row[10:]
        counts = isinstance(uses, int) and (used_at is None or is_time(used_at))
        if not counts or sealed != seal_of([*row[1:10], runs]):
            raise self._database.damaged(f"approval {row[0]}")
        return Grant(
            id=row[0],
            server_digest=self.text(row[1]),
            server_name=self.text(row[2]),
            server_shown=self.text(row[3]),
            tool=self.text(row[4]),
            definition_digest=self.text(row[5]),
            arguments_digest=None if row[6] is None else self.text(row[6]),
            session=None if row[7] is None else self.text(row[7]),
            given_at=row[8],
            expires_at=row[9],
            uses=uses,
            last_used_at=used_at,
            runs=None if runs is None else self._what_runs(row[0], runs),
        )

    def _what_runs(self, number: object, kept: bytes) -> WhatRuns:
        try:
            return read_what_runs(self.text(kept))
        except ValueError:
            raise self._database.damaged(f"approval {number}") from None

    def text(self, key: bytes) -> str:
        """A text of a row; likewise."""
        try:
            return as_text(key)
        except (AttributeError, UnicodeDecodeError):
            raise self._database.damaged("text that cannot be read") from None
