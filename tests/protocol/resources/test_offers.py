"""Resources, templates and prompts as values: lenient, nothing left out, oddities named."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from signoff.app.protocol.resources.offers import (
    Icon,
    OfferKind,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    matching,
    read_offers,
    schema_of_prompt,
    schema_of_template,
)
from signoff.app.schemas.form.form import build_form
from tests.approved import approved

PROSE = approved("protocol")

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 20).decode()


def one(kind: OfferKind, raw: Any) -> Any:
    [offer] = read_offers(kind, [raw])
    return offer


def codes(offer: Any) -> list[str]:
    return [finding.code for finding in offer.findings]


def test_a_resource_is_read_whole() -> None:
    resource = one(
        OfferKind.RESOURCE,
        {
            "uri": "notes://1",
            "name": "one",
            "title": "The first",
            "description": "A note.",
            "mimeType": "text/plain",
            "size": 12,
            "annotations": {"audience": ["user"], "priority": 0.5},
            "icons": [{"src": "https://x.test/i.png", "sizes": ["48x48"]}],
        },
    )
    assert isinstance(resource, Resource)
    assert (resource.uri, resource.mime, resource.size) == ("notes://1", "text/plain", 12)
    assert resource.title_shown == "The first"
    assert resource.annotations.audience == ("user",)
    PROSE.holds("icon: not fetched", resource.icons[0].words)
    assert not resource.findings


@pytest.mark.parametrize("kind", list(OfferKind))
@pytest.mark.parametrize(
    "raw",
    [
        *(None, 1, "a", [], {}, {"name": 1}, {"uri": {}}, {"uriTemplate": 3}, {"arguments": "a"}),
        *({"arguments": [1, {}, {"name": ""}]}, {"icons": 1}, {"icons": [1, {"src": 2}]}),
        *({"size": "big"}, {"annotations": 3}, {"title": [], "description": {}}),
    ],
)
def test_no_entry_is_left_out_and_what_is_odd_is_said(kind: OfferKind, raw: Any) -> None:
    offer = one(kind, raw)
    assert offer.index == 0
    assert offer.title_shown
    if raw != {}:
        assert offer.findings


def test_what_cannot_be_told_apart_says_so() -> None:
    entry: Any = {"uri": "a:1", "name": "x"}
    offers = read_offers(OfferKind.RESOURCE, [entry, {"uri": "a:2", "name": "x"}, entry])
    assert [codes(offer) for offer in offers] == [["duplicate-offer"], [], ["duplicate-offer"]]


def test_hidden_characters_are_named_and_never_shown() -> None:
    prompt = one(OfferKind.PROMPT, {"name": "a\u202eb", "title": "c\u200bd"})
    assert codes(prompt) == ["hidden-characters"] * 2
    assert prompt.display_name == "a<U+202E>b"
    assert prompt.title_shown == "c<U+200B>d"


def test_a_template_becomes_a_form_of_its_variables() -> None:
    template = one(
        OfferKind.TEMPLATE, {"uriTemplate": "db://{table}{/rest*}{?limit}", "name": "rows"}
    )
    assert isinstance(template, ResourceTemplate)
    assert template.template is not None
    schema = schema_of_template(template.template)
    assert schema == {
        "type": "object",
        "properties": {
            "table": {"type": "string"},
            "rest": {"type": "array", "items": {"type": "string"}},
            "limit": {"type": "string"},
        },
        "required": ["table"],
        "additionalProperties": False,
    }
    assert [field.name for field in build_form(schema).fields] == ["table", "rest", "limit"]


def test_what_is_no_template_is_kept_and_cannot_be_filled_in() -> None:
    template = one(OfferKind.TEMPLATE, {"uriTemplate": "db://{table", "name": "rows"})
    assert template.template is None
    assert codes(template) == ["malformed-template"]


def test_a_prompt_has_its_arguments_each_once() -> None:
    raw = [
        {"name": "city", "description": "Where.", "required": True},
        {"name": "unit", "title": "Unit", "required": "yes"},
        {"name": "city"},
    ]
    prompt = one(OfferKind.PROMPT, {"name": "weather", "arguments": raw})
    assert isinstance(prompt, Prompt)
    assert prompt.arguments == (
        PromptArgument("city", "", "Where.", True),
        PromptArgument("unit", "Unit", "", False),
    )
    assert codes(prompt) == ["malformed-offer", "malformed-offer"]
    schema: Any = schema_of_prompt(prompt)
    assert schema["required"] == ["city"]
    assert schema["properties"]["unit"] == {"type": "string", "title": "Unit"}


@pytest.mark.parametrize(
    ("src", "words"),
    [
        (f"data:image/png;base64,{PNG}", "in the list itself, image/png, 28 B"),
        ("data:image/png;base64,***", "a data: URI that cannot be read"),
        ("data:,hi%20you", "in the list itself, no known type, 6 B"),
        ("javascript:alert(1)", "javascript:alert(1) (not fetched)"),
        ("\x1b[2J", "␛[2J (not fetched)"),
    ],
)
def test_icons_are_named_and_never_fetched(src: str, words: str) -> None:
    assert Icon(src).words == words


def test_the_filter_wants_every_word_somewhere() -> None:
    entries: Any = [{"uri": "notes://1", "name": "One", "description": "First"}, {"uri": "x:2"}]
    offers = read_offers(OfferKind.RESOURCE, entries)
    assert [offer.index for offer in matching(offers, "first NOTES")] == [0]
    assert [offer.index for offer in matching(offers, "")] == [0, 1]
    assert not matching(offers, "first x:2")
