"""Keeps one comment on a pull request up to date. Uses the standard library alone.

It runs in `workflow_run`, with a token, after a job without one ran the pull request's code. The
file with the comment comes from that job, so it is untrusted: it is bounded, and everything in it
but the Markdown of `signoff decide` becomes plain text. The pull request is found by the commit of
the event, never by the file. It imports nothing of Signoff and runs nothing of the pull request.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import stat
import sys
import unicodedata
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 60_000
"""Bytes of the file, and of the comment."""
MOST_LINES = 2_000
MOST_PAGES = 20
SECONDS = 30.0
BOT = "github-actions[bot]"
FIRST = re.compile(r"<!-- signoff-decide [A-Za-z0-9._/ -]{0,120}-->")
BEGINS = re.compile(r"(?:#{3,4} |(?:  )?- )?")
TOKEN = re.compile(r"\*\*|`[A-Za-z0-9_.-]{1,128}`|&#([0-9]{1,7});|.", re.DOTALL)
PLAIN = re.compile(r"[A-Za-z0-9 ,.;:/()'-]")
LOOKALIKES = {"@": "\uff20", "#": "\uff03"}
"""Signs of mentions and references, for which even an escaped character counts."""
CODE = re.compile(r"(`[^`]*`)")
ISSUE = re.compile(r"(?i)\b(GH)-(?=\d)")
COMMIT = re.compile(r"(?i)(?<![0-9a-z_&#])(?=[a-f]*[0-9])([0-9a-f]{6})[0-9a-f]+(?![0-9a-z_])")
"""What GitHub links to an issue or a commit."""
WRONG_SHAPE = (AttributeError, KeyError, TypeError)
NOT_MADE = "### Who is asked: the comparison could not be made\n\nThe job has the errors."
NOTHING = "No decision changes any more."
ORIGIN = "*Made by the checks of this pull request, which ran its code.*"


def cleaned(text: str) -> str:
    """The Markdown of `signoff decide` with everything else as plain text; empty for no comment.

    Raises ValueError for a text without its first line.
    """
    if not text.strip():
        return ""
    lines = text.split("\n")
    if not FIRST.fullmatch(lines[0].rstrip("\r")):
        raise ValueError("the file is not a comment of signoff decide")
    kept, room = [], LONGEST
    for line in map(_line, lines[1:MOST_LINES]):
        room -= len(line.encode("utf-8", "replace")) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept).strip("\n")


def _line(line: str) -> str:
    found = BEGINS.match(line)
    begins = found.group() if found else ""
    made = "".join(_pieces(line[len(begins) :]))
    if made.count("**") % 2:
        made += "**"
    made = made.replace("://", ":&#47;&#47;")
    made = "".join(
        piece if piece.startswith("`") else COMMIT.sub(r"\1…", ISSUE.sub("\\1\u2010", piece))
        for piece in CODE.split(made)
    )
    return begins + re.sub(r"(?i)www\.", lambda one: f"{one.group()[:3]}&#46;", made)


def _pieces(text: str) -> Iterator[str]:
    for token in TOKEN.finditer(text):
        if token[1] is not None:
            number = int(token[1])
            yield _character(chr(number) if number < 0x110000 else "\ufffd")
        elif len(token.group()) > 1:
            yield token.group()
        else:
            yield _character(token.group())


def _character(one: str) -> str:
    if one in LOOKALIKES:
        return LOOKALIKES[one]
    if PLAIN.fullmatch(one):
        return one
    if unicodedata.category(one)[0] in "CZ":
        return "\ufffd"
    return f"&#{ord(one)};" if one.isascii() else one


def read(path: str) -> str | None:
    """The text of the file; None if there is none. Raises ValueError for anything unusual."""
    try:
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(path, os.O_RDONLY | flags)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ValueError(f"the file cannot be read: {problem.strerror}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ValueError("the file is not a regular one")
    with os.fdopen(handle, "rb") as file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise ValueError(f"the file has more than {LONGEST:,} bytes")
    return data.decode("utf-8", "replace")


class GitHub:
    """The few requests that are needed."""

    def __init__(self, root: str, repository: str, token: str) -> None:
        self._root, self._repository, self._token = root.rstrip("/"), repository, token

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The response to one request, as JSON."""
        request = urllib.request.Request(
            f"{self._root}/repos/{self._repository}/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "User-Agent": "signoff-comment",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return json.load(response)

    def pull_request(self, run: Mapping[str, Any]) -> int | None:
        """The open pull request whose head is the commit of this run; None if there is none."""
        owner = run["head_repository"]["owner"]["login"]
        head = urllib.parse.quote(f"{owner}:{run['head_branch']}", safe="")
        for one in self.ask("GET", f"pulls?state=open&per_page=100&head={head}"):
            if one["head"]["sha"] == run["head_sha"]:
                return int(one["number"])
        return None

    def comment(self, number: int, marker: str) -> Mapping[str, Any] | None:
        """The comment of the bot that begins with the marker."""
        for page in range(1, MOST_PAGES + 1):
            found = self.ask("GET", f"issues/{number}/comments?per_page=100&page={page}")
            for one in found:
                is_bot = (one.get("user") or {}).get("login") == BOT
                if is_bot and str(one.get("body", "")).startswith(marker):
                    return dict(one)
            if len(found) < 100:
                return None
        return None


def main() -> int:
    """Write, change or leave the comment; returns the exit status."""
    name = re.sub(r"[^A-Za-z0-9._]", "-", os.environ.get("SIGNOFF_NAME", ""))[:80]
    marker = f"<!-- signoff-decide: {name} -->"
    try:
        with open(os.environ["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
            run = json.load(file)["workflow_run"]
        is_pull_request = run.get("event") == "pull_request"
    except (*WRONG_SHAPE, OSError, ValueError):
        print("::error title=Signoff::this action is for the event workflow_run")
        return 2
    if not is_pull_request:
        print("no comment: the run is not of a pull request")
        return 0
    try:
        text = read(os.environ.get("SIGNOFF_COMMENT", ""))
        body = None if text is None else cleaned(text)
    except ValueError as problem:
        print(f"::warning title=Signoff::no comment: {problem}")
        body = None
    try:
        root = os.environ.get("GITHUB_API_URL", "https://api.github.com")
        github = GitHub(root, os.environ["GITHUB_REPOSITORY"], os.environ["SIGNOFF_TOKEN"])
        return _kept(github, run, marker, body)
    except (*WRONG_SHAPE, OSError, ValueError, http.client.HTTPException) as problem:
        print(f"::error title=Signoff::the comment was not written: {type(problem).__name__}")
        return 1


def _kept(github: GitHub, run: Mapping[str, Any], marker: str, body: str | None) -> int:
    """Keep the comment; without a body, only say in an old one that there is no comparison."""
    number = github.pull_request(run)
    if number is None:
        print("no comment: no open pull request has this commit as its head")
        return 0
    old = github.comment(number, marker)
    if not body and old is None:
        print(f"no comment: {'no decision changes' if body == '' else 'the run has none'}")
        return 0
    words = NOT_MADE if body is None else body or NOTHING
    whole = f"{marker}\n{words}\n\n{ORIGIN}\n"
    if old is None:
        github.ask("POST", f"issues/{number}/comments", {"body": whole})
        print("comment written")
    elif old.get("body", "").strip() == whole.strip():
        print("comment unchanged")
    else:
        github.ask("PATCH", f"issues/comments/{int(old['id'])}", {"body": whole})
        print("comment changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
