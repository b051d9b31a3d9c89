"""Reads the skills of an open server: their list, their entries, and each file under its policy."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

from ...approval.fingerprint import ServerFingerprint
from ...approval.skill_approvals import skill_digest
from ...calls.call import Call, Outcome
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.labels import some_named
from ...content.text import shortened
from ...engine.all_findings import LocatedFinding
from ...engine.engine import Engine
from ...protocol.extensions.register import not_in_use, setting
from ...protocol.extensions.skill_frontmatter import FrontmatterError, read_frontmatter, split
from ...protocol.extensions.skill_texts import LOOKED_AT, entry_findings, text_findings
from ...protocol.extensions.skills import (
    DIRECTORY,
    FILES_MAX,
    GET,
    LIST,
    MAIN,
    SKILLS,
    Skill,
    SkillChange,
    SkillListing,
    frontmatter_findings,
    get_findings,
    is_inside,
    read_listing,
    read_skill,
    result_findings,
    skill_changes,
)
from ...protocol.findings.findings import Finding, error, warning
from ...protocol.rpc import INVALID_PARAMS, RpcError
from ...sandbox.worker import WorkerStopped, run_limited
from ...transport.events import Answered, ConnectionClosed
from ...transport.greeting import describe
from ...transport.listing import list_all

ASK_SECONDS: Final = 10.0
TURNED_OFF: Final = "turn them on with --experimental skills"
THE_LIST: Final = "the list of skills"
_UNKNOWN: Final = "skill://signoff-no-such-skill/SKILL.md"
_FOLDERS: Final = 64
"""Folders of one skill that are listed."""
_PAGES: Final = 20
_SHOWN: Final = 200

_FAILURES: Final = frozenset(
    ("skill-digest-differs", "skill-size-differs", "skill-frontmatter-differs", "skill-unreadable")
)
"""What keeps a host from using a file ("Frontmatter Verification")."""

ReadResource = Callable[[str], Awaitable[Call]]
"""Reads one resource, as the policy allows; returns the ended call."""


def why_not(engine: Engine) -> str:
    """Why nothing is known of the server's skills, in words; empty if they can be listed."""
    if SKILLS not in engine.server.experimental:
        return TURNED_OFF
    missing = not_in_use(SKILLS, engine.server.capabilities)
    return "" if missing is None else missing.value


@frozen
class SkillFileRead:
    """A file that was read, or not."""

    uri: str
    data: bytes | None
    """None without a response."""
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    """None for a binary file."""

    @property
    def is_verified(self) -> bool:
        """True if nothing contradicts its entry."""
        codes = {one.code for one in self.findings}
        return self.data is not None and not codes & _FAILURES


@frozen
class SkillChecked:
    """One skill with its files, as far as they were read."""

    skill: Skill
    files: tuple[SkillFileRead, ...]
    findings: tuple[Finding, ...]
    """Of the entry and of all its files."""
    stopped_by: Call | None = None
    """The first read that was not approved."""
    runs: ServerFingerprint | None = None
    """The program that served them."""


