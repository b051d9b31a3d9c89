"""Tools on records in memory: the shades of writing, and a search whose input is a union."""

from __future__ import annotations

import asyncio
import re
from itertools import count
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from app.demo.answers import failed, structured
from app.demo.declare import Json, hints, object_schema, tool

_ROWS = (
    "Ada Lovelace wrote the first published algorithm",
    "Grace Hopper found a moth in a relay",
    "Alan Turing asked whether machines can think",
    "Katherine Johnson computed orbits by hand",
    "Edsger Dijkstra found shortest paths",
    "Barbara Liskov made substitution precise",
    "Donald Knuth counts every comma",
    "Radia Perlman kept networks from looping",
)
_KINDRED = (
    {"bug", "moth", "insect", "relay", "error"},
    {"space", "orbits", "orbit", "moon", "rocket"},
    {"network", "networks", "paths", "routes", "looping", "graph"},
    {"computer", "machines", "algorithm", "program", "software"},
)


class RecordFields(BaseModel):
    """The nested part of a record."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(description="What it is about", min_length=1, max_length=80)
    priority: Literal["low", "normal", "high"] = Field("normal", description="How urgent it is")
    done: bool = Field(False, description="Already finished")
    tags: list[str] = Field([], description="Words to find it by", max_length=8)


class TextQuery(BaseModel):
    """Words as they stand."""

    model_config = ConfigDict(extra="forbid", title="Text")

    mode: Literal["text"]
    text: str = Field(description="Text to look for", min_length=1)
    caseSensitive: bool = Field(False, description="Tell a from A")


class RegexQuery(BaseModel):
    """A regular expression."""

    model_config = ConfigDict(extra="forbid", title="Regular expression")

    mode: Literal["regex"]
    pattern: str = Field(description="Python regular expression", min_length=1, max_length=80)


class SemanticQuery(BaseModel):
    """A meaning, found by kindred words."""

    model_config = ConfigDict(extra="forbid", title="Meaning")

    mode: Literal["semantic"]
    meaning: str = Field(description="What the row should be about", min_length=1)
    minScore: float = Field(0.5, ge=0, le=1, description="Least similarity")


Query = TextQuery | RegexQuery | SemanticQuery


class RecordTools:
    """Create, update, count, search."""

    def __init__(self) -> None:
        self._ids = count(1)
        self._users: dict[str, Json] = {"ada": {"name": "Ada", "role": "admin", "active": True}}
        self._counters: dict[str, int] = {}
        self._orders: dict[str, int] = {}

    @tool(
        "Create a record",
        hints(read_only=False, destructive=False, open_world=False),
        output_schema=object_schema(
            {"id": {"type": "string"}, "kind": {"type": "string"}, "fields": {"type": "object"}}
        ),
    )
    async def create_record(
        self,
        kind: Annotated[Literal["note", "task", "event"], Field(description="Kind of record")],
        fields: Annotated[RecordFields, Field(description="What the record says")],
    ) -> CallToolResult:
        """Adds a record in memory. It writes but destroys nothing, and must say so: without
        destructiveHint false a writing tool counts as destructive."""
        number = f"{kind}-{next(self._ids)}"
        return structured({"id": number, "kind": kind, "fields": fields.model_dump()})

    @tool(
        "Update a user",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
        output_schema=object_schema(
            {
                "userId": {"type": "string"},
                "changed": {"type": "array", "items": {"type": "string"}},
                "user": {"type": "object"},
            }
        ),
    )
    async def update_user(
        self,
        userId: Annotated[str, Field(description="Which user", pattern=r"^[a-z0-9-]{1,20}$")],
        name: Annotated[str, Field(description="Name to show", min_length=1)],
        role: Annotated[
            Literal["viewer", "editor", "admin"], Field(description="What the user may do")
        ] = "viewer",
        active: Annotated[bool, Field(description="May sign in")] = True,
    ) -> CallToolResult:
        """Sets a user to the values given, in memory. Idempotent: sending the same call again
        changes nothing, so a client may retry it."""
        user = {"name": name, "role": role, "active": active}
        before = self._users.get(userId, {})
        changed = [key for key, value in user.items() if before.get(key) != value]
        self._users[userId] = user
        return structured({"userId": userId, "changed": changed, "user": user})

    @tool(
        "Increment a counter",
        hints(read_only=False, destructive=False, idempotent=False, open_world=False),
        output_schema=object_schema({"counter": {"type": "string"}, "value": {"type": "integer"}}),
    )
    async def increment_counter(
        self,
        counter: Annotated[str, Field(description="Which counter", min_length=1)] = "visits",
        by: Annotated[int, Field(ge=1, le=100, description="How much to add")] = 1,
    ) -> CallToolResult:
        """Adds to a counter in memory. Not idempotent: each repetition counts again, so a lost
        answer must not be answered with a blind retry."""
        self._counters[counter] = self._counters.get(counter, 0) + by
        return structured({"counter": counter, "value": self._counters[counter]})

    @tool(
        "Order a pizza",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
        output_schema=object_schema(
            {
                "order": {"type": "integer"},
                "size": {"type": "string"},
                "alreadyOrdered": {"type": "boolean"},
            }
        ),
    )
    async def order_pizza(
        self,
        idempotencyKey: Annotated[
            str, Field(description="Idempotency key: the same key is never ordered twice")
        ],
        size: Annotated[Literal["small", "large"], Field(description="How hungry")] = "small",
        loseAnswer: Annotated[
            bool, Field(description="Order, then never answer the first time")
        ] = False,
    ) -> CallToolResult:
        """Orders an imaginary pizza. The key makes it safe to repeat: with loseAnswer the order is
        placed and the answer is lost; cancel the call, and retry it with the same key."""
        known = idempotencyKey in self._orders
        number = self._orders.setdefault(idempotencyKey, len(self._orders) + 1)
        if loseAnswer and not known:
            await asyncio.sleep(3_600)
        return structured({"order": number, "size": size, "alreadyOrdered": known})

    @tool(
        "Search the database",
        hints(read_only=True, open_world=False),
        output_schema=object_schema(
            {
                "mode": {"type": "string", "enum": ["text", "regex", "semantic"]},
                "rows": {
                    "type": "array",
                    "items": object_schema(
                        {"row": {"type": "string"}, "score": {"type": "number"}}
                    ),
                },
            }
        ),
    )
    async def db_search(
        self,
        query: Annotated[
            Query, Field(discriminator="mode", description="One of three ways to ask")
        ],
        limit: Annotated[int, Field(ge=1, le=50, description="Most rows")] = 5,
    ) -> CallToolResult:
        """Searches a small table by text, regular expression or meaning. Its input is a union
        told apart by `mode`, which a form should offer as three choices."""
        try:
            scored = [(_score(query, row), row) for row in _ROWS]
        except re.error as error:
            return failed(f"Not a regular expression: {error}.")
        least = query.minScore if isinstance(query, SemanticQuery) else 1.0
        hits = sorted((hit for hit in scored if 0 < hit[0] >= least), key=lambda hit: -hit[0])
        rows = [{"row": row, "score": score} for score, row in hits[:limit]]
        return structured({"mode": query.mode, "rows": rows})


def _score(query: Query, row: str) -> float:
    """How well a row fits, from 0 to 1."""
    match query:
        case TextQuery(text=text, caseSensitive=True):
            return float(text in row)
        case TextQuery(text=text):
            return float(text.casefold() in row.casefold())
        case RegexQuery(pattern=pattern):
            return float(re.search(pattern, row) is not None)
        case SemanticQuery(meaning=meaning):
            asked, said = set(meaning.casefold().split()), set(row.casefold().split())
            kindred = [words for words in _KINDRED if words & said]
            near = sum(any(word in words for words in kindred) for word in asked - said)
            return (len(asked & said) + 0.8 * near) / max(len(asked), 1)
