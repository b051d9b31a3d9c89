"""The tables of commands and options in the manual."""

from __future__ import annotations

import argparse

from ...cli.command_line import all_parsers, make_parser
from ...cli.command_table import all_commands
from ...cli.options.parser import NAME, Parser


def table() -> str:
    """Every command and verb, with its words in the help."""
    lines = ["| command | what it does |", "|---|---|"]
    whole = make_parser()
    for _, one in all_commands():
        lines.append(f"| `{NAME} {one.name}` | {one.words} |")
        for name, verb in all_parsers(whole.commands[one.name], f"{NAME} {one.name}"):
            if verb is not whole.commands[one.name]:
                words = (verb.description or "").rstrip(".")
                lines.append(f"| `{name}` | {words[:1].lower()}{words[1:]} |")
    return "\n".join(lines)


def options_table() -> str:
    """The options that a command has of its own, and those that commands share once."""
    lines = ["| command | option | what it does |", "|---|---|---|"]
    shared: dict[str, argparse.Action] = {}
    for name, parser in all_parsers():
        own, others = _split(parser)
        lines += [f"| `{name}` | {_row(parser, one)} |" for one in own]
        shared.update((one.option_strings[-1], one) for one in others)
    parser = make_parser()
    lines += [f"| several | {_row(parser, one)} |" for one in shared.values()]
    return "\n".join(lines)


def _split(parser: Parser) -> tuple[list[argparse.Action], list[argparse.Action]]:
    """The options of a command that are in its short help, and the others."""
    own, others = list[argparse.Action](), list[argparse.Action]()
    for group in parser._action_groups:
        for one in group._group_actions:
            if one.option_strings and one.help != argparse.SUPPRESS and one.dest != "help":
                (others if group in parser.shared else own).append(one)
    return own, others


def _row(parser: Parser, one: argparse.Action) -> str:
    words = (one.help or "") % {**vars(one), "prog": parser.prog}
    shown = f"`{', '.join(one.option_strings)}{_value(one)}`"
    return " | ".join(" ".join(each.split()).replace("|", "\\|") for each in (shown, words))


def _value(one: argparse.Action) -> str:
    """The place of a value, such as ` FILE`; empty for an option without one."""
    if one.nargs == 0:
        return ""
    if one.metavar is None and one.choices is not None:
        return f" {{{','.join(map(str, one.choices))}}}"
    return f" {one.metavar if isinstance(one.metavar, str) else one.dest.upper()}"
