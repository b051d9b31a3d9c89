"""An entry of a text that is wrapped and unwrapped, as the commands do it."""

from __future__ import annotations

from dataclasses import replace

from signoff.app.hosts.files.servers import FileReport
from signoff.app.hosts.wrapping.wrapping import EntryText, unwrapped, wrapped
from tests.hosts.files.given import read

PROXY = ("/opt/my tools/signoff", "proxy", "--as", "codex:exec", "--")


def entry(data: bytes | str, host: str, path: str, name: str = "notes", at: int = -1) -> EntryText:
    """The last entry of a name in a file, or one by its place among all."""
    raw = data.encode() if isinstance(data, str) else data
    file = read(raw, host, path)
    servers = [one for one in file.servers if at >= 0 or one.name == name]
    return EntryText(raw, file, servers[at])


def as_loaded(one: EntryText) -> EntryText:
    """The same, as if its host loaded it."""
    return EntryText(one.data, one.file, replace(one.server, is_effective=True))


def again(one: EntryText, data: bytes, file: FileReport | None = None) -> EntryText:
    """The same entry in other bytes, wherever it is there now."""
    file = file or one.file
    found = read(data, file.host if file.id == file.host else "", file.file)
    container = one.server.entry.container
    same = [
        each
        for each in found.servers
        if each.name == one.server.name
        and (each.entry.container.path, each.entry.container.project)
        == (container.path, container.project)
    ]
    return EntryText(data, found, same[-1])


def there_and_back(one: EntryText, *, has_backup: bool = True) -> tuple[bytes, bytes]:
    """The file with the proxy, and the file after both."""
    data = wrapped(one, PROXY)
    now = again(one, data)
    assert now.server.entry.proxy == PROXY
    assert now.server.entry.words == one.server.entry.words
    return data, unwrapped(now, one if has_backup else None)
