"""A trace as lines and as JSON: each setting with its file and line, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...approval.if_resolved import NO_HOST_RESOLVES
from ...approval.matrix import cell_word
from ...approval.policies.policy import Policy
from ...approval.policies.rules import Rule, Then
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...content.frozen import frozen
from ...content.text import shortened, visible
from ...hosts.approvals.as_configured import ConfiguredColumn
from ...hosts.approvals.deciding import DecidingSetting
from ...hosts.approvals.tracing import HostTrace, StepOutcome, TraceStep, edits_of
from ...hosts.files.servers import THROUGH, ConfiguredServer, FileReport, through_words
from ...presentation.openings import shown_path
from ...protocol.extensions.tool_resolution import Resolution
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.masks import mask_text

NOT_KNOWN: Final = "not known"
NO_RULES: Final = "the rules of this host are not known"
NO_FILES: Final = "no file of it was found on this machine"
NO_ENTRY: Final = "none of its files here has this server"
BY_DEFAULT: Final = "the host's own rules"
NO_HOSTS_HERE: Final = "no file of a host was found on this machine"
SETTING_READ: Final = "read in its documentation or source; not measured with this setting"
NOT_MEASURED: Final = "not measured with these hints"
NO_EDIT: Final = "no edit is known"
_WIDEST: Final = 60
_WORDS: Final = 300


@frozen
class HostAnswer:
    """One host, or one of its entries: the decision and its trace."""

    host: str
    title: str
    trace: HostTrace | None
    """None if the rules of the host are not known."""
    rules: Policy | None
    """The rules of the host in its mode, without settings."""
    unread: tuple[FileReport, ...]
    """Files of the host that could not be read."""
    column: ConfiguredColumn | None
    """The entry as a column of the matrix; None if the host has no entry of the server."""
    has_files: bool = True
    not_loaded: ConfiguredServer | None = None
    """An entry of the server that the host would not load."""
    if_resolved: Verdict | None = None
    """The verdict with hints that were resolved for arguments; None if there are none."""

    @property
    def decision(self) -> str:
        """The decision, in the word of the matrix."""
        return NOT_KNOWN if self.trace is None else cell_word(self.trace.verdict)

    @property
    def would(self) -> str:
        """The decision with the resolved hints; empty if they change nothing, or there are none."""
        word = "" if self.if_resolved is None else cell_word(self.if_resolved)
        return "" if word == self.decision else word

    @property
    def missing(self) -> str:
        """Why the host has no entry of the server; empty if it has one."""
        if self.column is not None:
            return ""
        if self.not_loaded is not None:
            return f"the host does not load its entry {_safe(self.not_loaded.name)}"
        return NO_ENTRY if self.has_files else NO_FILES


def overview_lines(
    tool: ToolDefinition, answers: Sequence[HostAnswer], home: str, folder: str
) -> Iterator[str]:
    """A line for each host: its decision, and what decides."""
    yield f"{_safe(tool.display_name)} in the hosts of this machine"
    if not answers:
        yield f"  {NO_HOSTS_HERE}"
        return
    names = [_name(one, answers) for one in answers]
    wide = max(map(len, names))
    word = max(len(one.decision) for one in answers)
    for name, one in zip(names, answers, strict=True):
        would = f"if it resolved: {one.would}" if one.would else ""
        by = "; ".join(filter(None, (one.missing, _decided_by(one, home, folder), would)))
        yield f"  {name:<{wide}}  {one.decision:<{word}}  {by}".rstrip()
    yield f"For every line of one: --as HOST, such as --as {visible(answers[0].host)}"


def full_lines(
    tool: ToolDefinition, answers: Sequence[HostAnswer], home: str, folder: str
) -> Iterator[str]:
    """All steps of each answer."""
    for at, one in enumerate(answers):
        if at:
            yield ""
        yield from _one_in_full(tool, one, home, folder)


def _one_in_full(tool: ToolDefinition, answer: HostAnswer, home: str, folder: str) -> Iterator[str]:
    column, trace = answer.column, answer.trace
    if column is None:
        how = f"by default ({answer.missing})"
    else:
        spot = _place(column.server.file, column.server.spot.line, home, folder)
        name = f"{_safe(column.server.name)}, {spot}"
        how = f"as configured here (server {name}){through_words(column.server)}"
    yield f"{_safe(tool.display_name)} in {visible(answer.title)}, {how}: {answer.decision}"
    for file in answer.unread:
        yield f"  {_place(file.file, 0, home, folder)}  cannot be read: {_problem(file)}"
    if trace is None:
        yield f"  {NO_RULES}"
        return
    rows = [(*_subject(one, home, folder), _outcome(one, trace)) for one in trace.steps]
    if trace.deciding is None:
        rows.append(("then", "", f"decides: {answer.decision}: {_reasons(trace)}"))
    first, second = (min(max(len(row[at]) for row in rows), _WIDEST) for at in (0, 1))
    for place, subject, outcome in rows:
        yield f"  {place:<{first}}  {subject:<{second}}  {outcome}"
    for label, words in _about(answer, trace, home, folder):
        yield f"  {label + ':':<12} {words}"


def _about(
    answer: HostAnswer, trace: HostTrace, home: str, folder: str
) -> Iterator[tuple[str, str]]:
    """How it is known, what happens without the setting, and how to be asked."""
    yield "because", _reasons(trace)
    if answer.if_resolved is not None:
        yield "if resolved", answer.would or f"{answer.decision}, too"
    yield "known", known_words(answer, trace)
    if trace.otherwise is not None:
        yield "without it", cell_word(trace.otherwise)
    if trace.run is not None:
        edits = [
            f"{_safe(words)} ({_place(file, line, home, folder)})" if file else _safe(words)
            for words, file, line in edits_of(trace.run)
        ]
        yield "to be asked", "; then ".join(edits) or NO_EDIT


def known_words(answer: HostAnswer, trace: HostTrace) -> str:
    """Whether the deciding rule was measured or read, and where."""
    deciding = trace.deciding
    if deciding is not None and not deciding.is_of_host:
        return SETTING_READ
    source = "" if answer.rules is None else answer.rules.place_of(Rule(0, Then.ASK))
    if trace.measured is None:
        return f"{NOT_MEASURED}; its rules: {visible(source)}" if source else NOT_MEASURED
    same = trace.measured.answer is trace.verdict.answer
    words = "the same" if same else f"another decision: {trace.measured.answer.value}"
    return f"{visible(trace.measured.words)}: {words}"


def _name(answer: HostAnswer, answers: Sequence[HostAnswer]) -> str:
    """The title of a host, with the name of its entry if it has several."""
    title = visible(answer.title)
    if sum(one.host == answer.host for one in answers) < 2 or answer.column is None:
        return title
    return f"{title} ({_safe(answer.column.server.name)})"


def _decided_by(answer: HostAnswer, home: str, folder: str) -> str:
    trace = answer.trace
    if trace is None:
        return NO_RULES
    step = trace.deciding
    if step is None or (step.setting is None and trace.verdict.answer is VerdictAnswer.UNKNOWN):
        return _reasons(trace)
    if step.setting is None:
        return f"{BY_DEFAULT}: {_rule(step)}"
    return "  ".join(_subject(step, home, folder))


def _subject(step: TraceStep, home: str, folder: str) -> tuple[str, str]:
    """The place of a step, and the text there."""
    setting = step.setting
    if setting is None:
        return "then", _rule(step)
    what = _switch(setting)
    if step.is_of_host:
        what = f"{what}: {_rule(step)}" if what else _rule(step)
    place = _place(setting.file, setting.spot.line, home, folder) if setting.file else "--as"
    return place, what


def _rule(step: TraceStep) -> str:
    rule = step.rule
    return "" if rule is None else _safe(rule.name or rule.words)


def _switch(setting: DecidingSetting) -> str:
    return shortened(mask_text(f"{setting.key} {setting.value}".strip() or "off"), _WIDEST)


def _outcome(step: TraceStep, trace: HostTrace) -> str:
    if step.outcome is StepOutcome.DECIDES:
        return f"{step.outcome.value}: {cell_word(trace.verdict)}"
    why = "; ".join(map(_safe, step.why))
    return f"{step.outcome.value}: {why}" if why else step.outcome.value


def _reasons(trace: HostTrace) -> str:
    return "; ".join(map(_safe, trace.verdict.reasons))


def _place(file: str, line: int, home: str, folder: str) -> str:
    shown = shown_path(file, home, folder)
    return f"{shown}:{line}" if line else shown


def _problem(file: FileReport) -> str:
    return "; ".join(_safe(one.message) for one in file.problems) or "its form is not known"


def _safe(text: str) -> str:
    return shortened(mask_text(text), _WORDS)


def resolution_lines(tool: ToolDefinition, resolution: Resolution | None) -> Iterator[str]:
    """What the server resolved, and that it is a supposition; nothing without arguments."""
    if resolution is None:
        return
    if resolution.is_resolved:
        yield _safe(f"{resolution.as_reason(tool.hints)}; {NO_HOST_RESOLVES}")
    else:
        yield _safe(f"hints not resolved for these arguments: {resolution.words(tool.hints)}")


def why_json(
    tool: ToolDefinition,
    server: str,
    answers: Sequence[HostAnswer],
    resolution: Resolution | None = None,
) -> dict[str, Any]:
    """Every answer with all of its steps."""
    return {
        "tool": tool.name,
        "server": server,
        "resolution": None if resolution is None else resolution.as_json(tool.hints),
        "hosts": [_answer_json(one) for one in answers],
    }


def _answer_json(answer: HostAnswer) -> dict[str, Any]:
    column, trace = answer.column, answer.trace
    entry = None
    if column is not None:
        entry = {
            "name": _safe(column.server.name),
            "file": visible(column.server.file),
            "line": column.server.spot.line or None,
            "column": column.policy.name,
            "through": THROUGH if column.server.entry.proxy else None,
        }
    unread = [{"file": visible(one.file), "reason": _problem(one)} for one in answer.unread]
    found: dict[str, Any] = {
        "host": answer.host,
        "title": visible(answer.title),
        "entry": entry,
        "missing": answer.missing or None,
        "mode": (column.mode if column else answer.rules.name if answer.rules else "") or None,
        "decision": answer.decision,
        "if_resolved": cell_word(answer.if_resolved) if answer.if_resolved is not None else None,
        "unread": unread,
    }
    if trace is None:
        return {**found, "reasons": [NO_RULES], "steps": []}
    edits = edits_of(trace.run) if trace.run is not None else ()
    return {
        **found,
        "reasons": list(map(_safe, trace.verdict.reasons)),
        "steps": [_step_json(one) for one in trace.steps],
        "known": known_words(answer, trace),
        "is_measured": trace.measured is not None,
        "otherwise": cell_word(trace.otherwise) if trace.otherwise is not None else None,
        "to_be_asked": [
            {"edit": _safe(words), "file": visible(file) or None, "line": line or None}
            for words, file, line in edits
        ],
    }


def _step_json(step: TraceStep) -> dict[str, Any]:
    setting = step.setting
    return {
        "outcome": step.outcome.value,
        "file": visible(setting.file) if setting and setting.file else None,
        "line": (setting.spot.line or None) if setting else None,
        "setting": _switch(setting) if setting else None,
        "rule": _rule(step) or None,
        "is_of_host": step.is_of_host,
        "why": list(map(_safe, step.why)),
    }
