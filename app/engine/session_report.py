"""A bench as the values that a report of its session is made of."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..analysis.matrix.matrix import build_matrix
from ..approval.policies.policy import Policy
from ..schemas.secrets.commands import mask_command
from .bench import Bench
from .everything_found import everything_found, in_order
from .report.session import CALLS_MAX, Session


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
