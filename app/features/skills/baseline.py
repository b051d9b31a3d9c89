"""The baseline of `signoff skills`: a file of JSON with the approved skills, for review with code.

It has the entries without members that an approval is not bound to. Skills and files are sorted, so
that the same skills give the same bytes, and a changed file is one line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...approval.skill_approvals import SkillState, skill_digest, why_not_approvable
from ...content.json.jsonio import JsonError, Limits, parse
from ...content.text import shortened
from ...protocol.extensions.skills import Skill, read_skill
from ...storage.skills import ApprovedSkill
from .approving import SkillStanding

FORMAT: Final = "signoff-skills"
VERSION: Final = 1
LONGEST: Final = 16_000_000
"""Bytes of a baseline."""


class SkillBaselineError(ValueError):
    """A file is not a baseline; the reason is safe to show."""


def baseline_text(skills: Sequence[Skill]) -> str:
    """The text of a baseline. Raises SkillBaselineError for a skill that cannot be approved."""
    for one in skills:
        if why := why_not_approvable(one, skills):
            raise SkillBaselineError(f"{shortened(one.uri or one.name, 100)}: {why}")
    kept = [
        {
            "uri": one.uri,
            "frontmatter": dict(one.frontmatter),
            "resources": [
                {"uri": file.uri, "digest": file.digest, "size": file.size}
                for file in sorted(one.files, key=lambda file: file.uri)
            ],
        }
        for one in sorted(skills, key=lambda one: one.uri)
    ]
    text = json.dumps({"format": FORMAT, "version": VERSION, "skills": kept}, indent=1)
    # JSON leaves DEL as it is; it is the one control character that is not escaped.
    text = text.replace("\x7f", "\\u007f") + "\n"
    if len(text) > LONGEST:
        raise SkillBaselineError("the skills are too many for a baseline")
    return text


def read_baseline(data: bytes) -> dict[str, Skill]:
    """The skills of a baseline, by URI. Raises SkillBaselineError."""
    try:
        parsed = parse(data, Limits(size=LONGEST))
    except JsonError as problem:
        raise SkillBaselineError(f"not JSON: {shortened(problem.reason, 200)}") from None
    if parsed.duplicates:
        raise SkillBaselineError(f"{shortened(str(parsed.duplicates[0]), 60)} occurs twice")
    value: Any = parsed.value
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise SkillBaselineError(f"not a baseline of signoff skills (format is not {FORMAT})")
    if value.get("version") != VERSION:
        raise SkillBaselineError("a version that this Signoff does not read")
    entries = value.get("skills")
    if not isinstance(entries, list):
        raise SkillBaselineError("skills is not an array")
    found: dict[str, Skill] = {}
    for at, entry in enumerate(entries):
        skill = read_skill(entry)
        why = why_not_approvable(skill)
        if why or not skill.uri or skill.uri in found:
            raise SkillBaselineError(f"skills[{at}]: {why or 'its URI is missing or occurs twice'}")
        found[skill.uri] = skill
    return found


def standings_by(
    baseline: Mapping[str, Skill], listed: Sequence[Skill]
) -> tuple[SkillStanding, ...]:
    """Compare each listed skill with a baseline, in their order."""
    return tuple(_standing(one, listed, baseline.get(one.uri)) for one in listed)


def _standing(skill: Skill, listed: Sequence[Skill], known: Skill | None) -> SkillStanding:
    before = None if known is None else ApprovedSkill(known, skill_digest(known), {}, 0.0)
    if before is not None and before.digest != skill_digest(skill):
        words = "the baseline has another content"
        return SkillStanding(skill, SkillState.CHANGED, words, before)
    if why := why_not_approvable(skill, listed):
        return SkillStanding(skill, SkillState.UNBOUND, why, before)
    if before is None:
        return SkillStanding(skill, SkillState.NEW, "the baseline does not have it")
    return SkillStanding(skill, SkillState.APPROVED, "by the baseline", before)
