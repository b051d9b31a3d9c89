"""Pages that the server asks to have opened in a browser: before the call, and during it."""

from __future__ import annotations

import asyncio
import uuid
from typing import Final

from mcp.server.mcpserver import Context
from mcp.server.session import ServerSession
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.types import CallToolResult, ElicitRequest, ElicitRequestURLParams

from ..declare import hints, plain, tool
from .asking import (
    ELICITATION_BY_URL,
    Answers,
    Asked,
    Outcome,
    cannot_be_asked,
    converse,
)
from .clock import RunningWork
from .revisions import is_modern

_PAGE: Final = "https://example.com/signoff-demo"
_BEATS_UNTIL_DONE: Final = 3
_ASKS_OUTSIDE: Final = hints(read_only=True, open_world=True)


class PageTools:
    """Two pages at example.com, where nothing is to be done."""

    def __init__(self, background: RunningWork, beat: float) -> None:
        """`beat` is the time after which a third of the work in the browser counts as done."""
        self._background = background
        self._beat = beat
        self._is_signed_in = False

    @tool("Open a page", _ASKS_OUTSIDE)
    async def open_page(self, ctx: Context) -> Outcome:
        """Asks you to open a page at example.com. The reply is only your consent; in 2025-11-25 the
        server reports some seconds later that the page was completed."""
        identity = str(uuid.uuid4())
        request = _to_open("Please choose a seat on this page.", "seats", identity)

        def step(answers: Answers) -> dict[str, Asked] | CallToolResult:
            if (answer := answers.get("page")) is None:
                return {"page": request}
            action = answer.get("action")
            if action != "accept":
                how = "declined" if action == "decline" else "closed without an answer"
                return plain(f"The page was {how}, and will not be requested again.")
            if not is_modern(ctx):
                self._background.start(self._tell_done(ctx.session, identity))
            return plain("You agreed to open the page. This call cannot know what happens there.")

        return await converse(ctx, step)

    @tool("Sign in first", _ASKS_OUTSIDE)
    async def sign_in_first(self, ctx: Context) -> Outcome:
        """Fails with error -32042 until a page was opened, as in 2025-11-25; some seconds later the
        same call works once. Since 2026-07-28 it requests input in a round instead."""
        if self._is_signed_in:
            self._is_signed_in = False
            return plain("You are signed in, for this one call: the page was opened before.")
        if (lack := cannot_be_asked(ctx, ELICITATION_BY_URL)) is not None:
            return lack
        identity = str(uuid.uuid4())
        request = _to_open("Sign in at example.com, then call again.", "sign-in", identity)
        if not is_modern(ctx):
            self._background.start(self._sign_in(ctx.session, identity))
            assert isinstance(request.params, ElicitRequestURLParams)
            raise UrlElicitationRequiredError([request.params], "Sign in first, then call again.")

        def step(answers: Answers) -> dict[str, Asked] | CallToolResult:
            if (answer := answers.get("page")) is None:
                return {"page": request}
            if answer.get("action") != "accept":
                return plain("You did not sign in, so there is nothing to show.")
            return plain("You agreed to open the page, so you count as signed in.")

        return await converse(ctx, step)

    async def _tell_done(self, session: ServerSession, identity: str) -> None:
        await asyncio.sleep(_BEATS_UNTIL_DONE * self._beat)
        await session.send_elicit_complete(identity)

    async def _sign_in(self, session: ServerSession, identity: str) -> None:
        await asyncio.sleep(_BEATS_UNTIL_DONE * self._beat)
        self._is_signed_in = True
        await session.send_elicit_complete(identity)


def _to_open(message: str, page: str, identity: str) -> ElicitRequest:
    """The SDK leaves the id out where the revision has none."""
    url = f"{_PAGE}/{page}?elicitation={identity}"
    return ElicitRequest(
        params=ElicitRequestURLParams(message=message, url=url, elicitation_id=identity)
    )