class SkillReader:
    """Lists and checks the skills of one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.listing = SkillListing(())
        self.changes: tuple[SkillChange, ...] = ()
        """Since the last look."""
        self.old: dict[str, Skill] = {}
        """The skills of the last look, by URI."""
        self.texts: dict[str, str] = {}
        """The texts of files that were verified, now or at the last look, by digest."""
        self.runs: ServerFingerprint | None = None
        """The program that listed them; None if nothing but the server's identity is known."""
        self._of_results: list[Finding] = []
        """Findings on results of `skills/get` that were reported already."""

    async def look(self) -> SkillListing:
        """Fetch all pages of the list, and compare it with the last look."""
        answers: list[JsonValue] = []

        async def ask(method: str, params: dict[str, JsonValue], limit: float | None) -> Answered:
            answer = await self._engine.link.ask(method, params, limit)
            if isinstance(answer, dict):
                answers.append(answer)
            elif isinstance(answer, RpcError) and not answers:
                failed.append(answer)
            return answer

        failed: list[RpcError] = []
        found = await list_all(ask, LIST, "skills", "skills")
        findings: list[Finding] = [] if found is None else [*found.findings]
        if failed:
            words = f"{LIST} failed: {describe(failed[0])}"
            findings.append(error("skill-list-failed", words))
        if "resources" not in self._engine.server.capabilities:
            words = "skills are declared, and resources are not: no file of a skill can be read"
            findings.append(error("skill-list-failed", words))
        for answer in answers[:1]:
            assert isinstance(answer, dict)
            findings += result_findings(LIST, answer)
        entries = () if found is None else found.entries
        missing = "the connection was lost" if found is None else found.missing
        self.listing = read_listing(entries, findings, missing)
        self.runs = await self._engine.fingerprint() or self.runs
        self._end_changed(self.listing.skills)
        self._compare(entries, is_whole=not missing and not failed)
        return self.listing

    def _compare(self, entries: Sequence[JsonValue], *, is_whole: bool) -> None:
        seen = self._engine.memory.skills_seen()
        if seen is not None:
            before = tuple(map(read_skill, seen.entries))
            self.old = {one.uri: one for one in before}
            self.texts = {**seen.texts, **self.texts}
            if is_whole:
                self.changes = skill_changes(before, self.listing.skills)
        if is_whole:
            self.keep()

    def _end_changed(self, entries: Sequence[Skill]) -> None:
        """End the approvals of skills that have another content ("Content-bound approval")."""
        self._engine.memory.void_skills([(one.uri, skill_digest(one)) for one in entries])

    def keep(self) -> None:
        """Keep this look, with the texts that were read since."""
        listed = {file.digest for one in self.listing.skills for file in one.files}
        texts = {digest: text for digest, text in self.texts.items() if digest in listed}
        self._engine.memory.keep_skills([one.raw for one in self.listing.skills], texts)

    def list_findings(self) -> Iterator[LocatedFinding]:
        """The findings of the list, of the entries, and the changes."""
        yield from (LocatedFinding(THE_LIST, one) for one in self.listing.findings)
        for skill in self.listing.skills:
            for finding in (*skill.findings, *entry_findings(skill)):
                yield LocatedFinding(where(skill), finding)
        yield from self.change_findings()

    def change_findings(self) -> Iterator[LocatedFinding]:
        """One finding for each skill that changed since the last look."""
        for change in self.changes:
            words = f"{change.word} since the last look"
            if change.lines:
                words += ": " + ", ".join(change.lines[:8])
            subject = f"skill {shortened(change.uri, 100)}"
            yield LocatedFinding(subject, warning("skill-changed", words, change.uri))

    async def entry_of(self, uri: str) -> Skill | None:
        """The entry of a skill that is not listed ("Listing Skills": it may be served anyway)."""
        answer = await self._engine.link.ask(GET, {"uri": uri}, ASK_SECONDS)
        entry = answer.get("skill") if isinstance(answer, dict) else None
        if entry is None:
            return None
        skill = read_skill(entry)
        self._end_changed([skill])
        return skill

    async def unknown_findings(self) -> list[Finding]:
        """Ask for a skill that no server has: the response has to be -32602."""
        answer = await self._engine.link.ask(GET, {"uri": _UNKNOWN}, ASK_SECONDS)
        if isinstance(answer, RpcError) and answer.code == INVALID_PARAMS:
            return []
        told = "a result" if isinstance(answer, dict) else describe_any(answer)
        words = f"the response to {GET} for an unknown URI is {told}; expected is {INVALID_PARAMS}"
        return [error("skill-get-differs", words)]

    async def check(self, skill: Skill, read: ReadResource) -> SkillChecked:
        """Read every file of a skill, and compare all of it with its entry.

        The reads end with the first one that was not approved. A file outside of the skill's
        directory is not read.
        """
        found: list[Finding] = [*skill.findings, *entry_findings(skill)]
        found += await self._get_findings(skill)
        found += await self._directory_findings(skill)
        uris = [one.uri for one in skill.files[:FILES_MAX] if self._may_read(skill, one.uri)]
        if skill.uri not in uris and skill.uri:
            uris.insert(0, skill.uri)
        files: list[SkillFileRead] = []
        stopped = None
        for uri in dict.fromkeys(uris):
            call = await read(uri)
            file = await self.file_of(skill, uri, call)
            files.append(file)
            found += file.findings
            if call.outcome is Outcome.DENIED:
                stopped = call
                break
        runs = await self._engine.fingerprint()
        return SkillChecked(skill, tuple(files), tuple(dict.fromkeys(found)), stopped, runs)

    def _may_read(self, skill: Skill, uri: str) -> bool:
        return uri == skill.uri or is_inside(skill.root, uri)

    async def file_of(self, skill: Skill, uri: str, call: Call) -> SkillFileRead:
        """The file of an ended read, compared with its entry."""
        if call.outcome is Outcome.DENIED:
            words = "the read was not approved, so that it was not checked"
            return SkillFileRead(uri, None, (warning("skill-not-read", words, uri),))
        try:
            data = _bytes_of(call, uri)
        except ValueError as problem:
            return SkillFileRead(uri, None, (error("skill-unreadable", str(problem), uri),))
        found: list[Finding] = []
        entry = skill.file(uri)
        if entry is not None:
            found += entry.findings(data)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = None
        if uri == skill.uri:
            found += await _head_findings(skill, uri, text)
        if text is not None:
            engine = self._engine
            tools = {one.name for one in engine.tools} if not engine.definitions.missing else None
            found += text_findings(skill, uri, text, tools)
        file = SkillFileRead(uri, data, tuple(found), text)
        if entry is not None and text is not None and file.is_verified:
            self.texts[entry.digest] = text[:LOOKED_AT]
        return file

    async def _get_findings(self, skill: Skill) -> list[Finding]:
        if not skill.uri:
            return []
        answer = await self._engine.link.ask(GET, {"uri": skill.uri}, ASK_SECONDS)
        if not isinstance(answer, dict):
            words = f"{GET} fails for a listed skill: {describe_any(answer)}"
            return [error("skill-get-differs", words, skill.uri)]
        if isinstance(entry := answer.get("skill"), dict) and entry.get("uri") == skill.uri:
            self._end_changed([read_skill(entry)])
        found = [*get_findings(skill, answer)]
        # What each result lacks is one fault of the server, not one of each skill.
        for one in result_findings(GET, answer):
            if one not in self._of_results:
                self._of_results.append(one)
                found.append(one)
        return found

    async def _directory_findings(self, skill: Skill) -> list[Finding]:
        """Files in its directories that the entry does not list; nothing without the setting."""
        if not setting(SKILLS, "directoryRead", self._engine.server.capabilities):
            return []
        listed = {one.uri for one in skill.files}
        waiting, more = [skill.root], []
        for _ in range(_FOLDERS):
            if not waiting:
                break
            for uri, is_folder in await self._children(waiting.pop()):
                if is_folder and is_inside(skill.root, uri):
                    waiting.append(uri)
                elif uri not in listed:
                    more.append(uri)
        if skill.is_dynamic or not more:
            return []
        listed_there = some_named(more, 1, lambda one: shortened(one, _SHOWN))
        words = f"{DIRECTORY} has files that the entry does not list: {listed_there}"
        return [warning("skill-directory-differs", words, skill.uri)]

    async def _children(self, uri: str) -> list[tuple[str, bool]]:
        found: list[tuple[str, bool]] = []
        params: dict[str, JsonValue] = {"uri": uri}
        for _ in range(_PAGES):
            answer = await self._engine.link.ask(DIRECTORY, params, ASK_SECONDS)
            children = answer.get("resources") if isinstance(answer, dict) else None
            for one in (children if isinstance(children, list) else [])[:FILES_MAX]:
                child = one.get("uri") if isinstance(one, dict) else None
                if isinstance(one, dict) and isinstance(child, str):
                    found.append((child, one.get("mimeType") == "inode/directory"))
            cursor = answer.get("nextCursor") if isinstance(answer, dict) else None
            if not isinstance(cursor, str):
                break
            params = {"uri": uri, "cursor": cursor}
        return found


