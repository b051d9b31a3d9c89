"""The open question about a sign-in, and the visit of its page: the link makes both, and an
approver answers them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from ...approval.sign_in import SignInRequest

VISIT_SECONDS: Final = 300.0
"""How long a page may take to come back."""
NOT_ASKED: Final = "there was no answer"


class SignInAsking:
    """One open question; the first answer counts."""

    def __init__(self, request: SignInRequest) -> None:
        self.request = request
        self.is_by_nobody = False
        """Whether it was refused since no person could be asked."""
        self._answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def allow(self) -> None:
        """Go on with the sign-in."""
        if not self._answer.done():
            self._answer.set_result("")

    def refuse(self, words: str, *, is_by_nobody: bool = False) -> None:
        """Do not sign in; `words` are the reason, safe to show; `is_by_nobody`: no person could be
        asked.
        """
        if not self._answer.done():
            self.is_by_nobody = is_by_nobody
            self._answer.set_result(words or NOT_ASKED)

    async def refused_because(self) -> str:
        """Wait for the answer: why not, or empty for yes."""
        return await self._answer


class SignInVisit:
    """A page that a person visits in a browser; it ends at an address of this machine."""

    def __init__(
        self,
        url: str,
        until: float,
        take: Callable[[str], str],
        *,
        can_register: bool = False,
    ) -> None:
        """`url` is the whole page, `until` the end of the wait on the clock of the event loop;
        `can_register`: Signoff was registered before, and can be registered again;
        `take` reads an address that was pasted, and returns its fault.
        """
        self.url = url
        self._until = until
        self._take = take
        self.can_register = can_register
        self.is_unknown = False
        """Whether the page does not know Signoff any more."""
        self._cancelled: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def seconds_left(self) -> float:
        return max(self._until - asyncio.get_running_loop().time(), 0.0)

    def paste(self, text: str) -> str:
        """Take the address at which the browser has ended; returns its fault, safe to
        show, or nothing.
        """
        return self._take(text)

    def cancel(self) -> None:
        """Give the visit up."""
        if not self._cancelled.done():
            self._cancelled.set_result(None)

    def register_again(self) -> None:
        """Register again, and open another page: this one does not know Signoff."""
        if self.can_register:
            self.is_unknown = True
            self.cancel()

    async def cancelled(self) -> None:
        """Wait until the person gives it up."""
        await asyncio.shield(self._cancelled)
