"""JUnit XML of a report: suites of test cases, for readers of CI systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final

from ..content.frozen import frozen
from ..content.text import PRINTED_BLANKS, visible
from .escapes import unlinked, xml


class Ending(Enum):
    """How a test case ended."""

    PASSED = "passed"
    FAILED = "failure"
    SKIPPED = "skipped"
    ERROR = "error"


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
    output: str = ""
    """The text beside a failure."""
    seconds: float | None = None
    properties: tuple[tuple[str, str], ...] = ()


@frozen
class TestSuite:
    """The cases of one server or file."""

    __test__ = False

    name: str
    cases: tuple[TestCase, ...]
    seconds: float | None = None
    properties: tuple[tuple[str, str], ...] = ()

    def count(self, ending: Ending) -> int:
        """The number of cases that ended so."""
        return sum(case.ending is ending for case in self.cases)


_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>'


def junit_text(
    command: str,
    suites: Sequence[TestSuite],
    mask: Callable[[str], str] = str,
    seconds: float | None = None,
) -> str:
    """The whole document of a command; `mask` hides the secrets of each text."""
    return "\n".join(_Document(mask).lines(command, suites, seconds)) + "\n"


class _Document:
    """Writes suites, with each text masked, made safe and escaped, in this order."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask

    def lines(
        self, command: str, suites: Sequence[TestSuite], seconds: float | None
    ) -> Iterator[str]:
        yield _HEAD
        yield f'<testsuites name="signoff {command}" {_numbers(*suites)}{_time(seconds)}>'
        for suite in suites:
            name = self._shown(suite.name)
            yield f'  <testsuite name="{name}" {_numbers(suite)}{_time(suite.seconds)}>'
            yield from self._properties(suite.properties, "    ")
            for case in suite.cases:
                yield from self._case(case)
            yield "  </testsuite>"
        yield "</testsuites>"

    def _case(self, case: TestCase) -> Iterator[str]:
        names = f'classname="{self._line(case.classname)}" name="{self._shown(case.name)}"'
        if case.file and case.line:
            names += f' file="{xml(case.file)}" line="{case.line}"'
        names += _time(case.seconds)
        inside = [*self._properties(case.properties, "      "), *self._told(case)]
        if not inside:
            yield f"    <testcase {names}/>"
            return
        yield f"    <testcase {names}>"
        yield from inside
        yield "    </testcase>"

    def _told(self, case: TestCase) -> Iterator[str]:
        words, output = case.words, case.output
        if case.ending is Ending.PASSED:
            words, output = "", words or output
        else:
            tag = case.ending.value
            kind = f' type="{self._line(case.kind)}"' if case.kind else ""
            said = f">{self._block(words)}</{tag}>" if words else "/>"
            yield f'      <{tag}{kind} message="{self._shown(case.message)}"{said}'
        if output:
            yield f"      <system-out>{self._block(output)}</system-out>"

    def _properties(self, properties: Sequence[tuple[str, str]], margin: str) -> Iterator[str]:
        if not properties:
            return
        yield f"{margin}<properties>"
        for name, value in properties:
            yield f'{margin}  <property name="{self._line(name)}" value="{self._line(value)}"/>'
        yield f"{margin}</properties>"

    def _shown(self, text: str) -> str:
        """A name or a message, which readers of CI systems put on pages."""
        return xml(unlinked(visible(self._mask(text))))

    def _line(self, text: str) -> str:
        return xml(visible(self._mask(text)))

    def _block(self, text: str) -> str:
        return xml(visible(self._mask(text), multiline=True, max_blanks=PRINTED_BLANKS))


def _numbers(*suites: TestSuite) -> str:
    tests = sum(len(suite.cases) for suite in suites)
    failed, skipped, errors = (
        sum(suite.count(ending) for suite in suites)
        for ending in (Ending.FAILED, Ending.SKIPPED, Ending.ERROR)
    )
    return f'tests="{tests}" failures="{failed}" errors="{errors}" skipped="{skipped}"'


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f' time="{seconds:.3f}"'
