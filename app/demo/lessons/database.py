"""A database to migrate and to search: progress, cancelling, and a union of three questions."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Annotated, Any, Final, Literal, TypeAlias

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..declare import Json, failed, hints, inlined, plain, tool

CANCELLED: Final = "Migration cancelled by client."
MIGRATIONS: Final = (
    "001_create_users",
    "002_create_orders",
    "003_split_names",
    "004_drop_full_name",
    "005_prices_in_cents",
    "006_drop_old_prices",
    "007_index_email",
    "008_index_order_date",
    "009_add_archive",
    "010_move_old_orders",
    "011_delete_sessions",
    "012_renumber_invoices",
    "013_check_foreign_keys",
    "014_refresh_statistics",
    "015_unlock_tables",
)
_ROWS: Final = (
    "Ada Lovelace wrote the first published algorithm",
    "Grace Hopper found a moth in a relay",
    "Alan Turing asked whether machines can think",
    "Katherine Johnson computed orbits by hand",
    "Edsger Dijkstra found shortest paths",
    "Barbara Liskov made substitution precise",
    "Donald Knuth counts every comma",
    "Radia Perlman kept networks from looping",
)
_KINDRED: Final = (
    {"bug", "moth", "insect", "relay", "error"},
    {"space", "orbits", "orbit", "moon", "rocket"},
    {"network", "networks", "paths", "routes", "looping", "graph"},
    {"computer", "machines", "algorithm", "program", "software"},
)
_NEAR: Final = 0.8
"""What a kindred word counts, where the same word counts 1."""
REGEX_SECONDS: Final = 2.0
_REGEX_PROGRAM: Final = """
import json, re, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
except (ImportError, ValueError, OSError):
    pass
asked = json.load(sys.stdin)
flags = 0
for letter in asked["flags"]:
    flags |= {"i": re.I, "m": re.M, "s": re.S}.get(letter, 0)
try:
    wanted = re.compile(asked["pattern"], flags)
except (re.error, OverflowError, RecursionError):
    print("null")
else:
    print(json.dumps([row for row in asked["rows"] if wanted.search(row)]))
