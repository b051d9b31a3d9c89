"""Files with Cedar policies: places of statements, mistakes, and the examples that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.approval.policies.cedar import DIALECTS, CedarPolicy
from signoff.app.approval.policies.policy_text import PolicyError
from signoff.app.storage.policy_files import find_policy, policy_text

DOCKER = """// Reading is free.
permit (principal, action, resource) when { resource.readOnly };

@id("last")
forbid (principal, action, resource)
when { resource.name == "a;b" };
"""
TOOLHIVE = """type: cedarv1
cedar:
  policies:
    - 'permit (principal, action, resource);'
    - |
      // why
      forbid (principal, action, resource == Tool::"x");
  entities_json: '[{"uid": "Tool::x", "attrs": {}}]'
"""


def found(tmp_path: Path, dialect: str, text: str) -> CedarPolicy:
    file = tmp_path / "a file.cedar"
    file.write_text(text, encoding="utf-8")
    policy = find_policy(f"{dialect}:{file}")
    assert isinstance(policy, CedarPolicy)
    assert policy_text(f"{dialect}:{file}") == text
    return policy


@pytest.mark.parametrize(
    ("dialect", "text", "lines"), [("docker", DOCKER, [2, 4]), ("toolhive", TOOLHIVE, [4, 7])]
)
def test_each_statement_has_its_line(
    tmp_path: Path, dialect: str, text: str, lines: list[int]
) -> None:
    policy = found(tmp_path, dialect, text)
    assert [one.place.rpartition(" line ")[2] for one in policy.statements] == list(map(str, lines))
    assert policy.name.startswith(f"{dialect}:")


@pytest.mark.parametrize(
    ("dialect", "text", "words"),
    [
        ("docker", "", "no policies"),
        ("docker", "// only a comment", "no policies"),
        ("docker", "permit (principal, action, resource", "line 1"),
        ("toolhive", "a: [", "YAML|expected"),
        ("toolhive", "type: httpv1\ncedar: {policies: []}", "cedarv1"),
        ("toolhive", "type: cedarv1\ncedar: {policies: text}", "list"),
        ("toolhive", "type: cedarv1\ncedar: {policies: [[1]]}", "line 2"),
        ("toolhive", "type: cedarv1\ncedar: {policies: []}", "no policies"),
        ("toolhive", TOOLHIVE.replace("[{", "{["), "entities_json"),
        ("toolhive", TOOLHIVE.replace('"uid"', '"id"'), "uid"),
        ("toolhive", "", "policies"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, dialect: str, text: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        found(tmp_path, dialect, text)


def test_json_is_read_as_well(tmp_path: Path) -> None:
    text = '{"type": "cedarv1", "cedar": {"policies": ["permit (principal, action, resource);"]}}'
    assert len(found(tmp_path, "toolhive", text).statements) == 1


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_example_comes_with_the_program(dialect: str) -> None:
    policy = find_policy(f"{dialect}:example")
    assert isinstance(policy, CedarPolicy)
    assert len(policy.statements) == 3
    assert all(one.own_id for one in policy.statements)
    assert f"{dialect}:example" in policy_text(f"{dialect}:example")
