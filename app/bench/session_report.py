"""A bench as the values that a report of its session is made of."""

from __future__ import annotations

import time
from collections.abc import Sequence

from signoff.app.bench.bench import Bench
from signoff.app.bench.everything_found import everything_found, in_order
from signoff.app.core.policies.matrix import build_matrix
from signoff.app.core.policies.policy import Policy
from signoff.app.core.reports.session import CALLS_MAX, Session
from signoff.app.core.secret_commands import mask_command


def session_of(bench: Bench, columns: Sequence[Policy]) -> Session:
    """The session as it is now; `columns` are the policies and hosts of its matrix."""
    calls = sorted(bench.calls.values(), key=lambda call: call.id)
    newest = calls[-CALLS_MAX:]
    return Session(
        bench.server,
        mask_command(bench.server.command),
        bench.policy.name,
        time.time(),
        bench.tools,
        newest,
        [(one.where, one.finding) for one in in_order(everything_found(bench))],
        build_matrix(bench.tools, tuple(columns), server=bench.server.name),
        more_calls=(newest[0].id - 1 if newest else 0),
    )
