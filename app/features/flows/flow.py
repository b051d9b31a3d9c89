"""A flow as values: server, policy, and steps with their expectations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from ...cli.approving.people import Person, ServerReply
from ...cli.options.session import SessionOptions
from ...content.files.tree import SourceLocation
from ...content.frozen import frozen

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue

Action = Literal["call", "read", "prompt", "subscribe", "wait", "each", "consent"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
"""What a step does: exactly one of them."""
ABSENT: Final = "none"
"""An expectation that a server reports nothing of a kind."""


@frozen
class Expected:
    """One expectation: its name in `expect`, its value, and its place."""

    name: str
    value: Any
    spot: SourceLocation


@frozen
class SignInWanted:
    """What a server may ask of a sign-in, and the answer: follow, deny, or none if nothing is."""

    answer: str
    spot: SourceLocation
    expected: tuple[Expected, ...] = ()


@frozen
class StepCapture:
    """A value that later steps can use: by JSON Pointer from the result, or by regex."""

    name: str
    pointer: str | None
    regex: str = ""
    is_number: bool = False
    """Whether what the regex finds is a number, and no text."""
    spot: SourceLocation = field(default_factory=SourceLocation)

    def read(self, text: str) -> JsonValue:
        """Return the regex's match as it is kept; None if a number is wanted and it is none."""
        if not self.is_number:
            return text
        try:
            number = float(text)
        except ValueError:
            return None
        if not math.isfinite(number):
            return None
        return int(text) if text.lstrip("+-").isdecimal() else number


@frozen
class ToolSelector:
    """Selects tools; an empty field matches everything."""

    names: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        said = [*self.effects, *self.names, *(f"not {one}" for one in self.excepted)]
        return ", ".join(said) or "all"


@frozen
class Step:
    """One step. `target` is a tool, a URI, a prompt, a notification or seconds."""

    action: Action
    target: str
    spot: SourceLocation
    name: str = ""
    arguments: Mapping[str, JsonValue] | None = None
    """None where none were written."""
    each: ToolSelector | None = None
    person: Person | None = None
    """None: that of the flow."""
    replies: Mapping[str, tuple[ServerReply, ...]] = field(default_factory=dict)
    sign_in: SignInWanted | None = None
    pause: float | None = None
    """How long it waits, if it does nothing else."""
    expected: tuple[Expected, ...] = ()
    captures: tuple[StepCapture, ...] = ()
    timeout: float | None = None
    cancel: float | None = None
    """Seconds after its sending until the call is cancelled."""
    retries: int | None = None

    @property
    def title(self) -> str:
        """Name of the step in a report; raw."""
        if self.name:
            return self.name
        if self.each is not None:
            return f"each tool: {self.each.words}"
        if self.pause is not None:
            return f"wait {self.pause:g} s"
        return f"{self.action} {self.target}"


@frozen
class Variable:
    """A value that is there from the beginning, or is taken from the environment."""

    name: str
    value: JsonValue = None
    env: str = ""
    default: str | None = None
    spot: SourceLocation = field(default_factory=SourceLocation)


@frozen
class ServerSpec:
    """The server as written, with its variables unreplaced."""

    is_bundled: bool = False
    command: tuple[str, ...] = ()
    url: str = ""
    folder: str = ""
    """Where the command is started; beside the file."""
    headers: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    trust: bool | None = None
    options: SessionOptions = field(default_factory=SessionOptions)
    """The others, as on a command line; `scratch` is beside the file."""


@frozen
class Flow:
    """A flow file that makes sense."""

    file: str
    """As it was given."""
    title: str
    server: ServerSpec
    steps: tuple[Step, ...]
    policy: str = ""
    host: str = ""
    rules_spot: SourceLocation = field(default_factory=SourceLocation)
    """The place of `policy` or `host` in the flow file."""
    person: Person = field(default_factory=Person)
    variables: tuple[Variable, ...] = ()
    decision_seconds: float | None = None
    timeout: float | None = None
    retries: int = 0
    sign_in: SignInWanted | None = None
    """Of the connection."""

    @property
    def has_sign_ins(self) -> bool:
        """True if it has an expectation of a sign-in anywhere."""
        return self.sign_in is not None or any(one.sign_in is not None for one in self.steps)
