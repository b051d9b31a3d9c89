from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.app.schemas.secrets.commands import mask_command
from signoff.app.schemas.secrets.masks import conceal, mask_text
from signoff.app.schemas.secrets.names import is_secret_name
from tests.approved import approved
from tests.content.json_values import json_values
from tests.schemas.masking import mask
from tests.tiers import first_quick

PROSE = approved("secrets")

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK=\n-----END RSA PRIVATE KEY-----"
KNOWN = [
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "11AAAA_bbbb" * 4,
    "sk-proj-" + "Ab12" * 8,
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ASIA" + "IOSFODNN7EXAMPLE",
    "xoxb-" + "1234567890-abcDEF",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "glpat-" + "abcDEF1234567890abcd",
    "npm_" + "a1B2" * 9,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl-_",
    PEM,
    PEM.replace("RSA ", "OPENSSH "),
]
ORDINARY = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "123e4567-e89b-12d3-a456-426614174000",
    "/home/someone/Projects/api_key_manager/README2.md",
    "https://example.org:8080/a/path@v1?page=2&size=40",
    "someone@example.org",
    "Basic usage instructions",
    "Bearer authentication is described below",
    "the token: is a word in prose",
    "the password of the day",
    "sk-learn-extended-documentation",
    "a token bucket and a cookie jar",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "tokenizer=bert-base author: Somebody Else",
    "max_tokens=4096, password_length: 12",
    "SELECT key, value FROM t WHERE key = 'colour'",
]
SECRET_NAMES = [
    *("password", "passwd", "secret", "token", "api_key", "apiKey", "APIKey", "api-key"),
    *("apikey", "authorization", "Authorization", "cookie", "Set-Cookie", "credential"),
    *("credentials", "private_key", "privateKey", "session_id", "sessionId", "otp"),
    *("client_secret", "x-api-key", "accessToken", "DB_PASSWORD", "user.password"),
    *("PROXY_AUTH", "refresh_token", "csrf_token", "secretAccessKey"),
]
PLAIN_NAMES = [
    *("path", "author", "tokenizer", "authority", "secretary", "passenger", "keyboard"),
    *("key", "session", "sessions", "pinned", "cookiecutter", "compass", "bypass_cache"),
    *("monkey", "api", "id", "description", "passwordless_x"),
]
SECRETS = st.text("abcXYZ0189+/_-.=~", min_size=4, max_size=40).filter(lambda text: text != "null")
AROUND = st.text("ab .\n()[]{}:;,|", max_size=12)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_names_of_secrets_in_every_way_of_writing(name: str) -> None:
    assert is_secret_name(name)
    assert is_secret_name(f"my_{name}")
    assert mask({name: "hunter2"}) == ({name: "[masked: 7 characters]"}, 1)


@pytest.mark.parametrize("name", ["PassWord ", "pass\u200bword", "PASS_WORD", "api\u2060Key"])
def test_a_word_that_is_broken_up_tells_of_a_secret(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_names_that_only_contain_the_letters(name: str) -> None:
    assert not is_secret_name(name)
    assert mask({name: "hunter2"}) == ({name: "hunter2"}, 0)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask({"note": [text]}) == ({"note": [text]}, 0)
    assert mask_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "set --access-token TOKEN, or see --help",
        "server --api-key=<YOUR_API_KEY> --port 80",
        "--api-key=$KEY or",
        "--api-key=${API_KEY}",
        "export GITHUB_TOKEN=...",
        "with the --access-token flag or the variable",
        "--token is missing",
        "ACCESS_TOKEN=YOUR-TOKEN-HERE",
        "give a token with --header Authorization=@FILE (the file has “Bearer TOKEN”); Signoff",
    ],
)
def test_what_stands_for_a_secret_in_help_stays(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("--token TOKENS3CR3T", "TOKENS3CR3T"),
        ("password=password", "=password"),
        ("--token hunter2 or", "hunter2"),
        ("--token=or", "or"),
        ("--api-key KEYMASTER", "KEYMASTER"),
    ],
)
def test_what_only_begins_like_that_is_masked(text: str, gone: str) -> None:
    assert gone not in mask_text(text)


def test_a_mask_says_how_long_it_was_and_nothing_else() -> None:
    assert mask({"token": "abcdefghij"})[0] == {"token": "[masked: 10 characters]"}
    assert mask({"otp": "1"})[0] == {"otp": "[masked: 1 character]"}


