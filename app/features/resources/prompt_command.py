"""`signoff prompt`: one prompt of a server, with its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...cli.calling import make_call
from ...cli.command import OnOpen, on_server
from ...cli.options.calling import ANSWER, APPROVE, PERSON_ASKED
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import REQUESTS
from ...cli.targets.live import Options
from ...cli.targets.targets import UsageError
from ...engine.engine import Engine

if TYPE_CHECKING:
    pass


from collections.abc import Sequence

from ...content.suggest import did_you_mean
from ...content.text import cut, visible
from ...protocol.resources.offers import OfferKind, Prompt, faults_of


@options
class PromptOptions(NamedTuple):
    """Ask for one prompt."""

    prompt: str = opt("NAME", "the exact name of the prompt")
    given: tuple[str, ...] = opt("-a NAME=VALUE", "set one argument")
    """`NAME=VALUE`, each a string."""
    although_invalid: bool = opt(
        "--although-invalid",
        "send arguments that the prompt does not list, or without required ones",
    )
    """Whether to ask with arguments that the prompt does not name, or without some it needs."""
    json: bool = AS_JSON
    approve: str = APPROVE
    person: str = PERSON_ASKED
    answer: str = ANSWER


def add(prompt: Parser) -> None:
    on_server(prompt, PromptOptions, run_prompt, uses=REQUESTS)


async def _prompt(
    options: Options, engine: Engine, ready: tuple[PromptOptions, dict[str, str]]
) -> int:
    wanted, given = ready
    await engine.offers.listed()
    if not wanted.although_invalid:
        check_given(find_prompt(engine, wanted.prompt), given)
    return await make_call(options, engine, wanted, lambda: engine.get_prompt(wanted.prompt, given))


def _ready(prompt: PromptOptions) -> tuple[PromptOptions, dict[str, str]]:
    return prompt, read_given(prompt.given)


run_prompt = OnOpen(_prompt, before=_ready)
"""Ask for one prompt; returns the exit status."""


def read_given(given: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` each, the value taken as it is. Raises UsageError."""
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise UsageError(f"-a: expected NAME=VALUE, got “{visible(cut(one, 60).text)}”")
        found[name] = value
    return found


def check_given(prompt: Prompt, given: dict[str, str]) -> None:
    """Raises UsageError for arguments that are not those of the prompt."""
    if faults := faults_of(prompt, given):
        words = f"invalid arguments for the prompt {prompt.display_name}:"
        tail = "Nothing was sent. With --although-invalid the policy decides about them, too."
        raise UsageError("\n".join([words, *faults, tail]))


def find_prompt(engine: Engine, name: str) -> Prompt:
    """The prompt of this exact name. Raises UsageError."""
    prompts = [one for one in engine.offers.of(OfferKind.PROMPT) if isinstance(one, Prompt)]
    for prompt in prompts:
        if prompt.name == name:
            return prompt
    hint = did_you_mean(name, [one.name for one in prompts], 3)
    shown = visible(cut(name, 200).text)
    raise UsageError(
        f"the server has no prompt “{shown}”{hint} (signoff prompts SERVER lists them)"
    )
