"""Remembers approvals, denials and listed definitions of one server.

Without a store, or with a damaged one, nothing of earlier runs is remembered and nothing is kept.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ..approval.fingerprint import ServerFingerprint
from ..approval.grants import Approvable, Grant, Lapsed, Remember, new_grant
from ..approval.snapshot import Snapshot
from ..content.json.jsonio import JsonError, JsonValue, canonical
from ..content.labels import stamp
from ..protocol.definitions.changes import DefinitionDiff, ListDiff, compare_definitions
from ..protocol.definitions.lists import DefinitionStatus, Past, compare_lists
from ..protocol.extensions.skills import Skill
from ..protocol.findings.findings import Finding, warning
from ..protocol.requests import SILENT_BY_METHOD, Request
from ..protocol.tool import ToolDefinition
from ..storage.skills import ApprovedSkill, SkillsSeen
from ..storage.store import Store, StoreError
from .past_arguments import PastArguments

LIST_MAX = 32_000_000
"""Characters of a list of tools that is kept."""

Clock = Callable[[], float]
T = TypeVar("T")


class Memory:
    """One run of Signoff on one server. Every method may be called from any thread."""

    def __init__(
        self,
        identity: str,
        name: str,
        open_store: Callable[[], Store] | None = None,
        clock: Clock = time.time,
        *,
        keeps_arguments: bool = True,
    ) -> None:
        """`open_store` opens the store of earlier runs; it is called once, when needed."""
        self.session = secrets.token_hex(8)
        self.clock = clock
        self.on_problem: Callable[[Finding], None] = lambda finding: None
        self.on_voided: Callable[[Sequence[Grant], str], None] = lambda grants, why: None
        """Called with remembered approvals that ended, and the reason in words; from any thread."""
        self._identity = identity
        self._name = name
        self._open_store = open_store
        self._opened: Store | None = None
        self._opening = threading.Lock()
        self._approved: dict[tuple[str, str], ServerFingerprint | None] = {}
        """Exact name and digest of the definition; what ran when it was approved last."""
        self._key = secrets.token_bytes(32)
        self._denied: set[tuple[str, str]] = set()
        """Method and exact name."""
        self._ended: set[str] = set()
        self._entries: tuple[JsonValue, ...] | None = None
        self._base: tuple[JsonValue, ...] | None = None
        """The list that changes are counted from: the first one, or one that was accepted."""
        self._base_at = 0.0
        self.pending = ListDiff()
        """The changes since that list."""
        self._noting = threading.Lock()
        self._before: dict[str, Past] = {}
        """The definitions of that list that changed."""
        self._seen: dict[str, DefinitionStatus] = {}
        self.is_known = False
        """Whether the server was listed in an earlier run."""
        self.arguments = PastArguments(
            identity,
            lambda: self._store,
            lambda: self.clock(),
            lambda words: self.on_problem(warning("arguments-not-kept", words)),
            keeps=keeps_arguments,
        )
        """What the tools were called with before."""

    @property
    def _store(self) -> Store | None:
        with self._opening:
            if self._opened is not None or self._open_store is None:
                return self._opened
            store = self._opened = self._open_store()
        if store.problem:
            # Before anything is decided: what was remembered does not count now.
            words = f"nothing is remembered: {store.problem}"
            self.on_problem(warning("store-unusable", words))
        return store

    def value_key(self) -> tuple[bytes, str]:
        """The key of keyed digests, and why no later run will have it; empty if it will."""
        store = self._store
        if store is None or store.problem:
            return self._key, ""
        try:
            return store.value_key(), ""
        except StoreError as problem:
            return self._key, str(problem)

    # Definitions

    def take_list(self, tools: Sequence[ToolDefinition], *, is_whole: bool = True) -> ListDiff:
        """Compare a list with the previous one, keep it, and void approvals of changed tools.

        At the first contact with a server the difference is empty. A list that is not whole is not
        kept, and what it lacks is taken for unchanged.
        """
        entries = tuple(tool.raw for tool in tools)
        now = self.clock()
        before, at = self._entries, now
        if before is None:
            before, at = self._stored_list(tools)
            self.is_known = before is not None
        if not is_whole:
            came = {tool.name for tool in tools}
            entries += tuple(raw for raw in before or () if _name(raw) not in came)
        diff = ListDiff() if before is None else compare_lists(before, entries)
        # Not before they were compared: what was not compared is not known to be the same.
        with self._noting:
            if self._base is None:
                self._base, self._base_at = (entries, now) if before is None else (before, at)
            self._entries = entries
            self._note(diff if before is self._base else compare_lists(self._base, entries))
        if is_whole:
            self._guarded(lambda: self._keep(tools, now), None)
        return diff

    def _note(self, pending: ListDiff) -> None:
        self.pending = pending
        self._seen = dict.fromkeys(pending.added, DefinitionStatus.NEW)
        self._seen |= {one.tool: DefinitionStatus.CHANGED for one in pending.changed}
        self._before = {
            one.tool: Past(one.tool, one.old_digest, self.earlier(one.tool), self._base_at)
            for one in pending.changed
        }

    def earlier(self, name: str) -> JsonValue:
        """Return the definition of a tool in the list that changes are counted from."""
        return next((raw for raw in self._base or () if _name(raw) == name), None)

    def accept(self, shown: ListDiff) -> bool:
        """Count changes from the newest list on; False if there are others than `shown`.

        Remembered approvals that the changes have ended stay ended.
        """
        with self._noting:
            if shown is not self.pending:
                return False
            self._base, self._base_at = self._entries, self.clock()
            self._note(ListDiff())
            return True

    def seen(self, tool: ToolDefinition) -> DefinitionStatus:
        """Compare the definition with the listed one, or one approved since."""
        if self._entries is None:
            return DefinitionStatus.UNKNOWN
        known = self._seen.get(tool.name)
        if known is not None and (tool.name, tool.digest) not in self._approved:
            return known
        return (
            DefinitionStatus.SAME if self.is_known or known is not None else DefinitionStatus.FIRST
        )

    def knows_earlier(self, tool: ToolDefinition) -> bool:
        """True if `diff` may have a difference to show, which can take it a while."""
        store, approved = self._store, None
        if store is not None:
            book, identity = store.history, self._identity
            approved = self._guarded(lambda: book.digest_approved(identity, tool.name), None)
        if approved is not None:
            return approved != tool.digest
        return tool.name in self._before and (tool.name, tool.digest) not in self._approved

    def changes_since_approval(self, tool: ToolDefinition) -> tuple[DefinitionDiff | None, str]:
        """Return the changes since the last approval, or else the last list, and since when."""
        past, verb = self._last_approved(tool.name), "approved"
        if past is None:
            if (tool.name, tool.digest) in self._approved:
                return None, ""
            past, verb = self._before.get(tool.name), "listed"
        if past is None or past.digest == tool.digest:
            return None, ""
        return compare_definitions(past.raw, tool.raw), f"{verb} on {stamp(past.at)}"

    def versions(self, tool: ToolDefinition) -> tuple[Past, ...]:
        """The definitions under which this name was listed, newest first."""
        store = self._store
        if store is None:
            return ()
        return self._guarded(lambda: store.history.versions(self._identity, tool.name), ())

    def skills_seen(self) -> SkillsSeen | None:
        """The skills that the server listed at the last look; None before the first one."""
        store = self._store
        if store is None:
            return None
        return self._guarded(lambda: store.skills.last(self._identity), None)

    def keep_skills(self, entries: Sequence[JsonValue], texts: Mapping[str, str]) -> None:
        """Keep a look at the skills: their entries, and the texts of files by digest."""
        store, now = self._store, self.clock()
        if store is not None:
            book, identity = store.skills, self._identity
            self._guarded(lambda: book.record(identity, entries, texts, now), None)

    def skills_approved(self) -> dict[str, ApprovedSkill]:
        """The skills of the server as they were approved last, by URI; the approval of one may
        have ended since.
        """
        store = self._store
        if store is None:
            return {}
        return self._guarded(lambda: store.skills.last_approved(self._identity), {})

    def keep_approved_skill(self, skill: Skill, texts: Mapping[str, str]) -> bool:
        """Keep a skill as it is approved now; False if the store cannot."""
        store, now = self._store, self.clock()
        if store is None:
            return False

        def keep() -> bool:
            store.skills.approved(self._identity, skill, texts, now)
            return True

        return self._guarded(keep, False)

    def void_skills(self, listed: Sequence[tuple[str, str]]) -> None:
        """End the approvals of listed skills (URI, digest) with another content."""
        store = self._store
        if store is None:
            return
        book, identity = store.grants, self._identity
        voided: tuple[Grant, ...] = self._guarded(
            lambda: book.void_against(identity, listed, of_skills=True), ()
        )
        if voided:
            self.on_voided(voided, "the skills changed")

    # Approvals

    @property
    def problem(self) -> str:
        """Reason why nothing can be remembered; empty if there is none."""
        store = self._store
        if store is None:
            return "this run stores nothing"
        return store.problem or self._guarded(lambda: store.grants.clock_words(self.clock()), "")

    def grant_for(self, snapshot: Approvable) -> Grant | None:
        """A remembered approval that covers exactly this call, or this skill."""
        store, now = self._store, self.clock()
        if store is None:
            return None
        found = self._guarded(lambda: store.grants.find(snapshot, self.session, now), None)
        return found if found is not None and found.covers(snapshot, self.session, now) else None

    def use(self, grant: Grant) -> bool:
        """Count one use; False if the grant was revoked or has expired since."""
        store = self._store
        if store is None:
            return False
        return self._guarded(lambda: store.grants.use(grant.id, self.session, self.clock()), False)

    def lapsed(self, snapshot: Snapshot) -> Lapsed | None:
        """The approval of a call like this that does not count, since something else runs now."""
        store, now = self._store, self.clock()
        grant = None
        if store is not None:
            session = self.session
            grant = self._guarded(lambda: store.grants.find_lapsed(snapshot, session, now), None)
        if grant is not None:
            return Lapsed(grant.runs, was_remembered=True)
        key = (snapshot.tool, snapshot.definition_digest)
        if key in self._approved and self._approved[key] != snapshot.runs:
            return Lapsed(self._approved[key], was_remembered=False)
        return None

    def approved(self, request: Request, runs: ServerFingerprint | None) -> None:
        """It was approved under this very definition, while `runs` ran as the server."""
        self._approved[request.name, request.definition.digest] = runs
        store, tool = self._store, request.tool
        if store is not None and tool is not None:
            self._guarded(
                lambda: store.history.approved(
                    self._identity, tool.name, tool.digest, self.clock()
                ),
                False,
            )

    def approved_before(self, request: Request, runs: ServerFingerprint | None) -> bool:
        """True if it was approved in this session: same definition, same program."""
        key = (request.name, request.definition.digest)
        return key in self._approved and self._approved[key] == runs

    def remember(self, snapshot: Approvable, remember: Remember) -> Grant | None:
        """Keep an approval; None if nothing is to be kept, or could be."""
        grant = new_grant(snapshot, self._name, remember, self.session, self.clock())
        store = self._store
        if grant is None or store is None:
            return None
        return self._guarded(lambda: store.grants.give(grant), None)

    def deny_for_session(self, request: Request) -> None:
        self._denied.add((request.method, request.name))

    def is_denied(self, request: Request) -> bool:
        return (request.method, request.name) in self._denied

    def grants(self) -> tuple[Grant, ...]:
        """All that are current, of every server."""
        store = self._store
        if store is None:
            return ()
        return self._guarded(lambda: store.grants.all(self.clock()), ())

    @property
    def mark(self) -> object:
        """Another one once other approvals or denials may be remembered, by whichever Signoff."""
        store = self._store
        return self.denied, self.ended, None if store is None else store.mark

    def revoke(self, grant_id: int) -> bool:
        store = self._store
        return store is not None and self._guarded(lambda: store.grants.revoke(grant_id), False)

    def revoke_all(self) -> int:
        """Revoke every remembered approval, and take back the denials of this session."""
        self._denied.clear()
        store = self._store
        return 0 if store is None else self._guarded(store.grants.clear, 0)

    @property
    def denied(self) -> tuple[str, ...]:
        """Exact names of the tools that are denied for this session; `resources/read` for reads,
        and `prompts/get`."""
        return tuple(sorted({name for _, name in self._denied}))

    @property
    def ended(self) -> tuple[str, ...]:
        """Exact names of the tools whose approvals a changed definition ended in this session."""
        return tuple(sorted(self._ended))

    def allow_again(self, name: str) -> None:
        """Take back a denial for this session."""
        self._denied = {one for one in self._denied if one[1] != name}

    def close(self) -> None:
        """Forget the approvals of this session and close the store."""
        self.arguments.close()
        store = self._opened
        if store is not None:
            self._guarded(lambda: store.grants.end_session(self.session), 0)
            store.close()

    def _stored_list(
        self, tools: Sequence[ToolDefinition]
    ) -> tuple[tuple[JsonValue, ...] | None, float]:
        """Return the list of the last run and its time; None if there is none."""
        store = self._store
        if store is None:
            return None, 0.0
        listed = self._guarded(lambda: store.history.last_list(self._identity), None)
        if listed is None:
            return None, 0.0
        if [(one.tool, one.digest) for one in listed] == [(one.name, one.digest) for one in tools]:
            # Reading back thousands of definitions to find that they are the same takes a while.
            return tuple(tool.raw for tool in tools), self.clock()
        past = self._guarded(lambda: store.history.definitions(self._identity), None)
        if past is None:
            return None, 0.0
        return tuple(one.raw for one in past), max((one.at for one in past), default=0.0)

    def _last_approved(self, name: str) -> Past | None:
        store = self._store
        if store is None:
            return None
        return self._guarded(lambda: store.history.last_approved(self._identity, name), None)

    def _keep(self, tools: Sequence[ToolDefinition], now: float) -> None:
        """Void the approvals that the list has changed, then keep it. Raises StoreError."""
        store = self._store
        if store is None:
            return
        entries = [(tool.name, tool.digest, tool.raw) for tool in tools]
        size = sum(len(canonical(tool.raw)) for tool in tools)
        listed = [entry[:2] for entry in entries]
        # A tool with the name of a method is another thing than the method.
        listed += [(method, one.digest) for method, one in SILENT_BY_METHOD.items()]
        voided = store.grants.void_against(self._identity, listed)
        if voided:
            self._ended.update(grant.tool for grant in voided)
            self.on_voided(voided, "their definitions changed")
        if size > LIST_MAX:
            # One server may not push the definitions of all others out of the store.
            raise StoreError(f"the list of tools is too large to be kept ({size:,} characters)")
        store.history.record(self._identity, self._name, entries, now)

    def _guarded(self, action: Callable[[], T], otherwise: T) -> T:
        """Run an action of the store; on failure give notice and return `otherwise`."""
        try:
            return action()
        except (StoreError, JsonError, ValueError) as problem:
            words = f"the remembered data cannot be used: {problem}"
            self.on_problem(warning("store-failed", words))
            return otherwise


def _name(raw: JsonValue) -> JsonValue:
    return raw.get("name") if isinstance(raw, dict) else None