"""
"""A pattern may take for ever, and nothing can stop it but the end of its process."""


class Text(BaseModel):
    """Words, literally."""

    model_config = ConfigDict(extra="forbid", title="Text")

    type: Literal["text"]
    query: str = Field(description="Text to look for")
    caseSensitive: bool = Field(False, description="Tell a from A")


class Regex(BaseModel):
    """A regular expression."""

    model_config = ConfigDict(extra="forbid", title="Regular expression")

    type: Literal["regex"]
    pattern: str = Field(description="Regular expression", max_length=500)
    flags: str | None = Field(
        None, description="i: ignore case, m: many lines, s: dot is all", pattern="^[gimsuy]*$"
    )


class Semantic(BaseModel):
    """A meaning, found by kindred words."""

    model_config = ConfigDict(extra="forbid", title="Meaning")

    type: Literal["semantic"]
    query: str = Field(description="What it should be about", examples=["rocket"])
    threshold: float = Field(0.7, description="Least likeness", ge=0, le=1)
    limit: int = Field(10, description="Most rows", ge=1, le=100)


Question: TypeAlias = Annotated[Text | Regex | Semantic, Field(discriminator="type")]
_QUESTIONS: Final[TypeAdapter[Text | Regex | Semantic]] = TypeAdapter(Question)


class Migration:
    """How far the make-believe database came."""

    def __init__(self) -> None:
        self.applied = 0
        self.state = "old schema"

    @property
    def following(self) -> str | None:
        return MIGRATIONS[self.applied] if self.applied < len(MIGRATIONS) else None


class DatabaseTools:
    """Migrate and search."""

    def __init__(self, migration: Migration, *, step_seconds: float) -> None:
        """`step_seconds` is the time that each migration takes."""
        self._migration = migration
        self._step = step_seconds
        self.interrupted: set[str] = set()
        """Ids of requests whose work was stopped before its end."""

    @tool(
        "Run Database Migrations",
        hints(destructive=True, idempotent=False, open_world=False),
    )
    async def migrate_database(
        self,
        ctx: Context,
        dryRun: Annotated[
            bool, Field(description="Go through the steps without changing anything")
        ] = False,
    ) -> CallToolResult:
        """Run all pending database migrations, with progress. Slow and destructive: cancelling
        stops the work but undoes nothing; show_database shows what was done."""
        mark = "[DRY RUN] " if dryRun else ""
        total = len(MIGRATIONS)
        database = Migration() if dryRun else self._migration
        database.applied, database.state = 0, "migrating"
        try:
            for number, name in enumerate(MIGRATIONS, 1):
                await ctx.report_progress(number, total, f"{mark}Running: {name}")
                await asyncio.sleep(self._step)
                database.applied = number
        except asyncio.CancelledError:
            database.state = "half migrated"
            self.interrupted.add(str(ctx.request_id))
            raise
        database.state = "new schema"
        return plain(f"{mark}Ran {total} migrations.")

    @tool(
        "Search the Database",
        hints(read_only=True),
        input_schema={"type": "object", **inlined(_QUESTIONS.json_schema())},
    )
    async def db_search(
        self,
        type: Any = None,
        query: Any = None,
        caseSensitive: Any = None,
        pattern: Any = None,
        flags: Any = None,
        threshold: Any = None,
        limit: Any = None,
    ) -> CallToolResult:
        """Search a small table by text, regular expression or meaning. The input is a union
        discriminated by type: each kind of search has its own parameters."""
        given = {name: value for name, value in locals().items() if name != "self"}
        try:
            question = _QUESTIONS.validate_python(
                {name: value for name, value in given.items() if value is not None}
            )
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "type"
            return failed(f"{place}: {first['msg']}")
        match question:
            case Text(query=words, caseSensitive=True):
                found = [row for row in _ROWS if words in row]
            case Text(query=words):
                found = [row for row in _ROWS if words.casefold() in row.casefold()]
            case Regex():
                try:
                    matched = await _rows_matching(question.pattern, question.flags or "")
                except TimeoutError:
                    return failed(f"The regex took more than {REGEX_SECONDS:g} s and was stopped.")
                if matched is None:
                    return failed("Invalid regex pattern")
                found = matched
            case Semantic():
                scored = [(_likeness(question.query, row), row) for row in _ROWS]
                close = [hit for hit in scored if 0 < hit[0] >= question.threshold]
                close.sort(key=lambda hit: -hit[0])
                found = [f"{score:.2f}  {row}" for score, row in close[: question.limit]]
        return plain("\n".join(found) or "No rows found.")


def cancelled_answer(identity: str | int, *, has_result_type: bool) -> bytes:
    """The line that answers a cancelled migration; `has_result_type` from 2026-07-28 on."""
    result: Json = {"content": [{"type": "text", "text": CANCELLED}], "isError": True}
    if has_result_type:
        result["resultType"] = "complete"
    return json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode() + b"\n"


async def _rows_matching(pattern: str, flags: str) -> list[str] | None:
    """The rows that the pattern matches, None if it is invalid. Raises TimeoutError."""
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-c", _REGEX_PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    asked = json.dumps({"pattern": pattern, "flags": flags, "rows": _ROWS}).encode()
    try:
        async with asyncio.timeout(REGEX_SECONDS):
            said, _ = await program.communicate(asked)
    finally:
        if program.returncode is None:
            program.kill()
    if program.returncode:
        raise TimeoutError
    rows: list[str] | None = json.loads(said)
    return rows


def _likeness(query: str, row: str) -> float:
    """The part of the wanted words that a row has, from 0 to 1."""
    asked, said = set(query.casefold().split()), set(row.casefold().split())
    kindred = [words for words in _KINDRED if words & said]
    near = sum(any(word in words for words in kindred) for word in asked - said)
    return (len(asked & said) + _NEAR * near) / max(len(asked), 1)
