"""The table of client libraries against what was measured, and the findings made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.clients.answer_defects import defects_by_schema, defects_of_answer
from signoff.app.protocol.clients.defects import (
    Defect,
    defects_of_greeting,
    defects_of_page,
    defects_of_tool,
)
from signoff.app.protocol.clients.findings import (
    answer_findings,
    greeting_findings,
    null_error,
    page_findings,
)
from signoff.app.protocol.clients.session import problems_of, session_of
from signoff.app.protocol.clients.table import DefectEffect, Where, clients, rules
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.findings.schema_findings import pattern_findings
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.protocol.wire.frames import CLIENT, SERVER, SIGNOFF, Frame, Sender
from signoff.app.schemas.habits import LOST
from signoff.app.schemas.schema import SchemaAnswer, SchemaVerdict, judge
from tests.approved import approved
from tests.servers.one_defect import responses
from tests.valid_client_cases import ALL as CASES

PROSE = approved("clients")

MEASURED: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parents[2] / "measured_clients.json").read_text(encoding="utf-8")
)
EACH = [(f"{row}/{name}", case) for row, cases in CASES.items() for name, case in cases.items()]
ORDER = ["ok", "rejected", "hangs", "lost", "lost-hangs", "no-connection", "no-connection-hangs"]


def found(case: dict[str, Any]) -> list[str]:
    """The rules that a case breaks, as `signoff compat` sees them."""
    results = responses(case)
    listed = results["tools/list"].get("tools") or []
    defects = defects_of_greeting(results["initialize"])
    defects += null_error({"result": {}, **case.get("beside", {})})
    defects += defects_of_page(results["tools/list"])
    for tool in listed:
        defects += defects_of_tool(tool)
        defects += by_patterns(tool)
    defects += defects_of_answer(results["tools/call"])
    if listed and listed[0] and isinstance(schema := listed[0].get("outputSchema"), dict):
        answer = results["tools/call"]
        is_error = answer.get("isError") is True
        verdict = SchemaVerdict(SchemaAnswer.MISSING)
        if "structuredContent" in answer or is_error:
            verdict = judge(schema, answer.get("structuredContent", {}))
        defects += defects_by_schema(verdict, is_error)
    return [one.rule for one in defects]


def by_patterns(tool: Any) -> list[Defect]:
    schema = tool.get("outputSchema") if isinstance(tool, dict) else None
    rule = {True: "output-pattern-without-u", False: "output-not-compiled"}
    return [
        Defect(rule["u flag" in one.message], ())
        for one in pattern_findings(schema, "outputSchema")
    ]


def expected(broken: list[str], client: str) -> str:
    worst = "ok"
    for code in broken:
        rule = rules()[code]
        value = str(rule.values[client])
        if value == "hangs" and rule.where is not Where.ANSWER:
            value = {"initialize": "no-connection-hangs", "list": "lost-hangs"}[rule.where]
        worst = max(worst, value, key=ORDER.index)
    return worst


@pytest.mark.parametrize(("name", "case"), EACH, ids=[name for name, _ in EACH])
def test_each_case_is_as_it_was_measured(name: str, case: dict[str, Any]) -> None:
    broken = found(case)
    assert {one: expected(broken, one) for one in clients()} == MEASURED[name]


def test_each_row_has_a_case() -> None:
    untried = set(rules()) - {code for _, case in EACH for code in found(case)}
    assert untried == {"input-combined", "exits-on-discover"}
    assert set(MEASURED) == {name for name, _ in EACH}


def test_the_table_is_whole() -> None:
    assert [one.words for one in clients().values()][:2] == [
        "TypeScript SDK 1.32.2",
        "TypeScript SDK 2.4.0",
    ]
    for rule in rules().values():
        assert set(rule.values) == set(clients())
        assert rule.words
        assert rule.fix
        wrong = {
            Where.INITIALIZE: {DefectEffect.LOST, DefectEffect.REJECTED},
            Where.LIST: {DefectEffect.NO_CONNECTION},
            Where.ANSWER: {DefectEffect.NO_CONNECTION, DefectEffect.LOST},
        }[rule.where]
        assert not wrong & set(rule.values.values())


def tool(**members: Any) -> dict[str, Any]:
    return {"name": "a", "inputSchema": {"type": "object"}, **members}


def test_a_lost_list_is_an_error_with_names_and_versions() -> None:
    first, *rest = read_tools([tool(title=None), *(tool(name=f"b{n}") for n in range(11))])
    (one,) = first.findings
    assert (one.code, one.severity, one.path) == ("clients-lose-tools", Severity.ERROR, "$.title")
    PROSE.holds("lost: all tools", one.message)
    assert not [one for other in rest for one in other.findings]


def test_a_page_and_a_greeting_have_findings_of_their_own() -> None:
    (page,) = page_findings({"tools": [tool(), tool(name="b")], "nextCursor": None})
    assert (page.code, page.path) == ("clients-lose-tools", "$.nextCursor")
    assert "all 2 tools" in page.message
    body: dict[str, Any] = {
        "result": {**responses({})["initialize"], "instructions": None},
        "error": None,
    }
    greeting = greeting_findings(body)
    assert {one.path for one in greeting} == {"/result/instructions", "/error"}
    assert {one.code for one in greeting} == {"clients-cannot-connect"}


def test_an_answer_names_only_the_clients_that_reject_it() -> None:
    link: dict[str, Any] = {"type": "resource_link", "uri": "a.txt", "name": "a"}
    (one,) = answer_findings({"content": [link]})
    assert (one.code, one.path) == ("clients-reject-answer", "$.content[0].uri")
    assert "Python SDK 1.30.0" in one.message
    assert "TypeScript" not in one.message


def test_what_is_lost_by_a_schema_names_the_version_of_the_table() -> None:
    who = rules()["output-refused-by-ajv"].lost_in
    assert f"lost in {who[0].words}: all tools" == LOST


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_looked_at(value: Any) -> None:
    for look in (defects_of_greeting, defects_of_page, defects_of_tool, defects_of_answer):
        assert all(one.rule in rules() for one in look(value))
    for key in ("inputSchema", "outputSchema", "annotations", "icons", "execution"):
        assert all(one.rule in rules() for one in defects_of_tool(tool(**{key: value})))
    assert all(one.rule in rules() for one in defects_of_answer({"content": [value]}))


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "title": st.text(),
            "description": st.text(),
            "annotations": st.fixed_dictionaries(
                {}, optional={"readOnlyHint": st.booleans(), "title": st.text()}
            ),
            "icons": st.lists(st.fixed_dictionaries({"src": st.text(min_size=1)}), max_size=2),
            "_meta": st.dictionaries(st.text(), st.integers(), max_size=2),
            "outputSchema": st.just({"type": "object", "properties": {"x": {"type": "number"}}}),
        },
    )
)
def test_a_clean_tool_has_no_defect(members: dict[str, Any]) -> None:
    assert defects_of_tool(tool(**members)) == []


def test_long_lists_and_references_in_a_circle_are_quick() -> None:
    circle = {"type": "object", "$ref": "#", "$defs": {"a": {"$ref": "#/$defs/b"}}}
    circle["$defs"]["b"] = {"$ref": "#/$defs/a"}  # type: ignore[index]
    assert defects_of_tool(tool(outputSchema={**circle, "properties": {}})) == []
    block: dict[str, Any] = {"type": "image", "data": "A" * 400_001, "mimeType": "image/png"}
    assert [one.rule for one in defects_of_answer({"content": [block]})] == ["not-base64"]


def frames(*messages: tuple[Sender, dict[str, Any]]) -> list[Frame]:
    raws = [(sender, json.dumps({"jsonrpc": "2.0", **body}).encode()) for sender, body in messages]
    return [
        Frame(number, 1.0, 1.0, sender, raw, len(raw))
        for number, (sender, raw) in enumerate(raws, start=1)
    ]


def call_of(name: str, identity: int, **params: Any) -> tuple[Sender, dict[str, Any]]:
    given = {"name": name, "arguments": {}, **params}
    return CLIENT, {"id": identity, "method": "tools/call", "params": given}


def test_a_session_has_the_last_list_and_the_last_result_of_each_tool() -> None:
    listing: dict[str, Any] = {"id": 1, "method": "tools/list", "params": {}}
    seen = session_of(
        frames(
            (CLIENT, listing),
            (SERVER, {"id": 1, "result": {"tools": [tool()], "nextCursor": "a"}}),
            (CLIENT, {**listing, "id": 2, "params": {"cursor": "a"}}),
            (SERVER, {"id": 2, "result": {"tools": [tool(name="b")]}}),
            call_of("a", 3),
            (SERVER, {"id": 3, "result": {"content": []}}),
            call_of("a", 4),
            (SERVER, {"id": "4", "result": {}}),
            (SERVER, {"id": 4, "result": {"content": [1]}}),
        )
    )
    assert [one["name"] for one in seen.tools if isinstance(one, dict)] == ["a", "b"]
    assert [(one.tool, one.result) for one in seen.calls] == [("a", {"content": [1]})]


def test_a_response_that_cannot_be_read_is_not_taken_for_none_that_was_sought() -> None:
    hello = {"id": 1, "method": "initialize", "params": {}}
    listing = {"id": 2, "method": "tools/list", "params": {}}
    greeting = {"id": 1, "result": {}}
    assert session_of(frames((CLIENT, hello), (CLIENT, listing))).unread == (
        "initialize",
        "tools/list",
    )
    read = frames((CLIENT, hello), (SERVER, greeting), (CLIENT, listing))
    assert session_of(read).unread == ("tools/list",)
    assert session_of(frames((CLIENT, hello), (SERVER, greeting))).unread == ()
    refused = {"id": 2, "error": {"code": -32601, "message": "no"}}
    assert session_of([*read, *frames((SERVER, refused))]).unread == ()


@pytest.mark.parametrize(
    "messages",
    [
        (
            call_of("a", 1),
            (CLIENT, {"method": "notifications/cancelled", "params": {"requestId": 1}}),
            (SERVER, {"id": 1, "result": {}}),
        ),
        (call_of("a", 1, task={"ttl": 1}), (SERVER, {"id": 1, "result": {"task": {}}})),
        (call_of("a", 1), (SERVER, {"id": 1, "result": {"resultType": "input_required"}})),
        (call_of("a", 1), (SERVER, {"id": 1, "error": {"code": 1, "message": "no"}})),
    ],
    ids=["cancelled", "task", "input", "error"],
)
def test_what_is_no_result_of_a_tool_is_not_judged(messages: Any) -> None:
    assert session_of(frames(*messages)).calls == []


ASKED = {"id": 1, "method": "server/discover", "params": {}}
GREETED = ((CLIENT, {"id": 1, "method": "initialize"}), (SERVER, {"id": 1, "result": {}}))
UNKNOWN = (SERVER, {"id": 1, "error": {"code": -32601, "message": "no"}})


@pytest.mark.parametrize(
    ("first", "exits"),
    [
        (((CLIENT, ASKED),), True),
        (((CLIENT, ASKED), UNKNOWN, (CLIENT, {"id": 2, "method": "initialize"})), True),
        (((CLIENT, {"id": 1, "method": "initialize"}),), False),
        (((CLIENT, ASKED), (SERVER, {"id": 1, "result": {}})), False),
        (((CLIENT, ASKED), UNKNOWN, *GREETED), False),
    ],
    ids=["at-once", "after-initialize", "of-initialize", "after-result", "after-handshake"],
)
def test_a_server_that_exits_on_discover_is_lost_to_the_client_that_sends_it(
    first: Any, exits: bool
) -> None:
    ended, began = note_of("the server exited: exit code 1"), note_of("connection: started")
    seen = session_of([*frames(*first), ended, began, *frames(*GREETED)])
    assert seen.exits_on_discover is exits
    lost = [one.rule.clients(DefectEffect.NO_CONNECTION) for one in problems_of(seen)]
    assert (clients()["py2"],) in lost if exits else (clients()["py2"],) not in lost


def note_of(words: str) -> Frame:
    return Frame(9, 1.0, 1.0, SIGNOFF, words.encode(), len(words))
