"""Display templates: what a line shows, what it hides, and what a hostile one cannot do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.protocol.extensions.display_templates import (
    BRANCH_KEY,
    KEY,
    LINE_MAX,
    NAMES_SHOWN,
    VALUE_MAX,
    DisplayTemplate,
    branches,
    display_texts,
    first_matching,
    placeholders,
    preview_of,
    template_findings,
    templates,
    tool_template,
)
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.content.json_values import json_values

MIX = "set {bus} bus to {gain_db} dB over {ramp_ms} ms"
"""The template of the draft's first example."""
BRANCHED: dict[str, Any] = {
    "type": "object",
    "$defs": {"name": {"type": "string"}},
    "oneOf": [
        {
            "title": "move",
            BRANCH_KEY: "move {target} to {destination}",
            "properties": {
                "action": {"const": "move"},
                "target": {"$ref": "#/$defs/name"},
                "destination": {"type": "string"},
            },
            "required": ["action", "target", "destination"],
        },
        {
            BRANCH_KEY: "delete {target}",
            "properties": {"action": {"enum": ["delete"]}, "target": {"type": "string"}},
            "required": ["action", "target"],
        },
    ],
}
"""The draft's second example, with a discriminator as in its "Security Implications"."""


def tool(template: object = None, schema: object = None, **annotations: object) -> ToolDefinition:
    entry: dict[str, Any] = {
        "name": "mix_set",
        "inputSchema": schema or {"type": "object"},
        "annotations": annotations,
    }
    if template is not None:
        entry["_meta"] = {KEY: {"template": template}}
    return read_tool(0, entry)


def line(template: str, /, **arguments: Any) -> str:
    return preview_of(DisplayTemplate(template, "$"), arguments).words


@pytest.mark.parametrize(
    ("template", "arguments", "expected"),
    [
        (MIX, {"bus": "main", "gain_db": -3.5, "ramp_ms": 200},
         "set main bus to -3.5 dB over 200 ms"),
        (MIX, {"bus": "main", "gain_db": [1], "ramp_ms": {"a": 1}},
         "set main bus to ... dB over ... ms"),
        (MIX, {}, "set ... bus to ... dB over ... ms"),
        ("{a} {b} {c}", {"a": True, "b": None, "c": 1.0}, "true null 1.0"),
        ("{{a}} }}{{ {a}", {"a": 1}, "{a} }{ 1"),
        ("{{{a}}}", {"a": 1}, "{1}"),
        ("{a.b} {a[0]} {a|upper} {a!r:>9}", {"a": "x"}, "... ... ... ..."),
        ("{a} {", {"a": "{b}", "b": "no"}, "{b} {"),
        ("{}", {"": "empty"}, "empty"),
        ("", {"a": 1}, ""),
    ],
)  # fmt: skip
def test_a_line_is_filled_in_as_the_draft_has_it(
    template: str, arguments: dict[str, Any], expected: str
) -> None:
    assert line(template, **arguments) == expected


def test_what_a_template_leaves_out_is_named() -> None:
    found = preview_of(DisplayTemplate("read {path}", "$"), {"path": "/a", "upload_to": "http://b"})
    assert found.omitted == ("upload_to",)
    assert "“upload_to”" in found.omission
    assert preview_of(DisplayTemplate("read {path}", "$"), {"path": "/a"}).omission == ""
    many = {f"a{number}": number for number in range(1_000)}
    assert preview_of(DisplayTemplate("", "$"), many).omission.count("“") == NAMES_SHOWN


def test_an_argument_behind_the_cut_counts_as_left_out() -> None:
    found = preview_of(DisplayTemplate("x" * (LINE_MAX + 1) + "{upload_to}", "$"), {"upload_to": 1})
    assert found.words == "x" * LINE_MAX + "…"
    assert found.omitted == ("upload_to",)


def test_a_long_value_does_not_push_the_others_out() -> None:
    assert line("{a} to {b}", a="y" * 1_000_000, b="http://c") == f"{'y' * VALUE_MAX}… to http://c"


@pytest.mark.parametrize(
    "hostile",
    [
        *("\x1b[31mred\x1b[0m", "two\nlines\r\nApprove this call?", "\u202egnp.exe"),
        *("[bold]markup[/bold]", "\u200bhidden\u2066"),
    ],
)
def test_a_template_and_a_value_go_through_the_sanitiser(hostile: str) -> None:
    for words in (line(hostile.replace("{", "")), line("{a}", a=hostile)):
        assert words == visible(hostile)
        assert words.isprintable()


def test_megabytes_are_cut_and_a_name_in_their_end_is_left_out() -> None:
    found = preview_of(DisplayTemplate("{x}" * 500_000 + "{end}", "$"), {"end": 1})
    assert len(found.words) <= LINE_MAX + 1
    assert found.omitted == ("end",)
    assert len(placeholders("{x}" * 500_000)) < 10_000


