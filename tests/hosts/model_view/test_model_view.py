"""What the model of each host gets, on the results with which the facts were measured."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from signoff.app.hosts.model_view.response import read_response
from signoff.app.hosts.model_view.table import (
    ContentForm,
    ErrorForm,
    ModelHost,
    Structured,
    UnknownModelHost,
    model_hosts,
    picked,
)
from signoff.app.hosts.model_view.view import ModelView, model_view, view_of
from signoff.app.protocol.answers.copies import COMPARED_LIMIT

FIRST, RESOURCE, LAST = "o/r: 12 commits.", "--- a\n+++ b", "Languages: Python."
SUMMARY: dict[str, Any] = {
    "content": [
        {"type": "text", "text": FIRST},
        {
            "type": "resource",
            "resource": {"uri": "demo://d", "mimeType": "text/x-diff", "text": RESOURCE},
        },
        {"type": "text", "text": LAST},
    ],
    "isError": False,
}
"""The shape of github_repo_summary: text, embedded resource, text."""
HERO: dict[str, Any] = {
    "content": [{"type": "text", "text": "Mira, an elf"}],
    "structuredContent": {"name": "Mira", "level": 3},
    "isError": False,
}
"""The shape of generate_fantasy_character: words beside structuredContent."""
FAILED: dict[str, Any] = {"content": [{"type": "text", "text": "not found"}], "isError": True}
"""The shape of fail_politely."""
SUM: dict[str, Any] = {"content": [{"type": "text", "text": "5"}]}
"""The shape of calculate_sum."""
JSON_OF_HERO = '{"name":"Mira","level":3}'


RESOURCE_JSON = json.dumps(SUMMARY["content"][1])


UNREAD = replace(
    model_hosts()["claude-code"],
    form=ContentForm.NOT_KNOWN,
    renderings={},
    error=ErrorForm.NOT_KNOWN,
    breaks_schema=None,
)
"""A host of which only the use of structuredContent is known."""


def view(host: ModelHost | str, result: Any) -> ModelView:
    return model_view(host, result)


def lost(found: ModelView) -> set[str]:
    return {one.name for one in found.losses}


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize(
    ("host", "got"),
    [
        ("codex", ["Wall time: 0.01 seconds\nOutput:", FIRST, RESOURCE_JSON, LAST]),
        ("opencode", f"{FIRST}\n\n{RESOURCE}\n\n{LAST}"),
        ("qwen-code", f"{FIRST}\n{RESOURCE}\n{LAST}"),
        (
            "gemini-cli",
            "\n".join(
                f"<untrusted_context>\n{one}\n</untrusted_context>"
                for one in (FIRST, RESOURCE, LAST)
            ),
        ),
        ("cline", compact(SUMMARY)),
        ("continue", compact(SUMMARY["content"])),
        ("kimi-code", f"Wall time: 0.014 seconds\n{FIRST}{RESOURCE}{LAST}"),
        ("kilo", f"{FIRST}\n\n{RESOURCE}\n\n{LAST}"),
        ("openai-agents", [FIRST, RESOURCE_JSON.replace("mimeT", "mime_t"), LAST]),
        ("pydantic-ai", compact([FIRST, RESOURCE, LAST])),
        ("langchain", [FIRST, RESOURCE, LAST]),
        ("google-adk", json.dumps(SUMMARY, indent=2)),
        ("agent-framework", f"{FIRST}\n{RESOURCE}\n{LAST}"),
    ],
)
def test_parts_of_text_and_a_resource(host: str, got: Any) -> None:
    found = view(host, SUMMARY)
    assert found.matches(got)
    assert not found.losses
    other = got.replace(LAST, "") if isinstance(got, str) else got[:-1]
    assert not found.matches(other)


STRUCTURED: list[tuple[str, Any, str]] = [
    ("claude-code", JSON_OF_HERO, "text"),
    ("codex", f"Wall time: 0.0 seconds\nOutput:\n{JSON_OF_HERO}", "text"),
    ("opencode", "Mira, an elf", "structuredContent"),
    ("qwen-code", f"{JSON_OF_HERO}\nMira, an elf", ""),
    (
        "gemini-cli",
        "<untrusted_context>\nMira, an elf\n</untrusted_context>",
        "structuredContent",
    ),
    ("cline", compact(HERO), ""),
    ("copilot-cli", f"Mira, an elf\n\n{JSON_OF_HERO}", ""),
    ("continue", compact(HERO["content"]), "structuredContent"),
    (
        "kimi-code",
        "Wall time: 0.1 seconds\nMira, an elf\n<mcp-result-extras>\n"
        f'{{"structuredContent":{JSON_OF_HERO}}}\n</mcp-result-extras>',
        "",
    ),
    ("kilo", "Mira, an elf", "structuredContent"),
    ("openai-agents", ["Mira, an elf"], "structuredContent"),
    ("pydantic-ai", '{"level":3,"name":"Mira"}', "text"),
    ("langchain", ["Mira, an elf"], "structuredContent"),
    ("google-adk", compact(HERO), ""),
    ("agent-framework", JSON_OF_HERO, "text"),
    ("grok-cli", "Mira, an elf", "structuredContent"),
]


@pytest.mark.parametrize(("host", "got", "loses"), STRUCTURED)
def test_words_beside_structured_content(host: str, got: Any, loses: str) -> None:
    found = view(host, HERO)
    assert found.matches(got)
    assert lost(found) == ({loses} if loses else set())
    assert found.is_known
    assert found.is_whole is not bool(loses)


def test_every_host_is_in_the_table_of_structured_content() -> None:
    assert [row[0] for row in STRUCTURED] == list(model_hosts())


@pytest.mark.parametrize(
    ("host", "got", "loses"),
    [
        ("cline", compact(FAILED), set()),
        ("continue", compact(FAILED["content"]), {"isError"}),
        (
            "kimi-code",
            "Wall time: 0 seconds\n<system>ERROR: Tool execution failed.</system>\nnot found",
            set(),
        ),
        ("openai-agents", ["not found"], {"isError"}),
        ("pydantic-ai", '{"error":"not found"}', set()),
        ("langchain", ["not found"], {"isError"}),
        ("google-adk", compact(FAILED), set()),
        ("agent-framework", "Error: Function failed.", {"text"}),
        ("codex", ["Wall time: 0.1 seconds\nOutput:", "not found"], {"isError"}),
        ("opencode", "not found", {"isError"}),
        (
            "gemini-cli",
            "MCP tool 'fail_politely' reported tool error for function call: {} with response: "
            f'[{{"functionResponse":{{"response":{compact(FAILED)}}}}}]',
            set(),
        ),
    ],
)
def test_an_error(host: str, got: Any, loses: set[str]) -> None:
    found = view(host, FAILED)
    assert found.matches(got)
    assert lost(found) == loses


def test_the_form_of_an_error_is_not_guessed() -> None:
    found = view(UNREAD, FAILED)
    assert not found.is_known
    assert not found.losses
    assert "not found" not in found.texts[0]


def test_an_error_with_structured_content_is_given_in_the_form_of_either() -> None:
    failed = FAILED | {"structuredContent": {"code": 404}}
    assert lost(view("codex", failed)) == {"text", "isError"}
    assert view("codex", failed).matches('Wall time: 0.1 seconds\nOutput:\n{"code":404}')
    assert view("pydantic-ai", failed).matches('{"error":"{\\"code\\":404}"}')
    assert lost(view("agent-framework", failed)) == {"text"}
    assert not view("gemini-cli", failed).losses
    assert not view(UNREAD, failed).is_known
    flagged = view("claude-code", failed)
    assert flagged.matches({"content": "not found", "is_error": True})
    assert lost(flagged) == {"structuredContent"}


def test_a_number_alone_becomes_an_error_in_gemini() -> None:
    found = view("gemini-cli", SUM)
    got: Any = {
        "error": "MCP tool 'calculate_sum' reported tool error for function call: {} with "
        "response: [Invalid input: expected record, received number, path structuredContent]"
    }
    assert found.matches(got)
    assert lost(found) == {"text"}
    assert not found.matches({"output": "<untrusted_context>\n5\n</untrusted_context>"})
    assert view("gemini-cli", SUM | {"structuredContent": {"a": 1}}).matches(
        {"output": "<untrusted_context>\n5\n</untrusted_context>"}
    )


@pytest.mark.parametrize("host", model_hosts())
def test_a_text_that_repeats_structured_content_loses_nothing(host: str) -> None:
    copy = {"type": "text", "text": '{ "level": 3.0,\n "name": "Mira" }'}
    assert not view(host, HERO | {"content": [copy]}).losses


IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
OTHERS: list[dict[str, Any]] = [
    IMAGE,
    {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
    {"type": "resource_link", "uri": "x:y", "name": "y"},
    {"type": "resource", "resource": {"uri": "x:y", "blob": "aGk="}},
]
MEASURED = [one.id for one in model_hosts().values() if one.basis == "measured"]


@pytest.mark.parametrize("block", OTHERS, ids=["image", "audio", "link", "blob"])
def test_other_blocks_are_known_where_they_were_measured(block: dict[str, Any]) -> None:
    result = {"content": [{"type": "text", "text": FIRST}, block]}
    assert not view(UNREAD, result).is_known
    for host in MEASURED:
        assert view(host, result).is_known, host


def test_a_picture_is_given_beside_the_result_in_words_or_not_at_all() -> None:
    result = {"content": [{"type": "text", "text": FIRST}, IMAGE]}
    part: dict[str, Any] = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    text: dict[str, Any] = {"type": "input_text", "text": FIRST}
    assert view("openai-agents", result).matches([text, part])
    assert not view("openai-agents", result).matches([text])
    assert not view("openai-agents", result).losses
    assert not view("pydantic-ai", result).losses
    assert lost(view("opencode", result)) == {"image"}
    (told,) = view("qwen-code", result).losses
    assert told.words == "1 image: only words about it"


def test_a_text_in_the_words_of_a_host_is_not_lost() -> None:
    found = view("claude-code", SUMMARY)
    assert not found.losses
    assert RESOURCE in found.texts[1]
    (told,) = view("claude-code", {"content": [OTHERS[3]]}).losses
    assert told.name == "blob"


def test_a_link_ends_the_run_in_one_library() -> None:
    found = view("langchain", {"content": [OTHERS[2]]})
    assert found.items == ()
    assert lost(found) == {"result"}
    assert found.matches(None)


@pytest.mark.parametrize(
    ("host", "got"),
    [
        ("opencode", ""),
        ("gemini-cli", {}),
        ("kimi-code", "Wall time: 0 seconds\n<system>Tool output is empty.</system>"),
        ("continue", "[]"),
        ("langchain", []),
        ("agent-framework", "null"),
    ],
)
def test_a_result_without_content(host: str, got: Any) -> None:
    found = view(host, {"content": []})
    assert found.is_whole
    assert found.matches(got)
    assert not found.matches("other words")


BLANK: list[dict[str, Any]] = [
    {"content": [{"type": "text", "text": " "}]},
    {"content": [{"type": "text", "text": " "}], "structuredContent": {"a": 1}},
    {"content": [], "isError": True},
]


@pytest.mark.parametrize("result", BLANK)
@pytest.mark.parametrize("host", ["opencode", "kimi-code", "continue", "langchain"])
def test_a_result_of_blank_words_is_not_guessed(host: str, result: dict[str, Any]) -> None:
    found = view(host, result)
    assert not found.is_known
    assert "structuredContent" not in lost(found)


def test_structured_content_without_a_text() -> None:
    result = {"content": [], "structuredContent": {"a": 1}}
    assert view("opencode", result).matches('{"a":1}')
    assert view("opencode", result).is_whole
    assert lost(view("langchain", result)) == {"structuredContent"}
    assert "mcp-result-extras" in view("kimi-code", result).texts[0]


BREAKS = read_response(HERO, breaks_schema=True)


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("codex", JSON_OF_HERO),
        ("opencode", "does not match the tool's output schema"),
        ("langchain", ""),
        ("agent-framework", "Error: Function failed."),
        ("claude-code", JSON_OF_HERO),
        (UNREAD, "not measured"),
    ],
)
def test_structured_content_that_breaks_its_schema(host: ModelHost | str, words: str) -> None:
    found = view_of(model_hosts()[host] if isinstance(host, str) else host, BREAKS)
    assert words in "".join(found.texts)
    assert found.is_known is (host is not UNREAD)
    assert ("result" in lost(found)) is (host not in ("codex", "claude-code", UNREAD))


def test_the_cut_of_a_large_text_is_not_guessed() -> None:
    huge = {"content": [{"type": "text", "text": "x" * 60_000}]}
    (cut,) = view("opencode", huge).unknown
    assert "60,000 characters" in cut
    assert view("continue", huge).is_known


@pytest.mark.parametrize("structured", [None, {}, [], "words", 3])
@pytest.mark.parametrize("host", ["claude-code", "codex", "pydantic-ai", "agent-framework"])
def test_only_an_object_with_members_is_known_to_replace_content(
    host: str, structured: Any
) -> None:
    found = view(host, HERO | {"structuredContent": structured})
    assert not found.is_known
    assert not found.losses


@pytest.mark.parametrize("host", ["codex", "kilo"])
def test_texts_that_are_too_large_to_compare_are_not_called_lost(host: str) -> None:
    huge = {"type": "text", "text": '{"a": "' + "x" * COMPARED_LIMIT + '"}'}
    found = view(host, {"content": [huge], "structuredContent": {"a": "y"}})
    assert not found.losses
    assert not found.is_known


def test_a_host_is_given_by_its_id_or_as_a_row_of_the_table() -> None:
    assert model_view("kilo", HERO) == model_view(model_hosts()["kilo"], HERO)


def test_the_table_has_a_basis_for_each_entry() -> None:
    for one in model_hosts().values():
        assert one.basis in ("measured", "read"), one.id
        assert one.kind in ("host", "library"), one.id
        assert one.version
        assert one.date.startswith("2026-")
        assert one.source
        assert one.structured is not Structured.NOT_KNOWN, one.id
        assert (one.error_words != "") is (
            one.error in (ErrorForm.BEFORE, ErrorForm.WRAPPED, ErrorForm.WORDS_LOST)
        )
        if one.form is ContentForm.NOT_KNOWN:
            assert "not measured" in one.shape_words[0]


def names(found: tuple[ModelHost, ...]) -> list[str]:
    return [one.id for one in found]


def test_hosts_are_picked_by_name() -> None:
    assert names(picked(("kilo", "codex", "kilo"))) == ["kilo", "codex"]
    assert names(picked(())) == names(picked(("all",))) == list(model_hosts())
    with pytest.raises(UnknownModelHost, match="did you mean codex"):
        picked(("codx",))


def text_of(*texts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": one} for one in texts]}


def test_hidden_characters_that_a_host_removes() -> None:
    hidden = "a\u202eb\u200bc\u00add\U000e0041e\ufeff"
    assert view("copilot-cli", text_of(hidden)).texts == ("abcde",)
    assert view("copilot-cli", text_of("a\u200db\x1b")).texts == ("a\u200db\x1b",)
    assert view("opencode", text_of(hidden)).texts == (hidden,)


def test_a_json_text_that_a_host_writes_again() -> None:
    alone = view("copilot-cli", text_of('{"a": 1}'))
    assert alone.matches('{"a":1}')
    assert alone.is_known
    assert not view("copilot-cli", text_of('{"a": 1}', "b")).is_known
    beside = view("copilot-cli", {**text_of('{"a": 1}'), "structuredContent": {"a": 1}})
    assert beside.matches('{"a": 1}\n\n{"a":1}')


def test_structured_content_that_a_host_repeats_has_no_gap_before_it_if_it_is_alone() -> None:
    assert view("copilot-cli", {"content": [], "structuredContent": {"a": 1}}).texts == ('{"a":1}',)
