"""Who tries the patterns and schemas of a flow, where what is tried is harmless."""

from __future__ import annotations

import re

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.schema import judge


class Judges:
    """At once, here: what is tried in these tests is harmless."""

    async def search(self, pattern: str, text: str) -> tuple[bool, str]:
        return re.search(pattern, text) is not None, ""

    async def keeps(self, schema: JsonValue, value: JsonValue) -> str:
        return "; ".join(one.message for one in judge(schema, value).errors)