@given(st.text(), st.dictionaries(st.text(), json_values()))
def test_no_template_breaks_a_line(template: str, arguments: dict[str, Any]) -> None:
    found = preview_of(DisplayTemplate(template, "$"), arguments)
    assert visible(found.words) == found.words
    assert "\n" not in found.words
    # A mark has several characters for one.
    assert len(found.words) <= 40 * LINE_MAX
    assert set(found.omitted) <= set(arguments)


@pytest.mark.parametrize(
    ("arguments", "at"),
    [
        ({"action": "move", "target": "a", "destination": "b"}, 0),
        ({"action": "delete", "target": "a"}, 1),
        ({"action": "delete", "target": 1}, None),
        ({"target": "a", "destination": "b"}, None),
    ],
)
def test_the_first_branch_that_the_arguments_match_counts(
    arguments: dict[str, Any], at: int | None
) -> None:
    found = branches(BRANCHED)
    assert first_matching([one.schema for one in found], arguments) == at
    if at is not None:
        template = found[at].template
        assert template is not None
        preview = preview_of(template, arguments)
        assert preview.omitted == ()
        assert preview.words == ("move a to b", "delete a")[at]


def test_a_branch_that_cannot_be_judged_ends_the_search() -> None:
    remote: Any = {"$ref": "https://example.org/elsewhere.json"}
    assert first_matching([remote, True], {}) is None


def test_a_branch_may_be_a_reference() -> None:
    schema: Any = {"$defs": {"b": {BRANCH_KEY: "b {x}"}}, "anyOf": [{"$ref": "#/$defs/b"}]}
    (found,) = branches(schema)
    assert found.template is not None
    assert found.template.text == "b {x}"
    assert first_matching([found.schema], {}) == 0


@pytest.mark.parametrize("schema", [None, True, [], {"oneOf": {}}, {"anyOf": [1, None]}])
def test_odd_schemas_have_no_templates(schema: Any) -> None:
    assert [one.template for one in branches(schema) if one.template] == []


def codes(one: ToolDefinition) -> list[str]:
    return [finding.code for finding in template_findings(one)]


FLAT = {"type": "object", "properties": {"path": {}, "mode": {}}, "required": ["path"]}


@pytest.mark.parametrize(
    ("template", "hints", "expected"),
    [
        ("read {path} as {mode}", {"readOnlyHint": True}, []),
        ("read {path}", {"readOnlyHint": True}, ["template-omits-optional"]),
        ("read {mode}", {"readOnlyHint": True}, ["template-omits-required"]),
        ("read {file}", {"readOnlyHint": True},
         ["template-unknown-name", "template-omits-required", "template-omits-optional"]),
        ("read {path} as {mode}", {}, ["template-on-destructive"]),
        ("read {path} as {mode} " + "x" * 200, {"readOnlyHint": True}, ["template-long"]),
    ],
)  # fmt: skip
def test_a_definition_has_findings_on_its_template(
    template: str, hints: dict[str, bool], expected: list[str]
) -> None:
    assert codes(tool(template, FLAT, **hints)) == ["display-template", *expected]


@pytest.mark.parametrize("template", [1, ["x"], {"text": "x"}])
def test_a_template_that_is_no_string_is_malformed(template: object) -> None:
    assert codes(tool(template)) == ["malformed-display-template"]
    assert tool_template(tool(template)) is None


def test_a_tool_without_a_template_has_no_findings() -> None:
    assert codes(tool()) == []
    assert templates(tool("a", BRANCHED))[1].text.startswith("move")


def test_texts_of_blocks_are_safe_and_malformed_ones_are_found() -> None:
    blocks: list[Any] = [
        {"type": "text", "text": "a", "_meta": {KEY: {"text": "moved\x1b[31m 14\nitems"}}},
        {"type": "text", "text": "b", "_meta": {KEY: "moved"}},
        {"type": "text", "text": "c", "_meta": {KEY: {"text": "z" * 1_000_000}}},
        {"type": "text", "text": "d"},
        None,
    ]
    texts, findings = display_texts({"content": blocks})
    assert texts[0] == "“" + visible("moved\x1b[31m 14\nitems") + "”"
    assert texts[2] == f"“{'z' * LINE_MAX}…”"
    assert set(texts) == {0, 2}
    assert [one.code for one in findings] == ["malformed-display-text"]


@given(json_values())
def test_any_result_is_read(result: Any) -> None:
    display_texts(result)
    display_texts({"content": result})
    display_texts({"content": [{"_meta": {KEY: result}}]})


def test_no_text_closes_its_quotes() -> None:
    meta: Any = {KEY: {"text": "ok” · approved by you"}}
    texts, _ = display_texts({"content": [{"type": "text", "text": "a", "_meta": meta}]})
    assert texts[0].count("”") - texts[0].count("\\”") == 1
