"""A scripted model for `signoff agent`: the prompt has its calls.

A prompt is `TOOL {"argument": "value"}`, and more of them on the same line or on others. A tool
without an object is called with `{}`. A ` + ` between two makes both in one turn of the model. A
name with blanks or braces is in quotes, as in JSON.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from json import JSONDecoder
from typing import Final, NamedTuple

from anyio.from_thread import start_blocking_portal

from ....content.json.jsonio import JsonError, JsonValue, parse
from ....content.text import visible
from ..drivers import Driver, HostMode
from ..running.scratch import scratch
from ..running.short_runs import MeasureSubject, prepared_environment
from .model import Planned, Script, ScriptedModel

BESIDE: Final = "+"
EXAMPLE: Final = 'TOOL {"argument": "value"}'
TOGETHER_MOST: Final = 50
"""Calls of one turn: of more, Signoff would not keep all questions open."""
_NO_PROBES: Final = "none"
"""An id of no probe: the server in a driver's files offers nothing."""
_AGENT: Final = "signoff.app.features.measure.scripted.plain_agent"
_DECODER: Final = JSONDecoder()


class PromptError(ValueError):
    """A prompt without calls; the text has the form of a prompt."""


def read_calls(prompt: str) -> list[Planned]:
    """The calls of a prompt, in order. Raises PromptError."""
    found: list[Planned] = []
    at = 0
    while (at := _past_blanks(prompt, at)) < len(prompt):
        end = _end_of_word(prompt, at)
        word = prompt[at:end]
        if word == BESIDE and found and not found[-1].with_next:
            found[-1] = found[-1]._replace(with_next=True)
            at = end
            continue
        if word.startswith(BESIDE) or word[0] in "{[":
            raise PromptError(f"column {at + 1}: the name of a tool was expected: {EXAMPLE}")
        if word.startswith('"'):
            word, end = _quoted(prompt, at)
        arguments, at = _arguments(prompt, _past_blanks(prompt, end))
        found.append(Planned(f"call {len(found) + 1}", word, arguments))
    if not found:
        raise PromptError(f"a prompt for the scripted model is {EXAMPLE}")
    if found[-1].with_next:
        raise PromptError(f"a call is missing after {BESIDE}: {EXAMPLE}")
    if _most_together(found) > TOGETHER_MOST:
        raise PromptError(f"a turn has more than {TOGETHER_MOST} calls: leave out some {BESIDE}")
    return found


def _most_together(calls: Sequence[Planned]) -> int:
    most = number = 1
    for one in calls:
        number = number + 1 if one.with_next else 1
        most = max(most, number)
    return most


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _end_of_word(text: str, at: int) -> int:
    """The end of a name: a blank, or the object that follows it."""
    at += 1
    while at < len(text) and not text[at].isspace() and text[at] != "{":
        at += 1
    return at


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The name in quotes that begins here, and its end. Raises PromptError."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError:
        raise PromptError(f"column {at + 1}: the quotes of a name do not end") from None
    return str(value), end


def _arguments(text: str, at: int) -> tuple[dict[str, JsonValue], int]:
    """The object that begins here, and its end; no object is an empty one. Raises PromptError."""
    if text[at : at + 1] == "[":
        raise PromptError(f"column {at + 1}: arguments are an object, and this is a list")
    if not text.startswith("{", at):
        return {}, at
    try:
        _, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        raise PromptError(
            f"column {at + 1}: the arguments are not a JSON object: {EXAMPLE}"
        ) from None
    # Signoff's own reader is stricter: what it refuses could not be sent either.
    try:
        parsed = parse(text[at:end])
    except JsonError as problem:
        raise PromptError(f"column {at + 1}: the arguments: {visible(problem.reason)}") from None
    if parsed.duplicates:
        name = visible(repr(parsed.duplicates[0]))
        raise PromptError(f"column {at + 1}: the key {name} is given twice")
    assert isinstance(parsed.value, dict)
    return parsed.value, end


class ScriptedAgent(NamedTuple):
    """An agent whose model is scripted, ready to be started."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    script: Script

    def compose(self, prompt: str, tools: AbstractSet[str] = frozenset()) -> str:
        """Plan the calls of a prompt; returns the prompt that is sent. Raises PromptError.

        `tools` are the names that the server lists, if they are known.
        """
        calls = read_calls(prompt)
        self.script.tools = tools
        self.script.planned, self.script.is_over = calls, False
        return f"{prompt}\n({self.script.marker})"


@contextlib.contextmanager
def scripted_agent(
    driver: Driver | None, mode: HostMode | None, command: Sequence[str], server: str
) -> Iterator[ScriptedAgent]:
    """Serve a scripted model as long as the block runs.

    A host is prepared in a scratch home, with the files of its driver. Another agent, by default
    the plain one, gets the variables `SIGNOFF_MODEL_URL` and `SIGNOFF_MODEL_KEY`. `server` is the
    name of the MCP server. Raises DriverError.
    """
    subject = MeasureSubject(driver, mode, "acp", tuple(command), "", "", "")
    script = Script(f"signoff-{secrets.token_hex(4)}", subject.guess, server=server)
    model = ScriptedModel(script)
    with contextlib.ExitStack() as ending:
        portal = ending.enter_context(start_blocking_portal())
        ending.enter_context(portal.wrap_async_context_manager(model.serving()))
        if driver is None:
            variables = {"SIGNOFF_MODEL_URL": model.url, "SIGNOFF_MODEL_KEY": model.token}
            words = tuple(command) or (sys.executable, "-P", "-m", _AGENT)
            environment = {**os.environ, **variables}
            yield ScriptedAgent(words, environment, os.getcwd(), script)
            return
        place = ending.enter_context(scratch((_NO_PROBES,)))
        places = place.places(driver, mode, model.url, model.token, "")._replace(
            server_name="signoff-unused"
        )
        environment = portal.call(prepared_environment, driver, place, places)
        words = tuple(places.fill(word) for word in command)
        yield ScriptedAgent(words, environment, str(place.folder), script)
