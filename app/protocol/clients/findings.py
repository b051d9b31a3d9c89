"""Findings on the losses and rejections in client libraries, with names and versions.

The table is read only if there is a defect: most servers have none.

JSON Schema leaves formats to the validator; the TypeScript SDK asserts those that ajv-formats knows
(1.32 and 2.4). It computes in binary fractions; so does the Python SDK (2.3), but for integers.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from ...content.json.jsonio import pointer
from ...content.text import shortened, visible
from ...schemas.schema import Mismatch, SchemaVerdict
from ..conformance.results import MODERN, json_pointer
from ..findings.findings import Finding, error, note, warning
from .answer_defects import defects_of_answer
from .defects import Defect, defects_of_greeting, defects_of_page, defects_of_tool
from .table import client_words, rules

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue, Path
    from .table import ClientRule

_STDERR_SHOWN: Final = 200
_OF_ANY_TYPE: Final = ("output-not-object", "output-without-type")
"""Allowed since 2026-07-28: an output schema may be of any type (server/tools, "Output Schema")."""


def tool_findings(entry: JsonValue, tools: int, version: str = "") -> list[Finding]:
    """The findings on one entry of a list of so many tools; `version` is the negotiated one."""
    return list(_lost(tool_defects(entry, version >= MODERN), tools))


def tool_defects(entry: JsonValue, is_modern: bool) -> list[Defect]:
    """List defects of an entry, limited to those that the revision does not allow."""
    found = defects_of_tool(entry)
    return [one for one in found if not (is_modern and one.rule in _OF_ANY_TYPE)]


def page_findings(result: JsonValue) -> list[Finding]:
    """The findings on a page of `tools/list`, beside those on its entries."""
    # A malformed page is an error of its own.
    defects = [one for one in defects_of_page(result) if one.rule != "malformed-page"]
    if not defects:
        return []
    listed = result.get("tools") if isinstance(result, dict) else None
    return list(_lost(defects, len(listed) if isinstance(listed, list) else 0))


def answer_findings(result: JsonValue, said: Container[str] = ()) -> list[Finding]:
    """The findings on the result of a call, whatever its schema, but for the paths in `said`.

    One for all that is a fault of the server, and one for all that the specification allows.
    """
    ruled = [
        one
        for one in _ruled(defects_of_answer(result))
        if one[1] not in said and one[0].rejected_in
    ]
    faults = [one for one in ruled if not one[0].is_allowed]
    allowed = [one for one in ruled if one[0].is_allowed]
    found = []
    if faults:
        found.append(error("clients-reject-answer", _rejected_words(faults), faults[0][1]))
    if allowed:
        # The server is not to blame.
        found.append(warning("clients-reject-answer", _rejected_words(allowed), allowed[0][1]))
    return found


def _rejected_words(ruled: Sequence[tuple[ClientRule, str]]) -> str:
    """Name the clients that reject the result, the first reason, and the number of others."""
    from .table import client_words, clients

    who = [one for one in clients().values() if any(one in rule.rejected_in for rule, _ in ruled)]
    more = f" ({len(ruled) - 1} more: signoff compat)" if len(ruled) > 1 else ""
    return f"rejected by {client_words(who)}: {_what(ruled[0][0])}{more}"


def null_error_findings(body: dict[str, JsonValue]) -> list[Finding]:
    """The finding on any other response that has `"error": null` beside its result."""
    found = []
    for rule, where in _ruled(null_error(body), _in_message):
        words = f"no response in {_named(rule, 'refused')}: {rule.words}; {rule.fix}"
        found.append(error("clients-miss-response", words, where))
    return found


def greeting_findings(body: dict[str, JsonValue]) -> list[Finding]:
    """The findings on the response to `initialize`, whose body is given."""
    result = body.get("result")
    defects = [Defect(one.rule, ("result", *one.path)) for one in defects_of_greeting(result)]
    found = []
    for rule, where in _ruled([*defects, *null_error(body)], _in_message):
        if who := _named(rule, "refused"):
            words = f"no connection in {who}: {rule.words}; {rule.fix}"
            found.append(error("clients-cannot-connect", words, where))
    return found


def exit_finding(ended: str, last_words: str) -> Finding:
    """The finding on a server that exited during `server/discover`; both texts are made safe."""
    rule = rules()["exits-on-discover"]
    words = f"{rule.words} ({visible(ended)}); no connection in {_named(rule, 'refused')}"
    stderr = f"; stderr: {shortened(last_words, _STDERR_SHOWN)}" if last_words.strip() else ""
    return error("exits-on-discover", f"{words}; {rule.fix}{stderr}")


def null_error(body: dict[str, JsonValue]) -> list[Defect]:
    """The defect of a response that has `"error": null` beside its result."""
    is_null = "result" in body and "error" in body and body["error"] is None
    return [Defect("null-error", ("error",))] if is_null else []


def all_tools(tools: int) -> str:
    """All the tools of a list, in words: `all 12 tools`."""
    return f"all {tools:,} tools" if tools > 1 else "the tool" if tools else "all tools"


def _lost(defects: Iterable[Defect], tools: int) -> Iterable[Finding]:
    for rule, where in _ruled(defects):
        if who := _named(rule, "lost"):
            words = f"lost in {who}: {all_tools(tools)}, because {rule.words}; {rule.fix}"
            yield error("clients-lose-tools", words, where)
        if who := _named(rule, "rejected-later"):
            words = f"rejected in {who}: every result of the tool, because {_what(rule)}"
            if rule.is_allowed:
                yield warning("clients-reject-results", words, where)
            else:
                yield error("clients-reject-results", words, where)


def _what(rule: ClientRule) -> str:
    """The problem and its fix; whose fault it is, if it is not the server's."""
    allowed = ", which the specification allows" if rule.is_allowed else ""
    return f"{rule.words}{allowed}; {rule.fix}"


