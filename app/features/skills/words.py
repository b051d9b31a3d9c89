"""Skills, their files and their changes: lines for a screen and a terminal, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any, Final

from ...approval.questions.sheet import pieces_of, text_lines
from ...approval.skill_approvals import SkillState
from ...content.json.jsonio import JsonValue, compact
from ...content.labels import and_more
from ...content.text import count, cut, shortened, size, spans
from ...content.texts.addressing import addressing
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.definitions.addressed import marked
from ...protocol.extensions.skill_texts import LOOKED_AT
from ...protocol.extensions.skills import FILES_MAX, Skill, SkillChange
from ...protocol.findings.findings import Finding, brief_with_code
from ...protocol.findings.model_texts import MODEL_SIGN
from .approving import SkillStanding, standing_json
from .reading import SkillChecked, SkillFileRead

INDENT: Final = 12
TEXT_MAX: Final = 20_000
"""Characters of a file that are shown."""
_LINE_MAX: Final = 2_000
_FILES: Final = FILES_MAX
_DIFF_LINES: Final = 60
_COMPARED_LINES: Final = 1_000
NOT_GRANTED: Final = (
    "The approval is for this server, this program and exactly these files.",
    "It grants no tool, lets no read run, and covers no skill inside of it.",
)
"""What an approval of a skill is, in sentences."""
_ROLES: Final = {SkillState.APPROVED: "strong", SkillState.CHANGED: "error"}
_NOT_ACTED_ON: Final = "text of the server, for a model: nothing here acts on it"


def files_words(skill: Skill) -> str:
    """`3 files, 4.2 kB`, or that they are dynamic."""
    if skill.is_dynamic:
        return "files without digests"
    return f"{count(len(skill.files), 'file')}, {size(skill.size)}"


def skill_lines(
    skill: Skill, *, is_short: bool = False, standing: SkillStanding | None = None
) -> Iterator[SheetLine]:
    """Describe an entry; the server's texts are behind the gutter or after a label.

    Without a `standing` nothing is written on its approval, and of one that never was.
    """
    yield _of_server("uri", skill.uri)
    yield _of_server("name", skill.name or "(no name)")
    for key, value in skill.frontmatter.items():
        if key not in ("name", "description"):
            text = value if isinstance(value, str) else compact(value)
            yield _of_server("frontmatter", f"{key}: {text}")
    if standing is not None and standing.state is not SkillState.NEW:
        yield standing_line(standing)
    yield labelled("files", INDENT, (files_words(skill), ""))
    yield SheetLine()
    yield from theirs(skill.description)
    if is_short or not skill.files:
        return
    yield SheetLine()
    for at, file in enumerate(skill.files[:_FILES]):
        path = spans(cut(skill.path(file.uri), _LINE_MAX).text)
        facts = f"  {size(file.size)}  {shortened(file.digest, 19)}"
        yield labelled("" if at else "listed", INDENT, *pieces_of(path), (facts, "dim"))
    if more := and_more(len(skill.files) - _FILES):
        yield labelled("", INDENT, (f"{more}: --json", "dim"))


def theirs(text: str, most: int = TEXT_MAX) -> Iterator[SheetLine]:
    """A text of the server behind the gutter; what addresses a model is marked."""
    short = cut(text, most)
    for pieces in text_lines(short.text):
        yield SheetLine(marked(pieces), gutter=True)
    if short.is_cut:
        yield SheetLine(((short.notice, "noticed"),))


def file_lines(file: SkillFileRead, skill: Skill, most: int = TEXT_MAX) -> Iterator[SheetLine]:
    """A file that was read: whether it is as listed, its findings, and its text."""
    path = pieces_of(spans(cut(skill.path(file.uri), _LINE_MAX).text))
    yield labelled("read", INDENT, *path)
    if file.data is not None:
        yield labelled("verified", INDENT, _verified(file, skill))
    for finding in file.findings:
        yield brief_with_code(finding, INDENT)
    if file.data is None:
        return
    yield SheetLine()
    if file.text is None:
        yield labelled("", INDENT, (f"binary, {size(len(file.data))}: not shown", "dim"))
        return
    sign = f"{MODEL_SIGN} " if next(addressing(file.text), None) else ""
    yield SheetLine(((f"{sign}{_NOT_ACTED_ON}", "noticed" if sign else "dim"),))
    yield from theirs(file.text, most)


def _verified(file: SkillFileRead, skill: Skill) -> Piece:
    if skill.file(file.uri) is None:
        return "no digest in the entry: nothing to compare with", "noticed"
    if not file.is_verified:
        return "NO: a host must not use it", "error"
    return "size and digest as listed; both come from the server", ""


def checked_lines(
    checked: SkillChecked, standing: SkillStanding | None = None
) -> Iterator[SheetLine]:
    """A line for each file that was read, below the name of the skill and its approval."""
    skill = checked.skill
    name = pieces_of(spans(cut(skill.name or skill.uri, _LINE_MAX).text))
    yield labelled("skill", INDENT, *name, (f"  {files_words(skill)}", "dim"))
    if standing is not None and standing.state is not SkillState.NEW:
        yield standing_line(standing)
    for file in checked.files:
        path = pieces_of(spans(cut(skill.path(file.uri), _LINE_MAX).text))
        state, role = _state(file, skill)
        pieces = path if not role else [(text, role) for text, _ in path]
        yield labelled(state, INDENT, *pieces)


def _state(file: SkillFileRead, skill: Skill) -> tuple[str, str]:
    if file.data is None:
        return "not read", "noticed"
    if skill.file(file.uri) is None:
        return "no digest", "noticed"
    return ("verified", "") if file.is_verified else ("DIFFERS", "error")


def change_lines(
    change: SkillChange,
    skill: Skill | None,
    before: Skill | None,
    texts: Mapping[str, str],
    *,
    since: str = "",
) -> Iterator[SheetLine]:
    """What changed of a skill since the last look, or `since`; `texts` are by digest."""
    uri = pieces_of(spans(cut(change.uri, _LINE_MAX).text))
    yield labelled(change.word, INDENT, *uri)
    if since:
        yield labelled("", INDENT, (since, "noticed"))
    for line in change.lines:
        yield labelled("", INDENT, (line, "noticed"))
    if skill is None or before is None:
        return
    for key in ("description",):
        was, now = before.frontmatter.get(key), skill.frontmatter.get(key)
        if was != now:
            yield from _difference(key, str(was or ""), str(now or ""))
    for file in skill.files:
        old = before.file(file.uri)
        if old is None or old.digest == file.digest:
            continue
        was_text, now_text = texts.get(old.digest), texts.get(file.digest)
        if was_text is not None and now_text is not None:
            yield from _difference(skill.path(file.uri), was_text, now_text)


def _difference(what: str, old: str, new: str) -> Iterator[SheetLine]:
    yield labelled("", INDENT, *pieces_of(spans(cut(what, 200).text)))
    lines = [
        one
        for one in unified_diff(_compared(old), _compared(new), n=1)
        if not one.startswith(("---", "+++", "@@"))
    ]
    for line in lines[:_DIFF_LINES]:
        sign, rest = line[:1], line[1:]
        role = {"+": "success", "-": "error"}.get(sign, "dim")
        pieces = pieces_of(spans(cut(rest, _LINE_MAX).text))
        yield SheetLine(((f"{sign} ", role), *marked(pieces)), gutter=True)
    if len(lines) > _DIFF_LINES:
        yield SheetLine(((f"and {count(len(lines) - _DIFF_LINES, 'more line')}", "dim"),))


def _compared(text: str) -> list[str]:
    """The lines of a text that are compared: many take long."""
    return text[:TEXT_MAX].splitlines()[:_COMPARED_LINES]


def _of_server(label: str, text: str) -> SheetLine:
    return labelled(label, INDENT, *pieces_of(spans(cut(text, _LINE_MAX).text)))


def standing_line(standing: SkillStanding) -> SheetLine:
    """The state of a skill's approval, and the reason."""
    role = _ROLES.get(standing.state, "")
    reason = f": {standing.why}" if standing.why else ""
    return labelled("approval", INDENT, (standing.state.value, role), (reason, "dim"))


