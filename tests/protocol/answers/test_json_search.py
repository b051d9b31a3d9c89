from __future__ import annotations

from hypothesis import given

from signoff.app.content.json.jsonio import JsonValue, Path
from signoff.app.protocol.answers.values import MAX_HITS, MAX_TEXT, found, search
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("answers")


def test_names_and_values_whatever_their_case() -> None:
    value: JsonValue = {"Name": "x", "list": [{"b": "the NAME"}, 12, True], "n": None}
    assert search(value, "name").paths == (("Name",), ("list", 0, "b"))
    assert search(value, "12").paths == (("list", 1),)
    assert search(value, "TRUE").paths == (("list", 2),)
    assert search(value, "null").paths == (("n",),)
    assert search("root", "oo").paths == ((),)
    assert search(value, "").paths == ()


def test_limits_are_said() -> None:
    many = search(["a"] * (MAX_HITS + 5), "a")
    assert len(many.paths) == MAX_HITS
    PROSE.holds("search: many hits", many.limit)
    PROSE.holds("search: many members", search(["b"] * 20, "a", nodes=10).limit)
    long = search(["x" * MAX_TEXT + "needle", "needle"], "needle")
    assert long.paths == ((1,),)
    PROSE.holds("search: a long text", long.limit)


@given(json_values())
def test_every_name_is_found_where_it_is(value: JsonValue) -> None:
    names = {one[-1]: one for one in _names(value)}
    for name, path in names.items():
        if str(name):
            assert path in search(value, str(name)).paths
    for path in search(value, "a").paths:
        assert found(value, path)


def _names(value: JsonValue, path: Path = ()) -> list[Path]:
    if isinstance(value, dict):
        inner = [((*path, name), one) for name, one in value.items()]
        return [one for one, _ in inner] + [p for at, v in inner for p in _names(v, at)]
    if isinstance(value, list):
        return [p for index, one in enumerate(value) for p in _names(one, (*path, index))]
    return []
