"""`signoff explain CODE`: a finding, a rule of lint, an exit status or another code in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ...cli.command import AlsoOnOpen, without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.output.printing import say
from ...cli.targets.targets import UsageError
from ...content.suggest import did_you_mean, shown_name
from ...content.text import shortened
from ...presentation.exit_status import ExitStatus
from .explaining import explained, kinds, known

if TYPE_CHECKING:
    from ...cli.targets.live import Options
    from ...engine.engine import Engine

_SHOWN: Final = 60
"""Characters of an unknown code in the error."""


@options
class ExplainOptions(NamedTuple):
    """Options of `explain`."""

    code: str = opt(
        "CODE",
        "the code of a finding or of a rule of lint, or an exit status (default: list all)",
        nargs="?",
        default="",
    )


def add(explain: Parser) -> None:
    without_server(explain, ExplainOptions, _EXPLAINS)


def run_explain(wanted: ExplainOptions) -> int:
    """Explain a code, or list all; returns the exit status."""
    if not wanted.code:
        for kind, codes in kinds():
            say(kind)
            for code, meaning in codes.items():
                say(f"    {code}   {meaning}".rstrip())
        return ExitStatus.OK
    lines = explained(wanted.code)
    if not lines:
        hint = did_you_mean(wanted.code, known()) or "; signoff explain lists all"
        raise UsageError(f"no such code: {shown_name(shortened(wanted.code, _SHOWN))}{hint}")
    for line in lines:
        say(line)
    return ExitStatus.OK


async def _run_on_open(options: Options, engine: Engine, wanted: ExplainOptions) -> int:
    return run_explain(wanted)


_EXPLAINS: Final = AlsoOnOpen(run_explain, _run_on_open)
"""In plain mode, too."""
