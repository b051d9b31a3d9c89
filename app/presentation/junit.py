"""JUnit XML of a report: suites of test cases, for readers of CI systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final

from ..content.frozen import frozen
from ..content.text import visible
from .escapes import xml


class Ending(Enum):
    """How a test case ended."""

    PASSED = "passed"
    FAILED = "failure"
    SKIPPED = "skipped"


@frozen
class TestCase:
    """One case; all its texts are made safe, and escaped, when it is written."""

    __test__ = False

    classname: str
    name: str
    ending: Ending = Ending.PASSED
    kind: str = ""
    """The type of a failure; empty for none."""
    message: str = ""
    """Why it failed or was skipped, in short."""
    words: str = ""
    """The whole text: of a failure its content, otherwise the output."""
    file: str = ""
    line: int = 0


@frozen
class TestSuite:
    """The cases of one server or file."""

    __test__ = False

    name: str
    cases: tuple[TestCase, ...]

    def count(self, ending: Ending) -> int:
        """The number of cases that ended so."""
        return sum(case.ending is ending for case in self.cases)


_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>'


def junit_text(command: str, suites: Sequence[TestSuite], mask: Callable[[str], str] = str) -> str:
    """The whole document of a command; `mask` hides the secrets of each text."""
    return "\n".join(_Document(mask).lines(command, suites)) + "\n"


class _Document:
    """Writes suites, with each text masked, made safe and escaped, in this order."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask

    def lines(self, command: str, suites: Sequence[TestSuite]) -> Iterator[str]:
        yield _HEAD
        tests = sum(len(suite.cases) for suite in suites)
        failures = sum(suite.count(Ending.FAILED) for suite in suites)
        yield f'<testsuites name="signoff {command}" {_numbers(tests, failures)}>'
        for suite in suites:
            numbers = _numbers(len(suite.cases), suite.count(Ending.FAILED))
            skipped = suite.count(Ending.SKIPPED)
            yield f'  <testsuite name="{self._line(suite.name)}" {numbers} skipped="{skipped}">'
            for case in suite.cases:
                yield from self._case(case)
            yield "  </testsuite>"
        yield "</testsuites>"

    def _case(self, case: TestCase) -> Iterator[str]:
        names = f'classname="{self._line(case.classname)}" name="{self._line(case.name)}"'
        if case.file and case.line:
            names += f' file="{xml(case.file)}" line="{case.line}"'
        words = xml(visible(self._mask(case.words), multiline=True))
        if case.ending is Ending.PASSED and not words:
            yield f"    <testcase {names}/>"
            return
        yield f"    <testcase {names}>"
        if case.ending is Ending.PASSED:
            yield f"      <system-out>{words}</system-out>"
        else:
            tag = case.ending.value
            kind = f' type="{self._line(case.kind)}"' if case.kind else ""
            said = f">{words}</{tag}>" if words else "/>"
            yield f'      <{tag}{kind} message="{self._line(case.message)}"{said}'
        yield "    </testcase>"

    def _line(self, text: str) -> str:
        return xml(visible(self._mask(text)))


def _numbers(tests: int, failures: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="0"'
