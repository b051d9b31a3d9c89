"""Records, users, counters and settings in memory: the shades of writing."""

from __future__ import annotations

import datetime
import json
from itertools import count
from typing import Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from ..declare import Json, failed, hints, object_schema, plain, structured, tool
from ..sandbox import Sandbox

_MAX_ROWS: Final = 1_000
_Table = Annotated[
    str, Field(description="Table", min_length=1, max_length=100, examples=["users", "orders"])
]
_Limit = Annotated[int, Field(description="Most rows", ge=1, le=_MAX_ROWS)]
_LIAR_FILE: Final = "read_settings-was-here.txt"


class LessonRecords:
    """Create, set, count, delete, report; and a reader that writes."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._ids = count(1)
        self._tables: dict[str, list[Json]] = {
            "orders": [{"id": "orders-1", "data": {"article": "lamp", "count": 2}}]
        }
        self._users: dict[str, Json] = {
            "ada": {"name": "Ada", "role": "admin"},
            "grace": {"name": "Grace", "role": "editor"},
        }
        self._counters: dict[str, int] = {}
        self._settings: dict[str, str] = {"theme": "dark", "language": "en"}

    @tool(
        "Create Database Record",
        hints(read_only=False, destructive=False, idempotent=False, open_world=False),
        output_schema=object_schema(
            {"id": {"type": "string"}, "table": {"type": "string"}, "data": {"type": "object"}}
        ),
    )
    async def create_record(
        self,
        table: _Table,
        data: Annotated[dict[str, Any], Field(description="Fields of the record")],
    ) -> CallToolResult:
        """Create a new record in a database table. Additive, because nothing is overwritten; not
        idempotent, because each call creates another record."""
        record = {"id": f"{table}-{next(self._ids)}", "table": table, "data": data}
        self._tables.setdefault(table, []).append({"id": record["id"], "data": data})
        return structured(record)

    @tool("Read Table", hints(read_only=True, open_world=False))
    async def read_table(self, table: _Table, limit: _Limit = 100) -> CallToolResult:
        """Read the rows of a database table: the archetype of reading. It shows what the other
        tools did to users and records."""
        rows: list[Json] = self._tables.get(table, [])
        if table == "users":
            rows = [{"id": name, **user} for name, user in self._users.items()] + rows
        if not rows:
            return failed(f"Table not found: {table}")
        return plain("\n".join(json.dumps(row, ensure_ascii=False) for row in rows[:limit]))

    @tool(
        "Update User",
        hints(read_only=False, destructive=False, idempotent=True),
        output_schema=object_schema({"id": {"type": "string"}, "user": {"type": "object"}}),
    )
    async def update_user(
        self,
        id: Annotated[
            str, Field(description="Which user", min_length=1, max_length=100, examples=["ada"])
        ],
        changes: Annotated[
            dict[str, Any],
            Field(description="What to set", examples=[{"role": "viewer"}]),
        ],
    ) -> CallToolResult:
        """Set fields of a user to the given values. Idempotent: the same call again changes nothing
        more, so a client may retry it."""
        user = {**self._users.get(id, {}), **changes}
        self._users[id] = user
        return structured({"id": id, "user": user})

    @tool("Delete User", hints(read_only=False, destructive=True, idempotent=True))
    async def delete_user(
        self,
        id: Annotated[
            str, Field(description="Which user", min_length=1, max_length=100, examples=["grace"])
        ],
    ) -> CallToolResult:
        """Permanently delete a user. Destructive and idempotent: repeated calls do not change
        anything more."""
        known = self._users.pop(id, None)
        return plain(f"Deleted user: {id}" if known else f"No user has the id {id} (any more).")

    @tool(
        "Increment Counter",
        hints(read_only=False, destructive=False, idempotent=False),
        output_schema=object_schema({"id": {"type": "string"}, "value": {"type": "integer"}}),
    )
    async def increment_counter(
        self,
        id: Annotated[
            str,
            Field(description="Which counter", min_length=1, max_length=100, examples=["visits"]),
        ],
    ) -> CallToolResult:
        """Add one to a counter. Not idempotent: each call counts again, so do not retry a lost call
        without checking."""
        self._counters[id] = self._counters.get(id, 0) + 1
        return structured({"id": id, "value": self._counters[id]})

    @tool(
        "Set a Setting",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
    )
    async def upsert_setting(
        self,
        key: Annotated[
            str,
            Field(description="Which setting", min_length=1, max_length=100, examples=["theme"]),
        ],
        value: Annotated[str, Field(description="The new value", max_length=1000)],
    ) -> CallToolResult:
        """Create a setting or replace its value: the archetype of an upsert, idempotent. People
        disagree on whether replacing a value is destructive."""
        before = self._settings.get(key)
        self._settings[key] = value
        was = "new" if before is None else f"was {before}"
        return plain(f"Setting {key} is {value} ({was}).")

    @tool("Read Settings", hints(read_only=True))
    async def read_settings(self) -> CallToolResult:
        """Read all settings. It is declared read-only, but hints are not verified, so look at the
        sandbox before and after."""
        self._sandbox.write(
            _LIAR_FILE, "read_settings wrote this, although it is declared read-only.\n"
        )
        return plain("\n".join(f"{key} = {value}" for key, value in self._settings.items()))

    @tool("Report Between Dates", hints(read_only=True))
    async def report_between(
        self,
        startDate: Annotated[
            str,
            Field(
                description="First day",
                examples=["2026-01-01"],
                json_schema_extra={"format": "date"},
            ),
        ],
        endDate: Annotated[
            str,
            Field(
                description="Last day, after startDate",
                examples=["2026-01-31"],
                json_schema_extra={"format": "date"},
            ),
        ],
        limit: _Limit = 100,
    ) -> CallToolResult:
        """Report the visits of each day between two dates. endDate must be after startDate: a
        schema cannot express this rule, so the tool itself must check it."""
        days = []
        for name, said in (("startDate", startDate), ("endDate", endDate)):
            try:
                days.append(datetime.date.fromisoformat(said))
            except ValueError:
                return failed(f"{name} is not a date such as 2026-01-31.")
        first, last = days
        if last <= first:
            return failed(f"endDate must be after startDate: {last} is not after {first}.")
        total = (last - first).days + 1
        rows = [first + datetime.timedelta(days=n) for n in range(min(limit, total))]
        head = f"{total} days from {first} to {last}"
        cut = f", the first {limit} of them" if total > limit else ""
        lines = [f"{day}  {day.toordinal() * 37 % 190 + 10:>3} visits" for day in rows]
        return plain("\n".join([f"{head}{cut}:", *lines]))
