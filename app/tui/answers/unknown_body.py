"""What is not understood: the reason, and the raw JSON."""

from __future__ import annotations

import json

from textual.app import ComposeResult
from textual.screen import Screen

from ....widgets.lines.line_view import LineView
from ...calls.manifest import json_bytes
from ...content.json.jsonio import JsonValue
from ...content.text import Span, cut, size, spans
from ..section_lines import raw_lines
from .body import Body, Copied

PREVIEW_LIMIT = 64_000
PREVIEW_ROWS = 200


class UnknownBody(Body):
    """`reason` is in our own words, safe to show; "" where the raw JSON is just what came."""

    def __init__(self, raw: JsonValue, reason: str) -> None:
        super().__init__()
        self._raw = raw
        self._reason = reason
        self._compact = json.dumps(raw)

    @property
    def words(self) -> str:
        amount = f"{size(len(self._compact))} of JSON"
        return f"✗ {self._reason}  {amount}" if self._reason else amount

    def compose(self) -> ComposeResult:
        view = LineView(gutter=True, max_rows=PREVIEW_ROWS)
        view.can_focus = False
        if len(self._compact) <= PREVIEW_LIMIT:
            lines = raw_lines(self._raw)
            if isinstance(lines, str):
                view.show_plain(lines)
            else:
                view.show_spans(lines)
        else:
            shown = cut(self._compact, PREVIEW_LIMIT)
            view.show_spans([spans(shown.text), [Span(f"{shown.notice}; enter opens all", True)]])
        yield view

    def copied(self) -> Copied | None:
        return Copied(self._text(), "the raw JSON")

    def full(self) -> Screen[None] | None:
        from .text_body import TextBody

        return TextBody(self._text(), "application/json", about="raw JSON").full()

    def _text(self) -> str:
        return json_bytes(self._raw).decode()
