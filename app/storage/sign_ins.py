"""Sign-ins at servers: what a person's sign-in in a browser led to, kept between runs.

All calls block, for seconds if a keyring or another Signoff is slow.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..content.frozen import frozen
from ..platforms import keyrings
from ..platforms.keyrings import KeyringProblem
from .sign_in_files import (
    AGAIN,
    SLOTS,
    Kept,
    NewerFile,
    account_of,
    check_resource,
    file_bytes,
    files_in,
    lock_of,
    name_of,
    path_of,
    read_kept,
    remove_file,
    tidy,
    tokens_text,
    write_whole,
)
from .sign_in_files import ClientIdentity as ClientIdentity
from .sign_in_files import StoreBusy as StoreBusy
from .sign_in_files import StoredSignIn as StoredSignIn
from .state_dir import StoreError, private_folder, shown, state_folder

FOLDER: Final = "sign-ins"
SECONDS: Final = 10.0
"""How long another Signoff is waited for."""
ALONE: Final = "readable by you alone"
_LOCK: Final = ".lock"
_WRITERS: Final = "writers.lock"
_TRIES: Final = 3


@frozen
class Removed:
    """What was removed."""

    entries: tuple[StoredSignIn, ...] = ()
    """With their tokens, as far as those could be read."""
    places: tuple[str, ...] = ()
    """Where each of them was stored, in words."""
    unread: tuple[str, ...] = ()
    """Files that could not be used, and were removed; safe to show."""
    problems: tuple[str, ...] = ()


class SignInStore:
    """Sign-ins, each bound to a server and an authorization server; usable from any thread."""

    def __init__(self, folder: Path | None = None, keyring: bool = True) -> None:
        """`folder` is the one in the state folder by default; without `keyring` none is asked."""
        self._given = folder
        self._keyring = keyring
        self._held: Counter[str] = Counter()
        self._guard = threading.Lock()

    @property
    def folder(self) -> Path:
        """The folder of the files; it may not exist yet. Raises StoreError."""
        return self._given if self._given is not None else state_folder() / FOLDER

    def read(self, resource: str, issuer: str = "") -> StoredSignIn | None:
        """The sign-in at a server, of several issuers the one that was written last.

        Raises StoreError if there is one that cannot be read or must not be used.
        """
        if not self._is_there():
            return None
        for _ in range(_TRIES):
            kept = self._newest(resource, issuer)
            if kept is None:
                return None
            found = self._filled(kept)
            if found is not None:
                return found
        # A writer was between the keyring and the file each time, or they do not match.
        with self._writing():
            kept = self._newest(resource, issuer)
            found = self._filled(kept) if kept is not None else None
        if kept is not None and found is None:
            words = f"the keyring does not have the tokens of {shown(resource)} that were stored"
            raise StoreError(f"{words}: {AGAIN}")
        return found

    def write(self, entry: StoredSignIn) -> str:
        """Store a sign-in instead of the one of the same server and issuer; returns where.

        Raises StoreError.
        """
        check_resource(entry.resource)
        folder = self._made()
        name = name_of(entry.resource, entry.issuer)
        path = path_of(folder, name)
        with self._writing():
            tidy(folder)
            before, order = self._before(path, entry.resource)
            data = file_bytes(entry, order)
            slot, place, problem = self._into_keyring(name, entry, before)
            try:
                write_whole(path, file_bytes(entry, order, slot, place) if slot else data)
            except StoreError:
                self._clear(name, (slot,) if slot else ())
                raise
            if slot or (before is not None and before.slot):
                self._clear(name, [one for one in SLOTS if one != slot])
        rest = f"in {shown(path)}, {ALONE}"
        if slot:
            return f"in the keyring ({place}); all but the tokens {rest}"
        return f"{rest} ({problem})" if problem else rest

    def forget(self, resource: str, issuer: str = "") -> tuple[StoredSignIn, ...]:
        """Remove the sign-ins at a server; returns them. Raises StoreError.

        It waits for the lock of each, unless this store holds it itself: within `locked` it can be
        called, and another thread with the same store is not waited for.
        """
        removed = self.remove(resource, issuer)
        if removed.problems:
            raise StoreError(removed.problems[0])
        return removed.entries

    def remove(self, resource: str | None, issuer: str = "") -> Removed:
        """Remove the sign-ins at a server, or all, as far as possible. Raises StoreError if the
        folder cannot be used.
        """
        if not self._is_there():
            return Removed()
        entries: list[StoredSignIn] = []
        places: list[str] = []
        unread: list[str] = []
        problems: list[str] = []
        for path in self._paths(resource, issuer):
            try:
                kept, is_there, problem = self._remove(path)
            except StoreError as failed:
                problems.append(str(failed))
                continue
            problems += [problem] if problem else []
            if kept is not None:
                entries.append(kept.entry)
                places.append(self.place_of(kept))
            elif is_there:
                unread.append(shown(path))
        return Removed(tuple(entries), tuple(places), tuple(unread), tuple(problems))

    def all(self) -> tuple[StoredSignIn, ...]:
        """All that can be read, with their tokens. Raises StoreError if the folder cannot be
        used.
        """
        found = []
        for kept in self.listed()[0]:
            with contextlib.suppress(StoreError):
                found.append(self.read(kept.entry.resource, kept.entry.issuer))
        return tuple(one for one in found if one is not None)

    def listed(self) -> tuple[tuple[Kept, ...], tuple[str, ...]]:
        """All sign-ins without asking a keyring, and the problems of those that cannot be read.

        Raises StoreError if the folder cannot be used.
        """
        if not self._is_there():
            return (), ()
        found, problems = [], []
        for path in files_in(self.folder):
            try:
                kept = read_kept(path)
            except StoreError as problem:
                problems.append(str(problem))
                continue
            found += [kept] if kept is not None else []
        found.sort(key=lambda one: (one.entry.resource, -one.order))
        return tuple(found), tuple(problems)

    def place(self) -> str:
        """Where a new sign-in would be stored, in words. Raises StoreError."""
        name, problem = self._usable()
        where = f"in {shown(self.folder)}, {ALONE}"
        if name and not problem:
            return f"in the keyring ({name}); all but the tokens {where}"
        return f"{where} ({problem})" if problem else where

    def place_of(self, kept: Kept) -> str:
        """Where the tokens of a sign-in are, in words."""
        if kept.slot:
            return f"in the keyring ({shown(kept.keyring)})"
        return f"in {shown(kept.path)}, {ALONE}"

    @contextmanager
    def locked(self, resource: str, issuer: str, seconds: float = SECONDS) -> Iterator[None]:
        """Hold the lock of a server and issuer, of all processes; read again once it is held.

        Raises StoreBusy if another one holds it for so long, and StoreError.
        """
        name = name_of(resource, issuer)
        with self._lock(self._made(), name, f"signing in to {shown(resource)}", seconds):
            with self._guard:
                self._held[name] += 1
            try:
                yield
            finally:
                with self._guard:
                    self._held[name] -= 1

    def _lock(
        self, folder: Path, name: str, doing: str, seconds: float
    ) -> contextlib.AbstractContextManager[None]:
        busy = f"another Signoff is {doing}, for more than {seconds:g} s: try again later"
        return lock_of(folder / f"{name}{_LOCK}", seconds, busy)

    def _writing(self) -> contextlib.AbstractContextManager[None]:
        """The lock of all that write files, which is never held for long."""
        busy = f"another Signoff is writing to {shown(self.folder)}: try again later"
        return lock_of(self._made() / _WRITERS, SECONDS, busy)

    def _is_there(self) -> bool:
        """Whether there is a folder; it is checked. Raises StoreError."""
        if not self.folder.exists():
            return False
        self._made()
        return True

    def _made(self) -> Path:
        """The folder, made if there is none. Raises StoreError."""
        if self._given is None:
            private_folder(state_folder())
        private_folder(self.folder)
        return self.folder

    def _paths(self, resource: str | None, issuer: str) -> list[Path]:
        return files_in(self.folder, resource, issuer)

    def _newest(self, resource: str, issuer: str) -> Kept | None:
        found = [read_kept(path) for path in self._paths(resource, issuer)]
        return max((one for one in found if one), key=lambda one: one.order, default=None)

    def _before(self, path: Path, resource: str) -> tuple[Kept | None, int]:
        """The sign-in that is replaced, and the order of the new one. Raises NewerFile."""
        before, order = None, 0
        for one in files_in(self.folder, resource):
            try:
                kept = read_kept(one)
            except NewerFile:
                if one == path:
                    raise
                continue
            except StoreError:
                # A new sign-in replaces a damaged one.
                continue
            if kept is not None:
                order = max(order, kept.order)
                before = kept if one == path else before
        return before, order + 1

    def _filled(self, kept: Kept) -> StoredSignIn | None:
        """The sign-in with its tokens; None if the keyring has none, or others.

        Raises StoreError.
        """
        if not kept.slot:
            return kept.entry
        if not self._keyring:
            raise StoreError("the tokens are in the keyring, which is not used here")
        try:
            text = keyrings.get(account_of(kept.path.stem, kept.slot))
        except KeyringProblem as problem:
            where = f"the tokens of {shown(kept.entry.resource)} are in the keyring"
            raise StoreError(f"{where}, and {problem}") from None
        return kept.with_tokens(text) if text is not None else None

    def _usable(self) -> tuple[str, str]:
        """The name of the keyring, and why it is not used, in words."""
        if not self._keyring:
            return "", ""
        name, problem = keyrings.check()
        return shown(name), f"not in a keyring: {problem}" if problem else ""

    def _into_keyring(
        self, name: str, entry: StoredSignIn, before: Kept | None
    ) -> tuple[str, str, str]:
        """Put the tokens into the keyring; the slot, its name, and why they are not there."""
        place, problem = self._usable()
        if problem or not self._keyring:
            return "", place, problem
        slot = SLOTS[1] if before is not None and before.slot == SLOTS[0] else SLOTS[0]
        try:
            keyrings.put(account_of(name, slot), tokens_text(entry))
        except KeyringProblem as failed:
            self._clear(name, (slot,))
            return "", place, f"not in the keyring ({place}): {failed}"
        return slot, place, ""

    def _clear(self, name: str, slots: Sequence[str]) -> str:
        """Remove accounts in the keyring; returns the account that is left, and why."""
        left = ""
        for slot in slots:
            try:
                keyrings.remove(account_of(name, slot))
            except KeyringProblem as problem:
                left = f"{keyrings.SERVICE} / {account_of(name, slot)}: {problem}"
        return left

    def _remove(self, path: Path) -> tuple[Kept | None, bool, str]:
        """Remove one sign-in: it with its tokens if they can be read, whether there was one, and
        the rest of it, in words. Raises StoreError.
        """
        name = path.stem
        with contextlib.ExitStack() as locks:
            with self._guard:
                is_held = self._held[name] > 0
            if not is_held:
                lock = self._lock(self.folder, name, "using this sign-in", SECONDS)
                locks.enter_context(lock)
            locks.enter_context(self._writing())
            kept, is_damaged = None, False
            try:
                kept = read_kept(path)
            except NewerFile:
                raise
            except StoreError:
                is_damaged = True
            if kept is not None:
                with contextlib.suppress(StoreError):
                    kept = replace(kept, entry=self._filled(kept) or kept.entry)
            is_there = kept is not None or is_damaged
            left = self._clear_all(name, kept) if is_there else ""
            remove_file(path)
        return kept, is_there, left

    def _clear_all(self, name: str, kept: Kept | None) -> str:
        """Remove what a keyring can have of a sign-in; returns the rest of it, in words."""
        if not self._keyring:
            return "the tokens in the keyring are left there" if kept and kept.slot else ""
        place, problem = self._usable()
        if problem and not (kept.slot if kept is not None else place):
            return ""
        left = self._clear(name, SLOTS)
        return f"an entry of the keyring could not be removed ({left})" if left else ""
