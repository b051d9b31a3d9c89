"""The exit status of `signoff call`, for each way in which a call ends."""

from __future__ import annotations

import pytest

from signoff.app.calls.call import Call, Outcome
from signoff.app.cli.output.reports import exit_status
from signoff.app.protocol.findings.findings import error, warning
from signoff.app.schemas.schema import Mismatch, SchemaAnswer, SchemaVerdict
from tests.widgets.call_samples import ended

INVALID = SchemaVerdict(SchemaAnswer.INVALID, (Mismatch((), "not a number", (), "type"),))


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (ended(1), 0),
        (ended(1, Outcome.TOOL_ERROR), 1),
        (ended(1, Outcome.PROTOCOL_ERROR), 1),
        (ended(1, Outcome.DENIED), 3),
        (ended(1, Outcome.UNREADABLE), 4),
        (ended(1, schema=INVALID), 4),
        (ended(1, schema=SchemaVerdict(SchemaAnswer.MISSING)), 4),
        (ended(1, Outcome.TOOL_ERROR, schema=INVALID), 1),
        (ended(1, findings=(error("malformed-block", "x"),)), 4),
        (ended(1, findings=(warning("malformed-block", "x"),)), 0),
        (ended(1, Outcome.NOT_SENT), 5),
        (ended(1, Outcome.CONNECTION_LOST), 5),
        (ended(1, Outcome.NOT_SENT, is_too_late=True), 6),
        (ended(1, Outcome.TIMEOUT), 6),
        (ended(1, Outcome.INPUT_REQUIRED), 10),
        (ended(1, Outcome.FAULT), 70),
        (ended(1, Outcome.CANCELLED), 130),
    ],
)
def test_each_end_has_a_status_of_its_own(call: Call, status: int) -> None:
    assert exit_status(call) == status
