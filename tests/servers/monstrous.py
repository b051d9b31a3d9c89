"""Entries of a tools list that break a limit of JSON, each as the text that is sent."""

from __future__ import annotations

_SCHEMA = '"inputSchema":{"type":"object"}'
_DEEP = 5_000

_LEVELS = '{"a":' * _DEEP + "1" + "}" * _DEEP

MONSTROUS: dict[str, str] = {
    "deep": f'{{"name":"deep","description":{"[" * _DEEP}{"]" * _DEEP},{_SCHEMA}}}',
    "deep_schema": f'{{"inputSchema":{{"properties":{_LEVELS}}},"name":"deep_schema"}}',
    "digits": f'{{"name":"digits","inputSchema":{{"maximum":{"9" * 5_000}}}}}',
    "not_a_number": f'{{"name":"not_a_number",{_SCHEMA},"priority":NaN}}',
    "endless": f'{{"name":"endless",{_SCHEMA},"priority":1e999}}',
    "nodes": f'{{"name":"nodes","inputSchema":{{"enum":[{"1," * 1_000_000}1]}}}}',
    "long": f'{{"name":"long","description":"{"x" * 2_100_000}",{_SCHEMA}}}',
    "half": f'{{"name":"half","description":"half \\ud83d of one",{_SCHEMA}}}',
    "twice": f'{{"name":"twice",{_SCHEMA},"annotations":{{"title":"a","title":"b"}}}}',
}


def marked(names: list[str]) -> list[str]:
    """What stands in a list for these entries, until `unmarked` puts their texts there."""
    return [f"@@{name}@@" for name in names]


def unmarked(text: str) -> str:
    for name, entry in MONSTROUS.items():
        text = text.replace(f'"@@{name}@@"', entry)
    return text
