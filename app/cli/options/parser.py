"""A parser that suggests corrections, and its values as typed tuples.

The values are named tuples: making a data class takes seven times as long, and every start of the
program makes all of them.

An unknown command is most often a server, given as it is started elsewhere; that is only examined
if the command line is invalid anyway.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, TypeVar

from ...content.labels import all_named, some_named
from ...content.text import visible
from ...platforms.files import read_bounded
from ...protocol.server import URL_BEGINNINGS

INTERPRETERS: Final = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "tsx"}
RUNNERS: Final = frozenset(("python", "python3", "node", "npx", "uv", "uvx", "bunx", "deno", "tsx"))
"""Programs that start servers, whether or not they are here."""
MAX_CONFIG: Final = 1_000_000
"""Bytes of a file of servers that is looked into."""
MAX_SERVERS: Final = 4
"""Servers of a file whose commands are named."""


def server_meant(words: Sequence[str], before: Sequence[str] = ()) -> str:
    """Suggest a command line if `words` begin with a server; else empty.

    `before` are the words in front of them: the command that is to have the server.
    """
    first = words[0] if words else ""
    begin = _shown("signoff", *before)
    if first.startswith(URL_BEGINNINGS):
        return f"a server's URL comes after --url: {begin} --url {_shown(first)}"
    if first.endswith(".json"):
        return _of_config(first, begin)
    argv = _as_command(words)
    if not argv:
        return ""
    return f"a server's command comes after two dashes: {begin} -- {_shown(*argv)}"


def _shown(*words: str) -> str:
    """Words as they are typed, on one line and without their secrets."""
    from ...schemas.secrets.commands import mask_command

    return visible(mask_command(shlex.join(words)))


def _as_command(words: Sequence[str]) -> list[str]:
    """The words as a command that can be started; empty if they look like none."""
    first = words[0]
    if " " in first and not os.path.exists(first):
        # Several words in one pair of quotes.
        words = [*first.split(), *words[1:]]
        first = words[0]
    interpreter = INTERPRETERS.get(os.path.splitext(first)[1], "")
    if interpreter:
        return [interpreter, *words]
    if first in RUNNERS or (os.sep in first and os.path.isfile(first)):
        return list(words)
    if os.path.isfile(first) and os.access(first, os.X_OK):
        return [os.path.join(".", first), *words[1:]]
    return list(words) if len(words) > 1 and shutil.which(first) else []


def _of_config(path: str, begin: str) -> str:
    """How to open the servers in a file such as editors and desktop clients keep."""
    told = [f"\n  {begin} {words}" for words in _servers(path)]
    if not told:
        return f"give a server by its command: {begin} -- COMMAND [ARG...]"
    more = "\n  ..." if len(told) > MAX_SERVERS else ""
    which = "this is the server in it" if len(told) == 1 else "these are the servers in it"
    return f"a configuration file comes after --config; {which}:{''.join(told[:MAX_SERVERS])}{more}"


def _servers(path: str) -> Iterator[str]:
    """Yield the words after `signoff` for each server of a configuration file, without secrets."""
    try:
        value: Any = json.loads(read_bounded(path, MAX_CONFIG).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return
    found = value if isinstance(value, dict) else {}
    servers = found.get("mcpServers") or found.get("servers")
    for name, one in servers.items() if isinstance(servers, dict) else ():
        if isinstance(one, dict):
            yield _shown("--config", path, "--server", name)


Picked = TypeVar("Picked", bound=NamedTuple)

NAME: Final = "signoff"
"""What the program is called, and so the parser of all that it takes."""
VERB: Final = "VERB"
"""Placeholder for the second word of a command."""
DEMO: Final = "demo"
BUNDLED: Final = "bundled"
"""Destination of the positional argument that names the bundled server."""


DECIDING: Final = frozenset(
    (
        *("--baseline", "--run-clients", "--compare", "--expect-decisions", "--expect-policy"),
        *("--fail-on", "--review", "--pin", "--reads", "--rules", "--strict", "--twice"),
    )
)
"""Options without which a check tests less, and so may pass."""


ALL: Final = "all"
"""The word behind --help that shows every option."""


OWN_AGENT: Final = "an agent of your own"
_ABOUT: Final = (
    "the server",
    "the MCP server",
    OWN_AGENT,
    "approval",
    "limits",
    "logs",
)
"""What shared groups of options are about, in the order of the help."""


class _Help(argparse.Action):
    """Prints the help, and ends the program."""

    def __init__(self, option_strings: Sequence[str], dest: str, **given: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, default=argparse.SUPPRESS, **given)
        self.dest = "help"

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        is_whole = values == ALL or self.nargs == 0
        whole = parser.format_whole_help() if isinstance(parser, Parser) else ""
        parser._print_message(whole if is_whole else parser.format_help(), sys.stdout)
        parser.exit()


TARGET: Final = "[demo | --url URL | --server NAME | -- COMMAND [ARG...]]"
"""The server, in the usage of a command."""


class Parser(argparse.ArgumentParser):
    """Suggests a correction for a word that it does not know."""

    target_usage: str = TARGET
    """The server in the line on its usage."""
    words: Sequence[str] = ()
    having: Callable[[str], Sequence[str]] = staticmethod(lambda name: ())
    root: Parser | None = None
    """All parsed words, for error messages."""
    claims_all: bool = False
    """Whether it misses every option behind `--`; else only the deciding ones."""
    shared: dict[argparse._ArgumentGroup, str]
    """The groups that the help has in one line, with what they are about."""
    earlier: dict[str, str]
    """The options that had another name in the release before, by that one."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "add_help": False})
        self.shared = {}
        self.earlier = {}
        self.add_argument(
            "-h",
            "--help",
            action=_Help,
            nargs="?",
            metavar=ALL,
            help="show this help, with `all` every option, and exit",
        )
        self.add_argument("--help-all", action=_Help, nargs=0, help=argparse.SUPPRESS)

    def leave_out_shared(self) -> None:
        """Remove the server and all shared options, here and in the verbs: it is open already."""
        left_out = [one for one in self._actions if one.dest == BUNDLED]
        left_out += (one for group in self.shared for one in group._group_actions)
        kept = {one.dest: one.default for one in left_out if one.default is not argparse.SUPPRESS}
        self._actions[:] = [one for one in self._actions if one not in left_out]
        for option in [name for one in left_out for name in one.option_strings]:
            del self._option_string_actions[option]
        self._mutually_exclusive_groups = [
            group
            for group in self._mutually_exclusive_groups
            if not any(one in left_out for one in group._group_actions)
        ]
        for group in self._action_groups:
            group._group_actions = [one for one in group._group_actions if one not in left_out]
        self._action_groups = [one for one in self._action_groups if one not in self.shared]
        self.shared = {}
        self.set_defaults(**kept)
        self.usage = self.usage and self.usage.replace(f" {self.target_usage}", "")
        for inner in self.commands.values():
            inner.leave_out_shared()

    def format_help(self) -> str:
        """The help with its own options, and one line on those that are shared."""
        about = [one for one in _ABOUT if one in self.shared.values()]
        if not about:
            return super().format_help()
        words = all_named(about)
        line = f"Options for {words}: {self.prog} --help {ALL}\n"
        groups = self._action_groups
        self._action_groups = [one for one in groups if one not in self.shared]
        text = super().format_help()
        self._action_groups = groups
        if not self.epilog:
            return f"{text}\n{line}"
        head, epilog, rest = text.partition(self.epilog)
        return f"{head}{line}\n{epilog}{rest}"

    def format_whole_help(self) -> str:
        """The help with all options, in groups."""
        return super().format_help()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as problem:
            hint = _did_you_mean(str(value), [str(choice) for choice in action.choices or ()])
            if action.option_strings:
                problem.message += hint
                raise
            if isinstance(action.choices, dict):
                self._complain_of_value(str(value))
            if isinstance(action.choices, dict) or action.dest == BUNDLED:
                is_server = action.dest == BUNDLED
                if any(sign in str(value) for sign in "./\\"):
                    # The file of a server: no command is meant, although one may be called alike.
                    hint = ""
                told = self._no_such_word(str(value), hint, is_server=is_server)
            else:
                told = _unknown_choice(action, str(value))
            raise argparse.ArgumentError(None, told) from None

    def _no_such_word(self, word: str, hint: str, *, is_server: bool) -> str:
        """Explain that a word is neither command nor server, with a suggestion."""
        from ...content.text import visible
        from ...schemas.secrets.commands import mask_words

        what = "unknown server:" if is_server else "no such command:"
        told = f"{what} {visible(mask_words([word])[0])}"
        if is_server and "-a" in self._option_string_actions:
            hint = hint or assignment_hint(word)
        if hint or (self.prog != NAME and not is_server):
            return told + hint
        at = list(self.words).index(word) if word in self.words else len(self.words)
        meant = server_meant(self.words[at:], self.words[:at])
        return f"{told}\n{meant}" if meant else told

    def _complain_of_value(self, value: str) -> None:
        """Exit with an error if a word is the value of an option that other commands have."""
        words, root = list(self.words), self.root or self
        before = words[words.index(value) - 1] if value in words[1:] else ""
        is_unknown = before.startswith("--") and before not in self._option_string_actions
        if is_unknown and (others := root.having(before)):
            root.complain_of_other(self.prog.partition(" ")[2], before, others)

    def tell_words(self, words: Sequence[str], root: Parser | None = None) -> None:
        """Keep the words and the parser of the program, here and in the parsers of the commands."""
        self.words, self.root = words, root or self
        for action in self._actions:
            for inner in (action.choices if isinstance(action.choices, dict) else {}).values():
                inner.tell_words(words, self.root)

    @property
    def commands(self) -> dict[str, Parser]:
        """The parsers of the commands below this one, by name."""
        return next((one.choices for one in self._actions if isinstance(one.choices, dict)), {})

    def error(self, message: str) -> NoReturn:
        """Exit with the error and where to read on: the whole usage would push that away."""
        if message.endswith(VERB):
            message = f"{message.removesuffix(VERB)}one of {', '.join(self.commands)}"
        help_words = f"See {self.meant(self.words).prog} --help"
        self.exit(2, f"{self.prog}: error: {message}\n{help_words}\n")

    def meant(self, words: Sequence[str]) -> Parser:
        """The parser of the command that the words begin with."""
        meant = self
        for word in words:
            if word not in meant.commands:
                break
            meant = meant.commands[word]
        return meant

    def options_for(self, words: list[str]) -> list[str]:
        """The long options among the words, by their subcommands."""
        found = [option for option in self._option_string_actions if option.startswith("--")]
        for action in self._actions:
            verbs = action.choices if isinstance(action.choices, dict) else {}
            chosen = next((word for word in words if word in verbs), "")
            if chosen:
                found += verbs[chosen].options_for(words[words.index(chosen) + 1 :])
        return found

    def complain_of_server(self, words: list[str]) -> None:
        """End with the ways to give a server, if one is in the place of a command: otherwise its
        options would be blamed."""
        commands = next(one.choices for one in self._actions if isinstance(one.choices, dict))
        if len(words) > 1 and not words[0].startswith("-") and words[0] not in commands:
            told = self._no_such_word(words[0], "", is_server=False)
            if "\n" in told:
                self.error(told)

    def complain_of_unknown(
        self, words: list[str], having: Callable[[str], Sequence[str]] = lambda name: ()
    ) -> None:
        """Exit with an error on an unknown option: otherwise its value would be blamed.

        `having` finds the commands that have it.
        """
        known = self.options_for(words)
        command = self.meant(words)
        if command is not self:
            known = [one for one in command._option_string_actions if one.startswith("--")]
        for before, word in zip(["", *words], words, strict=False):
            name = word.partition("=")[0]
            if not name.startswith("--") or name == "--" or " " in name or before == "-a":
                continue
            if name in known:
                continue
            if others := having(name):
                self.complain_of_other(command.prog.partition(" ")[2], name, others)
            if not any(option.startswith(name) for option in known):
                from ...content.text import visible
                from ...schemas.secrets.commands import mask_words

                shown = visible(mask_words([word])[0])
                hint = _did_you_mean(name, known)
                self.error(f"unrecognized arguments: {shown}{hint}")

    def complain_of_other(self, command: str, name: str, others: Sequence[str]) -> NoReturn:
        """Exit with an error on an option of other commands."""
        self.error(f"signoff {command} has no {name}: it is an option of {_named(others)}")

    def complain_of_lost(self, words: Sequence[str], behind: Sequence[str]) -> None:
        """Exit with an error on an option of the command behind `--`: the program there would get
        it, and a check would pass that was not made. A second `--` in front lets it pass.
        """
        if behind[:1] == ("--",):
            return
        meant = self.meant(words)
        for at, word in enumerate(behind):
            name = word.partition("=")[0]
            option = meant._lost(meant.earlier.get(name, name))
            if option:
                # The value of an option goes with it.
                takes_value = meant._option_string_actions[option].nargs != 0
                end = at + 1 + (takes_value and "=" not in word and at + 1 < len(behind))
                corrected = [*words, *behind[at:end], "--", *behind[:at], *behind[end:]]
                meant.error(
                    f"{option} is behind --, so it would go to the program there and not to "
                    f"{meant.prog}; write {_shown(NAME, *corrected)}; or, if the program is to get "
                    f"it, {_shown(NAME, *words, '--', '--', *behind)}"
                )

    def _lost(self, word: str) -> str:
        """The option of this command that a word behind `--` is, also by its first words."""
        own = [
            option
            for option in self._option_string_actions
            if option.startswith("--")
            and option not in ("--help", "--help-all")
            and (self.claims_all or option in DECIDING)
        ]
        is_long = word.startswith("--") and len(word) > len("--")
        same = (one for one in own if one == word or one.startswith(f"{word}-"))
        return next(same, "") if is_long else ""


