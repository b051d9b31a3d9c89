"""Retries calls: whether one may be, the advice, and the key."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget

from ....widgets.keys import RESTART_KEY, way_to
from ...calls.call import Call
from ...content.text import sentence
from ...engine.engine import Engine
from ...protocol.rpc import READ_METHOD
from .notices import Notices


class OnceMore:
    """Retries lost calls, reads updated resources again, repeats ended calls.

    `selected` returns the selected call; slow work runs on `owner`.
    """

    def __init__(
        self,
        engine: Engine,
        owner: Widget,
        notices: Notices,
        selected: Callable[[], Call | None],
    ) -> None:
        self._engine = engine
        self._owner = owner
        self._notices = notices
        self._selected = selected
        self._warned_of: int | None = None
        """The call whose repetition needs a second press, which asks for approval."""

    def advice(self, call: Call | None) -> str:
        """Describe whether a call of unknown outcome may be retried, and by which key."""
        if call is not None and self._is_outdated(call):
            return f"updated on the server since: {self._key} to read it again"
        if call is None or not _may_be_retried(call):
            return ""
        advice = self._engine.advice(call)
        is_open = self._engine.server.is_open
        restarts = "" if is_open else f"{RESTART_KEY}: restart"
        if not advice.has_key:
            return f"{restarts} - no retry: {advice.reason}" if restarts else advice.reason
        retries = f"{self._key}: {'ask, then retry' if advice.asks else 'retry'}"
        then = f"{restarts}, then {retries}" if restarts else retries
        return f"{then} - {advice.reason}"

    @property
    def _key(self) -> str:
        """Name the key to press, from the current focus."""
        return way_to("R", self._owner.screen.focused)

    def has_advice(self, call: Call) -> bool:
        """True if repeating it has anything to report."""
        return self._is_outdated(call) or _may_be_retried(call)

    @property
    def can_retry(self) -> bool:
        """True if `retry` would do anything."""
        call = self._selected()
        return call is not None and self.has_advice(call)

    def retry(self) -> None:
        """Make a lost call again, or show the reason why not."""
        call = self._selected()
        if call is None:
            return
        if self._is_outdated(call):
            if self._is_connected():
                self._engine.read(str(call.snapshot.arguments()["uri"]))
            return
        self._owner.run_worker(self._retry(call), exit_on_error=False)

    async def _retry(self, call: Call) -> None:
        advice = await self._engine.advised(call)
        if not advice.has_key:
            self._notices.say(f"Not retried: {sentence(advice.reason)}", severity="warning")
        elif self._is_connected():
            self._engine.retry(call.id)

    async def words_after_restart(self) -> str:
        """What a restart leaves to do about the selected call; empty if nothing."""
        call = self._selected()
        if call is None or not _may_be_retried(call):
            return ""
        advice = await self._engine.advised(call)
        which = f"call {call.id}, {call.request.display_name}"
        what = f"Then {self._key} {'asks whether to retry' if advice.asks else 'retries'} {which}"
        if not advice.has_key:
            what = f"{which[0].upper()}{which[1:]}, cannot be retried"
        return f"Restarting. {what}: {sentence(advice.reason)}"

    @property
    def can_repeat(self) -> bool:
        """True if `repeat` would do anything."""
        call = self._selected()
        return call is not None and call.is_over and call.sent

    def repeat(self) -> None:
        """An ended call again, to compare the answers."""
        call = self._selected()
        if call is None or not call.is_over:
            return
        from ...calls.repeats import has_key

        counts = not (call.request.hints.is_repeatable or has_key(call))
        if counts and self._warned_of != call.id:
            self._warned_of = call.id
            words = (
                f"Not called yet: {call.request.display_name} {call.request.hints.repeating_said}, "
                "so a second call may change more. Press C again to ask for approval first."
            )
            self._notices.say(words, severity="warning")
        elif self._is_connected():
            self._warned_of = None
            self._engine.call_again(call.id, must_ask=counts)

    def _is_outdated(self, call: Call) -> bool:
        """True if it is a read of a resource that the server has updated since."""
        updated = self._engine.offers.updated
        is_read = call.is_over and call.sent and call.snapshot.method == READ_METHOD
        return bool(updated) and is_read and call.snapshot.arguments().get("uri") in updated

    def _is_connected(self) -> bool:
        return self._notices.is_connected(self._engine.server)


def _may_be_retried(call: Call) -> bool:
    """True if its outcome is unknown, or it does no harm twice."""
    # Imported when there are calls: the first list of tools does not wait for it.
    from ...calls.retries import is_harmless, is_unknown

    return is_unknown(call) or is_harmless(call)
