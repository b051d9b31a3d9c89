"""Reading of markers and of results, with the values of the draft's own examples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.extensions.tool_resolution import (
    ResolvedHints,
    differing_words,
    exceeded_hints,
    hints_to_judge,
    is_marked_in_vain,
    is_resolvable,
    marker_findings,
    read_result,
    resolve_params,
    stricter_hints,
)
from signoff.app.protocol.findings.codes import CODES
from signoff.app.protocol.findings.codes_of_drafts import EXPERIMENTAL
from signoff.app.protocol.findings.spec_sections import SECTIONS
from signoff.app.protocol.hints import HINT_KEYS, Hints, read_hints
from signoff.app.protocol.tool_reading import read_tool

IDENTIFIER = "io.modelcontextprotocol/tool-resolution"
WORST: dict[str, Any] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": False,
}
"""The static hints of `manage_files` in the draft."""
READ: dict[str, Any] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
"""Its resolution for the action `read`."""
RESULT: dict[str, Any] = {"resultType": "complete", "name": "manage_files", "annotations": READ}
NAME = "manage_files"


def marked(value: Any) -> dict[str, Any]:
    return {"name": NAME, "annotations": WORST, "_meta": {IDENTIFIER: value}}


def codes(result: Any, static: dict[str, Any] = WORST) -> list[str]:
    _, found = read_result(result, NAME, read_hints(static))
    return [one.code for one in found]


def test_the_example_of_the_draft_is_read() -> None:
    assert is_resolvable(marked({"resolvable": True}))
    assert not marker_findings(marked({"resolvable": True}))
    arguments: dict[str, Any] = {"path": "/home/user/notes.txt", "action": "read"}
    assert resolve_params(NAME, arguments) == {"name": NAME, "arguments": arguments}
    hints, found = read_result(RESULT, NAME, read_hints(WORST))
    assert (hints, found) == (ResolvedHints(**READ), [])
    assert hints is not None
    assert differing_words(read_hints(WORST), hints) == "read-only (static: destructive)"


@pytest.mark.parametrize("value", [True, {}, {"resolvable": "true"}, {"resolvable": 1}, []])
def test_a_marker_is_the_boolean_true(value: Any) -> None:
    assert not is_resolvable(marked(value))
    assert [one.code for one in marker_findings(marked(value))] == ["marker-malformed"]


def test_a_marker_has_no_other_key() -> None:
    entry = marked({"resolvable": True, "cost": 1})
    assert is_resolvable(entry)
    assert [one.code for one in marker_findings(entry)] == ["marker-malformed"]


@pytest.mark.parametrize("raw", [None, [], {}, {"_meta": None}, {"_meta": {}}])
def test_other_entries_have_no_marker(raw: Any) -> None:
    assert not is_resolvable(raw)
    assert not marker_findings(raw)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"resultType": None}, "resolution-malformed"),
        ({"resultType": "task"}, "resolution-malformed"),
        ({"resultType": "input_required"}, "resolution-asks"),
        ({"name": "another"}, "resolution-other-tool"),
        ({"name": None}, "resolution-malformed"),
        ({"inputSchema": {"type": "object"}}, "resolution-malformed"),
        ({"title": "Spoofed"}, "resolution-malformed"),
        ({"_meta": []}, "resolution-malformed"),
        ({"annotations": None}, "resolution-malformed"),
        ({"annotations": {**READ, "title": "Spoofed"}}, "resolution-malformed"),
        ({"annotations": {**READ, "readOnlyHint": "true"}}, "resolution-malformed"),
        ({"annotations": {**READ, "readOnlyHint": 1}}, "resolution-malformed"),
        ({"annotations": {**READ, "openWorldHint": True}}, "resolution-weakens"),
    ],
)
def test_one_fault_makes_a_failed_resolution(changes: dict[str, Any], code: str) -> None:
    assert codes({**RESULT, **changes}) == [code]


@pytest.mark.parametrize("key", HINT_KEYS)
def test_all_four_hints_are_required(key: str) -> None:
    fewer = {name: value for name, value in READ.items() if name != key}
    assert codes({**RESULT, "annotations": fewer}) == ["resolution-malformed"]


def test_metadata_of_the_core_and_of_unknown_extensions_is_ignored() -> None:
    meta = {
        "io.modelcontextprotocol/serverInfo": {"name": "example-server", "version": "1.0.0"},
        "com.example/cost-estimate": {"amount": 0},
    }
    assert codes({**RESULT, "_meta": meta}) == []


@pytest.mark.parametrize(
    ("static", "resolved", "exceeded"),
    [
        ({"readOnlyHint": True}, (False, False, True, True), ["readOnlyHint"]),
        ({"destructiveHint": False}, (False, True, True, True), ["destructiveHint"]),
        ({"destructiveHint": False}, (True, True, True, True), ["destructiveHint"]),
        ({"readOnlyHint": True}, (True, True, True, True), []),
        ({"idempotentHint": True}, (False, True, False, True), ["idempotentHint"]),
        ({"idempotentHint": True}, (True, False, False, True), []),
        ({"openWorldHint": False}, (True, False, True, True), ["openWorldHint"]),
        ({}, (False, True, False, True), []),
        (None, (False, True, False, True), []),
        ({"readOnlyHint": "true"}, (False, True, False, True), []),
    ],
)
def test_resolved_hints_are_never_worse(
    static: Any, resolved: tuple[bool, bool, bool, bool], exceeded: list[str]
) -> None:
    assert exceeded_hints(read_hints(static), ResolvedHints(*resolved)) == exceeded


@pytest.mark.parametrize(
    ("static", "is_vain"),
    [
        ({"readOnlyHint": True, "openWorldHint": False}, True),
        ({"readOnlyHint": True}, False),
        (WORST, False),
    ],
)
def test_a_marker_is_in_vain_if_nothing_can_differ(static: Any, is_vain: bool) -> None:
    tool = read_tool(0, {**marked({"resolvable": True}), "annotations": static})
    assert is_marked_in_vain(tool) is is_vain


CLAIMS = st.sampled_from([None, True, False, "true"])


@st.composite
def static_hints(draw: st.DrawFn) -> Hints:
    claims = {key: draw(CLAIMS) for key in HINT_KEYS}
    return read_hints({key: one for key, one in claims.items() if one is not None})


RESOLVED = st.builds(ResolvedHints, *[st.booleans()] * 4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(static_hints(), RESOLVED)
def test_an_untrusted_server_never_makes_a_hint_milder(
    static: Hints, resolved: ResolvedHints
) -> None:
    strict = {"readOnly": False, "destructive": True, "idempotent": False, "openWorld": True}
    judged = hints_to_judge(static, resolved, is_trusted=False)
    assert judged == stricter_hints(static, resolved)
    assert all(value is strict[name] for name, value in judged.items())


@given(static_hints(), RESOLVED)
def test_a_trusted_server_sets_all_four(static: Hints, resolved: ResolvedHints) -> None:
    judged = hints_to_judge(static, resolved, is_trusted=True)
    assert tuple(judged.values()) == tuple(resolved)


@given(JSON, static_hints())
def test_any_result_is_read_or_has_a_reason(raw: Any, static: Hints) -> None:
    hints, found = read_result(raw, NAME, static)
    assert found or hints is not None
    assert all(one.code in EXPERIMENTAL and one.code in SECTIONS for one in found)


@given(static_hints(), RESOLVED)
def test_usable_hints_are_within_the_bound(static: Hints, resolved: ResolvedHints) -> None:
    result = {**RESULT, "annotations": resolved.as_json()}
    hints, found = read_result(result, NAME, static)
    assert hints == resolved
    assert bool(found) is bool(exceeded_hints(static, resolved))


def test_every_finding_on_the_draft_has_a_clause() -> None:
    assert set(EXPERIMENTAL) <= set(SECTIONS) <= set(CODES)
