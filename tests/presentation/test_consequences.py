"""What changed definitions mean: the hosts that ask otherwise, the weightiest change first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from signoff.app.approval.who_asks import WhoAsks
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.presentation.consequences import Consequence, consequences, summary
from signoff.app.protocol.definitions.change_values import ListDiff
from signoff.app.protocol.definitions.lists import compare_lists
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.storage.policy_files import find_hosts
from tests.approved import approved

PROSE = approved("consequences")
HOSTS = [one for one in find_hosts().hosts if one.name in ("vscode", "codex", "cursor", "zed")]
WRITES: JsonValue = {"destructiveHint": True}
READS: JsonValue = {"readOnlyHint": True}


def tool(name: str, hints: JsonValue, **more: JsonValue) -> JsonValue:
    return {"name": name, "inputSchema": {"type": "object"}, "annotations": hints, **more}


def told(
    before: Sequence[JsonValue], after: Sequence[JsonValue]
) -> tuple[list[Consequence], ListDiff]:
    diff = compare_lists(before, after)
    earlier: Mapping[str, JsonValue] = {
        str(one["name"]): one for one in before if isinstance(one, dict)
    }
    who = WhoAsks(HOSTS, ["codex"])
    found = consequences(
        diff, lambda name: earlier.get(name), read_tools(after), who, Trust.TRUSTED
    )
    return found, diff


CASES: Mapping[str, tuple[list[JsonValue], list[JsonValue]]] = {
    "runs now": ([tool("delete_note", WRITES)], [tool("delete_note", READS)]),
    "asks now": ([tool("delete_note", READS)], [tool("delete_note", WRITES)]),
    "another text": (
        [tool("delete_note", WRITES)],
        [tool("delete_note", WRITES, description="It deletes a note.")],
    ),
    "a new tool": ([], [tool("share_note", READS)]),
    "a tool that is gone": ([tool("share_note", READS)], []),
    "renamed": ([tool("delete_note", READS)], [tool("remove_note", READS)]),
    "several": (
        [tool("a_note", READS), tool("b_note", WRITES), tool("old", READS)],
        [tool("a_note", WRITES), tool("b_note", READS), tool("new_one", WRITES)],
    ),
    "a hostile name": (
        [tool("x\x1b[2J\u202ey", WRITES)],
        [tool("x\x1b[2J\u202ey", READS)],
    ),
    "not an object": ([tool("a", READS), 3], [tool("a", WRITES), "text"]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_words_of_a_change(name: str) -> None:
    found, diff = told(*CASES[name])
    lines = [summary(found, diff), *(one.words for one in found)]
    PROSE.holds(name, "\n".join(lines))
    assert all(line.isprintable() for line in lines)


def test_what_asks_less_than_before_comes_first() -> None:
    found, _ = told(*CASES["several"])
    assert [(one.name, one.is_looser) for one in found][:2] == [("b_note", True), ("a_note", False)]


@pytest.mark.slow
def test_of_thousands_the_weightiest_are_judged() -> None:
    many = [f"t{number}" for number in range(2_000)]
    before = [*(tool(one, WRITES) for one in many), tool("last", WRITES)]
    after = [*(tool(one, WRITES, title="x") for one in many), tool("last", READS)]
    found, diff = told(before, after)
    assert len(diff.changed) == 2_001
    assert found[0].name == "last"
    assert summary(found, diff).startswith("last: asks → runs in")
