"""Secrets in the output of the commands: masked, unless `--show-secrets` is given.

The approval request on a terminal is not masked: the approver sees everything that is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ..content.json.jsonio import JsonValue, pointer
from ..protocol.server import Server
from ..protocol.tool import ToolDefinition
from ..schemas.secrets.commands import mask_command, secrets_of_command
from ..schemas.secrets.places import mask_arguments
from ..schemas.secrets.secrets import SecretScrubber, mask_text, mask_value

OPTION = "--show-secrets"


class Hiding:
    """Masks a server's command line, and the arguments of a call, for one command.

    `shows` is `--show-secrets`: everything is then printed unmasked.
    """

    def __init__(
        self,
        shows: bool,
        server: Server,
        tool: ToolDefinition | None = None,
        arguments: Mapping[str, JsonValue] | None = None,
        env: Iterable[tuple[str, str]] = (),
    ) -> None:
        """`env` are the variables that the server was given."""
        self._shows = shows
        given = None if arguments is None else dict(arguments)
        schema = None if tool is None else tool.input_schema
        masked = mask_arguments(given, schema)
        shown = given if shows else cast("dict[str, JsonValue] | None", masked.value)
        self.arguments: dict[str, JsonValue] | None = shown
        """The arguments as they may be printed."""
        self._places = tuple(dict.fromkeys(pointer(place) for place in masked.places))
        self._command = mask_command(server.command)
        self._hides_command = self._command != server.command
        variables = mask_value(dict(env))
        known = masked.found | variables.found | secrets_of_command(server.command)
        self.knows_any = bool(known)
        """Whether there is a secret that a text might repeat."""
        self._echoes = SecretScrubber(known)

    def command(self, command: str) -> str:
        """The command line or URL of the server."""
        return command if self._shows else self._command

    def text(self, text: str) -> str:
        """Words that may repeat a secret."""
        return text if self._shows else self._echoes.text(text)

    def said(self, text: str) -> str:
        """Mask text that may hold an unknown secret, such as a line on stderr."""
        return text if self._shows else mask_text(self._echoes.text(text))

    def value(self, value: Any) -> Any:
        """JSON that may repeat a secret."""
        return value if self._shows else self._echoes.value(cast("JsonValue", value))

    def report(self) -> dict[str, Any] | None:
        """List the masked values of a report, which is made last; None if there are none."""
        if self._shows or not (self._places or self._hides_command or self._echoes.count):
            return None
        return {
            "arguments": list(self._places),
            "command": self._hides_command,
            "repeated": self._echoes.count,
            "shown_by": OPTION,
        }

    def words(self) -> str:
        """The same as a line for people; empty if nothing was masked."""
        if self.report() is None:
            return ""
        where = [", ".join(self._places)] if self._places else []
        where += ["the command"] if self._hides_command else []
        where += ["what repeats them"] if self._echoes.count else []
        return f"secrets are masked in {' and in '.join(where)}; {OPTION} prints them"
