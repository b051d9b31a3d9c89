"""The settings file: its path, reading, creating and writing."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ...platforms.files import NO_CONTROL, NO_WAIT, open_file, rights, user_id, why
from ..state_dir import FILE_MODE, FOLDER_MODE, StoreError, shown
from .values import Settings

STRICT = "ask-always"
"""The policy in place of one that cannot be read: nothing runs without asking."""
STRICT_WORDS = f"the policy of the settings cannot be used, so every call asks ({STRICT})"
VARIABLE = "SIGNOFF_CONFIG"
_OF_TEXTUAL = "TEXTUAL_THEME"
_BYTES = 800_000
_OTHERS_WRITE, _GROUP_WRITES = 0o002, 0o020


def settings_file(environment: Mapping[str, str]) -> Path | None:
    """Path of the settings (`XDG_CONFIG_HOME/signoff/config.toml` on Linux), or `SIGNOFF_CONFIG`.

    None if that variable is empty: then no file is used. Raises StoreError if the folder is not
    absolute, which would trust any file in the current one.
    """
    if VARIABLE in environment:
        given = environment[VARIABLE]
        return Path(given).expanduser().absolute() if given else None
    import platformdirs

    folder = platformdirs.user_config_path("signoff", appauthor=False)
    if not folder.is_absolute():
        raise StoreError(f"the folder {shown(folder)} is not an absolute path")
    return folder / "config.toml"


def read_file(path: Path) -> str | None:
    """The text of the file, None if there is none. Raises StoreError.

    It has to be the user's own, or the system's, and writable by no other user: it chooses the
    policy. A link is followed, since many keep such files elsewhere.
    """
    try:
        # A pipe or a device would never end, and opening it must not wait for its other end.
        number = open_file(path, os.O_RDONLY | NO_WAIT | NO_CONTROL)
    except FileNotFoundError:
        if path.is_symlink():
            raise StoreError("it is a broken symbolic link") from None
        return None
    except ValueError:
        raise StoreError("invalid file name") from None
    except OSError as problem:
        raise StoreError(f"it cannot be read: {_why(problem)}") from None
    try:
        _check_file(os.fstat(number))
        with open(number, "rb", closefd=False) as file:
            data = file.read(_BYTES + 1)
    except OSError as problem:
        raise StoreError(f"it cannot be read: {_why(problem)}") from None
    finally:
        os.close(number)
    if len(data) > _BYTES:
        raise StoreError(f"it has more than {_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise StoreError(f"it is not UTF-8, from line {line} on") from None


def load_settings(environment: Mapping[str, str]) -> Settings:
    """The settings of the file and of the environment, with all that is wrong in them."""
    path = None
    try:
        path = settings_file(environment)
        text = read_file(path) if path is not None else None
    except (StoreError, RuntimeError) as problem:
        from .reading import unreadable

        return unreadable(shown(path or VARIABLE), str(problem), environment)
    is_said = any(name.startswith("SIGNOFF_") or name == _OF_TEXTUAL for name in environment)
    if text is None and not is_said:
        # As most start it: nothing that reads settings is imported.
        return Settings(file=str(path))
    from .reading import read_settings, unreadable

    if path is None:
        return read_settings(None, "", "", environment)
    if text is None and environment.get(VARIABLE):
        return unreadable(shown(path), f"the file does not exist (set by {VARIABLE})", environment)
    return read_settings(text, shown(path), shown(path.name), environment)


def make_file(path: Path, text: str) -> None:
    """Write a file that is not there yet, with the folders above it. Raises StoreError."""
    try:
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(open_file(path, flags, FILE_MODE), "wb") as file:
            file.write(text.encode("utf-8"))
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be made: {_why(problem)}") from None


def replace_file(path: Path, text: str, before: str) -> None:
    """Replace a file, whole or not at all, if it still equals `before`. Raises StoreError."""
    if read_file(path) != before:
        raise StoreError(f"{shown(path)} was changed in the meantime")
    try:
        real = path.resolve()
        mode = stat.S_IMODE(real.stat().st_mode)
        number, made = tempfile.mkstemp(prefix=".config-", dir=real.parent)
        try:
            with open(number, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            Path(made).chmod(mode)
            Path(made).replace(real)
        finally:
            with contextlib.suppress(OSError):
                Path(made).unlink(missing_ok=True)
    except (OSError, RuntimeError) as problem:
        words = _why(problem) if isinstance(problem, OSError) else "links lead in a circle"
        raise StoreError(f"{shown(path)} cannot be written: {words}") from None


def _check_file(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise StoreError("it is a folder, not a file")
    if not stat.S_ISREG(found.st_mode):
        raise StoreError("it is a pipe or a device, not a file")
    me = user_id()
    if found.st_uid not in (me, 0):
        raise StoreError(f"it belongs to another user (uid {found.st_uid})")
    # With a group for every user, a umask of 002 is usual and lets no other user in.
    is_own_group = found.st_gid == found.st_uid
    mode = rights(found)
    if mode & _OTHERS_WRITE or (mode & _GROUP_WRITES and not is_own_group):
        raise StoreError("other users can write to it (fix: chmod go-w)")


def _why(problem: OSError) -> str:
    if problem.errno == errno.ELOOP:
        return "its symbolic links lead in a circle"
    if problem.errno == errno.ENXIO:
        return "it is a pipe or a device, not a file"
    return why(problem)
