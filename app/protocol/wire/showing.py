"""What may be shown and exported of frames: without their secrets, as the audit log has it.

Secret is what a tool's schema, a telling name or its look says is one; what a call was given as a
secret is masked in what comes back as well. What is sent, and a capture, are never touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from ...content.json.jsonio import JsonError, JsonValue
from ...schemas.secrets.places import mask_arguments
from ...schemas.secrets.secrets import Echoes, mask_text, mask_value
from ..rpc import CALL_METHOD
from .book import WireBook
from .frames import SIGNOFF, Frame
from .reading import body_of, read


class Showing:
    """Takes secrets out of the frames of one book."""

    def __init__(
        self, book: WireBook, schema_of: Callable[[str], JsonValue] = lambda tool: None
    ) -> None:
        """`schema_of` gives the input schema of a tool."""
        self._book = book
        self._schema_of = schema_of
        self._known: set[str] = set()
        self._echoes = Echoes(())

    def value(self, frame: Frame) -> JsonValue:
        """The message without its secrets. Raises JsonError where it is no JSON, or not whole."""
        return self._masked(frame)[0]

    def text(self, frame: Frame) -> str:
        """The bytes as text, exactly as they were where nothing in them is secret."""
        plain = frame.raw.decode("utf-8", "replace")
        if frame.sender == SIGNOFF:
            return plain
        try:
            value, has_secrets = self._masked(frame)
        except JsonError:
            return mask_text(self._echoes.text(plain))
        if not has_secrets:
            return plain
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def subject(self, frame: Frame) -> str:
        """What a request is for, without secrets; raw otherwise."""
        found = read(frame).subject
        return mask_text(found) if found else ""

    def _masked(self, frame: Frame) -> tuple[JsonValue, bool]:
        request = self._book.partner(frame)
        if request is not None and request.number < frame.number:
            self._learn(request)
        body = body_of(frame)
        own = self._learn_from(body) if read(frame).method == CALL_METHOD else None
        masked = mask_value(body if own is None else own)
        before = self._echoes.count
        value = self._echoes.value(masked.value)
        is_changed = masked.count > 0 or self._echoes.count > before or own is not None
        return value, is_changed

    def _learn(self, request: Frame) -> None:
        if read(request).method == CALL_METHOD:
            try:
                self._learn_from(body_of(request))
            except JsonError:
                return

    def _learn_from(self, body: JsonValue) -> JsonValue:
        """A call without its secrets, which are known from now on; None where it has none."""
        params = body.get("params") if isinstance(body, dict) else None
        if not isinstance(body, dict) or not isinstance(params, dict):
            return None
        name, arguments = params.get("name"), params.get("arguments")
        schema = self._schema_of(name) if isinstance(name, str) else None
        masked = mask_arguments(arguments, schema)
        if not masked.count:
            return None
        if not masked.found <= self._known:
            self._known |= masked.found
            self._echoes = Echoes(self._known)
        return {**body, "params": {**params, "arguments": masked.value}}
