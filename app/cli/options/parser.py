"""A parser that says what was meant, and its values as typed tuples.

The values are named tuples: making a data class takes seven times as long, and every start of the
program makes all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

Picked = TypeVar("Picked", bound=NamedTuple)

NAME: Final = "signoff"
"""What the program is called, and so the parser of all that it takes."""
VERB: Final = "VERB"
"""Stands for the second word of a command."""


class Parser(argparse.ArgumentParser):
    """Says what was probably meant by a word that it does not know."""

    words: Sequence[str] = ()
    """All that is parsed, for what a complaint says of it."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as problem:
            hint = _did_you_mean(str(value), [str(choice) for choice in action.choices or ()])
            if action.option_strings:
                problem.message += hint
                raise
            is_server = not isinstance(action.choices, dict)
            told = self._no_such_word(str(value), hint, is_server=is_server)
            raise argparse.ArgumentError(None, told) from None

    def _no_such_word(self, word: str, hint: str, *, is_server: bool) -> str:
        """What is wrong with a word that is no command and no server, and what to type instead."""
        from ...content.text import visible
        from ...schemas.secrets.commands import mask_words

        what = "which server is that?" if is_server else "there is no such command:"
        told = f"{what} {visible(mask_words([word])[0])}"
        if hint or (self.prog != NAME and not is_server):
            return told + hint
        from .meant import server_meant

        at = list(self.words).index(word) if word in self.words else len(self.words)
        meant = server_meant(self.words[at:], self.words[:at])
        return f"{told}\n{meant}" if meant else told

    def tell_words(self, words: Sequence[str]) -> None:
        """Keep what is parsed, here and in the parsers of the commands."""
        self.words = words
        for action in self._actions:
            for inner in (action.choices if isinstance(action.choices, dict) else {}).values():
                inner.tell_words(words)

    def error(self, message: str) -> NoReturn:
        """End with what is wrong and where to read on: the whole usage would push that away."""
        inner = next((one.choices for one in self._actions if isinstance(one.choices, dict)), {})
        command = next((f" {word}" for word in self.words[:1] if word in inner), "")
        if message.endswith(VERB):
            message = f"{message.removesuffix(VERB)}one of {', '.join(inner)}"
        help_words = f"{self.prog}{command} --help tells more"
        self.exit(2, f"{self.prog}: error: {message}\n{help_words}\n")

    def options_for(self, words: list[str]) -> list[str]:
        """The long options that may stand among words, by the subcommands that are in them."""
        found = [option for option in self._option_string_actions if option.startswith("--")]
        for action in self._actions:
            verbs = action.choices if isinstance(action.choices, dict) else {}
            chosen = next((word for word in words if word in verbs), "")
            if chosen:
                found += verbs[chosen].options_for(words[words.index(chosen) + 1 :])
        return found

    def complain_of_server(self, words: list[str]) -> None:
        """End with how a server is given where one stands in the place of a command: its options
        would be blamed else.
        """
        commands = next(one.choices for one in self._actions if isinstance(one.choices, dict))
        if len(words) > 1 and not words[0].startswith("-") and words[0] not in commands:
            told = self._no_such_word(words[0], "", is_server=False)
            if "\n" in told:
                self.error(told)

    def complain_of_unknown(self, words: list[str]) -> None:
        """End with what is wrong where an option is unknown: what follows it would be blamed
        else.
        """
        known = self.options_for(words)
        for before, word in zip(["", *words], words, strict=False):
            name = word.partition("=")[0]
            if not name.startswith("--") or name == "--" or " " in name or before == "-a":
                continue
            if not any(option.startswith(name) for option in known):
                from ...content.text import visible
                from ...schemas.secrets.commands import mask_words

                shown = visible(mask_words([word])[0])
                self.error(f"unrecognized arguments: {shown}{_did_you_mean(name, known)}")


def _did_you_mean(given: str, known: list[str]) -> str:
    from ...content.suggest import did_you_mean

    return did_you_mean(given, known)


def group() -> Parser:
    """Options for several commands; those that are not given leave nothing behind."""
    return Parser(add_help=False, argument_default=argparse.SUPPRESS)


def verbs(parser: Parser) -> argparse._SubParsersAction[Parser]:
    """Where the second word of a command stands, and what follows it."""
    return parser.add_subparsers(dest="verb", required=True, metavar=VERB, prog=parser.prog)


def picked(kind: type[Picked], given: argparse.Namespace) -> Picked:
    """What was given under the names of the fields; the field's own default where it was not."""
    make: Callable[..., Picked] = kind
    found = {name: value for name, value in vars(given).items() if name in kind._fields}
    for name, value in found.items():
        if isinstance(value, list):
            found[name] = tuple(value)
    return make(**found)


def seconds(text: str) -> float:
    """Reads a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
