"""Names of drafts, what a client declares of them, and whether a server has them, too."""

from __future__ import annotations

import pytest

from signoff.app.protocol.extensions.register import (
    EXTENSIONS,
    NotInUse,
    declared_extensions,
    not_in_use,
    read_names,
    setting,
)
from signoff.app.protocol.server_requests.capabilities import ALL_CAPABILITIES, ClientCapabilities

NAME = "tool-resolution"
IDENTIFIER = "io.modelcontextprotocol/tool-resolution"


def test_each_extension_has_a_revision_and_an_identifier_of_the_protocol() -> None:
    for name, one in EXTENSIONS.items():
        assert one.identifier == f"io.modelcontextprotocol/{name}"
        assert all((one.revision, one.source, one.about))


def test_nothing_is_declared_unless_it_is_turned_on() -> None:
    for is_modern in (False, True):
        plain = ALL_CAPABILITIES.as_json(is_modern=is_modern)
        assert IDENTIFIER not in str(plain)
        on = ClientCapabilities(experimental=frozenset({NAME})).as_json(is_modern=is_modern)
        assert on.pop("extensions") == {**plain.pop("extensions", {}), IDENTIFIER: {}}  # type: ignore[dict-item]
        assert on == plain


def test_declared_extensions_are_those_that_are_known() -> None:
    assert declared_extensions(()) == {}
    assert declared_extensions({NAME, "unknown"}) == {IDENTIFIER: {}}


def test_names_are_read_with_commas_between() -> None:
    assert read_names(" a, b,,") == {"a", "b"}
    assert read_names("") == frozenset()


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        ({}, NotInUse.MISSING),
        ({"extensions": []}, NotInUse.MISSING),
        ({"extensions": {"io.modelcontextprotocol/tasks": {}}}, NotInUse.MISSING),
        ({"extensions": {IDENTIFIER: {}}}, None),
        ({"extensions": {IDENTIFIER: {"revision": "2"}}}, NotInUse.SETTINGS),
        ({"extensions": {IDENTIFIER: True}}, NotInUse.SETTINGS),
    ],
)
def test_a_server_has_an_extension_if_it_declares_an_empty_object(
    capabilities: dict[str, object], expected: NotInUse | None
) -> None:
    assert not_in_use(NAME, capabilities) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, None),
        ({"directoryRead": True}, None),
        ({"directoryRead": "yes"}, NotInUse.SETTINGS),
        ({"directoryRead": True, "revision": "2"}, NotInUse.SETTINGS),
    ],
)
def test_a_draft_has_settings_of_its_own(
    settings: dict[str, object], expected: NotInUse | None
) -> None:
    declared = {"extensions": {"io.modelcontextprotocol/skills": settings}}
    assert not_in_use("skills", declared) is expected  # type: ignore[arg-type]
    is_set = settings.get("directoryRead") is True
    assert setting("skills", "directoryRead", declared) is is_set  # type: ignore[arg-type]


def test_what_is_only_fetched_is_not_declared() -> None:
    assert declared_extensions({"server-cards"}) == {}
