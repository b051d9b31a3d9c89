"""Keyrings of the library `keyring`, each with a way of its own to fail."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringError, KeyringLocked, PasswordDeleteError


class InMemory(KeyringBackend):
    """Keeps texts as long as it lives."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.texts: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.texts.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.texts[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.texts.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


class Plaintext(InMemory):
    """By its name one that everybody can read."""


class NotRecommended(InMemory):
    """One that the library uses only if there is nothing else."""

    priority = 0.5


class Small(InMemory):
    """Cuts what is longer than 2,500 characters, and says nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        super().set_password(service, username, password[:2_500])


class Strict(InMemory):
    """Refuses what is longer than 1,280 characters, as one of Windows does."""

    def set_password(self, service: str, username: str, password: str) -> None:
        if len(password) > 1_280:
            raise KeyringError(f"not stored: {password}")
        super().set_password(service, username, password)


class Forgetful(InMemory):
    """Takes everything and has nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        pass


class Locked(InMemory):
    """Raises at each request while it is locked."""

    is_locked = True

    def get_password(self, service: str, username: str) -> str | None:
        if self.is_locked:
            raise KeyringLocked("locked")
        return super().get_password(service, username)


class Hanging(InMemory):
    """Answers nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.go.wait()
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.go.wait()
        super().set_password(service, username, password)


class InFolder(KeyringBackend):
    """Keeps texts in the folder KEYRING_FOLDER, for several processes."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        try:
            return self._path(username).read_text("ascii")
        except FileNotFoundError:
            return None

    def set_password(self, service: str, username: str, password: str) -> None:
        path = self._path(username)
        made = path.with_name(f"{path.name}-{os.getpid()}")
        made.write_text(password, "ascii")
        made.replace(path)

    def delete_password(self, service: str, username: str) -> None:
        try:
            self._path(username).unlink()
        except FileNotFoundError:
            raise PasswordDeleteError(username) from None

    def _path(self, username: str) -> Path:
        return Path(os.environ["KEYRING_FOLDER"]) / username