_OTHERS: Final = 6
"""Commands that are named for an option that another one has."""


def _named(commands: Sequence[str]) -> str:
    """Name commands that have an option."""
    return some_named(commands, _OTHERS) if commands[_OTHERS:] else all_named(commands)


def assignment_hint(word: str) -> str:
    """Suggest `-a` for a NAME=VALUE that follows no option; empty for another word."""
    from ...content.text import visible
    from ...schemas.secrets.commands import mask_words

    if word.startswith("-") or "=" not in word.strip("="):
        return ""
    return f"; did you mean -a {visible(mask_words([word])[0])}?"


def _unknown_choice(action: argparse.Action, word: str) -> str:
    from ...content.text import visible
    from ...schemas.secrets.commands import mask_words

    *first, last = map(str, action.choices or ())
    shown = visible(mask_words([word])[0])
    return f"unknown {action.dest} '{shown}': choose {', '.join(first)} or {last}"


def _did_you_mean(given: str, known: list[str]) -> str:
    from ...content.suggest import did_you_mean

    return did_you_mean(given, known)


def number_up_to(most: int) -> Callable[[str], int]:
    """Make the type of an option: a whole number from 1 to `most`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= most):
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {most:,}")
        return int(text)

    return read


def shared_options(parser: Parser, title: str, about: str) -> argparse._ActionsContainer:
    """Begin or continue a group of options of several commands. Options that are not given leave
    nothing behind.

    `about` is the subject of the group, for the one line on all such groups in the short help.
    """
    for group in parser.shared:
        if group.title == title:
            return group
    group = parser.add_argument_group(title, argument_default=argparse.SUPPRESS)
    parser.shared[group] = about
    return group


def describe(parser: Parser, words: str) -> None:
    """Begin the help of a command with its description; a usage of its own stays."""
    names = [
        _positional(action, is_needed=f"--{action.dest}" in parser._option_string_actions)
        for action in parser._actions
        if not action.option_strings and action.dest != BUNDLED
    ]
    is_on_server = any(action.dest == BUNDLED for action in parser._actions)
    target = [TARGET] if is_on_server else []
    parser.usage = parser.usage or " ".join([parser.prog, *names, "[OPTIONS]", *target])
    parser.description = f"{words[:1].upper()}{words[1:]}."


def _positional(action: argparse.Action, *, is_needed: bool) -> str:
    """Word it for the usage; `is_needed` although argparse takes it as optional: an option can
    replace it.
    """
    name = str(action.metavar or action.dest)
    match action.nargs:
        case "?" if not is_needed:
            return f"[{name}]"
        case "*":
            return f"[{name}...]"
        case "+":
            return f"{name}..."
        case _:
            return name


Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"


def add_described(verbs: Verbs, name: str, words: str, add: Callable[[Parser], None]) -> None:
    """Add a command, or a verb of one, with its options and its help."""
    parser = verbs.add_parser(name, help=words)
    add(parser)
    describe(parser, words)


def verbs(parser: Parser) -> Verbs:
    """Add the second word of a command, and return its subparsers."""
    return parser.add_subparsers(dest="verb", required=True, metavar=VERB, prog=parser.prog)


def seconds(text: str) -> float:
    """Reads a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
