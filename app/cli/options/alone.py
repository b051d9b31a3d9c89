"""The commands that are given no server: what is kept on this machine, and flow files."""

from __future__ import annotations

import argparse
from typing import NamedTuple, TypeAlias

from ...storage.auditing.filters import FilterWords
from .flow_files import (
    FlowCheck,
    FlowSchema,
    FlowWork,
    RunFlows,
    add_flow_verbs,
    add_test,
)
from .lint import LintExplain, LintFile
from .live import add_explain, live_group
from .output import add_json
from .parser import Parser, picked, verbs

Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"


class PolicyList(NamedTuple):
    """The policies that there are."""

    json: bool


class PolicyShow(NamedTuple):
    """One policy as TOML."""

    name: str


class PolicyCheck(NamedTuple):
    """What is wrong with a policy file."""

    file: str


class GrantsList(NamedTuple):
    """The remembered approvals."""

    json: bool


class GrantsRevoke(NamedTuple):
    """Take one back."""

    id: int


class GrantsClear(NamedTuple):
    """Take all back."""

    reset: bool
    """Whether a damaged store is moved aside."""


class AuditShow(NamedTuple):
    """Records of the log."""

    filters: FilterWords
    json: bool = False
    audit: str = ""
    """Another log than the usual."""


class AuditVerify(NamedTuple):
    """The proof that no record was changed, added or removed."""

    audit: str = ""
    """Another log than the usual."""
    expect: str = ""
    """The hash of a record, noted earlier, that must still be there; empty for any."""
    first: int = 1
    """The number of the record from which on all are wanted."""


class Replay(NamedTuple):
    """A captured session as a stdio server."""

    capture: str


class Wire(NamedTuple):
    """What went over the wire of a captured session."""

    capture: str
    words: tuple[str, ...] = ()
    """Of the filter."""
    json: bool = False
    html: str = ""
    """The file that takes it as a page; empty for none."""
    plain: bool = False


class Config(NamedTuple):
    """The settings that last."""

    verb: str
    json: bool = False
    file: str = ""
    """Another file than the usual, to check."""


AloneWork = (
    PolicyList
    | PolicyShow
    | PolicyCheck
    | GrantsList
    | GrantsRevoke
    | GrantsClear
    | AuditShow
    | AuditVerify
    | Replay
    | Wire
    | LintFile
    | LintExplain
    | Config
    | FlowWork
)


class Alone(NamedTuple):
    """A command that is given no server; `words` are how it is called."""

    words: str
    work: AloneWork


KINDS: dict[str, type[AloneWork]] = {
    "policy list": PolicyList,
    "policy show": PolicyShow,
    "policy check": PolicyCheck,
    "grants list": GrantsList,
    "grants revoke": GrantsRevoke,
    "grants clear": GrantsClear,
    "audit show": AuditShow,
    "audit verify": AuditVerify,
    "replay": Replay,
    "wire": Wire,
    "flow schema": FlowSchema,
    "flow check": FlowCheck,
    "test": RunFlows,
}


def read_alone(words: str, given: argparse.Namespace) -> Alone:
    """One of the commands that are given no server, by the words that it is called with."""
    if words == "audit show":
        given.filters = picked(FilterWords, given)
    return Alone(words, picked(KINDS.get(words, Config), given))


def add_verbs(name: str, parser: Parser) -> None:
    """The verbs of a command: policy, grants, audit, flow or config; the others have none."""
    if name == "test":
        add_test(parser)
        return
    if name in ("replay", "wire"):
        parser.add_argument("capture", metavar="CAPTURE", help="what --capture wrote")
        if name == "wire":
            _add_wire(parser)
        return
    add = {
        "policy": _add_policy,
        "grants": _add_grants,
        "audit": _add_audit,
        "flow": add_flow_verbs,
    }.get(name, _add_config)
    add(verbs(parser))


def _add_wire(parser: Parser) -> None:
    parser.add_argument(
        "words",
        metavar="FILTER",
        nargs="*",
        help="words that are in a message, method:NAME, call:N, from:server, error",
    )
    shapes = parser.add_mutually_exclusive_group()
    shapes.add_argument(
        "--json", action="store_true", help="print the messages as lines of a capture"
    )
    shapes.add_argument("--html", metavar="FILE", default="", help="write them as one page")
    shapes.add_argument(
        "--plain",
        action="store_true",
        help="one line for each, in place of the screen (by itself where there is no terminal)",
    )


def _add_policy(kinds: Verbs) -> None:
    add_json(kinds.add_parser("list", help="the policies and host models that there are"))
    show = kinds.add_parser("show", help="print a policy as TOML, to start one's own from")
    show.add_argument("name", metavar="NAME")
    check = kinds.add_parser("check", help="read a policy file and say what is wrong with it")
    check.add_argument("file", metavar="FILE")
    why = "the verdict on a tool, the rule and the reasons"
    add_explain(kinds.add_parser("explain", parents=[live_group()], help=why))


def _add_grants(kinds: Verbs) -> None:
    add_json(kinds.add_parser("list", help="scope, age, uses and expiry of each"))
    revoke = kinds.add_parser("revoke", help="take one back")
    revoke.add_argument("id", type=int, metavar="ID")
    clear = kinds.add_parser("clear", help="take all back")
    clear.add_argument(
        "--reset", action="store_true", help="move a damaged store aside and start a new one"
    )


def _add_audit(kinds: Verbs) -> None:
    show = kinds.add_parser("show", help="print records")
    add_json(show)
    for name, metavar, words in (
        ("since", "TIME", "not before this ISO date or time"),
        ("until", "TIME", "not after it"),
        ("server", "NAME", "of this server"),
        ("tool", "NAME", "of this tool"),
        ("event", "NAME", "asked, decided, sent, ended, ..."),
        ("severity", "LEVEL", "note, warning or error, and what is above it"),
        ("outcome", "NAME", "ok, tool-error, denied, not-sent, ..."),
        ("session", "ID", "of one run of Signoff"),
        ("text", "WORDS", "with these words anywhere"),
    ):
        show.add_argument(f"--{name}", metavar=metavar, default="", help=words)
    verify = kinds.add_parser("verify", help="check that no record was changed, added or removed")
    verify.add_argument(
        "--expect", metavar="HASH", default="", help="the hash that the newest record must have"
    )
    verify.add_argument(
        "--from",
        dest="first",
        type=int,
        default=1,
        metavar="N",
        help="accept a log that begins with record N, where rotation removed those before it",
    )
    for one in (show, verify):
        one.add_argument("--audit", metavar="FILE", default="", help="another log than the usual")


def _add_config(kinds: Verbs) -> None:
    kinds.add_parser("path", help="print where the file of settings is")
    add_json(kinds.add_parser("show", help="each setting, its value and where that comes from"))
    check = kinds.add_parser("check", help="name every mistake with its line")
    check.add_argument(
        "file", metavar="FILE", nargs="?", default="", help="another file than that of the settings"
    )
    kinds.add_parser("edit", help="open the file in $EDITOR, and check it afterwards")
    add_json(kinds.add_parser("keys", help="every action whose keys can be chosen in [keys]"))