def test_a_whole_branch_under_a_telling_name_goes() -> None:
    value: Any = {"credentials": {"user": "me", "pass": ["hunter2", 12345]}}
    masked, count = mask(value)
    assert count == 1
    assert "hunter2" not in json.dumps(masked)
    assert "12345" not in json.dumps(masked)


def test_numbers_that_count_and_switches_stay() -> None:
    value: Any = {"max_tokens": 100, "token": True, "secret": None, "password_length": 12}
    assert mask(value) == (value, 0)
    assert mask({"token": 987654})[0] == {"token": "[masked: 6 characters]"}


def test_a_pin_is_digits() -> None:
    assert mask({"pin": "1234", "pin_code": 4711})[1] == 2
    assert mask({"pin": "top-left", "pins": 3})[1] == 0


def test_pairs_of_name_and_value() -> None:
    headers: Any = [{"name": "Authorization", "value": "abc"}, {"name": "Accept", "value": "abc"}]
    masked, count = mask(headers)
    assert count == 1
    assert masked == [
        {"name": "Authorization", "value": "[masked: 3 characters]"},
        {"name": "Accept", "value": "abc"},
    ]
    several: Any = [
        {"name": name, "values": ["abc", "def"]} for name in ("Authorization", "Accept")
    ]
    masked, count = mask(several)
    assert count == 1
    assert masked == [{"name": "Authorization", "values": "[masked: 14 characters]"}, several[1]]


def test_options_in_a_list_of_words() -> None:
    masked, count = mask(["run", "--token", "abc", "--verbose", "--api-key=def", "file"])
    assert count == 2
    assert masked == [
        *("run", "--token", "[masked: 3 characters]", "--verbose"),
        *("--api-key=[masked: 3 characters]", "file"),
    ]


def test_the_same_masked_key_twice_stays_two_keys() -> None:
    masked, _ = mask({KNOWN[0]: 1, KNOWN[0][:-1] + "9": 2})
    assert masked == {"[masked: 40 characters]": 1, "[masked: 40 characters] (2)": 2}


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("run --token abc", "abc"),
        ("run --token=abc --x", "abc"),
        ("run --password 'a b c'", "a b c"),
        ('run --password="a\\"b c" x', "b c"),
        ("https://me:hunter2@example.org/a?x=1", "hunter2"),
        ("https://me:hun@ter2@example.org/", "hun@ter2"),
        ("postgres://me:hun/ter2@db/x", "hun/ter2"),
        ("https://h/?x=1&api_key=abc&y=2", "abc"),
        ("https://tok3nABCDEFGHIJKLM@github.com/x", "tok3nABCDEFGHIJKLM"),
        ("curl -u me:hunter2 https://h", "hunter2"),
        ("curl --user me:hunter2 https://h", "hunter2"),
        ("curl -H 'Authorization: Bearer abc def' h", "abc def"),
        ("curl -H 'Cookie: sid=abc; other=def' h", "def"),
        ("API_TOKEN=abc python -m server", "abc"),
        ("https://h/x?X-Amz-Signature=0a1B2c3D4e5F6g7H", "0a1B2c3D4e5F6g7H"),
    ],
)
def test_commands_and_addresses(text: str, gone: str) -> None:
    assert gone in text
    shown = mask_command(text)
    assert gone not in shown
    assert "[masked: " in shown
    assert (
        shown.split()[0].split(":")[0].split("=")[0] == text.split()[0].split(":")[0].split("=")[0]
    )


@pytest.mark.parametrize(
    "text", ["python -m signoff.app.demo", "npx -y server /tmp --port 80", *ORDINARY]
)
def test_commands_without_secrets(text: str) -> None:
    assert mask_command(text) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "hunter2", "b": 1}',
        '{\\"password\\": \\"hunter2\\"}',
        "password: hunter2\nuser: me",
        "export PASSWORD='hunter2'",
        "password = hunter2",
        "user=me;password=hunter2;host=h",
        "Password: hunter2",
    ],
)
def test_assignments_in_text(text: str) -> None:
    shown, count = mask({"body": text})
    assert count == 1
    assert "hunter2" not in json.dumps(shown)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "Token", "Digest"])
def test_authorization_schemes(scheme: str) -> None:
    assert mask_text(f"x {scheme} abc123DEF456 y") == f"x {scheme} [masked: 12 characters] y"


