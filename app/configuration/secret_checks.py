"""Secrets, placeholders and empty values of an entry: names are reported, and never values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from ..content.files.tree import SourceLocation, Tree
from .hosts import Host
from .masking import is_secret, mask_arguments, mask_url, placeholder_in
from .problems import ERROR, WARNING, ProblemList, listed
from .servers import Entry

MOST_SEARCHED: Final = 20_000
"""Values beside the servers that are searched for secrets."""


def check_secrets(entry: Entry, problems: ProblemList) -> None:
    """Note secrets in clear, and values that a person has to replace."""
    _check_placeholders(entry, problems)
    _check_url(entry, problems)
    _check_arguments(entry, problems)
    _check_values(entry, problems)
    if entry.keyring:
        words = f"the values of {listed(entry.keyring)} are in the keyring of {entry.host.title}"
        spot = entry.spot_of("env_keys")
        problems.add("secret-in-keyring", WARNING, words, spot, server=entry.name)
    if "bearer_token" in entry.tree.members:
        words = f"bearer_token in clear is refused by {entry.host.title}"
        fix = "use bearer_token_env_var"
        spot = entry.spot_of("bearer_token")
        problems.add("literal-secret", ERROR, words, spot, fix=fix, server=entry.name)


def secrets_elsewhere(
    tree: Tree, host: Host, containers: Collection[str], problems: ProblemList
) -> None:
    """Note secrets of other settings in the same file: the names of their keys."""
    heads = {path.partition(".")[0] for path in containers}
    found: dict[str, SourceLocation] = {}
    level = [("", one) for name, one in tree.members.items() if name not in heads]
    level += [(name, one) for name, one in tree.members.items() if not one.members]
    searched = 0
    for _ in range(12):
        below: list[tuple[str, Tree]] = []
        for name, one in level:
            searched += 1
            if searched > MOST_SEARCHED:
                break
            if isinstance(one.value, str):
                if is_secret(name, one.value):
                    found.setdefault(name, one.spot)
            else:
                below += [(key, inner) for key, inner in one.members.items()]
                below += [(name, inner) for inner in one.items]
        level = below
    if found:
        words = f"{listed(list(found))} beside the servers: a secret in clear"
        problems.add("literal-secret", WARNING, words, next(iter(found.values())))


def _values(entry: Entry) -> Iterator[tuple[str, str, SourceLocation]]:
    """Names, values and places of the environment and the headers."""
    for trees in (entry.env, entry.headers):
        for name, one in trees.items():
            if isinstance(one.value, str):
                yield name, one.value, one.spot


def _check_placeholders(entry: Entry, problems: ProblemList) -> None:
    found: dict[str, SourceLocation] = {}
    if entry.url and placeholder_in(entry.url):
        found[entry.url_key] = entry.url_spot
    for text, spot in entry.args:
        if placeholder_in(text):
            found.setdefault("args", spot)
    for name, text, spot in _values(entry):
        if placeholder_in(text):
            found.setdefault(name, spot)
    if found:
        verb = "holds" if len(found) == 1 else "hold"
        words = f"{listed(list(found))} {verb} a placeholder, not a value"
        fix = "put the real value in its place"
        spot = next(iter(found.values()))
        problems.add("placeholder", ERROR, words, spot, fix=fix, server=entry.name)


def _check_url(entry: Entry, problems: ProblemList) -> None:
    if entry.url and mask_url(entry.url).has_secret:
        words = "the address has a secret in it"
        fix = "put it into a header, from a variable"
        problems.add("secret-in-url", WARNING, words, entry.url_spot, fix=fix, server=entry.name)


def _check_arguments(entry: Entry, problems: ProblemList) -> None:
    shown = mask_arguments(entry.words)
    spots: dict[bool, SourceLocation] = {}
    for (text, spot), one in zip(entry.args, shown[1:], strict=True):
        if one.has_secret:
            is_in_url = "://" in text and mask_url(text.partition("=")[2] or text).has_secret
            spots.setdefault(is_in_url, spot)
    if True in spots:
        words = "an address in the arguments has a secret in it"
        problems.add("secret-in-url", WARNING, words, spots[True], server=entry.name)
    if False in spots:
        words = "a secret is on the command line, which every program here can read"
        fix = "pass it in env"
        problems.add("secret-in-args", WARNING, words, spots[False], fix=fix, server=entry.name)
    if shown and shown[0].has_secret:
        words = "the command has a secret in it"
        spot = entry.command_spot
        problems.add("secret-in-args", WARNING, words, spot, server=entry.name)


def _check_values(entry: Entry, problems: ProblemList) -> None:
    literal: dict[str, SourceLocation] = {}
    empty: dict[str, SourceLocation] = {}
    for name, text, spot in _values(entry):
        if not text:
            if name in entry.env and entry.env[name].value == "":
                empty[name] = spot
        elif is_secret(name, text):
            literal[name] = spot
    if literal:
        verb = "is" if len(literal) == 1 else "are"
        words = f"{listed(list(literal))} {verb} in clear in the file"
        fix = "use a variable of the environment"
        spot = next(iter(literal.values()))
        problems.add("literal-secret", WARNING, words, spot, fix=fix, server=entry.name)
    if empty:
        verb = "is" if len(empty) == 1 else "are"
        words = f"{listed(list(empty))} {verb} empty"
        if entry.host.host == "inspector":
            words = f"{words}: the value may be in the keychain"
        spot = next(iter(empty.values()))
        problems.add("empty-value", WARNING, words, spot, server=entry.name)
