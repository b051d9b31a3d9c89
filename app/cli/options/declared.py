"""Options that are declared where their values are: a field of a command's options is its option.

```python
@options
class SomeOptions(NamedTuple):
    baseline: str = opt("--baseline FILE", "compare with the decisions in FILE")
    hosts: tuple[str, ...] = opt("--hosts HOST,...", "hosts and policies, separated by commas")
    is_whole: bool = opt("--whole", "print all of it")
```

By the type of its field an option takes nothing (`bool`), a value each time it is given (`tuple`),
or one value (any other). `add_options` adds them to a parser in the order of the fields, and
`read_values` builds the tuple of what was parsed.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from .parser import Parser, shared_options

Values = TypeVar("Values", bound=tuple[Any, ...])
_NOTHING: Final[Mapping[str, Any]] = {}
_DEFAULTS: Final = {"bool": False, "tuple": (), "str": "", "int": 0}
"""The value of an option that is not given, by the type of its field."""


class OptionGroup(NamedTuple):
    """A group of options in the help. Options of it that are not given leave nothing behind."""

    title: str
    about: str = ""
    """Its subject in the one line on all such groups in the short help; empty: it is in that."""


class Option(NamedTuple):
    """One option, or one word of a command."""

    flags: tuple[str, ...]
    """As on the command line; empty for a word without an option."""
    place: str
    """The placeholder of its value in the help; empty for none, or for its choices."""
    help: str
    default: Any
    kind: str
    """The type of its field: `bool`, `tuple`, or another one for a value."""
    group: OptionGroup | None
    rivals: str
    """A name that the options have which exclude one another; empty for no others."""
    only: frozenset[Any]
    """It is an option of a command that has one of these; of every one if there are none."""
    instead: Mapping[Any, str]
    """Its help in a command that has the key."""
    one_of: Sequence[tuple[str, str]]
    """The values that are an option each, by their names and help."""
    earlier: str
    """Its earlier name, which is accepted with a note."""
    inner: Any
    """The tuple of options that the field holds; None for an option."""
    is_inherited: bool
    """Whether it counts, too, if it is given before the name of the command."""
    means: Any
    """What it means elsewhere; the room that declares it knows."""
    more: Mapping[str, Any]
    """For argparse."""


_NOT_GIVEN: Final[Any] = object()


def opt(
    words: str,
    help: str | None = None,
    *,
    default: Any = _NOT_GIVEN,
    group: OptionGroup | None = None,
    rivals: str = "",
    only: Collection[Any] = (),
    instead: Mapping[Any, str] = _NOTHING,
    earlier: str = "",
    inherited: bool = False,
    means: Any = None,
    **more: Any,
) -> Any:
    """Declare an option as the default of a field: `--name PLACE`, or `PLACE` for a word."""
    parts = words.split(" ")
    flags = tuple(part for part in parts if part.startswith("-") and len(part) > 1)
    place = " ".join(part for part in parts if part not in flags)
    return Option(
        flags,
        place,
        help or "",
        default,
        "",
        group,
        rivals,
        frozenset(only),
        instead,
        (),
        earlier,
        None,
        inherited,
        means,
        more,
    )


def one_of(*named: tuple[str, str], default: str) -> Any:
    """Declare an option for each value of a field; they exclude one another."""
    return opt("", default=default)._replace(one_of=named)


def within(kind: type[tuple[Any, ...]], **help: str) -> Any:
    """Declare a field that holds other options; `help` goes over that of their declarations."""
    return opt("", default=kind())._replace(inner=kind, instead=help)


def options(made: type[Values]) -> type[Values]:
    """Take the declarations out of a named tuple, whose fields get the values if none is given."""
    kind: Any = made
    found = {}
    defaults = dict(kind._field_defaults)
    for name, one in defaults.items():
        if isinstance(one, Option):
            type_words = _type_words(kind.__annotations__[name])
            defaults[name] = _default(one, type_words)
            found[name] = one._replace(default=defaults[name], kind=type_words.partition("[")[0])
    kind._field_defaults = defaults
    kind.__new__.__defaults__ = tuple(defaults.values())
    kind.declared_options = found
    return made


def _type_words(annotation: Any) -> str:
    return str(getattr(annotation, "__forward_arg__", getattr(annotation, "__name__", annotation)))


def _default(one: Option, type_words: str) -> Any:
    if one.default is not _NOT_GIVEN:
        return one.default
    if type_words.endswith("None"):
        return None
    return _DEFAULTS[type_words.partition("[")[0]]


def declared(kind: type[tuple[Any, ...]]) -> Mapping[str, Option]:
    """The options of a tuple, by the names of their fields."""
    found: Mapping[str, Option] = getattr(kind, "declared_options", _NOTHING)
    return found


def add_options(
    parser: Parser,
    kind: type[tuple[Any, ...]],
    having: Collection[Any] = (),
    *,
    names: Collection[str] | None = None,
    group: OptionGroup | None = None,
    help: Mapping[str, str] = _NOTHING,
) -> None:
    """Add the options of a tuple that a command has, by what it is `having`.

    Of `names` alone, if they are given, and in their order; `group` and `help` go over those of the
    declaration.
    """
    known = declared(kind)
    rivals: dict[str, argparse._ActionsContainer] = {}
    for name in known if names is None else names:
        one = known[name]
        if one.inner is not None:
            add_options(parser, one.inner, having, group=group, help=one.instead)
            continue
        if names is None and one.only and one.only.isdisjoint(having):
            continue
        where = _group_of(parser, group or one.group)
        if one.one_of:
            where = where.add_mutually_exclusive_group()
        elif one.rivals:
            if one.rivals not in rivals:
                rivals[one.rivals] = where.add_mutually_exclusive_group()
            where = rivals[one.rivals]
        words = next((text for case, text in one.instead.items() if case in having), one.help)
        _add(where, name, one._replace(help=help.get(name, words)))
        if one.earlier:
            parser.earlier[one.earlier] = one.flags[0]


def _group_of(parser: Parser, group: OptionGroup | None) -> argparse._ActionsContainer:
    if group is None:
        return parser
    if group.about:
        return shared_options(parser, group.title, group.about)
    same = (one for one in parser._action_groups if one.title == group.title)
    found = next(same, None)
    return found or parser.add_argument_group(group.title, argument_default=argparse.SUPPRESS)


def _add(where: argparse._ActionsContainer, name: str, one: Option) -> None:
    given = dict(one.more)
    if one.is_inherited:
        given["default"] = argparse.SUPPRESS
    elif where.argument_default is not argparse.SUPPRESS:
        given["default"] = list(one.default) if one.kind == "tuple" else one.default
    for value, words in one.one_of:
        where.add_argument(
            f"--{value}", dest=name, action="store_const", const=value, help=words, **given
        )
    if one.one_of:
        return
    if one.place:
        given["metavar"] = one.place
    if one.help:
        given["help"] = one.help
    if not one.flags:
        if "nargs" not in given:
            given.pop("default", None)
        where.add_argument(name, **given)
        return
    if one.kind == "bool":
        given["action"] = "store_true"
    elif one.kind == "tuple" and "nargs" not in given:
        given.setdefault("action", "append")
    elif one.kind == "str" and not one.default and not given.keys() & {"action", "nargs"}:
        given["action"] = _Given
    if one.kind in ("str", "str | None", "tuple") and (one.default or one.kind != "str"):
        given.setdefault("type", given_text)
    where.add_argument(*one.flags, dest=name, **given)


def given_text(text: str) -> str:
    """Return the value of an option. Raises ArgumentTypeError for an empty one, such as of an
    unset variable: it would count as no option at all, and a comparison with nothing passes.
    """
    if not text.strip(" ,"):
        raise argparse.ArgumentTypeError("the value is empty: give one, or leave the option out")
    return text


class _Given(argparse.Action):
    """Refuses an empty value; unlike a `type`, it leaves an empty default alone."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        try:
            setattr(namespace, self.dest, given_text(values))
        except argparse.ArgumentTypeError as problem:
            raise argparse.ArgumentError(self, str(problem)) from None


def read_values(
    kind: type[Values], given: argparse.Namespace, names: Collection[str] | None = None
) -> Values:
    """Build a tuple of parsed values by the names of its fields, or of `names` alone; a missing one
    gets its default.
    """
    made: Any = kind
    parsed = vars(given)
    found = {name: parsed[name] for name in names or made._fields if name in parsed}
    for name, one in declared(kind).items():
        if one.inner is not None:
            found[name] = read_values(one.inner, given)
    values: Values = made(
        **{name: tuple(one) if isinstance(one, list) else one for name, one in found.items()}
    )
    return values
