"""The skills of the bundled server, for clients that declare the extension and for no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.app.protocol.extensions.skills import read_listing
from tests.approved import approved
from tests.cli.running import run
from tests.demo.peer import Reply
from tests.demo.talker import Talker
from tests.skills_made import without_revision

SKILLS = "io.modelcontextprotocol/skills"
PROSE = approved("cli-skills")


@pytest.fixture(scope="module")
def declaring() -> Iterator[Talker]:
    peer = Talker("modern", {"extensions": {SKILLS: {}}})
    yield peer
    assert peer.close() == 0


def code_of(reply: Reply) -> int:
    assert reply.error is not None
    code: int = reply.error["code"]
    return code


def test_they_are_listed_on_pages_and_complete(declaring: Talker) -> None:
    first = declaring.request("skills/list", {}).result
    second = declaring.request("skills/list", {"cursor": first["nextCursor"]}).result
    listing = read_listing([*first["skills"], *second["skills"]])
    assert len(listing.skills) == 7
    assert [one.code for one in listing.findings] == ["skill-nested"]
    assert {one.code for skill in listing.skills for one in skill.findings} == {"skill-dynamic"}
    capabilities = declaring.request("server/discover", {}).result["capabilities"]
    assert capabilities["extensions"][SKILLS] == {"directoryRead": True}


def test_an_unknown_skill_and_directory_are_invalid_parameters(declaring: Talker) -> None:
    for method in ("skills/get", "resources/directory/read"):
        assert code_of(declaring.request(method, {"uri": "skill://no/SKILL.md"})) == -32602
    children = declaring.request("resources/directory/read", {"uri": "skill://tidy-notes"}).result
    assert [one["mimeType"] for one in children["resources"]] == ["text/plain", "inode/directory"]


def test_a_client_that_does_not_declare_them_sees_nothing_of_them(modern: Talker) -> None:
    assert code_of(modern.request("skills/list", {})) == -32601
    assert modern.request("skills/get", {"uri": "skill://tidy-notes/SKILL.md"}).error
    assert modern.request("resources/read", {"uri": "skill://tidy-notes/SKILL.md"}).error
    assert "skill" not in str(modern.request("server/discover", {}).result)


def test_the_lies_of_the_demo_are_found(tmp_path: Path) -> None:
    words = ("--experimental", "skills", "--check", "--approve", "always", "--no-memory")
    ended = run(tmp_path, "skills", "demo", *words, "--no-audit")
    assert ended.status == 4
    PROSE.holds("the demo", without_revision(ended.stdout))
