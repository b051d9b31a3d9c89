"""The adapter for the conformance suite, against servers of our own.

`python -m tests.conformance` runs the suite itself, which needs Node and npm's registry.
"""

from __future__ import annotations

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.tool_reading import read_tool
from tests.conformance.__main__ import RESULT, SCENARIOS
from tests.conformance.adapter import CALLS, least, wanted


def test_every_scenario_that_calls_something_is_one_of_the_suite() -> None:
    known = {name for scenarios in SCENARIOS.values() for name in scenarios}
    assert set(CALLS) <= known
    assert RESULT.search("Passed: 8/8, 0 failed, 0 warnings")


def test_what_is_called() -> None:
    schema: JsonValue = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {}},
        "required": ["a", "b"],
    }
    tool = read_tool(0, {"name": "add_numbers", "inputSchema": schema})
    assert least(tool) == {"a": 1, "b": "x"}
    assert wanted("tools_call", {}, (tool,)) == [("add_numbers", {"a": 5, "b": 3})]
    context = {"toolCalls": [{"name": "gone"}, {"name": "add_numbers", "arguments": {"a": 1}}]}
    assert wanted("", context, (tool,)) == [("add_numbers", {"a": 1})]
    assert wanted("http-invalid-tool-headers", {}, (tool,)) == [("add_numbers", {"a": 1, "b": "x"})]
