"""Skills that servers listed last, and those that a person approved last, with the texts of their
files: so each change is seen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ..approval.skill_approvals import skill_digest
from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, parse
from ..protocol.extensions.skills import Skill, read_skill
from .database import Database
from .keys import as_key, is_time, server_key
from .state_dir import StoreError

SIZE_MAX = 2_000_000
"""Characters kept of one server."""
SERVERS_MAX = 200
APPROVED_MAX = 1_000
"""Approved skills that are kept, of all servers."""


@frozen
class SkillsSeen:
    """The last look at the skills of a server."""

    entries: tuple[JsonValue, ...]
    """As they came."""
    texts: Mapping[str, str]
    """The text of each file that was read and verified, by its digest."""
    at: float
    """Seconds since the epoch."""


@frozen
class ApprovedSkill:
    """A skill as a person approved it last. Its approval may have ended since."""

    skill: Skill
    digest: str
    texts: Mapping[str, str]
    """Likewise."""
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
        entries, texts = self._read(*row)
        return SkillsSeen(entries, texts, row[1])

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
        document = _document(entries, texts)
        if document is None:
            return
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

    def approved(
        self, server_identity: str, skill: Skill, texts: Mapping[str, str], now: float
    ) -> None:
        """Keep a skill as it was approved, in place of an earlier one. Raises StoreError."""
        if self._database.problem:
            raise StoreError(self._database.problem)
        document = _document([skill.raw], texts)
        if document is None:
            raise StoreError("the entry of the skill is too large to be kept")
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO approved_skills VALUES (?, ?, ?, ?, ?)",
                [
                    server_key(server_identity),
                    as_key(skill.uri),
                    as_key(skill_digest(skill)),
                    document,
                    float(now),
                ],
            )
            connection.execute(
                "DELETE FROM approved_skills WHERE (server_digest, uri) NOT IN"
                " (SELECT server_digest, uri FROM approved_skills"
                " ORDER BY at DESC, server_digest, uri LIMIT ?)",
                [APPROVED_MAX],
            )

    def last_approved(self, server_identity: str) -> dict[str, ApprovedSkill]:
        """The skills of a server that were approved, each as it was last, by URI."""
        if self._database.problem:
            return {}
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT digest, document, at FROM approved_skills WHERE server_digest = ?",
                [server_key(server_identity)],
            ).fetchall()
        found = {}
        for digest, document, at in rows:
            entries, texts = self._read(document, at)
            skill = read_skill(entries[0]) if len(entries) == 1 else None
            if skill is None or as_key(skill_digest(skill)) != digest:
                raise self._database.damaged("an approved skill")
            found[skill.uri] = ApprovedSkill(skill, skill_digest(skill), texts, at)
        return found

    def _read(self, document: object, at: object) -> tuple[tuple[JsonValue, ...], dict[str, str]]:
        """Entries, and texts by digest. Raises StoreError, and the store ends, for others."""
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
        return tuple(entries), plain


def _document(entries: Sequence[JsonValue], texts: Mapping[str, str]) -> bytes | None:
    """The row of entries, with as many texts as there is room for; None for too large entries."""
    left = SIZE_MAX - len(json.dumps(entries))
    if left < 0:
        return None
    kept: dict[str, str] = {}
    for digest, text in texts.items():
        # A character takes up to six in JSON, such as a control character.
        left -= 6 * len(text) + len(digest)
        if left < 0:
            break
        kept[digest] = text
    return json.dumps({"entries": entries, "texts": kept}).encode("ascii")
