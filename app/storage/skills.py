"""The skills that servers listed last, with the texts of their files, so that changes are seen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, parse
from .database import Database
from .keys import is_time, server_key

SIZE_MAX = 2_000_000
"""Characters kept of one server."""
SERVERS_MAX = 200


@frozen
class SkillsSeen:
    """The last look at the skills of a server."""

    entries: tuple[JsonValue, ...]
    """As they came."""
    texts: Mapping[str, str]
    """The text of each file that was read and verified, by its digest."""
    at: float
    """Seconds since the epoch."""


class SkillBook:
    """Every method may be called from any thread. Without a usable store it is empty; an operation
    that fails although the store was good raises StoreError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def last(self, server_identity: str) -> SkillsSeen | None:
        """Return the last look at a server; None if there was none."""
        if self._database.problem:
            return None
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT document, at FROM skills WHERE server_digest = ?",
                [server_key(server_identity)],
            ).fetchone()
        if row is None:
            return None
        document, at = row
        try:
            kept = parse(document).value if isinstance(document, bytes) else None
        except JsonError:
            kept = None
        if not isinstance(kept, dict) or not is_time(at):
            raise self._database.damaged("the skills of a server")
        entries, texts = kept.get("entries"), kept.get("texts")
        if not isinstance(entries, list) or not isinstance(texts, dict):
            raise self._database.damaged("the skills of a server")
        plain = {key: one for key, one in texts.items() if isinstance(one, str)}
        return SkillsSeen(tuple(entries), plain, at)

    def record(
        self,
        server_identity: str,
        entries: Sequence[JsonValue],
        texts: Mapping[str, str],
        now: float,
    ) -> None:
        """Keep a listing; texts that are too large together are left out, the last ones first."""
        if self._database.problem:
            return
        listed = json.dumps(entries)
        left = SIZE_MAX - len(listed)
        if left < 0:
            return
        kept: dict[str, str] = {}
        for digest, text in texts.items():
            # A character takes up to six in JSON, such as a control character.
            left -= 6 * len(text) + len(digest)
            if left < 0:
                break
            kept[digest] = text
        document = json.dumps({"entries": entries, "texts": kept}).encode("ascii")
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO skills (server_digest, document, at) VALUES (?, ?, ?)",
                [server_key(server_identity), document, float(now)],
            )
            connection.execute(
                "DELETE FROM skills WHERE server_digest NOT IN"
                " (SELECT server_digest FROM skills ORDER BY at DESC, server_digest LIMIT ?)",
                [SERVERS_MAX],
            )
