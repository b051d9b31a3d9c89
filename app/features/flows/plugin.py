"""The pytest plugin: `*.flow.yaml` files are tests, and three fixtures test servers from Python.

A relative path that a test gives to a fixture begins at the folder of the test file; commands are
started there, too.

It is loaded with every run of pytest in an environment with Signoff, so it imports late.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ...cli.output.results import FlowResult, StepResult
    from .run.run_flow import ServerUnderTest

ENDINGS = (".flow.yaml", ".flow.yml")


class FlowStepFailed(Exception):
    """A step of a flow file failed; the text is its report."""


class FlowFile(pytest.File):
    """A flow file: it is run once, when the first of its steps is."""

    _result: FlowResult | None = None

    def collect(self) -> Iterable[pytest.Item]:
        from ...cli.output.results import SIGN_IN_INDEX
        from .reading import load_flow
        from .yaml_tree import FlowError

        try:
            flow = load_flow(self.path)
        except FlowError as problem:
            raise self.CollectError("\n".join(problem.lines)) from None
        if (wanted := flow.sign_in) is not None:
            yield FlowStep.from_parent(
                self, name="sign in", index=SIGN_IN_INDEX, line=wanted.spot.line
            )
        for index, step in enumerate(flow.steps):
            name = f"{index + 1} {step.title}"
            yield FlowStep.from_parent(self, name=name, index=index, line=step.spot.line)
        yield FlowStep.from_parent(self, name="nothing left late", index=-1, line=1)

    def result(self) -> FlowResult:
        """Result of the flow. Raises FlowStepFailed for errors that only show now."""
        if self._result is None:
            from ...cli.targets.targets import UsageError
            from .run.run_flow import run_file
            from .yaml_tree import FlowError

            try:
                self._result = run_file(self.path)
            except (FlowError, UsageError) as problem:
                raise FlowStepFailed(str(problem)) from None
        return self._result


class FlowStep(pytest.Item):
    """One step of a flow, with all its tools if it is run for each."""

    parent: FlowFile

    def __init__(self, *, index: int, line: int, **given: Any) -> None:
        super().__init__(**given)
        self._index = index
        self._line = line

    def runtest(self) -> None:
        from ...cli.output.results import Status

        result = self.parent.result()
        if result.unreachable:
            raise FlowStepFailed(result.unreachable)
        own = [step for step in result.steps if step.index == self._index]
        if failed := [step for step in own if step.status is Status.FAILED]:
            raise FlowStepFailed(_told(failed))
        if own and all(step.status is Status.NOT_RUN for step in own):
            pytest.skip(own[0].reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, FlowStepFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._line - 1, self.name


def _told(steps: Iterable[StepResult]) -> str:
    from ...cli.output.result_reports import step_lines

    return "\n".join(line for step in steps for line in step_lines(step, 100))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FlowFile | None:
    """A hook of pytest: flow files are collected wherever it looks for tests."""
    if file_path.name.endswith(ENDINGS):
        return FlowFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def approval_flow(request: pytest.FixtureRequest) -> Callable[[str | Path], FlowResult]:
    """Runs a flow file, by a path beside the test file or a whole one; fails as pytest does."""

    def run(path: str | Path) -> FlowResult:
        from ...cli.output.results import Status
        from .run.run_flow import report_of, run_file

        with _failing("approval_flow"):
            result = run_file(_found(request.path, path, "flow file"))
        if result.status is not Status.PASSED:
            pytest.fail(report_of(result), pytrace=False)
        return result

    return run


def _found(test: Path, path: str | Path, kind: str) -> Path:
    """A file that a test names. Raises UsageError if there is none."""
    from ...cli.targets.targets import UsageError
    from ...content.text import visible

    whole = test.parent / path
    if whole.is_file():
        return whole
    where = "" if Path(path).is_absolute() else f" in {visible(str(test.parent))}"
    advice = "" if Path(path).is_absolute() else "; a relative path begins at the test file"
    raise UsageError(f"no {kind} {visible(str(path))}{where}{advice}")


@contextlib.contextmanager
def _failing(fixture: str) -> Iterator[None]:
    """Fail without a traceback if a file, a key or a policy is wrong."""
    from ...cli.targets.targets import UsageError
    from .yaml_tree import FlowError

    try:
        yield
    except (FlowError, UsageError) as problem:
        raise pytest.fail.Exception(f"{fixture}: {problem}", pytrace=False) from None


@pytest.fixture
def signoff_decide(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compares decisions with a baseline, by `signoff decide` in the folder of the test file.

    The words are its options, and the server after `--`; the test fails if the command does.
    """

    def run(baseline: str | Path, *words: str) -> None:
        import subprocess
        import sys

        command = [sys.executable, "-m", "signoff.app", "decide", "--baseline", str(baseline)]
        done = subprocess.run(
            [*command, *words],
            cwd=request.path.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode:
            pytest.fail(f"{done.stdout}{done.stderr}".strip(), pytrace=False)

    return run


@pytest.fixture
def signoff_server(request: pytest.FixtureRequest) -> Iterator[Callable[..., ServerUnderTest]]:
    """Opens servers by the keys of a flow file, and closes them after the test."""
    with contextlib.ExitStack() as stack:

        def open_server(**keys: Any) -> ServerUnderTest:
            from .run.run_flow import server_under_test

            if "command" in keys:
                keys.setdefault("folder", ".")
            with _failing("signoff_server"):
                return stack.enter_context(server_under_test(request.path.parent, **keys))

        yield open_server
