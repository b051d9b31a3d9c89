"""Options of commands without a server: local storage, settings, captures, flow files."""

from __future__ import annotations

import argparse
from typing import NamedTuple, TypeAlias

from ...storage.auditing.filters import FilterWords
from .lint import LintExplain, LintFile
from .live import add_explain, add_live
from .parser import Parser, describe, picked, verbs
from .server import add_json, add_person


class FlowSchema(NamedTuple):
    """The JSON Schema of flow files."""


class FlowCheck(NamedTuple):
    """Options of `flow check`."""

    flows: tuple[str, ...]
    json: bool = False


class RunFlows(NamedTuple):
    """Run flow files."""

    flows: tuple[str, ...]
    json: bool = False
    words: str = ""
    """Only what has them in its name; empty for all."""
    stops: bool = False
    """Whether nothing is run after the first that fails."""
    jobs: int = 1
    """How many flows are run at once."""
    person: str = ""
    """Who answers in the place of everybody."""
    retries: int | None = None
    """How often a failed step is tried again, whatever the flows say."""
    update: bool = False
    """Whether to offer to write anew what failed."""
    settle: bool = False
    """Whether to offer matchers for values that were others this time."""
    watch: bool = False
    """Whether to run them again whenever they change."""
    junit: str = ""
    html: str = ""
    """The files of further reports; empty for none."""


FlowWork = FlowSchema | FlowCheck | RunFlows
MOST_JOBS = 64
MOST_RETRIES = 100


def add_flow_verbs(kinds: Verbs) -> None:
    """The verbs of `signoff flow`."""
    kinds.add_parser("schema", help="print the JSON Schema of flow files, for editors")
    check = kinds.add_parser("check", help="read flow files and name every mistake with its line")
    check.add_argument("flows", nargs="+", metavar="FLOW")
    add_json(check)


def add_test(test: Parser) -> None:
    """The options of `signoff test`."""
    test.add_argument("flows", nargs="+", metavar="FLOW", help="a flow file, or a folder of such")
    add_json(test)
    test.add_argument(
        "-k",
        dest="words",
        default="",
        metavar="WORDS",
        help="only flows and steps with these words in their names, and what they need",
    )
    test.add_argument(
        "-x", dest="stops", action="store_true", help="stop after the first step that fails"
    )
    test.add_argument(
        "--jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help="so many at once, a server each (1)",
    )
    test.add_argument(
        "--retries", type=_retries, metavar="N", help="try a failed step so often again; told"
    )
    again = test.add_mutually_exclusive_group()
    again.add_argument(
        "--update",
        action="store_true",
        help="offer to write what was seen in the place of what failed; comments and layout stay",
    )
    again.add_argument(
        "--settle",
        action="store_true",
        help="offer to expect times, ids and whatever else changed since the recording by shape",
    )
    again.add_argument(
        "--watch", action="store_true", help="run them again when they or their servers change"
    )
    add_person(test)
    test.add_argument("--junit", metavar="FILE", default="", help="write JUnit XML as well")
    test.add_argument("--html", metavar="FILE", default="", help="write one page of HTML as well")


def _retries(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:9]) <= MOST_RETRIES):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to {MOST_RETRIES}")
    return int(text)


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= MOST_JOBS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_JOBS}")
    return int(text)


Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"


class PolicyList(NamedTuple):
    """The policies that there are."""

    json: bool


class PolicyShow(NamedTuple):
    """One policy as TOML."""

    name: str


class PolicyCheck(NamedTuple):
    """Options of `policy check`."""

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
    """Options of `wire CAPTURE`."""

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
    explain = kinds.add_parser("explain", help=why)
    add_explain(explain)
    describe(explain, why)
    add_live(explain)


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
