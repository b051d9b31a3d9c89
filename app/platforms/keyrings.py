"""The keyring of the system, by the library `keyring`: each request in a thread that may hang.

A keyring can wait for a person to unlock it, or for a bus without an answer. Of one that does
not answer in time no more is requested until it has.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")
SERVICE: Final = "signoff"
"""The name under which a keyring shows the entries of Signoff."""
SECONDS = 2.0
"""How long a keyring may take to answer."""
NOT_KEPT: Final = "it does not keep new entries"
_RECOMMENDED: Final = 1
"""The least priority that the library recommends; files in plain text have less."""
_NO_KEYRINGS: Final = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
"""Modules of backends that keep nothing, or write a file of their own."""
_CHAINER: Final = "keyring.backends.chainer"
_NAMES: Final = {
    "keyring.backends.SecretService": "Secret Service",
    "keyring.backends.libsecret": "Secret Service",
    "keyring.backends.kwallet": "KWallet",
    "keyring.backends.macOS": "macOS Keychain",
    "keyring.backends.Windows": "Windows Credential Manager",
}
_LOCKED: Final = ("InitError", "KeyringLocked")
"""Errors of the library for a keyring that is locked."""

_turn = threading.Lock()
_hung: threading.Thread | None = None
_checked: tuple[KeyringBackend, str] | None = None


class KeyringProblem(Exception):
    """The keyring did not do what was requested; the text is a sentence without its end."""


def check() -> tuple[str, str]:
    """The keyring's name, raw, and why it cannot be used; that is empty if it can.

    Something is written, read back and removed once for each keyring, and the answer is kept.
    """
    global _checked
    try:
        backend = _asked(_usable)
    except KeyringProblem as problem:
        return "", str(problem)
    if _checked is None or _checked[0] is not backend:
        try:
            _asked(_probe)
            words = ""
        except KeyringProblem as problem:
            words = str(problem)
        _checked = (backend, words)
    return _name(backend), _checked[1]


def get(account: str) -> str | None:
    """The text of an account, None if there is none. Raises KeyringProblem."""
    return _asked(lambda: _usable().get_password(SERVICE, account))


def put(account: str, text: str) -> None:
    """Write a text, and compare what can be read then. Raises KeyringProblem."""

    def action() -> None:
        backend = _usable()
        backend.set_password(SERVICE, account, text)
        if backend.get_password(SERVICE, account) != text:
            raise KeyringProblem(NOT_KEPT)

    _asked(action)


def remove(account: str) -> None:
    """Remove a text, if there is one. Raises KeyringProblem."""

    def action() -> None:
        backend = _usable()
        if backend.get_password(SERVICE, account) is not None:
            backend.delete_password(SERVICE, account)

    _asked(action)


def _probe() -> None:
    backend, account, text = _usable(), f"probe-{secrets.token_hex(8)}", secrets.token_hex(16)
    backend.set_password(SERVICE, account, text)
    try:
        found = backend.get_password(SERVICE, account)
    finally:
        backend.delete_password(SERVICE, account)
    if found != text or backend.get_password(SERVICE, account) is not None:
        raise KeyringProblem(NOT_KEPT)


def _usable() -> KeyringBackend:
    """The keyring that is set or found; raises KeyringProblem for one that is none."""
    try:
        import keyring
    except ImportError:
        raise KeyringProblem("the library keyring is not installed") from None
    backend = keyring.get_keyring()
    chained = getattr(backend, "backends", ()) if _module(backend) == _CHAINER else (backend,)
    for one in chained:
        if _counts(one):
            return one
    raise KeyringProblem("there is none on this system")


def _counts(backend: KeyringBackend) -> bool:
    is_none = _module(backend).startswith(_NO_KEYRINGS)
    is_plain = "plaintext" in type(backend).__name__.lower()
    return not is_none and not is_plain and backend.priority >= _RECOMMENDED


def _module(backend: KeyringBackend) -> str:
    return type(backend).__module__


def _name(backend: KeyringBackend) -> str:
    return _NAMES.get(_module(backend)) or type(backend).__name__


def _asked(action: Callable[[], T]) -> T:
    """The result of an action in a thread of its own. Raises KeyringProblem."""
    global _hung
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(action())
        except BaseException as problem:  # whatever a library of the system raises
            failed.append(problem)

    with _turn:
        if _hung is not None and _hung.is_alive():
            raise KeyringProblem("it does not answer")
        _hung = None
        thread = threading.Thread(target=run, name="keyring", daemon=True)
        thread.start()
        thread.join(SECONDS)
        if thread.is_alive():
            _hung = thread
            raise KeyringProblem(f"it did not answer within {SECONDS:g} s")
    if failed:
        if isinstance(failed[0], KeyringProblem):
            raise failed[0]
        # The text of an error could repeat what was written.
        kind = type(failed[0]).__name__
        what = "is locked, or cannot be opened" if kind in _LOCKED else "failed"
        raise KeyringProblem(f"it {what} ({kind})") from None
    return done[0]
