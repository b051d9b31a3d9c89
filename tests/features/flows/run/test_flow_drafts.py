"""A flow can expect what drafts add to a call: resolved hints, labels, digests, dispositions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from signoff.app.cli.output.results import FlowResult
from signoff.app.features.flows.reading import load_flow
from signoff.app.features.flows.run.run_flow import RunWishes, run_flow
from signoff.app.features.flows.run.session import prepare
from tests.approved import approved
from tests.cli.running import run
from tests.servers import raw

PROSE = approved("flows")
DRAFT = ("tool-resolution",)


def written(folder: Path, *steps: dict[str, Any], **head: Any) -> Path:
    """A flow file; JSON is YAML, too."""
    file = folder / "a.flow.yaml"
    file.write_text(json.dumps({**head, "steps": steps}), encoding="utf-8")
    return file


async def failures(file: Path) -> dict[str, str]:
    """What is expected and seen of each failed check."""
    result: FlowResult = await run_flow(prepare(load_flow(file), {}, {}), RunWishes())
    assert not result.unreachable
    return {
        f"{one.name}: {one.expected}": one.seen for step in result.steps for one in step.failures
    }


def lines_of(found: dict[str, str]) -> str:
    return "\n".join(f"{name} | {seen}" for name, seen in found.items())


def on_resolving(
    folder: Path, expect: dict[str, Any], mode: str = "honest", drafts: tuple[str, ...] = DRAFT
) -> Path:
    step = {"call": "manage", "with": {"action": "read"}, "expect": {"resolved": expect}}
    server = raw("--resolution", mode)
    return written(folder, step, command=server, experimental=drafts)


async def test_each_resolved_hint_is_compared(tmp_path: Path) -> None:
    held = {"status": "resolved", "effect": "read-only", "readOnly": True, "idempotent": True}
    assert not await failures(on_resolving(tmp_path, held))
    wrong = {"status": "failed", "effect": "destructive", "openWorld": True, "because": "lost"}
    PROSE.holds(
        "drafts: resolved hints that differ",
        lines_of(await failures(on_resolving(tmp_path, wrong))),
    )
    failed = on_resolving(tmp_path, {"status": "failed", "readOnly": True}, "-32603")
    assert list(await failures(failed)) == ["resolved: readOnly true"]


async def test_without_the_draft_no_hint_is_resolved(tmp_path: Path) -> None:
    file = on_resolving(tmp_path, {"readOnly": True}, drafts=("trust-annotations",))
    assert "experimental: tool-resolution" in (await failures(file))["resolved: resolved hints"]


async def test_labels_digests_and_dispositions_that_differ(tmp_path: Path) -> None:
    drafts = ["trust-annotations", "action-metadata", "structured-authorization-denials"]
    approve = {"person": "approve"}
    expectations: list[tuple[str, dict[str, Any]]] = [
        ("read_sequence", {"labels": "sensitive", "digests": "matched"}),
        ("send_invoice", {"action": {"outcome": ["benign"], "review": False}}),
        ("read_payroll", {"denial": "none", "disposition": "approved-executed"}),
        ("calculate_sum", {"action": {"review": True}, "digests": [], "denial": "available"}),
    ]
    arguments: dict[str, Any] = {
        "send_invoice": {"customer": "Ada"},
        "calculate_sum": {"a": 1, "b": 2},
    }
    steps = [
        {"call": name, "with": arguments.get(name, {}), "expect": one, **approve}
        for name, one in expectations
    ]
    file = written(tmp_path, *steps, server="demo", trust=True, experimental=drafts)
    PROSE.holds("drafts: what differs", lines_of(await failures(file)))


async def test_labels_that_are_not_read_are_no_empty_labels(tmp_path: Path) -> None:
    step = {
        "call": "calculate_sum",
        "with": {"a": 1, "b": 2},
        "expect": {"labels": [], "digests": []},
    }
    found = await failures(written(tmp_path, step, server="demo", trust=True))
    assert set(found) == {"labels: no label", "digests: no digest"}
    assert all("experimental: trust-annotations" in one for one in found.values())


def test_updates_write_the_hints_of_now(tmp_path: Path) -> None:
    file = on_resolving(tmp_path, {"effect": "destructive", "readOnly": False})
    run(tmp_path, "test", "a.flow.yaml", "--update", stdin="yes\n")
    assert '"resolved": {"effect": read-only, "readOnly": true}' in file.read_text()
    assert run(tmp_path, "test", "a.flow.yaml").status == 0


def test_mistakes_are_named(tmp_path: Path) -> None:
    on_resolving(tmp_path, {"readonly": True})
    ended = run(tmp_path, "flow", "check", "a.flow.yaml")
    assert ended.status == 2
    assert "readOnly?" in ended.stderr + ended.stdout
