"""Any JSON of a host, laid out in any way: wrapped and unwrapped it is the same to the byte."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.hosts.wrapping.wrapping import unwrapped, wrapped
from tests.hosts.files.given import HOME
from tests.hosts.wrapping.wrapped import PROXY, again, entry
from tests.tiers import examples

CODE: Final = f"{HOME}/.config/Code/User/mcp.json"
COMMENTS: Final = (
    "",
    " ",
    "  ",
    "\t",
    "\n",
    "\n    ",
    "\r\n\t",
    " // a, ] }\n",
    '/* " , */',
    " /* [ */\n ",
)
words = st.text(st.characters(codec="utf-8", exclude_characters="\x00\x7f"), min_size=1, max_size=8)
programs = st.sampled_from(("npx", "/opt/a b/c", "C:\\x\\y.exe", "é", "\u2028x", "s\x7f", "--"))
args = st.lists(words | st.just("proxy") | st.just("--"), max_size=4)
others = st.dictionaries(words, st.none() | st.booleans() | st.integers() | words, max_size=3)


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Any]:
    """An entry with its keys in any order."""
    found: dict[str, Any] = {"command": draw(programs), "type": "stdio"}
    if draw(st.booleans()):
        found["args"] = draw(st.none() | args)
    found["env"] = draw(st.dictionaries(words, words, max_size=2))
    order = draw(st.permutations(list(found)))
    return {key: found[key] for key in order}


@st.composite
def layouts(draw: st.DrawFn, value: Any) -> str:
    """A value as JSONC, with blanks, comments and commas anywhere."""
    blank = st.sampled_from(COMMENTS)

    def written(one: Any) -> str:
        if isinstance(one, dict):
            rows = [
                f"{text(key)}{draw(blank)}:{draw(blank)}{written(each)}"
                for key, each in one.items()
            ]
            return together("{", rows, "}")
        if isinstance(one, list):
            return together("[", [written(each) for each in one], "]")
        return text(one)

    def text(one: Any) -> str:
        return json.dumps(one, ensure_ascii=draw(st.booleans()))

    def together(opening: str, rows: list[str], closing: str) -> str:
        has_comma = draw(st.booleans())
        last = "," if rows and has_comma else ""
        body = ",".join(f"{draw(blank)}{one}{draw(blank)}" for one in rows)
        return f"{opening}{body}{last}{draw(blank)}{closing}"

    return f"{draw(blank)}{written(value)}{draw(blank)}"


@st.composite
def files(draw: st.DrawFn) -> str:
    """The file of a host with the entry `notes`, and others."""
    servers: dict[str, Any] = {"notes": draw(entries())}
    if draw(st.booleans()):
        servers["b"] = {"command": "b"}
    servers = {key: servers[key] for key in draw(st.permutations(list(servers)))}
    bom = draw(st.sampled_from(("", "\ufeff")))
    return bom + draw(layouts({**draw(others), "servers": servers}))


@examples(60)
@given(files(), st.booleans())
def test_it_comes_back_to_the_byte(text: str, has_backup: bool) -> None:
    one = entry(text, "vscode", CODE)
    data = wrapped(one, PROXY)
    now = again(one, data)
    assert now.server.entry.proxy == PROXY
    back = unwrapped(now, one if has_backup else None)
    if has_backup or isinstance(
        one.server.entry.tree.members.get("args", None)
        and one.server.entry.tree.members["args"].value,
        list,
    ):
        assert back == one.data
    assert again(one, back).server.entry.words == one.server.entry.words


@examples(60)
@given(files(), st.sampled_from((None, 0, 3, "\t")), st.booleans(), st.booleans())
def test_only_the_entry_comes_back_once_the_host_wrote_the_file_again(
    text: str, indent: Any, is_sorted: bool, has_backup: bool
) -> None:
    one = entry(text, "vscode", CODE)
    assert one.file.tree is not None
    before = one.file.tree.plain()
    now = again(one, wrapped(one, PROXY))
    assert now.file.tree is not None
    values = now.file.tree.plain()
    values["servers"]["added"] = {"command": "added"}
    written = json.dumps(values, indent=indent, sort_keys=is_sorted, ensure_ascii=has_backup)
    later = again(one, written.encode())
    back = json.loads(unwrapped(later, one if has_backup else None))
    before["servers"]["added"] = {"command": "added"}
    if not has_backup and not before["servers"]["notes"].get("args"):
        before["servers"]["notes"]["args"] = []
    assert back == before


@examples(40)
@given(files(), st.data())
def test_two_wrapped_entries_come_back_in_any_order(text: str, data: st.DataObject) -> None:
    first = entry(text, "vscode", CODE)
    names = [one.name for one in first.file.servers]
    now, kept = first.data, {}
    for name in data.draw(st.permutations(names)):
        one = entry(now, "vscode", CODE, name)
        kept[name] = one
        now = wrapped(one, PROXY)
    for name in data.draw(st.permutations(names)):
        now = unwrapped(again(kept[name], now), kept[name])
    assert now == first.data
