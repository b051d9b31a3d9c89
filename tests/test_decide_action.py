"""`decide` of the action, and the comment that a second job keeps on a pull request."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from signoff.app.features.decide.page import comment_markdown
from tests.decision_cases import entry
from tests.features.decide.test_words import ADDS, DROPS, NAMES, READS, report
from tests.features.matrix.test_matrix import HOSTILE
from tests.manual import page
from tests.test_ci_pieces import ACTION, ROOT, run_action
from tests.tiers import first_quick

FILED = ROOT / "tests" / "servers" / "filed.py"
COMMENT = ACTION / "comment"


def comment_py() -> ModuleType:
    spec = importlib.util.spec_from_file_location("comment_of_action", COMMENT / "comment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CLEANED = comment_py().cleaned


def gfm() -> MarkdownIt:
    """GitHub's Markdown, which links no bare name of a host."""
    parser = MarkdownIt("gfm-like", {"linkify": True})
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False})
    return parser


FIRST = "<!-- signoff-decide decisions.txt -->\n"


def test_what_signoff_writes_stays_as_it_is() -> None:
    body = comment_markdown(report([READS, DROPS], [READS, ADDS, entry("a b")]))
    kept = CLEANED(body)
    assert "- Today `delete_file` asks in Codex and is refused" in kept
    assert "**it runs in both without asking**" in kept
    render = gfm().render
    assert render(kept) == render("\n".join(body.split("\n")[1:]).strip("\n"))


@example("@maintainers #1 &#64;a &#35;1 `@a`")
@example("- **a** https://e.org www.e.org a@e.org")
@given(
    st.lists(
        NAMES | st.sampled_from([*HOSTILE, "- **a", "### x", "&#64;a &#35;1 &#60;b&#62;", "`@a`"]),
        max_size=6,
    ).map("\n".join)
)
def test_nothing_in_an_untrusted_comment_is_acted_on(text: str) -> None:
    kept = CLEANED(FIRST + text)
    assert "www." not in kept.lower()
    parser = gfm()
    found = [token for block in parser.parse(kept) for token in (block.children or [block])]
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in found}
    assert kinds <= {
        *("heading", "paragraph", "bullet_list", "list_item", "strong", "text", "softbreak"),
        *("code_inline", "text_special", "code_block", "hr"),
    }
    rendered = parser.render(kept)
    assert "@" not in rendered
    assert "#" not in rendered


def test_a_file_that_is_no_comment_is_refused_and_an_empty_one_is_none() -> None:
    assert CLEANED("") == CLEANED(" \n") == ""
    for text in ("hello", "<!-- other -->\n", f"\n{FIRST}"):
        with pytest.raises(ValueError, match="not a comment"):
            CLEANED(text)


class GitHub(BaseHTTPRequestHandler):
    """The part of GitHub's API that is used, with one pull request."""

    comments: list[dict[str, Any]]
    seen: list[tuple[str, str]]

    def do_GET(self) -> None:
        if "/pulls?" in self.path:
            head = {"sha": "abc"} if "head=stranger%3Atopic" in self.path else {"sha": "other"}
            self._answer([{"number": 7, "head": head}])
        else:
            self._answer(self.comments)

    def do_POST(self) -> None:
        self.comments.append(
            {"id": 5, "user": {"login": "github-actions[bot]"}, "body": self._body()["body"]}
        )
        self._answer({})

    def do_PATCH(self) -> None:
        [one] = [one for one in self.comments if self.path.endswith(f"/{one['id']}")]
        one["body"] = self._body()["body"]
        self._answer({})

    def _body(self) -> Any:
        self.seen.append((self.command, self.headers["Authorization"]))
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, value: object) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, *given: object) -> None:
        pass


