"""The URI of a part, in full."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from ...content.text import cut, spans

URI_LIMIT = 2_000


class UriLine(Static):
    """A raw URI behind the gutter of a server's text; what was hidden in it is drawn inverse."""

    DEFAULT_CSS = """
    UriLine { height: auto; border-left: heavy $foreground-muted; padding-left: 1; }
    """

    def __init__(self, uri: str) -> None:
        shown = cut(uri, URI_LIMIT)
        said = [(span.text, "reverse" if span.mark else "") for span in spans(shown.text)]
        if not uri:
            said = [("none given", "$text-warning")]
        notice = (f"  {shown.notice}", "$foreground-muted") if shown.is_cut else ""
        label = ("uri  ", "$foreground-muted")
        super().__init__(Content.assemble(label, *said, notice), markup=False)
