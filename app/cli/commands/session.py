"""`signoff report`: a server as one page of HTML, to hand to a reviewer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...content.text import visible
from ...engine.policy_state import read_rulebook
from ...engine.report import session_of, session_page, summary
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, run
from ...headless.printing import complain, tell
from ...headless.targets import UsageError

if TYPE_CHECKING:
    from ..options.live import Report


def run_report(options: Options, wanted: Report) -> int:
    """Look at a server, and write the page; returns the exit status."""
    return run(_report(options, wanted))


async def _report(options: Options, wanted: Report) -> int:
    rulebook = read_rulebook()
    for problem in rulebook.problems:
        complain(f"left out: {problem}")
    async with opened(options) as bench:
        await bench.offers.listed()
        session = session_of(bench, rulebook.columns)
    page = session_page(session)
    if not wanted.html:
        print(page, end="")
        return ExitStatus.OK
    try:
        Path(wanted.html).write_text(page, encoding="utf-8")
    except OSError as problem:
        shown = visible(wanted.html)
        raise UsageError(f"--html {shown} cannot be written: {problem.strerror}") from None
    tell(f"{visible(wanted.html)}: {summary(session)}")
    return ExitStatus.OK
