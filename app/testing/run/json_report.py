"""What came of flows as JSON."""

from __future__ import annotations

from typing import Any

from ..results import Check, FlowResult, Status, StepResult


def tests_report(results: tuple[FlowResult, ...], took: float) -> dict[str, Any]:
    """`signoff test --json`."""
    return {
        "passed": all(one.status is not Status.FAILED for one in results),
        "seconds": round(took, 3),
        "steps": {status.value: sum(one.number(status) for one in results) for status in Status},
        "retried": sum(one.retried for one in results),
        "flows": [_flow(one) for one in results],
    }


def _flow(result: FlowResult) -> dict[str, Any]:
    return {
        "file": result.file,
        "title": result.title or None,
        "server": result.server,
        "rules": result.rules,
        "person": result.person or None,
        "status": result.status.value,
        "unreachable": result.unreachable or None,
        "seconds": round(result.seconds, 3),
        "steps": [_step(one) for one in result.steps],
        "findings": list(result.findings),
    }


def _step(step: StepResult) -> dict[str, Any]:
    proof = step.proof
    return {
        "title": step.title,
        "line": step.spot.line or None,
        "status": step.status.value,
        "reason": step.reason or None,
        "facts": list(step.facts),
        "checks": [_check(one) for one in step.checks],
        "proof": None
        if proof is None
        else {"method": proof.method, "frames": proof.frames, "holds": proof.holds},
        "dialog": list(step.dialog),
        "wire": [{"row": one.row, "message": one.message} for one in step.wire],
        "seconds": round(step.seconds, 6),
        "earlier": [_step(one) for one in step.earlier],
    }


def _check(one: Check) -> dict[str, Any]:
    return {
        "name": one.name,
        "passed": one.passed,
        "expected": one.expected,
        "seen": one.seen,
        "line": one.spot.line or None,
    }
