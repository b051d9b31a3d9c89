"""`decide` of the action on pull requests that edit, break, move or remove the baseline."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.decide.page import comment_markdown
from tests.features.decide.test_words import ADDS, DROPS, READS, report
from tests.test_ci_pieces import ROOT, run_action, run_py
from tests.test_decide_action import CLEANED, FILED, git, merged, tools

SERVER = shlex.join([sys.executable, "-S", str(FILED), "tools.json"])
RUN_PY = run_py()
BODY = comment_markdown(report([DROPS], [ADDS]))


class Repository:
    """A repository with a baseline on its main branch, and a pull request."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repository"
        self.temporary = folder / "temporary"
        self.folder.mkdir()
        git(self.folder, "init", "-q", "-b", "main")
        self.tools(READS, DROPS)
        words = ["-m", "signoff.app", "decide", "--write-baseline", "signoff-decisions.txt"]
        words += ["--hosts", "vscode,codex,codex:exec"]
        subprocess.run(
            [sys.executable, *words, "--", *shlex.split(SERVER)],
            cwd=self.folder,
            check=True,
            capture_output=True,
            timeout=100,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", "one")
        git(self.folder, "checkout", "-qb", "topic")

    def tools(self, *entries: Any) -> None:
        tools(self.folder, *entries)

    def baseline(self, change: Callable[[str], str]) -> None:
        path = self.folder / "signoff-decisions.txt"
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    def act(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Commit, merge, and run the action."""
        git(self.folder, "commit", "-qam", "change", "--allow-empty")
        merged(self.folder)
        summary = self.folder.parent / "summary.md"
        summary.unlink(missing_ok=True)
        given = {"ARGS": "--fail-on stops-asking", "SERVER": SERVER, **inputs}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RUNNER_TEMP", str(self.temporary))
            patch.setenv("GITHUB_STEP_SUMMARY", str(summary))
            done = run_action(self.folder, RUN="decide", **given)
        self.summary = summary.read_text(encoding="utf-8")
        comment = self.temporary / "signoff-decide" / "comment.md"
        self.comment = comment.read_text(encoding="utf-8")
        # All of it survives the job that writes the comment.
        assert len(CLEANED(self.comment).split("\n")) >= len(self.comment.strip().split("\n")) - 3
        return done


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def runs_in_codex(text: str) -> str:
    return re.sub(r"(decision delete_file codex(?::exec)?) \w+", r"\1 runs", text)


@pytest.mark.slow
def test_a_baseline_edited_by_hand_hides_nothing_in_two_steps(repository: Repository) -> None:
    repository.baseline(runs_in_codex)
    assert repository.act().returncode == 0
    for made in (repository.comment, repository.summary):
        assert "its own hints give &#96;asks&#96;" in made
        assert "The baseline has &#96;runs&#96; for `delete_file` in Codex" in made
    assert repository.act(ARGS="--fail-on other").returncode == 4
    git(repository.folder, "checkout", "-qB", "main")
    git(repository.folder, "checkout", "-qB", "topic")
    repository.tools(READS, ADDS)
    assert repository.act().returncode == 4
    assert "#### stops-asking" in repository.comment
    assert "its own hints give" in repository.comment


@pytest.mark.slow
def test_hints_of_the_baseline_edited_by_hand_are_in_the_comment(repository: Repository) -> None:
    def change(text: str) -> str:
        name, _, rest = runs_in_codex(text).partition("tool delete_file")
        return f"{name}tool delete_file{rest.replace('destructive=true', 'destructive=false', 1)}"

    repository.baseline(change)
    repository.act()
    for made in (repository.comment, repository.summary):
        assert "## starts-asking" in made
        assert "ompared with the baseline of this commit:" in made


@pytest.mark.slow
def test_hosts_that_the_baseline_loses_are_named(repository: Repository) -> None:
    repository.baseline(lambda text: re.sub(r"(?m)^(host|decision \w+) codex\b.*\n", "", text))
    assert repository.act().returncode == 0
    for made in (repository.comment, repository.summary):
        assert "The baseline no longer has: codex, codex:exec." in made
    git(repository.folder, "checkout", "-q", "topic")
    (repository.folder / "signoff-decisions.txt").unlink()
    repository.act()
    assert "This change removes the baseline." in repository.comment


@pytest.mark.slow
def test_a_baseline_with_mistakes_is_named_in_the_summary_and_the_comment(
    repository: Repository,
) -> None:
    repository.baseline(lambda text: text.replace("trust untrusted", "trust <b>@org"))
    assert repository.act().returncode == 2
    assert "could not be made with the baseline of this commit" in repository.summary
    assert "line 2: unknown trust &quot;&lt;b&gt;@org&quot;" in repository.summary
    assert "### Who is asked: the comparison could not be made" in repository.comment


@pytest.mark.slow
def test_a_server_that_fails_replaces_an_old_comment(repository: Repository) -> None:
    assert repository.act(SERVER="no-such-command-here").returncode not in (0, 4)
    assert "no-such-command-here" in repository.summary
    assert "the comparison could not be made" in repository.comment


@pytest.mark.slow
def test_a_whole_path_is_compared_with_that_of_the_branch(repository: Repository) -> None:
    repository.tools(READS, ADDS)
    repository.baseline(
        lambda text: runs_in_codex(text).replace("destructive=true", "destructive=false")
    )
    path = str(repository.folder / "signoff-decisions.txt")
    assert repository.act(BASELINE=path).returncode == 0
    assert "#### stops-asking" in repository.comment


@pytest.mark.slow
def test_a_misspelt_kind_is_an_error_without_a_baseline(tmp_path: Path) -> None:
    tools(tmp_path, READS)
    inputs = {"RUN": "decide", "SERVER": SERVER, "ARGS": "--fail-on stop-asking"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNNER_TEMP", str(tmp_path))
        assert run_action(tmp_path, **inputs).returncode == 2
        inputs["ARGS"] = "--fail-on stops-asking"
        done = run_action(tmp_path, **inputs)
    assert done.returncode == 0
    assert "No baseline yet" in done.stdout
    assert str(tmp_path) not in done.stderr


def event(repository: Repository, patch: pytest.MonkeyPatch, **commits: str) -> None:
    """Set the event of a pull request, with the commits of its `base` and `head`."""
    file = repository.folder.parent / "event.json"
    about = {name: {"sha": commit} for name, commit in commits.items()}
    file.write_text(json.dumps({"pull_request": about}), encoding="utf-8")
    patch.setenv("GITHUB_EVENT_PATH", str(file))


def commit_of(folder: Path, name: str) -> str:
    words = ["git", "rev-parse", name]
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def rewritten(text: str) -> str:
    """A baseline that hides that the tool stops asking."""
    return runs_in_codex(text).replace("destructive=true", "destructive=false")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_to_a_rewritten_baseline_is_not_followed(repository: Repository, what: str) -> None:
    repository.tools(READS, ADDS)
    repository.baseline(rewritten)
    folder = repository.folder
    if what == "file":
        (folder / "signoff-decisions.txt").rename(folder / "copy.txt")
        (folder / "signoff-decisions.txt").symlink_to("copy.txt")
        path = "signoff-decisions.txt"
    else:
        (folder / "there").mkdir()
        (folder / "signoff-decisions.txt").rename(folder / "there" / "signoff-decisions.txt")
        (folder / "ci").symlink_to("there")
        path = "ci/signoff-decisions.txt"
    git(folder, "add", "-A")
    done = repository.act(BASELINE=path)
    assert done.returncode == 2
    assert "is a symbolic link" in done.stdout
    assert "The comparison could not be made" in repository.comment


@pytest.mark.slow
def test_a_baseline_that_is_moved_away_is_compared_and_fails(repository: Repository) -> None:
    git(repository.folder, "mv", "signoff-decisions.txt", "old.txt")
    done = repository.act()
    assert done.returncode == 4
    assert "This change removes the baseline." in repository.comment
    git(repository.folder, "checkout", "-q", "topic")
    repository.tools(READS, ADDS)
    assert repository.act().returncode == 4
    assert "#### stops-asking" in repository.comment


def shallow(repository: Repository, origin: str) -> Path:
    """The merge commit alone, as fetch-depth: 1 leaves it, from a repository to fetch from."""
    folder = repository.folder.parent / "shallow"
    source = repository.folder.as_uri()
    words = ["clone", "-q", "--depth=1", "--no-tags", source, str(folder)]
    git(repository.folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(repository.folder.parent, *words)
    git(folder, "remote", "set-url", "origin", origin or source)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("origin", ["", "file:///no/such/repository"])
def test_of_a_shallow_clone_the_target_is_fetched_or_its_lack_is_told(
    repository: Repository, origin: str
) -> None:
    repository.tools(READS, ADDS)
    repository.baseline(rewritten)
    git(repository.folder, "commit", "-qam", "change")
    merged(repository.folder)
    repository.folder = shallow(repository, origin)
    summary = repository.folder.parent / "summary.md"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNNER_TEMP", str(repository.temporary))
        patch.setenv("GITHUB_STEP_SUMMARY", str(summary))
        done = run_action(
            repository.folder, RUN="decide", ARGS="--fail-on stops-asking", SERVER=SERVER
        )
    comment = (repository.temporary / "signoff-decide" / "comment.md").read_text(encoding="utf-8")
    if not origin:
        assert done.returncode == 0
        assert "#### stops-asking" in comment
    else:
        assert done.returncode == 2
        assert "not here and could not be fetched" in done.stdout
        assert "could not be made with the baseline of the branch that it goes to" in comment
        assert "fetch-depth: 2" in summary.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_merge_commit_of_the_pull_request_is_not_its_target(repository: Repository) -> None:
    folder = repository.folder
    base = commit_of(folder, "main")
    repository.tools(READS, ADDS)
    repository.baseline(rewritten)
    git(folder, "commit", "-qam", "change")
    git(folder, "checkout", "-qb", "other", "main")
    git(folder, "commit", "-qm", "other", "--allow-empty")
    git(folder, "checkout", "-q", "topic")
    git(folder, "merge", "-q", "--no-edit", "other")
    with pytest.MonkeyPatch.context() as patch:
        event(repository, patch, base=base, head=commit_of(folder, "HEAD"))
        patch.setenv("RUNNER_TEMP", str(repository.temporary))
        run_action(folder, RUN="decide", SERVER=SERVER)
    comment = (repository.temporary / "signoff-decide" / "comment.md").read_text(encoding="utf-8")
    assert "#### stops-asking" in comment


def compared(comment: str, status: int = 0, errors: str = "") -> Any:
    return RUN_PY.Compared(RUN_PY.OWN, status, "## files\n", comment, errors)


def test_a_comment_of_two_comparisons_has_each_line_once_and_is_bounded() -> None:
    same = RUN_PY.comment_of([compared(BODY), compared(BODY)], [])
    assert same == BODY
    long = "\n".join((BODY.split("\n")[0], *(f"- {at} {'ü' * 100}" for at in range(400)), ""))
    both = RUN_PY.comment_of([compared(BODY), compared(long)], ["a note"])
    assert len(both.encode()) <= RUN_PY.LONGEST_COMMENT
    assert "The rest is in the summary of the job." in both
    assert RUN_PY.comment_of([compared("")], []) == ""


def test_errors_in_the_summary_are_text_and_bounded() -> None:
    errors = "</pre>\x1b[1m<img src=x>" + "a" * 50_000
    summary = RUN_PY.summary_of([compared("", 5, errors)], [])
    assert "<img" not in summary
    assert "\x1b" not in summary
    assert summary.count("</pre>") == 1
    assert len(summary) < 20_000
