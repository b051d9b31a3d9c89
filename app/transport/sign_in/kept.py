"""The store of sign-ins beside the event loop: it blocks, for seconds if a keyring is slow."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from ...storage.sign_ins import SignInStore, StoreBusy, StoredSignIn
from ...storage.state_dir import StoreError

NOTHING_KEPT = "in memory alone, until Signoff ends (--no-memory)"


class KeptSignIns:
    """The sign-ins at one server; without a store nothing is kept."""

    def __init__(self, store: SignInStore | None, url: str, note: Callable[[str], None]) -> None:
        self._store = store
        self._url = url
        self._note = note

    async def read(self, issuer: str = "") -> StoredSignIn | None:
        """The newest one. Raises StoreError."""
        if self._store is None:
            return None
        return await asyncio.to_thread(self._store.read, self._url, issuer)

    async def write(self, entry: StoredSignIn) -> bool:
        """Keep one; False if nothing is kept. Raises StoreError."""
        if self._store is None:
            return False
        await asyncio.to_thread(self._store.write, entry)
        return True

    async def place(self) -> str:
        """Where one would be kept, in words."""
        if self._store is None:
            return NOTHING_KEPT
        try:
            return await asyncio.to_thread(self._store.place)
        except StoreError as problem:
            return f"in memory alone: {problem}"

    @contextlib.asynccontextmanager
    async def locked(self, issuer: str) -> AsyncIterator[None]:
        """Hold the lock of all processes, if there can be one here. Raises StoreBusy."""
        if self._store is None:
            yield
            return
        lock = self._store.locked(self._url, issuer)
        is_held = True
        try:
            await asyncio.to_thread(lock.__enter__)
        except StoreBusy:
            raise
        except StoreError as problem:
            is_held = False
            self._note(f"sign-in: no lock: {problem}")
        try:
            yield
        finally:
            if is_held:
                await asyncio.to_thread(lock.__exit__, None, None, None)
