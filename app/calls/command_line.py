"""A `signoff call` command with the target, tool and arguments of the screen."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..approval.policies.policy import Policy, PolicyKind
from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..protocol.requests import PromptGet, Request
from ..protocol.server import Start, Trust, option_words
from ..protocol.tool import ToolDefinition
from ..schemas.form.entries import FieldEntry, escaped, is_plain, value_of
from ..schemas.form.form import FieldKind, Form, build_form
from ..schemas.form.merging import exact, identical
from ..schemas.secrets.arguments import mask_arguments
from ..schemas.secrets.commands import mask_command, mask_words
from ..schemas.secrets.masks import Masked

DEFAULT_POLICY: Final = "cautious"
LONGEST_ASSIGNMENT: Final = 200
"""Characters of a value that is given by `-a`; with a longer one all arguments are one document."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_ACTED_ON: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""What a terminal, or a shell at its prompt, takes for a key; tabs and line ends apart."""
_BY_JSON: Final = (FieldKind.JSON, FieldKind.CHOICES)


@frozen
class CurrentPolicy:
    """Current policy and trust of calls, which may differ from those at the start of Signoff."""

    trust: Trust
    policy: Policy
    first_policy: Policy | None = None
    """The policy of `Start.policy`; None if that is not set."""


@frozen
class ShellCommand:
    """A command for a POSIX shell, and notes on it, in sentences.

    `text` is empty if no shell can express it; then the first note is the reason.
    """

    text: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Notes:
    said: list[str] = field(default_factory=list)

    def masked(self, count: int, what: str) -> None:
        if count:
            noun = "a secret" if count == 1 else f"{count:,} secrets"
            it = "it" if count == 1 else "them"
            self.said.append(f"{noun[:1].upper()}{noun[1:]} in {what} left out: fill {it} in.")


def call_command(
    start: Start, rules: CurrentPolicy, request: Request, arguments: Mapping[str, JsonValue]
) -> ShellCommand:
    """Build the command for this call, read or prompt, with its policy."""
    notes = _Notes()
    tool = request.tool
    masked = mask_arguments(dict(arguments), request.definition.input_schema)
    notes.masked(masked.count, "the arguments")
    shown = masked.value
    assert isinstance(shown, dict)
    if isinstance(request, PromptGet):
        given = shown.get("arguments")
        filled = given if isinstance(given, dict) else {}
        if request.prompt.startswith("-") or any("=" in name for name in filled):
            return ShellCommand(
                "", ("Its name, or that of an argument, cannot be given to a command.",)
            )
        subject = ["prompt", request.prompt]
        rest = [word for name, one in filled.items() for word in ("-a", f"{name}={one}")]
    elif tool is None:
        uri = str(shown.get("uri", ""))
        if uri.startswith("-"):
            return ShellCommand(
                "", ("An address that begins with a dash cannot be given to a command.",)
            )
        subject, rest = ["read", uri], []
    elif not tool.name:
        return ShellCommand("", ("A tool without a name cannot be called.",))
    else:
        is_dashed = tool.name.startswith("-")
        subject = ["call", *([f"--tool={tool.name}"] if is_dashed else [tool.name])]
        rest = _arguments(shown, tool)
    target, command = _target(start, notes)
    words = ["signoff", *subject, *target, *_options(start, rules, notes), *rest, *command]
    if any(_ACTED_ON.search(word) for word in words):
        why = (
            "It has control characters, which a shell reads as keys, so it is not shown as a "
            "command."
        )
        return ShellCommand("", (why,))
    return ShellCommand(shlex.join(words), tuple(notes.said))


def _target(start: Start, notes: _Notes) -> tuple[list[str], list[str]]:
    """Return the words after the tool, and those at the end."""
    found = Masked(None)
    if start.bundled:
        return ["demo"], []
    if start.configured:
        file, name = start.configured
        return [*option_words("--config", file), f"--server={name}"], []
    if start.url:
        url = mask_command(start.url, found)
        notes.masked(found.count, "the URL")
        return list(option_words("--url", url)), []
    words = mask_words(start.argv, found)
    notes.masked(found.count, "the server's command")
    return [], ["--", *words]


def _options(start: Start, rules: CurrentPolicy, notes: _Notes) -> Iterator[str]:
    for given in start.env:
        name, equals, _ = given.partition("=")
        yield from option_words("--env", name)
        if equals:
            notes.said.append(f"{name} comes from your shell: export its value there first.")
    for words in start.options:
        yield from option_words(*words)
    if rules.trust is not (Trust.TRUSTED if start.bundled else Trust.UNTRUSTED):
        yield "--trust" if rules.trust is Trust.TRUSTED else "--no-trust"
    yield from _policy(start, rules)


def _policy(start: Start, rules: CurrentPolicy) -> Sequence[str]:
    policy = rules.policy
    if start.policy and policy == rules.first_policy:
        return option_words(*start.policy)
    if policy.kind is PolicyKind.HOST:
        return option_words("--as", policy.name)
    return () if policy.name == DEFAULT_POLICY else option_words("--policy", policy.name)


def _arguments(arguments: dict[str, JsonValue], tool: ToolDefinition) -> list[str]:
    """`-a NAME=VALUE` for each where every one can be read that way, else all as one document."""
    if not arguments:
        return []
    form = build_form(tool.input_schema)
    assigned: list[str] = []
    for name, value in arguments.items():
        text = _assigned(form, name, value)
        if text is None:
            return ["--args", escaped(json.dumps(arguments, ensure_ascii=False))]
        assigned += ["-a", f"{name}={text}"]
    return assigned


def _assigned(form: Form, name: str, value: JsonValue) -> str | None:
    """Return the text that `-a` reads as exactly this value; None without a plain one."""
    one = form.field(name) if _NAME.match(name) else None
    if one is None or one.kind in _BY_JSON or one.is_group:
        return None
    text = value if isinstance(value, str) else exact(value)
    if len(text) > LONGEST_ASSIGNMENT or "\n" in text or not is_plain(text):
        return None
    read, problem = value_of(one, FieldEntry(text))
    return text if not problem and identical(read, value) else None
