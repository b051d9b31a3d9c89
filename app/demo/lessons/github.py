"""A forge that is only simulated: lists in pages, a renamed tool, and answers of several parts.

A cursor has the next place of a list, and the list that it belongs to.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

from mcp.types import CallToolResult, ContentBlock
from pydantic import Field

from ..declare import blocks, embedded, failed, hints, plain, text, tool
from ..sandbox import tell

_SEAL_BYTES: Final = 9
_SALT: Final = b"signoff demo cursor 1"
"""The seal distinguishes our cursors from broken or foreign ones. It guards no secret, and a
cursor outlives the process that gave it."""


class NotACursor(ValueError):
    """Broken, or never given by this server."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The next page begins at `offset` of the list of `filter`, in the order of `sort`."""

    offset: int
    filter: dict[str, str]
    sort: str


def written(cursor: Cursor) -> str:
    """The cursor as base64url without padding: seal, then JSON."""
    said = json.dumps(asdict(cursor), separators=(",", ":"), sort_keys=True).encode()
    return base64.urlsafe_b64encode(_seal(said) + said).rstrip(b"=").decode()


def read(text: str) -> Cursor:
    """The cursor that `written` made this text of. Raises NotACursor."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        data = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotACursor("not base64url") from error
    seal, said = data[:_SEAL_BYTES], data[_SEAL_BYTES:]
    if seal != _seal(said):
        raise NotACursor("not of this server")
    whole: dict[str, Any] = json.loads(said)
    cursor = Cursor(**whole)
    if written(cursor) != text:
        raise NotACursor("written in another way")
    return cursor


def _seal(said: bytes) -> bytes:
    return hashlib.blake2b(said, digest_size=_SEAL_BYTES, key=_SALT).digest()


_LANGUAGES: Final = ("Python", "Rust", "TypeScript", "Go")
_NAMES: Final = """
anvil beacon cobalt dynamo ember falcon garnet harbor indigo juniper kestrel lantern
meadow nimbus orchid pebble quartz raven sierra tundra umber violet willow
"""
_REPOSITORIES: Final = tuple(
    sorted(
        (f"{name}{kind}", _LANGUAGES[(n + m) % 4], (n * 137 + m * 61 + 11) % 900)
        for n, name in enumerate(_NAMES.split())
        for m, kind in enumerate(("", "-docs"))
    )
)
"""Name, language and stars of each; every organisation has the same."""
_SORT: Final = "name"
_DIFF: Final = """\
--- a/hello.py
+++ b/hello.py
@@ -1,4 +1,5 @@
 def hello(name):
