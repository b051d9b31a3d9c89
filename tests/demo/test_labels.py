"""Tools of drafts are listed to clients that declare the extension, and to nobody else."""

from __future__ import annotations

import json

import pytest

from signoff.app.demo.extensions import labels
from signoff.app.protocol.extensions import action_metadata, display_templates, trust_annotations
from tests.engine.bundled import bundled

OWN = {
    "display-templates": {"set_volume", "play_cue", "read_document"},
    "trust-annotations": {
        *("read_advisory", "read_decision", "read_sequence", "read_forum", "read_diary"),
    },
    "action-metadata": {"send_invoice", "show_note"},
}
ERAS = pytest.mark.parametrize("era", ["modern", pytest.param("legacy", marks=pytest.mark.slow)])


def test_the_keys_are_those_that_signoff_reads() -> None:
    assert labels.TEMPLATES == display_templates.KEY
    assert labels.BRANCH == display_templates.BRANCH_KEY
    assert labels.TRUST == trust_annotations.KEY
    assert labels.ACTION == action_metadata.KEY


@pytest.mark.slow
@ERAS
async def test_each_extension_adds_its_tools_and_changes_no_other(era: str) -> None:
    async with bundled(era) as one:
        plain = [tool.raw for tool in one.engine.tools]
    text = json.dumps(plain)
    assert not any(name in text for names in OWN.values() for name in names)
    assert "display-template" not in text
    for name, names in OWN.items():
        async with bundled(era, experimental=(name,)) as one:
            tools = one.engine.tools
        assert {tool.name for tool in tools} - {tool["name"] for tool in plain} == names  # type: ignore[call-overload,index]
        assert [tool.raw for tool in tools if tool.name not in names] == plain
