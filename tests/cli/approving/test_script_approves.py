"""`--approve always` approves calls, and answers no request of the server."""

from __future__ import annotations

import pytest

from signoff.app.approval.approval import deny
from signoff.app.approval.server_questions import AboutElicitation, AboutSampling
from signoff.app.cli.approving.approvers import REPLIES_FROM_FILE, ScriptApproves


@pytest.mark.parametrize("kind", [AboutElicitation, AboutSampling])
async def test_a_script_approves_no_request_of_the_server(
    kind: type[AboutElicitation | AboutSampling],
) -> None:
    question = object.__new__(kind)
    assert await ScriptApproves().ask(question) == deny("script", REPLIES_FROM_FILE)
