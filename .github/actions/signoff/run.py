"""Runs `signoff` with the inputs of the action, and ends with its exit status."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

COMMANDS = (
    *("lint", "decide", "test", "consent", "doctor", "evidence", "through", "diff", "matrix"),
    *("report", "measure"),
)
HIDDEN = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_")
"""Beginnings of variables that `decide` keeps from the server: files and tokens of the job."""
LONGEST_SUMMARY = 900_000
"""Bytes; GitHub takes 1 MiB of a step."""
LONGEST_ERRORS = 10_000
"""Characters of what a failed run writes to stderr."""
LONGEST_COMMENT = 60_000
"""Bytes, as the job that writes the comment reads them."""
MOST_NAMES = 30
FOUND = 4
"""The exit status for a difference of `--fail-on`."""
MARKER = "<!-- signoff-decide action -->"
NOT_MADE = "The comparison could not be made"
REST = "The rest is in the summary of the job."


def command(inputs: Mapping[str, str], *more: str) -> list[str]:
    """The words of the command; raises ValueError for inputs that make none."""
    run = inputs.get("SIGNOFF_RUN", "")
    if run not in COMMANDS:
        raise ValueError(f"run: {run!r} is none of {', '.join(COMMANDS)}")
    words = ["signoff", run, *more, *shlex.split(inputs.get("SIGNOFF_ARGS", ""))]
    server = shlex.split(inputs.get("SIGNOFF_SERVER", ""))
    return [*words, "--", *server] if server else words


def started(words: Sequence[str]) -> list[str]:
    """The command with the Signoff of this environment, whose folder is not in PATH.

    There, `python` is that of the server.
    """
    own = shutil.which(words[0], path=os.path.dirname(sys.executable))
    return [own or words[0], *words[1:]]


def decide(inputs: Mapping[str, str]) -> int:
    """Run `signoff decide`, and write the summary of the job, the comment and the badge.

    The exit status is about the baseline of this commit, and 2 or 4 if the comparison with the
    branch that it goes to could not be made or the baseline is removed. The comment is about the
    baseline of that branch. It is read as an object of git, and no link is followed.
    """
    file = inputs.get("SIGNOFF_BASELINE", "") or "signoff-decisions.txt"
    folder = Path(inputs.get("RUNNER_TEMP") or tempfile.gettempdir(), "signoff-decide")
    folder.mkdir(parents=True, exist_ok=True)
    comment, badge = folder / "comment.md", folder / "badge.json"
    for made in (comment, badge):
        made.unlink(missing_ok=True)
    missed = ""
    try:
        path = _path(file)
        before = _before(path, inputs)
    except NoTarget as problem:
        before, missed = None, str(problem)
    except ValueError as problem:
        failed = Compared(OWN, 2, "", "", str(problem))
        comment.write_text(comment_of([failed], []), encoding="utf-8", newline="\n")
        _keep(summary_of([failed], []), inputs)
        raise
    own = Path(file).read_bytes() if Path(file).is_file() else None
    with tempfile.TemporaryDirectory() as place:
        base = Path(place, Path(file).name)
        base.write_bytes(before or b"")
        words = ("--badge", str(badge))
        if own is not None:
            done = _compared(inputs, OWN, place, *words, "--baseline", file)
        elif before is not None:
            # A pull request that removes the file is still compared with it.
            done = _compared(inputs, TARGET, place, *words, "--baseline", str(base))
        elif missed:
            done = Compared(OWN, 0, "", "", "")
        else:
            # Options such as `--fail-on` are read, and nothing is compared.
            base.unlink()
            none: tuple[str, ...] = ("--baseline", str(base), "--write-baseline", str(base))
            if "--write-baseline" in inputs.get("SIGNOFF_ARGS", ""):
                none = ()
            done = _compared(inputs, OWN, place, *words, *none)
            advice = f"signoff decide --write-baseline {file} -- COMMAND"
            print(f"::notice title=Signoff::No baseline yet. Write one: {advice}", flush=True)
        runs = [done]
        if own is not None and before is not None and before != own:
            runs.insert(0, _compared(inputs, TARGET, place, "--baseline", str(base)))
    status = done.status
    if missed:
        print(f"::error title=Signoff::{missed}", flush=True)
        runs.insert(0, Compared(TARGET, 2, "", "", missed))
        status = status or 2
    notes = _removed(before, own)
    if before is not None and own is None:
        print(f"::error title=Signoff::{notes[0]}", flush=True)
        status = status or FOUND
    comment.write_text(comment_of(runs, notes), encoding="utf-8", newline="\n")
    _keep(summary_of(runs, notes), inputs)
    return status


TARGET = "the baseline of the branch that it goes to"
OWN = "the baseline of this commit"


class Compared(NamedTuple):
    """One run of `signoff decide`."""

    baseline: str
    """TARGET or OWN."""
    status: int
    markdown: str
    comment: str
    errors: str

    @property
    def is_made(self) -> bool:
        """False if it ended with an error."""
        return self.status in (0, FOUND)


def _compared(inputs: Mapping[str, str], baseline: str, place: str, *words: str) -> Compared:
    comment = Path(place, "comment.md")
    comment.unlink(missing_ok=True)
    given = command(inputs, "--markdown", "--comment", str(comment), *words)
    environment = {name: one for name, one in os.environ.items() if not name.startswith(HIDDEN)}
    done = subprocess.run(
        started(given), env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    errors = "\n".join(line for line in lines if place not in line or done.returncode)
    if errors:
        print(errors, file=sys.stderr, flush=True)
    text = comment.read_text("utf-8", "replace") if comment.is_file() else ""
    markdown = done.stdout.decode("utf-8", "replace")
    return Compared(baseline, done.returncode, markdown, text, errors.replace(place, "..."))


def summary_of(runs: Sequence[Compared], notes: Sequence[str]) -> str:
    """The Markdown for the summary of the job: errors first, then each comparison that differs."""
    parts = []
    for one in runs:
        if not one.is_made:
            errors = html.escape(_plain(one.errors[:LONGEST_ERRORS]))
            head = f"**{NOT_MADE} with {one.baseline}: exit status {one.status}.**"
            parts.append(f"{head}\n\n<pre>\n{errors}\n</pre>\n")
    parts += ["".join(f"- {note}\n" for note in notes)] if notes else []
    made = [one for one in runs if one.is_made]
    for one in made[:1]:
        parts.append(one.markdown)
    for one in made[1:]:
        if one.status or one.comment:
            parts.append(f"**Compared with {one.baseline}:**\n\n{one.markdown}")
    return "\n".join(parts)


def comment_of(runs: Sequence[Compared], notes: Sequence[str]) -> str:
    """The comment; empty if no decision changes, and each comparison was made."""
    failed = [one for one in runs if not one.is_made]
    lines = [f"- {NOT_MADE} with {one.baseline}. See the summary of the job." for one in failed]
    lines += [f"- {note}" for note in notes]
    if lines:
        about = "the comparison could not be made" if failed else "the baseline changed"
        lines = [f"### Who is asked: {about}", "", *lines, ""]
    seen: set[str] = set()
    for one in runs:
        found = one.comment.rstrip("\n").split("\n")[1:] if one.is_made else []
        if not seen.issuperset(line for line in found if line.startswith("- ")):
            is_second = one is not runs[0]
            lines += ["", f"Compared with {one.baseline}:", ""] if is_second else []
            lines += found
        seen.update(found)
    if not lines:
        return ""
    first = next((one.comment.split("\n")[0] for one in runs if one.comment), MARKER)
    kept, room = [first], LONGEST_COMMENT - len(REST) - len(first) - 4
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            kept += ["", REST]
            break
        kept.append(line)
    return "\n".join(kept) + "\n"


def _removed(before: bytes | None, own: bytes | None) -> list[str]:
    """Sentences about what the change removes from the baseline."""
    if before is None:
        return []
    if own is None:
        return ["This change removes the baseline."]
    gone = [name for name in _hosts(before) if name not in _hosts(own)]
    if not gone:
        return []
    named = ", ".join(_escaped(name[:80]) for name in gone[:MOST_NAMES])
    more = f" and {len(gone) - MOST_NAMES} more" if len(gone) > MOST_NAMES else ""
    return [f"The baseline no longer has: {named}{more}."]


def _hosts(baseline: bytes) -> list[str]:
    lines = baseline.decode("utf-8", "replace").splitlines()
    return [line[5:].strip() for line in lines if line.startswith("host ")]


def _escaped(name: str) -> str:
    """A name in which Markdown acts on nothing."""
    return re.sub(r"[^A-Za-z0-9:-]", lambda one: f"&#{ord(one[0])};", name)


def _plain(text: str) -> str:
    return "".join(one if one.isprintable() or one == "\n" else "\ufffd" for one in text)


class NoTarget(ValueError):
    """The branch that the change goes to cannot be read."""


def _path(file: str) -> str:
    """The path of the baseline from this folder; raises ValueError for one that has a link."""
    path = os.path.relpath(file)
    if path.startswith(os.pardir):
        path = os.path.relpath(file, os.path.realpath("."))
    place = ""
    for part in Path(path).parts:
        place = os.path.join(place, part)
        if part != os.pardir and os.path.islink(place):
            raise ValueError(f"the baseline is not read: {place!r} is a symbolic link")
    return path.replace(os.sep, "/")


def _before(path: str, inputs: Mapping[str, str]) -> bytes | None:
    """The baseline in the branch that the change goes to; None if there is none.

    Raises NoTarget if the branch is not here and cannot be fetched.
    """
    target, is_needed = _target(_event(inputs))
    if target and not _is_here(target):
        _git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", target)
    if not target or not _is_here(target):
        if not is_needed:
            return None
        where = f"its commit {target[:12]} is" if target else "this folder is no repository: it is"
        raise NoTarget(
            f"{TARGET} was not compared: {where} not here and could not be fetched "
            "(actions/checkout with fetch-depth: 2 has it)"
        )
    listed = _git("ls-tree", target, "--", f"./{path}").split(maxsplit=1)
    if not listed:
        return None
    if listed[0] not in (b"100644", b"100755"):
        raise NoTarget(f"{TARGET} was not compared: it is not a regular file there")
    return _git("cat-file", "blob", f"{target}:./{path}")


def _target(event: Mapping[str, object]) -> tuple[str, bool]:
    """The commit that the change goes to, and whether there has to be one.

    GitHub checks out a merge commit, whose first parent is newer than the commit of the event. Any
    other merge commit may be of the pull request itself.
    """
    lines = _git("cat-file", "commit", "HEAD").partition(b"\n\n")[0].decode("ascii", "replace")
    parents = [line[7:] for line in lines.splitlines() if line.startswith("parent ")]
    merged = parents[0] if len(parents) == 2 else ""
    group = _member(event, "merge_group", "base_sha")
    if group:
        return group, True
    if "pull_request" not in event:
        return merged, bool(merged) and not event
    head = _member(event, "pull_request", "head", "sha")
    base = _member(event, "pull_request", "base", "sha")
    return (merged if merged and parents[1] == head else base), True


def _event(inputs: Mapping[str, str]) -> Mapping[str, object]:
    """The event of the job; empty without one."""
    try:
        found = json.loads(Path(inputs.get("GITHUB_EVENT_PATH", "")).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _member(value: object, *names: str) -> str:
    """A commit in the event; empty if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and re.fullmatch("[0-9a-f]{40,64}", value) else ""


def _is_here(commit: str) -> bool:
    return _git("cat-file", "-t", commit).strip() == b"commit"


def _git(*words: str) -> bytes:
    """What git prints; empty if it fails. It never asks for a password."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run(
            ["git", *words], capture_output=True, check=True, env=environment, timeout=120
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return b""


def _keep(text: str, inputs: Mapping[str, str]) -> None:
    """Add the Markdown to the summary of the job, and write it to the file that was asked for."""
    if summary := inputs.get("GITHUB_STEP_SUMMARY"):
        cut = text.encode()[:LONGEST_SUMMARY].decode("utf-8", "ignore")
        with open(summary, "a", encoding="utf-8") as file:
            file.write(cut)
    if output := inputs.get("SIGNOFF_OUTPUT"):
        Path(output).write_bytes(text.encode())
    print(text, flush=True)


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
        return subprocess.run(started(words), stdin=subprocess.DEVNULL, check=False).returncode
    done = subprocess.run(
        started(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False
    )
    Path(output).write_bytes(done.stdout)
    print(f"{output}: {len(done.stdout):,} bytes; exit status {done.returncode}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