-    print("Hello " + name)
+    if not name:
+        raise ValueError("a name is required")
+    print(f"Hello {name}")
"""
_DIFF_TYPE: Final = "text/x-diff"

_Owner = Annotated[str, Field(description="Owner", min_length=1, max_length=100, examples=["acme"])]
_Repo = Annotated[
    str, Field(description="Repository", min_length=1, max_length=100, examples=["anvil"])
]


class GitHubTools:
    """List, search, analyse and delete; nothing of it reaches a network."""

    def __init__(self) -> None:
        self._deleted: set[tuple[str, str]] = set()

    @tool("List GitHub Repositories", hints(read_only=True, open_world=True))
    async def github_list_repositories(
        self,
        org: Annotated[
            str,
            Field(description="Organisation", min_length=1, max_length=100, examples=["acme"]),
        ],
        language: Annotated[
            str | None,
            Field(
                description="Only repositories in this language",
                max_length=100,
                examples=list(_LANGUAGES),
            ),
        ] = None,
        cursor: Annotated[
            str | None, Field(description="Cursor of the next page, from the previous page")
        ] = None,
        pageSize: Annotated[int, Field(description="Repositories per page", ge=1, le=100)] = 20,
    ) -> CallToolResult:
        """List the repositories of an organisation page by page, simulated. To continue, call it
        again with the cursor at the end of the page and the same filter."""
        wanted = {"org": org, **({"language": language} if language is not None else {})}
        found = [
            f"{org}/{name}  {said}  {stars} stars"
            for name, said, stars in _REPOSITORIES
            if language is None or said.casefold() == language.casefold()
        ]
        start = 0
        if cursor is not None:
            try:
                said = read(cursor)
            except NotACursor as error:
                return failed(f"Invalid cursor ({error}). Start again without one.")
            if said.filter != wanted:
                was = ", ".join(f"{key}={value}" for key, value in said.filter.items())
                return failed(
                    f"This cursor belongs to another filter ({was}). Use the same filter, or start "
                    "again without a cursor."
                )
            start = said.offset
        end = start + pageSize
        following = written(Cursor(end, wanted, _SORT))
        last = f"[Next page cursor: {following}]" if end < len(found) else "[End of results]"
        return plain("\n".join([*found[start:end], last]))

    @tool("Search GitHub Repositories", None)
    async def github_search_repos(
        self,
        query: Annotated[
            str, Field(description="Part of a name, or a language", min_length=1, max_length=200)
        ],
        limit: Annotated[
            int, Field(description="Maximum number of repositories", ge=1, le=30)
        ] = 10,
    ) -> CallToolResult:
        """Search repositories by name or language, simulated. It only reads but declares no hints,
        so a careful client has to assume the worst: it writes, destroys and acts outside."""
        wanted = query.casefold()
        found = [
            f"acme/{name}  {language}  {stars} stars"
            for name, language, stars in _REPOSITORIES
            if wanted in name or wanted == language.casefold()
        ]
        return plain("\n".join(found[:limit]) or f"No repositories match {query}.")

    @tool("Search (Deprecated)", hints(read_only=True))
    async def search(
        self,
        q: Annotated[str, Field(description="The query, as in github_search_repos", min_length=1)],
    ) -> CallToolResult:
        """[DEPRECATED] Use github_search_repos instead. Will be removed in v2.0."""
        tell("search is deprecated, use github_search_repos")
        return await self.github_search_repos(q)

    @tool("Analyze Pull Request", hints(read_only=True))
    async def analyze_pr(
        self,
        owner: _Owner,
        repo: _Repo,
        pr: Annotated[int, Field(description="Number of the pull request", ge=1)],
    ) -> CallToolResult:
        """Analyze a pull request, simulated: a summary first, then the changes as a diff. If a part
        is unavailable (here: the checks), the others are still returned."""
        return blocks(
            text(
                f"{owner}/{repo} #{pr}: hello rejects an empty name. 3 lines added, 1 removed, in "
                "1 file. Not available: checks (the service timed out)."
            ),
            embedded(f"demo://github/pulls/{pr}.diff", _DIFF_TYPE, _DIFF),
        )

    @tool("Summarize Repository", hints(read_only=True))
    async def github_repo_summary(self, owner: _Owner, repo: _Repo) -> CallToolResult:
        """Summarize a repository, simulated: a summary first, then the latest change as a diff,
        then the other parts. If a part is unavailable, the others are still returned."""
        parts: list[ContentBlock] = [
            text(
                f"{owner}/{repo}: 12 commits this week, 3 open pull requests. 2 of 3 parts are "
                "available."
            ),
            embedded("demo://github/latest.diff", _DIFF_TYPE, _DIFF),
            text("Languages: Python 81 %, CSS 12 %, Shell 7 %."),
            text("Contributors: not available (the token may not read them)."),
        ]
        return blocks(*parts)

    @tool(
        "Delete GitHub Branch",
        hints(read_only=False, destructive=True, idempotent=False, open_world=True),
    )
    async def github_delete_branch(
        self,
        repo: Annotated[
            str,
            Field(description="Owner and name", min_length=1, examples=["acme/anvil"]),
        ],
        branch: Annotated[
            str,
            Field(
                description="Branch to delete",
                min_length=1,
                examples=["feature/confetti", "fix/typo"],
            ),
        ],
    ) -> CallToolResult:
        """Delete a branch of a GitHub repository; simulated, in memory. All its hints call for
        care: it writes, destroys, is not idempotent, and acts outside."""
        if branch in ("main", "master"):
            return failed(f"Simulated: {branch} of {repo} is protected.")
        if (repo, branch) in self._deleted:
            return failed(f"Simulated: {repo} has no branch {branch}.")
        self._deleted.add((repo, branch))
        return plain(f"Simulated: deleted branch {branch} of {repo}.")
