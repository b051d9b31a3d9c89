"""Addresses and arguments of entries, without their secrets and with everything else."""

from __future__ import annotations

import pytest

from signoff.app.hosts.files.masking import is_secret, mask_arguments, mask_url

HEX = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
DRAWN = "Zk3xQ9vLm2Tp8Rw4Ys6N"


@pytest.mark.parametrize(
    "url",
    [
        f"https://h.example/mcp/{HEX}",
        f"https://h.example/{DRAWN}/mcp",
        f"https://h.example/mcp?key={HEX}",
        f"https://h.example/mcp?x={HEX}#top",
        f"https://h.example/mcp#{HEX}",
        f"https://{HEX}@h.example/mcp",
        f"postgres://ada:{DRAWN}@h.example:5432/db",
        f"redis://:{HEX}@10.0.0.5/0",
        f"https://h.example/s/6f1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9?api_key={HEX}",
        f"https://h.example/${{API_TOKEN:-{HEX}}}/mcp",
    ],
)
def test_the_secret_of_an_address_is_masked(url: str) -> None:
    shown = mask_url(url)
    assert shown.has_secret
    assert HEX not in shown.text
    assert DRAWN not in shown.text
    assert mask_url(shown.text).text == shown.text


@pytest.mark.parametrize(
    "url",
    [
        "https://h.example/mcp",
        "https://h.example:8443/v1/mcp_server/sse?stream=true&page=2",
        "https://${input:host}/mcp",
        "https://h.example/mcp?token=${TOKEN}",
        "https://h.example/mcp?token=<TOKEN>",
        "https://user@h.example/mcp",
        "https://h.example/mcp-server-2024-11-05/schema",
        "unix:///tmp/b.sock#/mcp",
        "http://[::1]:8080/mcp",
    ],
)
def test_an_address_without_a_secret_stays(url: str) -> None:
    assert mask_url(url).text == url
    assert not mask_url(url).has_secret


@pytest.mark.parametrize(
    "words",
    [
        ["--token", HEX],
        ["--api-key", "abc"],
        ["--password", "abc def"],
        [f"--token={HEX}"],
        [f"API_KEY={HEX}"],
        [f'API_KEY="{HEX}"'],
        ["--header", f"Authorization: Bearer {HEX}"],
        ["--header", "X-Anything:abc"],
        ["-c", f"curl -H 'Authorization: Bearer {HEX}' https://h.example"],
        ["-c", f"TOKEN={HEX} exec a-mcp https://h.example/{HEX}"],
        ["--url", f"postgres://ada:{HEX}@h/db"],
        [f"--url=https://h.example/mcp/{HEX}"],
        ["--config", f'{{"token": "{HEX}"}}'],
        [f"${{API_TOKEN:-{HEX}}}"],
        [HEX],
    ],
)
def test_the_secret_of_an_argument_is_masked(words: list[str]) -> None:
    shown = mask_arguments(["program", *words])
    assert any(one.has_secret for one in shown) or words[0] == "--header"
    text = " ".join(one.text for one in shown)
    assert HEX not in text
    assert "abc" not in text


@pytest.mark.parametrize("option", ["-e", "--env"])
def test_no_value_for_docker_is_shown(option: str) -> None:
    words = [option, "MODE=quick", option, "B", f"{option}=MODE=quick", "image:1"]
    shown = mask_arguments(["docker", "run", *words])
    mode = "MODE=[masked: 5 characters]"
    assert [one.text for one in shown[3:]] == [mode, option, "B", f"{option}={mode}", "image:1"]
    assert not any(one.has_secret for one in shown)


@pytest.mark.parametrize(
    "words",
    [
        ["-y", "@acme/a-mcp@1.2.3"],
        ["--header", "Authorization:${AUTH}"],
        ["--max-tokens", "4000"],
        ["--root", "/srv/notes"],
        ["--model", "some-model-4-5-20250929"],
        ["--from", "git+https://h.example/acme/a@0123456789abcdef0123456789abcdef01234567"],
        ["run", "a@sha256:" + "0a" * 32],
        ["--allowed", "a,b,c"],
    ],
)
def test_an_argument_without_a_secret_stays(words: list[str]) -> None:
    shown = mask_arguments(["program", *words])
    assert [one.text for one in shown[1:]] == words
    assert not any(one.has_secret for one in shown)


@pytest.mark.parametrize(
    ("name", "value", "is_one"),
    [
        ("API_KEY", "abc123", True),
        ("DB_PASS", "test", True),
        ("HDRS", f'{{"Authorization": "Bearer {HEX}"}}', True),
        ("DATABASE_URL", f"postgres://a:{HEX}@h/x", True),
        ("Authorization", f"Basic {HEX}", True),
        ("Authorization", "Bearer ${TOKEN}", False),
        ("API_KEY", "${API_KEY}", False),
        ("API_KEY", "<your key>", False),
        ("API_KEY", "", False),
        ("MAX_TOKENS", "4000", False),
        ("LOG_LEVEL", "debug", False),
        ("TOKEN_FILE", "/run/token", False),
        ("USE_TOKEN", "true", False),
    ],
)
def test_a_value_in_clear_is_a_secret_by_its_name_or_look(
    name: str, value: str, is_one: bool
) -> None:
    assert is_secret(name, value) is is_one