def where(skill: Skill) -> str:
    """A skill as the subject of a finding, safe to show: `skill refunds`, or its URI."""
    return f"skill {shortened(skill.name or skill.uri or '(no name)', 100)}"


def describe_any(answer: Answered) -> str:
    """What came in place of a result, in words."""
    if isinstance(answer, dict):
        return "a result"
    if isinstance(answer, ConnectionClosed):
        return "the connection was lost"
    return shortened(describe(answer), _SHOWN)


async def _head_findings(skill: Skill, uri: str, text: str | None) -> list[Finding]:
    """Findings on the frontmatter of a `SKILL.md`; YAML is read in the worker."""
    if text is None:
        return [error("skill-unreadable", f"{MAIN} is not UTF-8", uri)]
    try:
        found, old = await run_limited(_both_readings, split(text)[0])
    except (FrontmatterError, WorkerStopped) as problem:
        return [error("skill-unreadable", shortened(str(problem), _SHOWN), uri)]
    findings = [*frontmatter_findings(skill, found)]
    if findings and not any(frontmatter_findings(skill, old)):
        words = "the entry has the reading of YAML 1.1, in which a plain yes is true; quote it"
        return [warning("skill-yaml-version", words, findings[0].path)]
    return findings


def _both_readings(text: str) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """A frontmatter as YAML 1.2 and as YAML 1.1 have it."""
    return read_frontmatter(text), read_frontmatter(text, is_old=True)


def _bytes_of(call: Call, uri: str) -> bytes:
    """The bytes of the one content of a read. Raises ValueError with words that are safe."""
    raw = call.raw if isinstance(call.raw, dict) and call.outcome is Outcome.OK else None
    contents = raw.get("contents") if raw is not None else None
    if not isinstance(contents, list):
        raise ValueError(f"it cannot be read: {shortened(call.status, _SHOWN)}")
    own = [one for one in contents if isinstance(one, dict) and one.get("uri") == uri]
    if len(contents) != 1 or len(own) != 1:
        raise ValueError(f"the response has {len(contents):,} contents, and {len(own):,} of it")
    text, blob = own[0].get("text"), own[0].get("blob")
    try:
        if isinstance(text, str) and blob is None:
            return text.encode("utf-8")
        if isinstance(blob, str) and text is None:
            return b64decode(blob, validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise ValueError("its content is neither a text nor base64") from None
    raise ValueError("the response has neither one text nor one blob")
