"""One tool for each kind of content that an answer may hold, and for answers of many parts."""

from __future__ import annotations

import base64
from typing import Annotated, Literal

from mcp.server.mcpserver.resources import Resource, TextResource
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
)
from pydantic import Field

from . import pictures
from .answers import blocks, failed, plain, text
from .declare import hints, tool

_CONFIGS = {
    "settings.json": ("application/json", '{\n  "theme": "dark",\n  "confirmDeletes": true\n}\n'),
    "logging.toml": ("application/toml", '[logging]\nlevel = "info"\nfile = "demo.log"\n'),
}
_PARTS = {
    "languages": ("Languages: Python 81 %, CSS 12 %, Shell 7 %.", "the language service is busy"),
    "contributors": ("Contributors: ada (41), grace (17), alan (9).", "the token lacks read:org"),
    "activity": ("Activity: 12 commits this week, 3 open pull requests.", "timed out after 10 s"),
    "security": ("Security: no known alerts.", "alerts are switched off for this repository"),
}
_MARKDOWN = """\
# Release notes

Version **2.1** is *mostly* about approvals. See [the notes](https://example.org/notes).

- asks before it deletes
- remembers what you said
  1. for a session
  2. for a day

| tool | asks |
|------|:----:|
| delete_file | yes |
| search_files | no |

```python
def approve(tool: str) -> bool:
    return tool.startswith("search")
```

> Hints are claims, not promises.
"""
_READS = hints(read_only=True, open_world=False)
_READS_OUTSIDE = hints(read_only=True, open_world=True)
# Only read-only is said: the world then counts as open, which is the protocol's default.
_ONLY_READ_ONLY = hints(read_only=True)


class ContentTools:
    """Images, sounds, files, links, and several of them at once."""

    @tool("Summarise a repository", _READS_OUTSIDE)
    async def repo_summary(
        self,
        failParts: Annotated[
            list[Literal["languages", "contributors", "activity", "security"]],
            Field(description="Parts that shall fail; none for a whole summary"),
        ] = ["contributors"],  # noqa: B006
    ) -> CallToolResult:
        """Gathers four parts, of which some may fail; the rest arrives. Such an answer is no
        error: its text has to say what is missing and why."""
        parts = [
            text(f"{part}: FAILED, {reason}." if part in failParts else content)
            for part, (content, reason) in _PARTS.items()
        ]
        missing = [part for part in _PARTS if part in failParts]
        if len(missing) == len(_PARTS):
            return failed("No part of the summary could be had.")
        whole = "All parts arrived." if not missing else f"Incomplete: {', '.join(missing)} failed."
        return blocks(text(whole), *parts)

    @tool("Show a resource link", _ONLY_READ_ONLY)
    async def show_resource_link(self) -> CallToolResult:
        """Returns a link to a resource instead of its content; the client decides whether to
        follow. Its open-world hint is unsaid, so it counts as open."""
        return blocks(
            text("The configuration is a link away."),
            ResourceLink(
                type="resource_link",
                uri="demo://config/settings.json",
                name="settings.json",
                title="Settings",
                description="The demo's settings",
                mime_type="application/json",
                size=len(_CONFIGS["settings.json"][1]),
            ),
        )

    @tool("Play a sound", _READS)
    async def play_sound(
        self,
        hertz: Annotated[int, Field(ge=100, le=2000, description="Pitch")] = 440,
        seconds: Annotated[float, Field(ge=0.1, le=2, description="Length")] = 0.5,
    ) -> CallToolResult:
        """Returns a short tone as WAV audio. Nothing is played here: what becomes of it is up to
        the client."""
        sound = base64.b64encode(pictures.tone(hertz, seconds)).decode()
        return blocks(AudioContent(type="audio", data=sound, mime_type="audio/wav"))

    @tool("Show binary data", _READS)
    async def show_binary(
        self,
        size: Annotated[int, Field(ge=1, le=65536, description="How many bytes")] = 256,
    ) -> CallToolResult:
        """Returns bytes as an embedded resource, for which a client can show little more than
        size and type."""
        data = base64.b64encode(bytes(n % 256 for n in range(size))).decode()
        blob = BlobResourceContents(
            uri="demo://binary/ramp.bin", mime_type="application/octet-stream", blob=data
        )
        return blocks(EmbeddedResource(type="resource", resource=blob))

    @tool("Show Markdown", _READS)
    async def show_markdown(self) -> CallToolResult:
        """Returns Markdown with headings, a list, a table and code. To the protocol it is plain
        text; showing it styled is the client's choice."""
        return plain(_MARKDOWN)


def resources() -> list[Resource]:
    """The configuration files once more, for clients that follow a resource link."""
    return [
        TextResource(uri=f"demo://config/{name}", name=name, mime_type=mime_type, text=content)
        for name, (mime_type, content) in _CONFIGS.items()
    ]