def test_basic_credentials_are_known_by_their_colon() -> None:
    short = base64.b64encode(b"u:p").decode()
    assert mask_text(f"Basic {short}") == "Basic [masked: 4 characters]"


@given(
    secret=st.sampled_from(KNOWN), before=AROUND, after=AROUND, rest=json_values(), place=st.data()
)
def test_no_known_secret_is_left_in_any_position(
    secret: str, before: str, after: str, rest: Any, place: st.DataObject
) -> None:
    edge = place.draw(st.sampled_from([" ", "\n", '"', "(", "=", ":", "/"]))
    text = f"{before}{edge}{secret}{edge}{after}"
    value = place.draw(
        st.sampled_from([[text, rest], {"a": {"b": [text]}}, {text: rest}, text, {"a": [[text]]}])
    )
    masked, count = mask(value)
    assert count >= 1
    assert secret not in json.dumps(masked, ensure_ascii=False)
    assert json.dumps(secret)[1:-1] not in json.dumps(masked)


@given(secret=SECRETS, name=st.sampled_from(SECRET_NAMES), rest=json_values(), data=st.data())
def test_nothing_under_a_telling_name_is_left(
    secret: str, name: str, rest: Any, data: st.DataObject
) -> None:
    marked = f"Zq{secret}qZ"
    inner = data.draw(st.sampled_from([marked, [marked], {"x": marked}, {"x": [[{"y": marked}]]}]))
    value = data.draw(
        st.sampled_from([{name: inner}, [rest, {"a": {name: inner}}], {"b": rest, name: inner}])
    )
    assert marked not in json.dumps(mask(value)[0])


@given(secret=SECRETS, name=st.sampled_from(["password", "api_key", "DB_TOKEN"]), before=AROUND)
@example(secret="Bearer", name="password", before="a")
def test_nothing_assigned_to_a_telling_name_is_left(secret: str, name: str, before: str) -> None:
    marked = f"Zq{secret}qZ"
    for text in (f"{name}={marked}", f'"{name}": "{marked}"', f"--{name} {marked}"):
        assert marked not in mask_text(f"{before} {text}")


@given(json_values())
def test_masking_twice_changes_nothing(value: Any) -> None:
    masked, _ = mask(value)
    assert mask(masked) == (masked, 0)


@given(st.sampled_from([*KNOWN, "password=hunter2", "--token abc", '"otp": "1234"', *ORDINARY]))
def test_masking_text_twice_changes_nothing(text: str) -> None:
    assert mask_text(mask_text(text)) == mask_text(text)


def test_words_about_a_value_lose_it_too() -> None:
    found = {"hunter2-and-more", "abc"}
    PROSE.holds("words: a value", conceal("'hunter2-and-more' is short", found))
    PROSE.holds("words: the beginning of one", conceal("'hunter2-and…' is long", found))
    PROSE.holds("words: not inside a word", conceal("'abc' is not in abcdef", found))


def test_what_is_nested_too_deeply_is_masked_whole() -> None:
    value: Any = "hunter2"
    for _ in range(400):
        value = [value]
    assert "hunter2" not in json.dumps(mask(value)[0])


ENDLESS = (
    *("a", "=", "a=", 'token="', 'token=\\\\"', "://a:b@", "eyJhbGciOiJ.", "\\"),
    *("-----BEGIN RSA PRIVATE KEY-----", "Bearer ", "b@c", " ", "a b ", "-----BEGIN ", "://x:"),
    *("password: ", "--token ", "-u a:b ", "sk-", "xoxb-", "AKIA", "0a"),
)


@pytest.mark.parametrize(
    "unit",
    first_quick(
        ["://a:b", "password='", *(pytest.param(one, marks=pytest.mark.slow) for one in ENDLESS)]
    ),
)
def test_masking_comes_to_an_end(unit: str) -> None:
    text = unit * (150_000 // len(unit))
    mask_command(text)
    mask([text])
    # Quadratic work would take minutes, which the time limit of a test does not allow.


@pytest.mark.slow
def test_a_megabyte_at_once() -> None:
    text = "password=a --token b https://u:p@h eyJhbGciOiJIUzI1.x plain words " * 16_000
    _, count = mask(text)
    assert count == 16_000 * 4


def test_thousands_of_assignments_in_one_run_end_in_time() -> None:
    """Each looks at what follows it: together that is not the square of the text."""
    text = "key=" * 8_000
    assert mask_text(text) == text
    assert "[masked" in mask_text(f"{text}&password=hunter2")
