"""Approvals of skills: what each listed skill was approved as, and a new approval of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...approval.fingerprint import ServerFingerprint
from ...approval.grants import Grant, Remember
from ...approval.skill_approvals import (
    FOR_A_SKILL,
    SkillBinding,
    SkillState,
    skill_digest,
    why_not_approvable,
)
from ...content.frozen import frozen
from ...content.labels import stamp
from ...content.text import shortened
from ...engine.all_findings import LocatedFinding
from ...engine.engine import Engine
from ...protocol.extensions.skill_texts import LOOKED_AT
from ...protocol.extensions.skills import Skill, SkillChange, skill_changes
from ...protocol.findings.findings import Finding, Severity, error, warning
from ...storage.skills import ApprovedSkill
from .reading import SkillChecked, where

NOT_WHOLE: Final = "not every file was read and verified"


@frozen
class SkillStanding:
    """How one listed skill compares with what was approved."""

    skill: Skill
    state: SkillState
    why: str = ""
    """In words; empty if the state is enough."""
    before: ApprovedSkill | None = None
    """What was approved last, by the store or by a baseline."""
    grant: Grant | None = None
    """The approval that holds; None for none, and for one of a baseline."""

    @property
    def change(self) -> SkillChange | None:
        """The difference from what was approved; None if there is none."""
        if self.state is not SkillState.CHANGED or self.before is None:
            return None
        return next(iter(skill_changes([self.before.skill], [self.skill])), None)


def standings_of(
    engine: Engine, listed: Sequence[Skill], runs: ServerFingerprint | None
) -> tuple[SkillStanding, ...]:
    """Compare each skill with the remembered approvals of this server, in their order.

    `runs` is the program that listed them.
    """
    approved = engine.memory.skills_approved()
    return tuple(_standing(engine, one, listed, approved.get(one.uri), runs) for one in listed)


def _standing(
    engine: Engine,
    skill: Skill,
    listed: Sequence[Skill],
    before: ApprovedSkill | None,
    runs: ServerFingerprint | None,
) -> SkillStanding:
    why = why_not_approvable(skill, listed)
    if before is not None and before.digest != skill_digest(skill):
        words = f"another content was approved on {stamp(before.at)}"
        return SkillStanding(skill, SkillState.CHANGED, words, before)
    if why:
        return SkillStanding(skill, SkillState.UNBOUND, why, before)
    grant = engine.memory.grant_for(binding_of(engine, skill, runs))
    if grant is not None:
        is_dated = grant.expires_at is not None
        lasts = f"until {stamp(grant.expires_at or 0.0)}" if is_dated else "for this session"
        return SkillStanding(skill, SkillState.APPROVED, lasts, before, grant)
    if before is not None:
        words = "the approval ended: expired, revoked, or something changed in between"
        return SkillStanding(skill, SkillState.LAPSED, words, before)
    return SkillStanding(skill, SkillState.NEW)


def binding_of(engine: Engine, skill: Skill, runs: ServerFingerprint | None) -> SkillBinding:
    """What an approval of a skill of this server is bound to."""
    return SkillBinding(engine.server.identity, skill.uri, skill_digest(skill), runs)


def why_not_now(checked: SkillChecked | None, listed: Sequence[Skill]) -> str:
    """Why a skill cannot be approved after this look at its files; empty if it can."""
    if checked is None:
        return NOT_WHOLE
    skill = checked.skill
    if why := why_not_approvable(skill, listed):
        return why
    read = {one.uri for one in checked.files if one.is_verified}
    if checked.stopped_by is not None or any(one.uri not in read for one in skill.files):
        return NOT_WHOLE
    if any(len(one.text or "") > LOOKED_AT for one in checked.files):
        return f"a file has more than {LOOKED_AT:,} characters"
    wrong = next((one for one in checked.findings if one.severity is Severity.ERROR), None)
    return "" if wrong is None else f"a check failed ({wrong.code})"


async def give(
    engine: Engine, checked: SkillChecked, listed: Sequence[Skill], remember: Remember
) -> str:
    """Remember a person's approval of what was read; returns why it is not remembered, or ""."""
    if why := why_not_now(checked, listed):
        return why
    if remember not in FOR_A_SKILL:
        return "this cannot be remembered of a skill"
    if await engine.fingerprint() != checked.runs:
        return "another program runs as the server than the one that served the files"
    binding = binding_of(engine, checked.skill, checked.runs)
    texts = {
        entry.digest: file.text
        for file in checked.files
        if file.text is not None and (entry := checked.skill.file(file.uri)) is not None
    }
    return engine.consent.approve_skill(checked.skill, binding, texts, remember)


def approval_findings(
    standings: Sequence[SkillStanding], gone: Sequence[str] = (), *, is_required: bool
) -> Iterator[LocatedFinding]:
    """Findings on ended and missing approvals. `gone`: URIs of a baseline that are not listed.

    `is_required`: every skill has to be approved; otherwise only ended approvals are found.
    """
    for one in standings:
        found = _finding(one, is_required=is_required)
        if found is not None:
            yield LocatedFinding(where(one.skill), found)
    for uri in gone:
        words = "it is in the baseline, and is not listed"
        found = warning("skill-changed", words, uri)
        yield LocatedFinding(f"skill {shortened(uri, 100)}", found)


def _finding(standing: SkillStanding, *, is_required: bool) -> Finding | None:
    uri = standing.skill.uri
    if standing.state is SkillState.CHANGED:
        lines = () if standing.change is None else standing.change.lines
        words = ": ".join(one for one in (standing.why, ", ".join(lines[:8])) if one)
        if is_required:
            return error("skill-approval-ended", words, uri)
        return warning("skill-approval-ended", words, uri)
    if is_required and standing.state is not SkillState.APPROVED:
        words = standing.why or "it was never approved"
        return warning("skill-not-approved", words, uri)
    return None


def standing_json(standing: SkillStanding) -> Mapping[str, object]:
    """The approval of a skill as JSON."""
    change = standing.change
    return {
        "state": standing.state.value,
        "reason": standing.why,
        "approved_digest": None if standing.before is None else standing.before.digest,
        "digest": skill_digest(standing.skill),
        "changes": [] if change is None else list(change.lines),
    }