@contextmanager
def api(comments: list[dict[str, Any]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    seen: list[tuple[str, str]] = []
    handler = type("Api", (GitHub,), {"comments": comments, "seen": seen})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join()


def posted(
    folder: Path, url: str, text: str | None, **changed: Any
) -> subprocess.CompletedProcess[str]:
    head = {"head_repository": {"owner": {"login": "stranger"}}, "head_branch": "topic"}
    run = {"event": "pull_request", "head_sha": "abc", **head, **changed}
    (folder / "event.json").write_text(json.dumps({"workflow_run": run}))
    if text is not None:
        (folder / "comment.md").write_text(text, encoding="utf-8")
    own = {
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_API_URL": url,
        "GITHUB_REPOSITORY": "o/r",
        "SIGNOFF_NAME": "signoff-decide",
        "SIGNOFF_TOKEN": "t0ken",
        "SIGNOFF_COMMENT": str(folder / "comment.md"),
    }
    return subprocess.run(
        [sys.executable, "-I", str(COMMENT / "comment.py")],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_one_comment_is_written_changed_and_ended(tmp_path: Path) -> None:
    body = comment_markdown(report([DROPS], [ADDS]))
    mark = "<!-- signoff-decide: signoff-decide -->"
    forged: dict[str, Any] = {"id": 1, "user": {"login": "mallory"}, "body": f"{mark} mine"}
    comments = [forged]
    with api(comments) as (url, seen):
        assert "no decision changes" in posted(tmp_path, url, "").stdout
        assert "comment written" in posted(tmp_path, url, body).stdout
        assert "comment unchanged" in posted(tmp_path, url, body).stdout
        other = comment_markdown(report([DROPS], [entry("new_tool", "New")]))
        assert "comment changed" in posted(tmp_path, url, other).stdout
        assert "new_tool" in comments[1]["body"]
        assert "comment changed" in posted(tmp_path, url, "").stdout
    assert len(comments) == 2
    assert comments[0] is forged
    assert "No decision changes any more." in comments[1]["body"]
    assert seen == [(verb, "Bearer t0ken") for verb in ("POST", "PATCH", "PATCH")]


def test_an_untrusted_file_writes_nothing_but_text(tmp_path: Path) -> None:
    comments: list[dict[str, Any]] = []
    with api(comments) as (url, _):
        done = posted(tmp_path, url, "LGTM @maintainers")
        assert (done.returncode, comments) == (0, [])
        assert "::warning" in done.stdout
        posted(tmp_path, url, f"{FIRST}![x](http://e/x.png) @maintainers <b>#1</b>")
        assert "@" not in comments[0]["body"]
        assert "![" not in comments[0]["body"]
        comments.clear()
        posted(tmp_path, url, FIRST + "a" * 70_000)
        assert comments == []


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("links need rights there")
    secret = tmp_path / "secret"
    secret.write_text(f"{FIRST}the token")
    (tmp_path / "comment.md").symlink_to(secret)
    comments: list[dict[str, Any]] = []
    with api(comments) as (url, _):
        assert "::warning" in posted(tmp_path, url, None).stdout
    assert comments == []


@pytest.mark.parametrize(
    "changed", first_quick([{"head_sha": "old"}, {"head_branch": "gone"}, {"event": "push"}])
)
def test_the_pull_request_is_that_of_the_event(tmp_path: Path, changed: dict[str, str]) -> None:
    comments: list[dict[str, Any]] = []
    with api(comments) as (url, _):
        body = comment_markdown(report([DROPS], [ADDS]))
        assert posted(tmp_path, url, body, **changed).returncode == 0
    assert comments == []


def test_without_a_comparison_no_old_comment_stays(tmp_path: Path) -> None:
    mark = "<!-- signoff-decide: signoff-decide -->"
    comments: list[dict[str, Any]] = []
    with api(comments) as (url, _):
        assert "the run has none" in posted(tmp_path, url, None).stdout
        assert comments == []
        bot = {"login": "github-actions[bot]"}
        comments.append({"id": 5, "user": bot, "body": f"{mark}\nold"})
        assert "comment changed" in posted(tmp_path, url, None).stdout
        assert "the comparison could not be made" in comments[0]["body"]
        comments[0]["body"] = f"{mark}\nold"
        assert "::warning" in posted(tmp_path, url, "LGTM").stdout
    assert "old" not in comments[0]["body"]


def test_a_folder_or_a_pipe_for_the_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "comment.md").mkdir()
    with api([]) as (url, _):
        done = posted(tmp_path, url, None)
        assert "not a regular one" in done.stdout
        assert (done.returncode, done.stderr) == (0, "")
        (tmp_path / "comment.md").rmdir()
        if sys.platform != "win32":
            os.mkfifo(tmp_path / "comment.md")
            assert "not a regular one" in posted(tmp_path, url, None).stdout


@pytest.mark.parametrize("event", [[], {"workflow_run": None}, {"workflow_run": []}, "x"])
def test_an_event_of_another_shape_is_one_line(tmp_path: Path, event: object) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    done = subprocess.run(
        [sys.executable, "-I", str(COMMENT / "comment.py")],
        env={**os.environ, "GITHUB_EVENT_PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "")
    assert "::error" in done.stdout


def test_a_run_without_its_members_is_one_line(tmp_path: Path) -> None:
    with api([]) as (url, _):
        shapes: list[object] = [None, "x", {}]
        for repository in shapes:
            done = posted(tmp_path, url, "", head_repository=repository)
            assert (done.returncode, done.stderr) == (1, "")
            assert "::error" in done.stdout


def test_a_number_of_an_issue_or_a_hash_of_a_commit_is_no_reference() -> None:
    commit = "ce2a89e7" * 5
    kept = CLEANED(f"{FIRST}- GH-26 gh-7 {commit} a@{commit} **{commit}** {commit[:9]} `{commit}`")
    text = re.sub(r"`[^`]*`", "", kept)
    assert not re.search(r"(?i)\bgh-\d", text)
    assert not re.search(r"(?i)[0-9a-f]{7,}", text)
    assert f"`{commit}`" in kept
    assert CLEANED(f"{FIRST}- defaced 1,234,567 2026-11-27") == "- defaced 1,234,567 2026-11-27"


def test_a_comment_is_cut_by_bytes() -> None:
    kept = CLEANED(FIRST + "- ü*\n" * 9_000)
    assert len(kept.encode()) <= 60_000


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, timeout=60)


def tools(folder: Path, *entries: Any) -> None:
    (folder / "tools.json").write_text(json.dumps(list(entries)))


@pytest.mark.slow
def test_the_action_compares_a_pull_request_with_the_branch_it_goes_to(tmp_path: Path) -> None:
    server = shlex.join([sys.executable, "-S", str(FILED), "tools.json"])
    temporary = tmp_path / "temporary"
    repository = tmp_path / "repository"
    repository.mkdir()
    summary = tmp_path / "summary.md"

    def act(**more: str) -> subprocess.CompletedProcess[str]:
        summary.unlink(missing_ok=True)
        variables = {"RUNNER_TEMP": str(temporary), "GITHUB_STEP_SUMMARY": str(summary)}
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            return run_action(
                repository, RUN="decide", ARGS="--fail-on stops-asking", SERVER=server, **more
            )

    git(repository, "init", "-q", "-b", "main")
    tools(repository, READS, DROPS)
    first = act()
    assert first.returncode == 0, first.stdout + first.stderr
    assert "signoff decide --write-baseline signoff-decisions.txt" in first.stdout
    words = ["-m", "signoff.app", "decide", "--write-baseline", "signoff-decisions.txt", "--"]
    subprocess.run(
        [sys.executable, *words, *shlex.split(server)],
        cwd=repository,
        check=True,
        capture_output=True,
        timeout=100,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "one")

    git(repository, "checkout", "-qb", "topic")
    tools(repository, entry("read_file", "Reads", readOnly=True, openWorld=False), DROPS)
    git(repository, "commit", "-qam", "a description")
    merged(repository)
    assert act().returncode == 0
    assert (temporary / "signoff-decide" / "comment.md").read_bytes() == b""

    git(repository, "checkout", "-q", "topic")
    tools(repository, READS, ADDS)
    git(repository, "commit", "-qam", "a hint")
    merged(repository)
    done = act()
    assert done.returncode == 4
    comment = (temporary / "signoff-decide" / "comment.md").read_text(encoding="utf-8")
    assert "Today `delete_file` asks in Codex" in comment
    assert '"stops-asking 1"' in (temporary / "signoff-decide" / "badge.json").read_text()
    assert "**it runs in both without asking**" in summary.read_text(encoding="utf-8")

    # The new baseline is accepted with the change, and the comment still names the difference.
    git(repository, "checkout", "-q", "topic")
    text = (repository / "signoff-decisions.txt").read_text()
    changed = re.sub(r"(decision delete_file codex(?::exec)?) \w+", r"\1 runs", text)
    changed = changed.replace("destructive=true", "destructive=false")
    (repository / "signoff-decisions.txt").write_text(changed)
    git(repository, "commit", "-qam", "the baseline")
    merged(repository)
    assert act().returncode == 0
    comment = (temporary / "signoff-decide" / "comment.md").read_text(encoding="utf-8")
    assert "Today `delete_file` asks in Codex" in comment

    # Without the file it is compared with that of the branch.
    git(repository, "checkout", "-q", "topic")
    git(repository, "rm", "-q", "signoff-decisions.txt")
    git(repository, "commit", "-qm", "no baseline")
    merged(repository)
    assert act().returncode == 4


def merged(repository: Path) -> None:
    """Check out what GitHub checks out for a pull request: a merge into its branch."""
    git(repository, "checkout", "-q", "--detach", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "topic")


@pytest.mark.slow
def test_the_server_gets_no_token_of_the_job(tmp_path: Path) -> None:
    show = tmp_path / "show.py"
    code = "import os\nopen('seen.txt', 'w').write('\\n'.join(os.environ))\n"
    show.write_text(code, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNNER_TEMP", str(tmp_path / "temporary"))
        for name in ("GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "GITHUB_ENV", "KEPT"):
            patch.setenv(name, "x")
        run_action(tmp_path, RUN="decide", SERVER=shlex.join([sys.executable, str(show)]))
    seen = (tmp_path / "seen.txt").read_text(encoding="utf-8").split("\n")
    assert not [name for name in seen if name.startswith(("GITHUB_", "ACTIONS_", "RUNNER_"))]


def test_no_input_of_the_comment_is_a_part_of_a_script() -> None:
    text = (COMMENT / "action.yml").read_text(encoding="utf-8")
    for step in text.split("run:")[1:]:
        assert "${{" not in step.partition("\n")[0]


def test_the_workflows_of_the_manual_use_inputs_that_there_are() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", page("how-to/first-pull-request"), flags=re.DOTALL)
    read = [YAML(typ="safe").load(dedent(f"   {block}").strip()) for block in blocks]
    first, second = read[0], read[1]
    assert first["permissions"] == {"contents": "read"}
    assert second["on"]["workflow_run"]["workflows"] == [first["name"]]
    used = [step for job in first["jobs"].values() for step in job["steps"]]
    used += [step for job in second["jobs"].values() for step in job["steps"]]
    for step in used:
        place = step["uses"].partition("@")[0].removeprefix("OWNER/REPOSITORY/")
        if place != step["uses"].partition("@")[0]:
            action = YAML(typ="safe").load((ROOT / place / "action.yml").read_text("utf-8"))
            assert set(step.get("with", {})) <= set(action["inputs"])
    assert sum("signoff" in step["uses"] for step in used) == 2
