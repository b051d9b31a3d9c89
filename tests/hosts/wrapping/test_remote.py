"""`signoff proxy` before a URL and away again, in JSON, TOML and YAML; secrets stay variables."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.hosts.wrapping.difference import masked_difference
from signoff.app.hosts.wrapping.wrapping import CannotWrap, EntryText, unwrapped, wrapped
from tests.hosts.wrapping.test_any_json import layouts, others
from tests.hosts.wrapping.test_wrapping import (
    CASES,
    CLAUDE,
    CODE,
    CODEX,
    CONTINUE,
    CURSOR,
    GOOSE,
    OPENCODE,
    ZED,
    entries_of_case,
    plain,
)
from tests.hosts.wrapping.wrapped import again, as_loaded, entry
from tests.tiers import examples, first_quick

PROXY: Final = ("/opt/my tools/signoff", "proxy", "--policy", "cautious")
SECRET: Final = "hj3kJ8sK2lq9Zx"
URL: Final = "https://a.example/mcp"


def there(one: EntryText) -> EntryText:
    """The entry with the proxy, of which the host and its users see the same server."""
    now = again(one, wrapped(one, PROXY))
    assert now.server.entry.proxy == PROXY
    assert now.server.transport == "http"
    assert now.server.entry.url == one.server.entry.url
    assert now.server.url == one.server.url
    assert now.server.command is None
    assert set(now.server.headers) <= set(one.server.headers)
    assert set(now.server.env) == set(one.server.env)
    return now


def command_line(now: EntryText) -> str:
    """What the list of processes shows."""
    keys = now.server.entry.tree.plain()
    return str([keys.get(one) for one in ("command", "cmd", "args")])


FORMS: Final = (
    (f'{{"mcpServers": {{"notes": {{"url": "{URL}"}}}}}}', "cursor", CURSOR),
    (
        '\ufeff{"mcpServers": {\r\n\t"notes": {\r\n\t\t"url": "https:\\/\\/a.example/mcp",\r\n'
        f'\t\t"headers": {{"Authorization": "Bearer {SECRET}", "X-A": "${{env:A}}"}},\r\n'
        '\t\t"disabled": false\r\n\t}\r\n}}\r\n',
        "cursor",
        CURSOR,
    ),
    (
        '{ // all\n  "servers": {\n    "notes": { // why\n      "type": "http", /* a */\n'
        f'      "url": "{URL}?key=${{input:key}}",\n'
        '      "headers": { "X-Key": "${input:key}", },\n    }, "b": {"command": "b"},\n  },\n}\n',
        "vscode",
        CODE,
    ),
    (f'{{"context_servers": {{"notes": {{"url": "{URL}"}}}}}}', "zed", ZED),
    (
        f'{{"mcp": {{"notes": {{"type": "remote", "url": "{URL}", "enabled": true, "headers": '
        f'{{"Authorization": "Bearer {{env:T}}"}}}}}}}}',
        "opencode",
        OPENCODE,
    ),
    (
        f'{{"mcpServers": {{"notes": {{"type": "http", "url": "{URL}?api_key={SECRET}"}}}}}}',
        "claude-code",
        CLAUDE,
    ),
    (f'[mcp_servers.notes]\nurl = "{URL}" # why\nbearer_token_env_var = "T"\n', "codex", CODEX),
    (
        f'model = "x"\n\n[mcp_servers.notes] # c\nenabled = true\nurl = "{URL}"\n\n'
        f'[mcp_servers.notes.http_headers]\n"X-Key" = "{SECRET}"\n\n'
        '[mcp_servers.notes.env_http_headers]\nX-B = "B"\n\n[mcp_servers.b]\ncommand = "b"\n',
        "codex",
        CODEX,
    ),
    (f'[mcp_servers]\r\nnotes = {{ url = "{URL}" }}\r\n', "codex", CODEX),
    (f'mcp_servers.notes.url = "{URL}"\nmodel = "x"\n', "codex", CODEX),
    (
        f'[mcp_servers]\nnotes.url = "{URL}"\nnotes.http_headers.X-A = "{SECRET}"\n'
        'b.command = "b"\n',
        "codex",
        CODEX,
    ),
    (
        f"extensions:\n  notes:\n    type: streamable_http\n    uri: {URL} # c\n    enabled: true\n"
        f"    headers:\n      X-Key: {SECRET}\n    available_tools:\n    - a\n\n"
        "  # next\n  b:\n    type: stdio\n    cmd: b\n",
        "goose",
        GOOSE,
    ),
    (f"extensions:\n  notes: {{type: streamable_http, uri: '{URL}'}}\n", "goose", GOOSE),
    (
        f"mcpServers:\n- name: notes\n  type: streamable-http\n  url: {URL}\n  requestOptions:\n"
        f"    headers:\n      Authorization: Bearer {SECRET}\n- name: b\n  command: b",
        "continue",
        CONTINUE,
    ),
)


@pytest.mark.parametrize(("text", "host", "path"), FORMS)
def test_a_url_comes_back_to_the_byte(text: str, host: str, path: str) -> None:
    one = entry(text, host, path)
    now = there(one)
    assert SECRET not in command_line(now)
    assert "input:" not in command_line(now)
    assert unwrapped(now, one) == one.data
    back = again(one, unwrapped(now, None))
    assert plain(one, back.data) == plain(one, one.data)
    assert now.data.count(b"\r\n") == now.data.count(b"\n") * ("\r" in text)
    shown = "\n".join(masked_difference(one.file, one.data, now.data))
    assert shown
    assert SECRET not in shown


@pytest.mark.parametrize("file", first_quick(CASES, 12))
def test_a_url_of_a_case_comes_back(file: str) -> None:
    case = CASES[file]
    for one in entries_of_case(file):
        if one.server.url is None:
            continue
        try:
            wrapped(one, PROXY)
        except CannotWrap:
            continue
        now = there(one)
        assert unwrapped(now, one) == one.data
        back = again(one, unwrapped(now, None))
        assert back.server.entry.url == one.server.entry.url
        assert back.server.headers == now.server.headers
        line = command_line(now)
        assert not [secret for secret in case.secrets if secret in line]
        shown = "\n".join(masked_difference(one.file, one.data, now.data))
        assert not [secret for secret in case.secrets if secret in shown]


@pytest.mark.parametrize("file", first_quick(CASES, 12))
def test_commands_and_urls_of_a_case_come_back_in_any_order(file: str) -> None:
    data, before = CASES[file].data, []
    for one in entries_of_case(file):
        now = as_loaded(again(one, data))
        proxy = PROXY if one.server.command is None else (*PROXY, "--")
        try:
            data = wrapped(now, proxy)
        except CannotWrap:
            continue
        before.append(now)
    for one in before:
        data = unwrapped(again(one, data), one)
    assert data == CASES[file].data


def test_most_urls_of_the_cases_can_be_wrapped() -> None:
    count = refused = 0
    for one in (each for file in CASES for each in entries_of_case(file)):
        if one.server.transport == "http" and one.server.command is None:
            try:
                wrapped(one, PROXY)
            except CannotWrap:
                refused += 1
            else:
                count += 1
    assert count > 3 * refused


def test_the_entry_keeps_all_but_its_transport() -> None:
    keys: dict[str, Any] = {"type": "http", "url": URL, "tools": ["*"], "timeout": 5}
    keys["headers"] = {"Authorization": f"Bearer {SECRET}", "X-A": "${A}"}
    one = entry(json.dumps({"mcpServers": {"notes": keys}}), "claude-code", CLAUDE)
    made = json.loads(wrapped(one, PROXY))["mcpServers"]["notes"]
    variables = ("Authorization=SIGNOFF_HEADER_1", "X-A=SIGNOFF_HEADER_2")
    options = [word for one in variables for word in ("--header-env", one)]
    assert made == {
        "type": "stdio",
        "command": PROXY[0],
        "args": [*PROXY[1:], "--url", URL, *options],
        "env": {"SIGNOFF_HEADER_1": f"Bearer {SECRET}", "SIGNOFF_HEADER_2": "${A}"},
        "tools": ["*"],
        "timeout": 5,
    }


REFUSED: Final = (
    ({"url": "https://a.example/sse", "type": "sse"}, "claude-code", "SSE"),
    ({"url": URL, "type": "http", "headersHelper": "x"}, "claude-code", "command of the host"),
    ({"url": URL, "type": "http", "oauth": {"clientId": "c"}}, "claude-code", "signs in"),
    ({"url": URL, "type": "http", "headers": {"X-A": "a\nb"}}, "claude-code", "cannot be sent"),
    ({"url": URL, "type": "http", "headers": {"X-A": 1}}, "claude-code", "not a text"),
    ({"url": URL, "command": "npx"}, "claude-code", "command and"),
)


@pytest.mark.parametrize(("keys", "host", "why"), REFUSED)
def test_what_cannot_be_a_command_has_a_reason(keys: dict[str, Any], host: str, why: str) -> None:
    text = json.dumps({"mcpServers": {"notes": keys}})
    with pytest.raises(CannotWrap, match=why):
        wrapped(as_loaded(entry(text, host, CLAUDE)), PROXY)


def test_a_variable_that_goose_fills_in_headers_alone_is_refused() -> None:
    text = f"extensions:\n  notes:\n    type: streamable_http\n    uri: {URL}\n    headers:\n"
    text += "      X-Key: ${KEY}\n    env_keys: [KEY]\n"
    with pytest.raises(CannotWrap, match="goose"):
        wrapped(entry(text, "goose", GOOSE), PROXY)


values = st.text(st.sampled_from("aZ09 -_.$é{}\"\\'#"), min_size=1, max_size=8).map(
    lambda one: f"v{one}".encode("ascii", "ignore").decode().strip()
)
headers = st.dictionaries(
    st.text(st.sampled_from("ABc-_1"), min_size=1, max_size=6), values, max_size=3
)


@st.composite
def urls(draw: st.DrawFn) -> dict[str, Any]:
    """An entry with a URL, with its keys in any order."""
    query = draw(st.sampled_from(("", "?a=b", f"?token={SECRET}", "#x", "?q=${env:Q}")))
    found: dict[str, Any] = {"type": "http", "url": f"{URL}{query}"}
    if draw(st.booleans()):
        found["headers"] = draw(headers)
    found["x"] = draw(st.none() | st.booleans() | st.integers(0, 9))
    if draw(st.booleans()):
        found["env"] = draw(st.dictionaries(st.sampled_from(("A", "SIGNOFF_HEADER_1")), values))
    return {key: found[key] for key in draw(st.permutations(list(found)))}


@st.composite
def files(draw: st.DrawFn) -> str:
    servers: dict[str, Any] = {"notes": draw(urls()), "b": draw(urls())}
    bom = draw(st.sampled_from(("", "\ufeff")))
    return bom + draw(layouts({**draw(others), "servers": servers}))


@examples(60)
@given(files(), st.booleans())
def test_any_file_with_a_url_comes_back(text: str, has_backup: bool) -> None:
    one = entry(text, "vscode", CODE)
    now = there(one)
    assert SECRET not in command_line(now)
    back = unwrapped(now, one if has_backup else None)
    if has_backup:
        assert back == one.data
    assert again(one, back).server.entry.url == one.server.entry.url
    empty: dict[str, Any] = {"headers": {}, "env": {}}
    was, found = ({**empty, **plain(one, each)["servers"]["notes"]} for each in (one.data, back))
    assert found == was


@examples(60)
@given(files(), st.sampled_from((None, 0, 3, "\t")), st.booleans())
def test_only_the_entry_changes_in_a_file_that_its_host_wrote_again(
    text: str, indent: Any, is_sorted: bool
) -> None:
    one = entry(text, "vscode", CODE)
    before = plain(one, one.data)
    now = plain(one, wrapped(one, PROXY))
    for whole in (before, now):
        whole["servers"]["added"] = {"command": "added"}
        whole["servers"]["notes"]["x"] = "changed by the host"
    written = json.dumps(now, indent=indent, sort_keys=is_sorted).encode()
    assert plain(one, unwrapped(again(one, written), one)) == before


@examples(40)
@given(files(), st.data())
def test_two_urls_come_back_in_any_order(text: str, data: st.DataObject) -> None:
    first = entry(text, "vscode", CODE)
    now, kept = first.data, {}
    for name in data.draw(st.permutations(("notes", "b"))):
        one = entry(now, "vscode", CODE, name)
        kept[name] = one
        now = wrapped(one, PROXY)
    for name in data.draw(st.permutations(("notes", "b"))):
        now = unwrapped(again(kept[name], now), kept[name])
    assert now == first.data
