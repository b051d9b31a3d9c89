"""What an approval of a skill is bound to: the set of files, the frontmatter, and nothing else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from signoff.app.approval.grants import Remember, Scope, new_grant
from signoff.app.approval.skill_approvals import SkillBinding, skill_digest, why_not_approvable
from signoff.app.approval.snapshot import Snapshot
from signoff.app.protocol.extensions.skills import read_skill
from tests.skills_made import file, main, skill

ENTRY = skill(
    "acme/notes", {"SKILL.md": main("notes"), "a.md": "one", "b.md": "two"}, license="MIT"
)
Change = Callable[[dict[str, Any]], None]


def changed(entry: dict[str, Any], change: Change) -> dict[str, Any]:
    made = copy.deepcopy(entry)
    change(made)
    return made


def _other_digest(entry: dict[str, Any]) -> None:
    entry["resources"][1]["digest"] = f"sha256:{'0' * 64}"


CHANGES: dict[str, Change] = {
    "digest": _other_digest,
    "size": lambda one: one["resources"][1].update(size=4),
    "file renamed": lambda one: one["resources"][1].update(uri="skill://acme/notes/c.md"),
    "file added": lambda one: one["resources"].append(file("skill://acme/notes/c.md", "x")),
    "file removed": lambda one: one["resources"].pop(),
    "name": lambda one: one["frontmatter"].update(name="note"),
    "description": lambda one: one["frontmatter"].update(description="Does it!"),
    "member added": lambda one: one["frontmatter"].update({"allowed-tools": "Bash"}),
    "member removed": lambda one: one["frontmatter"].pop("license"),
    "member of another type": lambda one: one["frontmatter"].update(license=["MIT"]),
    "uri": lambda one: one.update(uri="skill://b/notes/SKILL.md"),
    "dynamic": lambda one: one.update(resources="dynamic"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_each_change_is_another_content(what: str) -> None:
    before, after = read_skill(ENTRY), read_skill(changed(ENTRY, CHANGES[what]))
    assert skill_digest(before) != skill_digest(after)


def test_an_order_is_no_content() -> None:
    other = changed(ENTRY, lambda one: one["resources"].reverse())
    other["frontmatter"] = dict(reversed(other["frontmatter"].items()))
    other["_meta"] = {"x": 1}
    assert skill_digest(read_skill(ENTRY)) == skill_digest(read_skill(other))


def test_an_approval_covers_this_skill_and_no_call() -> None:
    digest = skill_digest(read_skill(ENTRY))
    binding = SkillBinding("server", ENTRY["uri"], digest)
    given = new_grant(binding, "demo", Remember(Scope.UNTIL, 7), "run", 100.0)
    assert given is not None
    assert given.is_of_skill
    assert given.covers(binding, "run", 101.0)
    assert not given.covers(SkillBinding("other", ENTRY["uri"], digest), "run", 101.0)
    # A tool of this name has a digest without the mark.
    plain = digest.removeprefix("skill:")
    assert not given.covers(Snapshot("server", plain, ENTRY["uri"], "{}"), "run", 101.0)
    of_tool = new_grant(
        Snapshot("server", plain, ENTRY["uri"], "{}"), "demo", Remember(Scope.SESSION), "run", 1.0
    )
    assert of_tool is not None
    assert not of_tool.is_of_skill
    assert not of_tool.covers(binding, "run", 2.0)


@pytest.mark.parametrize("what", ["dynamic", "name"])
def test_what_is_not_bound_to_a_content_is_not_approvable(what: str) -> None:
    assert not why_not_approvable(read_skill(ENTRY))
    assert why_not_approvable(read_skill(changed(ENTRY, CHANGES[what])))


def test_a_uri_that_is_listed_twice_names_no_skill() -> None:
    one = read_skill(ENTRY)
    assert not why_not_approvable(one, [one])
    assert why_not_approvable(one, [one, one])
