"""Runs `signoff` with the inputs of the action, and ends with its exit status."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

COMMANDS = (
    *("lint", "decide", "test", "consent", "doctor", "evidence", "through", "diff", "matrix"),
    "report",
)
HIDDEN = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_")
"""Beginnings of variables that `decide` keeps from the server: files and tokens of the job."""
LONGEST_SUMMARY = 900_000
"""Bytes; GitHub takes 1 MiB of a step."""


def command(inputs: Mapping[str, str], *more: str) -> list[str]:
    """The words of the command; raises ValueError for inputs that make none."""
    run = inputs.get("SIGNOFF_RUN", "")
    if run not in COMMANDS:
        raise ValueError(f"run: {run!r} is none of {', '.join(COMMANDS)}")
    words = ["signoff", run, *more, *shlex.split(inputs.get("SIGNOFF_ARGS", ""))]
    server = shlex.split(inputs.get("SIGNOFF_SERVER", ""))
    return [*words, "--", *server] if server else words


def decide(inputs: Mapping[str, str]) -> int:
    """Run `signoff decide`, and write the summary of the job, the comment and the badge.

    The exit status is about the baseline of this commit. The comment is about the one before: of
    the merge commit of a pull request, the first parent is the branch that it goes to.
    """
    file = inputs.get("SIGNOFF_BASELINE", "") or "signoff-decisions.txt"
    folder = Path(inputs.get("RUNNER_TEMP") or tempfile.gettempdir(), "signoff-decide")
    folder.mkdir(parents=True, exist_ok=True)
    comment, badge = str(folder / "comment.md"), str(folder / "badge.json")
    written = ("--markdown", "--comment", comment, "--badge", badge)
    own = Path(file).read_bytes() if Path(file).is_file() else None
    before = _before(file)
    with tempfile.TemporaryDirectory() as place:
        base = Path(place, Path(file).name)
        base.write_bytes(before or b"")
        baseline: tuple[str, ...] = ()
        if own is not None:
            baseline = ("--baseline", file)
        elif before is not None:
            # A pull request that removes the file is still compared with it.
            baseline = ("--baseline", str(base))
        done = _decided(inputs, *written, *baseline)
        text = done.stdout
        if own is not None and before is not None and before != own:
            changed = _decided(inputs, *written, "--baseline", str(base))
            text = changed.stdout
            if done.returncode:
                text += b"\n**Compared with the baseline of this commit:**\n\n" + done.stdout
    if not baseline:
        advice = f"No baseline yet. Write one: signoff decide --write-baseline {file} -- COMMAND"
        print(f"::notice title=Signoff::{advice}", flush=True)
    _keep(text, inputs)
    return done.returncode


def _decided(inputs: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[bytes]:
    given = command(inputs, *words)
    if "--baseline" not in words:
        given = _without_fail_on(given)
    environment = {name: one for name, one in os.environ.items() if not name.startswith(HIDDEN)}
    return subprocess.run(
        given, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False
    )


def _without_fail_on(words: list[str]) -> list[str]:
    """The words without `--fail-on KIND`, which needs a baseline."""
    kept: list[str] = []
    options = words[: words.index("--")] if "--" in words else words
    for before, word in zip(["", *options], options, strict=False):
        if "--fail-on" not in (before, word.partition("=")[0]):
            kept.append(word)
    return [*kept, *words[len(options) :]]


def _before(file: str) -> bytes | None:
    """The baseline in the first parent of a merge commit; None if it is not there."""
    shown = subprocess.run(
        ["git", "rev-list", "--parents", "-n", "1", "HEAD"], capture_output=True, check=False
    )
    if len(shown.stdout.split()) < 3:
        return None
    found = subprocess.run(["git", "show", f"HEAD^1:./{file}"], capture_output=True, check=False)
    return found.stdout if found.returncode == 0 else None


def _keep(text: bytes, inputs: Mapping[str, str]) -> None:
    """Add the Markdown to the summary of the job, and write it to the file that was asked for."""
    if summary := inputs.get("GITHUB_STEP_SUMMARY"):
        cut = text[:LONGEST_SUMMARY].decode("utf-8", "ignore")
        with open(summary, "a", encoding="utf-8") as file:
            file.write(cut)
    if output := inputs.get("SIGNOFF_OUTPUT"):
        Path(output).write_bytes(text)
    print(text.decode("utf-8", "replace"), flush=True)


def main() -> int:
    """Run it; what is printed goes into the file that was asked for as well as into the log."""
    try:
        words = command(os.environ)
        print(f"+ {shlex.join(words[:2])} ...", flush=True)
        if words[1] == "decide":
            return decide(os.environ)
    except ValueError as problem:
        print(f"::error title=Signoff::{problem}")
        return 2
    output = os.environ.get("SIGNOFF_OUTPUT", "")
    if not output:
        return subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    Path(output).write_bytes(done.stdout)
    print(f"{output}: {len(done.stdout):,} bytes; exit status {done.returncode}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
