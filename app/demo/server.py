"""The demo server: its groups of tools, and the one place where the SDK is too polite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool

from .. import __version__
from .content import ContentTools, resources
from .conversation.serving import Conversation, DemoServer
from .declare import collect
from .extensions.labels import DraftTools, listed_for
from .extensions.resolution import ToolResolution
from .extensions.skills import serve_skills
from .forms import FormTools
from .gallery import GalleryTools, RecordTools
from .lessons.characters import CharacterTools
from .lessons.database import DatabaseTools, Migration, cancelled_answer
from .lessons.files import LessonFiles
from .lessons.github import GitHubTools
from .lessons.outside import OutsideTools
from .lessons.records import LessonRecords
from .lessons.sums import SumTools
from .lessons.weather import WeatherTools
from .misbehaviour import STRANGE_BLOCKS, STRANGE_TOOL, BrokenTools, MisbehaviourTools
from .network import NetworkTools
from .progress import ProgressTools
from .sandbox import Sandbox
from .shifting import ShiftingTools

INSTRUCTIONS = (
    "Harmless tools that show what annotations mean and what responses can hold. "
    "Files live in a sandbox folder, everything else in memory; nothing reaches a network."
)


LESSONS = "lessons"
GALLERY = "gallery"
CONVERSATION = "conversation"
_BEST_KNOWN = (
    *("calculate_sum", "search_files", "web_search", "read_settings", "get_weather"),
    *("create_record", "update_user", "increment_counter", "append_note"),
    *("delete_file", "launch_confetti", "migrate_database", "github_delete_branch"),
    *("slack_send_message", "generate_fantasy_character", "generate_fantasy_character_broken"),
)
"""The lessons at the top of their group: a small window shows no more of each."""
STEP_SECONDS = 0.4
"""What one step of a long job takes."""
_FIRST_WITH_RESULT_TYPE = "2026-07-28"


def build_server(
    sandbox: Sandbox,
    write_stdout: Callable[[bytes], None],
    *,
    step_seconds: float = STEP_SECONDS,
) -> MCPServer[Any]:
    """A server with fresh state whose file tools act in `sandbox`.

    `write_stdout` writes to the real standard output: for the tool that soils it, and for the
    one answer that the SDK would hold back.
    """
    conversation = Conversation(step_seconds, sandbox)
    shifting = ShiftingTools()
    resolution = ToolResolution(sandbox)
    migration = Migration()
    database = DatabaseTools(migration, step_seconds=step_seconds)
    lessons = (
        SumTools(),
        LessonFiles(sandbox, step_seconds=step_seconds),
        OutsideTools(sandbox),
        LessonRecords(sandbox),
        database,
        GitHubTools(),
        WeatherTools(),
        CharacterTools(),
    )
    gallery = (
        RecordTools(),
        NetworkTools(),
        ProgressTools(migration),
        ContentTools(),
        GalleryTools(),
        BrokenTools(),
        FormTools(),
        MisbehaviourTools(write_stdout, sandbox.close),
        shifting,
        DraftTools(),
    )
    taught = sorted(
        collect(LESSONS, lessons),
        key=lambda tool: (
            _BEST_KNOWN.index(tool.name) if tool.name in _BEST_KNOWN else len(_BEST_KNOWN)
        ),
    )
    tools: list[Tool] = [
        *taught,
        *collect(GALLERY, gallery),
        *collect(CONVERSATION, conversation.groups),
        *resolution.tools,
    ]

    async def shift(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            return listed_for(ctx, shifting.shift(result))
        return result

    async def answer_cancelled(
        ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Answer a cancelled migration, which the SDK leaves without: so one can see what a
        client makes of an answer that comes after its cancellation, as it may on any wire."""
        if ctx.method == "notifications/cancelled":
            identity = (ctx.params or {}).get("requestId")
            if isinstance(identity, str | int) and str(identity) in database.interrupted:
                database.interrupted.discard(str(identity))
                is_modern = ctx.protocol_version >= _FIRST_WITH_RESULT_TYPE
                write_stdout(cancelled_answer(identity, has_result_type=is_modern))
        return await call_next(ctx)

    return DemoServer(
        conversation,
        name="Signoff demo",
        version=__version__,
        instructions=INSTRUCTIONS,
        log_level="WARNING",
        tools=tools,
        resources=resources(),
        middleware=[
            resolution.serve,
            answer_cancelled,
            _add_strange_blocks,
            shift,
            serve_skills,
        ],
    )


async def _add_strange_blocks(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Extend one tool's serialised result, after the SDK has checked what it knows."""
    result = await call_next(ctx)
    if (
        ctx.method == "tools/call"
        and (ctx.params or {}).get("name") == STRANGE_TOOL
        and isinstance(result, dict)
        and isinstance(content := result.get("content"), list)
    ):
        return {**result, "content": [*content, *STRANGE_BLOCKS]}
    return result
