"""What an approval of a skill is bound to, and how a listed skill compares with it.

The sections that are cited are those of skills.mdx. An approval covers one set of files. It grants
no tool, lets no read run, and covers no skill inside of it ("Nested Skills").
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, digest
from ..protocol.extensions.skills import FILES_MAX, Skill
from ..protocol.findings.findings import Severity
from .grants import DAYS, SKILL_MARK, Remember, Scope

if TYPE_CHECKING:
    from .fingerprint import ServerFingerprint

FOR_A_SKILL: Final = (
    Remember(Scope.SESSION),
    *(Remember(Scope.UNTIL, days) for days in DAYS),
)
"""What can be remembered of it, the shortest first."""


@frozen
class SkillBinding:
    """The server, the URI and the content of a skill ("Content-bound approval")."""

    server_identity: str
    tool: str
    """The URI of its SKILL.md."""
    definition_digest: str
    runs: ServerFingerprint | None = None
    arguments_digest: str = ""


def skill_digest(skill: Skill) -> str:
    """SHA-256 over URI, frontmatter and every file with digest and size, in any order."""
    files: list[JsonValue] = [
        {"uri": one.uri, "digest": one.digest, "size": one.size}
        for one in sorted(skill.files, key=lambda one: (one.uri, one.digest, one.size))
    ]
    bound: dict[str, JsonValue] = {
        "skill": skill.uri,
        "frontmatter": dict(skill.frontmatter),
        "resources": "dynamic" if skill.is_dynamic else files,
    }
    return SKILL_MARK + digest(bound)


def why_not_approvable(skill: Skill, listed: Sequence[Skill] = ()) -> str:
    """Why an approval of a skill cannot be bound to its content; empty if it can.

    `listed` are all skills of the server: a URI that is listed twice names no one skill.
    """
    if skill.is_dynamic:
        return "its files have no digests"
    if len(skill.files) > FILES_MAX:
        return f"it has more than {FILES_MAX} files"
    for finding in skill.findings:
        if finding.severity is Severity.ERROR:
            return f"its entry is invalid ({finding.code})"
    if sum(one.uri == skill.uri for one in listed) > 1:
        return "its URI is listed more than once"
    return ""


class SkillState(StrEnum):
    """How a listed skill compares with what was approved."""

    APPROVED = "approved"
    CHANGED = "changed"
    """Another content was approved: that approval has ended."""
    LAPSED = "lapsed"
    """This content was approved, and the approval has expired, was revoked, or was for another
    program of the server."""
    NEW = "new"
    UNBOUND = "unbound"
    """Nothing can be approved: `why_not_approvable`."""
