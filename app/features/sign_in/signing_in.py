"""`signoff sign-in`: sign in at a server in a browser, for later sessions and for scripts."""

from __future__ import annotations

from typing import NamedTuple

from ...cli.command import OnOpen, on_server
from ...cli.options.declared import options
from ...cli.options.parser import Parser
from ...cli.options.session import LISTS
from ...cli.output.printing import say, tell
from ...cli.targets.live import Options, print_json
from ...content.text import visible
from ...engine.engine import Engine
from ...presentation.exit_status import ExitStatus
from ...transport.http.http import HttpLink

NOT_REQUIRED = "the server did not require a sign-in"


@options
class SigningInOptions(NamedTuple):
    """Sign in at a server that is reached by a URL."""


def add(parser: Parser) -> None:
    """Add the options of `signoff sign-in`."""
    on_server(parser, SigningInOptions, run_sign_in, uses=LISTS)


async def _signed_in(options: Options, engine: Engine, wanted: SigningInOptions) -> int:
    link = engine.link
    facts = link.signed_in if isinstance(link, HttpLink) else None
    if options.as_json:
        print_json({"signed_in": facts.as_json() if facts is not None else None})
    elif facts is None or not facts.issuer:
        say(NOT_REQUIRED)
    else:
        for label, words in facts.rows:
            say(f"{label:<12} {visible(words)}")
    if facts is not None and facts.issuer and not facts.is_kept:
        tell("signoff: the sign-in could not be kept: the next session asks again")
        return ExitStatus.STORE_UNUSABLE
    return ExitStatus.OK


run_sign_in = OnOpen(_signed_in, before=lambda wanted: wanted)
"""Sign in, and print what came of it; returns the exit status."""
