"""Plain mode shows the log messages of some loggers, or says which loggers there are."""

from __future__ import annotations

import re
from pathlib import Path

from tests.approved import approved
from tests.cli.running import run

PROSE = approved("cli-plain")

TYPED = """\
call log_every_level !{}
log logger
log logger demo.d*
log logger a[
log nix
quit
"""


def test_the_messages_of_the_loggers_that_a_glob_fits(tmp_path: Path) -> None:
    words = ("--plain", "demo", "--protocol", "legacy", "--log-level", "debug")
    shown = run(tmp_path, *words, stdin=TYPED).stdout
    loggers = shown.partition("3 loggers; ")[2].partition("demo> ")[0]
    assert re.findall(r"^  (\d+) (of|without)", loggers, re.MULTILINE)
    assert " without a logger" in loggers
    found = shown.partition("of the logger “demo.d*”\n")[2].partition("demo> ")[0].splitlines()
    assert len(found) == 2
    assert all(" demo.d" in line for line in found)
    *_, counted, wrong, usage, _ = shown.split("demo> ")
    counted, _, _ = counted.partition("\n")[2].partition("\n")
    PROSE.holds("log: counted messages", counted)
    PROSE.holds("log: an invalid glob", wrong.partition("\n")[2])
    PROSE.holds("log: usage", usage.partition("\n")[2])