def whole_lines(
    checked: SkillChecked, standing: SkillStanding, texts: Mapping[str, str]
) -> Iterator[SheetLine]:
    """All that an approval of a skill is about: what changed since the last one, its entry, the
    findings, and each file.
    """
    skill, change = checked.skill, standing.change
    if change is not None and standing.before is not None:
        old = standing.before
        yield from change_lines(
            change, skill, old.skill, {**texts, **old.texts}, since=standing.why
        )
        yield SheetLine()
    yield from skill_lines(skill)
    of_files = {one for file in checked.files for one in file.findings}
    about = [one for one in checked.findings if one not in of_files]
    if about:
        yield SheetLine()
    yield from (brief_with_code(one, INDENT) for one in about)
    for file in checked.files:
        yield SheetLine()
        yield from file_lines(file, skill, most=LOOKED_AT)


def skill_json(standing: SkillStanding, findings: tuple[Finding, ...] = ()) -> dict[str, Any]:
    """An entry as JSON, as the server sent it, with its approval and findings."""
    skill = standing.skill
    return {
        "uri": skill.uri,
        "name": skill.name,
        "dynamic": skill.is_dynamic,
        "files": len(skill.files),
        "size": skill.size,
        "approval": standing_json(standing),
        "entry": skill.raw,
        "findings": [one.as_json() for one in (*skill.findings, *findings)],
    }


def file_json(file: SkillFileRead, skill: Skill) -> dict[str, Any]:
    """A file that was read; its text is None for a binary one, and for one that was not read."""
    return {
        "uri": file.uri,
        "state": _state(file, skill)[0].lower().replace(" ", "-"),
        "size": None if file.data is None else len(file.data),
        "text": file.text,
    }


def change_json(change: SkillChange) -> dict[str, JsonValue]:
    """A change as JSON."""
    return {"uri": change.uri, "change": change.word, "lines": list(change.lines)}