def _ruled(
    defects: Iterable[Defect], where: Callable[[Path], str] = pointer
) -> Iterable[tuple[ClientRule, str]]:
    for one in defects:
        from .table import rules

        yield rules()[one.rule], where(one.path)


def _in_message(path: Path) -> str:
    return json_pointer(*path)


def _named(rule: ClientRule, what: str) -> str:
    """The clients of a rule in words; empty if there is none."""
    from .table import DefectEffect, client_words

    values = {
        "lost": (DefectEffect.LOST, DefectEffect.HANGS),
        "rejected-later": (DefectEffect.REJECTED,),
        "refused": (DefectEffect.NO_CONNECTION, DefectEffect.HANGS),
    }
    return client_words(rule.clients(*values[what]))


_SHOWN: Final = 5
_VOWELS: Final = "aeio"


def format_words(mismatch: Mismatch) -> str:
    """Name the missed format, such as `not a date-time`; safe to show."""
    name = visible(mismatch.format)
    return f"not {'an' if name[:1] in _VOWELS else 'a'} {name}"


def rejecting_clients(mismatch: Mismatch) -> str:
    """Name the clients that reject the value, as the subject of a sentence."""
    if mismatch.keyword == "multipleOf":
        return "clients that compute in binary fractions, as the TypeScript SDK does,"
    if not mismatch.is_rejected_by_ajv:
        return "validators that assert formats"
    return client_words(rules()["format-mismatch"].rejected_in)


def rejection_words(mismatch: Mismatch) -> str:
    """The clients that reject the value, and the reason, in words; safe to show."""
    what = format_words(mismatch) if mismatch.format else ""
    why = f"is {what}" if what else mismatch.message
    return f"{rejecting_clients(mismatch)} reject it: {pointer(mismatch.path)} {why}"


def rejection_note(mismatch: Mismatch) -> str:
    """The same for the line beside the form field of the value."""
    if mismatch.format:
        return mismatch.message
    return f"{mismatch.message}; some validators reject it"


def answer_rejections(verdict: SchemaVerdict, is_error: bool) -> list[Finding]:
    """The findings on structuredContent that its schema allows."""
    return [
        _answer_rejection(one, f"{rejection_words(one)}{_more(verdict, one)}", is_error)
        for one in verdict.rejected_by_clients[:_SHOWN]
    ]


def _answer_rejection(mismatch: Mismatch, words: str, is_error: bool) -> Finding:
    message, path = f"valid, but {words}", pointer(("structuredContent", *mismatch.path))
    if mismatch.keyword == "multipleOf":
        if is_error:
            return note("binary-fractions", message, path)
        return warning("binary-fractions", message, path)
    if is_error or not mismatch.is_rejected_by_ajv:
        return note("format-mismatch", message, path)
    return error("format-mismatch", message, path)


def argument_rejections(verdict: SchemaVerdict) -> list[Finding]:
    """The findings on arguments that their schema allows: a server may assert formats, too."""
    found = []
    for one in verdict.rejected_by_clients[:_SHOWN]:
        where = pointer(one.path)
        why = f"is {format_words(one)}" if one.format else one.message
        message = f"allowed, but servers that {_doing(one)} reject it: {where} {why}"
        found.append(note("arguments-at-risk", f"{message}{_more(verdict, one)}"))
    return found


def _doing(mismatch: Mismatch) -> str:
    return "compute in binary fractions" if mismatch.keyword == "multipleOf" else "assert formats"


def _more(verdict: SchemaVerdict, mismatch: Mismatch) -> str:
    rest: Sequence[Mismatch] = verdict.rejected_by_clients[_SHOWN:]
    is_last = verdict.rejected_by_clients[_SHOWN - 1 : _SHOWN] == (mismatch,)
    return f"; and {len(rest):,} more" if rest and is_last else ""
