"""The store: everything Signoff remembers between runs, in one file."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from types import TracebackType

from .arguments import ArgumentBook
from .database import FILE_NAME, Database, move_aside, open_database
from .fault_log import note_fault
from .grants import GrantBook
from .history import HistoryBook
from .keys import value_key
from .skills import SkillBook
from .starts import RecentBook, Sessions, StartBook
from .state_dir import StoreError, state_folder

__all__ = ["Store", "StoreError", "reset"]

SESSIONS = "sessions"


class Store:
    """Remembered approvals, the history of definitions and of arguments; usable from any thread.

    While `problem` is not empty nothing is remembered: everything is as in an empty store.
    """

    def __init__(self, database: Database, sessions: Sessions) -> None:
        self._database = database
        self._sessions = sessions
        self.grants = GrantBook(database, sessions)
        self.history = HistoryBook(database)
        self.arguments = ArgumentBook(database)
        self.starts = StartBook(database)
        self.recents = RecentBook(database)
        self.skills = SkillBook(database)

    @classmethod
    def open(cls, path: Path | None = None, now: float | None = None) -> Store:
        """Open the store in the folder `path`, by default the platform's state folder.

        Never raises. `now` is the time by which approvals have expired, seconds since the epoch.
        """
        folder = path
        try:
            folder = state_folder() if path is None else path
            store = cls(open_database(folder), Sessions(folder / SESSIONS))
            try:
                store.grants.sweep(time.time() if now is None else now)
                store._database.settle()
            except BaseException:
                store.close()
                raise
        except StoreError as problem:
            words = str(problem)
        except Exception as problem:  # whatever is wrong with it, Signoff starts without
            fault = note_fault(problem, "while it opened the store")
            words = f"the store cannot be opened: {fault}"
        else:
            return store
        place = folder or Path()
        return cls(Database(place / FILE_NAME, None, words), Sessions(place / SESSIONS))

    @property
    def problem(self) -> str:
        """Reason why nothing can be remembered, in words that are safe to show; '' if all is
        well.
        """
        return self._database.problem

    @property
    def mark(self) -> object:
        """A value that changes with the stored data, also by other programs; cheap."""
        try:
            return self._database.mark
        except StoreError as problem:
            return str(problem)

    @property
    def path(self) -> Path:
        """The file, for people."""
        return self._database.path

    def value_key(self) -> bytes:
        """The key of the keyed digests that approvals hold. Raises StoreError."""
        return value_key(self.path.parent)

    def close(self) -> None:
        """End the sessions that were given approvals here, and close the file."""
        for session in self._sessions.held:
            with contextlib.suppress(StoreError):
                self.grants.end_session(session)
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def reset(path: Path | None = None, now: float | None = None) -> Path | None:
    """Move the store in the folder `path` aside; returns its new path, None without a store.

    Raises StoreError. A Signoff that is using it remembers nothing from then on.
    """
    folder = state_folder() if path is None else path
    return move_aside(folder, time.time() if now is None else now)
