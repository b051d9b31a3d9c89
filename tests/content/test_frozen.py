"""`frozen` beside `dataclasses.dataclass(frozen=True, slots=True)`: the same, without its cost."""

from __future__ import annotations

import copy
import inspect
import pickle
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.frozen import frozen

Make = Callable[[type[Any]], type[Any]]
standard: Make = dataclass(frozen=True, slots=True)
T = TypeVar("T")


def point(make: Make) -> type[Any]:
    class Point:
        """A point."""

        kind: ClassVar[str] = "point"
        x: int
        y: Any = 2
        names: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False)
        secret: str = field(default="s", repr=False)
        key: int = field(default=0, hash=False)
        twice: int = field(init=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "twice", 2 * self.x)

    return make(Point)


def by_name(make: Callable[..., Any]) -> type[Any]:
    class Names:
        """Names."""

        first: int
        second: int = 2

    made: type[Any] = make(kw_only=True)(Names)
    return made


OURS, THEIRS = point(frozen), point(standard)
VALUES = st.integers(-3, 3) | st.none() | st.floats() | st.text(max_size=2)


@given(
    st.tuples(st.integers(-3, 3), VALUES),
    st.dictionaries(st.sampled_from(["note", "secret"]), st.text(max_size=2)),
    st.integers(0, 2),
)
def test_an_instance_is_what_the_standard_one_is(
    given_values: tuple[int, Any], more: dict[str, str], key: int
) -> None:
    ours, theirs = OURS(*given_values, key=key, **more), THEIRS(*given_values, key=key, **more)
    assert repr(ours).partition("Point(")[2] == repr(theirs).partition("Point(")[2]
    assert asdict(ours) == asdict(theirs) or "nan" in repr(ours)
    assert ours.twice == theirs.twice
    for change in ({"x": 9}, {"note": "other"}, {"key": 7}, {"y": 0}):
        changed, standard_one = replace(ours, **change), replace(theirs, **change)
        assert (changed == ours) is (standard_one == theirs)
        assert repr(changed).partition("Point(")[2] == repr(standard_one).partition("Point(")[2]


def test_equal_ones_have_one_hash_and_other_classes_are_not_equal() -> None:
    class Hashed:
        """A value."""

        x: int
        y: str = ""

    plain: type[Any] = Hashed
    ours: type[Any] = frozen(plain)
    theirs = standard(type("Hashed", (), dict(vars(plain))))
    assert hash(ours(1, "a")) == hash(ours(1, "a")) == hash(theirs(1, "a"))
    assert ours(1) != theirs(1)
    assert ours(1) != 1
    assert len({ours(1), ours(1), ours(2)}) == 2


@pytest.mark.parametrize("arguments", [(), (1, 2, [], "", "", 0, 9), (1, 2, [], "", "", 0, 9, 9)])
def test_wrong_arguments_are_refused_alike(arguments: tuple[Any, ...]) -> None:
    for made in (OURS, THEIRS):
        with pytest.raises(TypeError):
            made(*arguments)
        with pytest.raises(TypeError):
            made(1, unknown=1)


def test_fields_by_name_only() -> None:
    ours, theirs = by_name(frozen), by_name(partial(dataclass, frozen=True, slots=True))
    for made in (ours, theirs):
        assert made(first=1) == made(second=2, first=1)
        with pytest.raises(TypeError):
            made(1)


def test_nothing_can_be_changed() -> None:
    one = OURS(1)
    for name in ("x", "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 2)
    with pytest.raises(FrozenInstanceError):
        del one.x
    assert one.x == 1
    assert not hasattr(one, "__dict__")


def test_each_instance_has_a_default_of_its_own() -> None:
    assert OURS(1).names is not OURS(1).names


def test_a_subclass_has_the_fields_of_its_base() -> None:
    @frozen
    class Base:
        """A base."""

        x: int
        y: int = 2

    @frozen
    class Derived(Base):
        """A derived class, made before its base has an instance."""

        z: int = 3

    assert repr(Derived(1)).endswith("Derived(x=1, y=2, z=3)")
    assert Base(1) != Derived(1)
    assert [one.name for one in fields(Derived)] == ["x", "y", "z"]
    assert not hasattr(Derived(1), "__dict__")


def test_a_plain_subclass_can_have_attributes_beside_the_fields() -> None:
    class Plain(OURS):  # type: ignore[misc, valid-type]
        pass

    one = Plain(1)
    one.other = 2
    assert (one.x, one.other) == (1, 2)
    with pytest.raises(FrozenInstanceError):
        one.x = 2


def test_methods_of_the_class_stay() -> None:
    @frozen
    class Named:
        """A name."""

        name: str

        def __repr__(self) -> str:
            return "mine"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and other.name.lower() == self.name.lower()

    assert repr(Named("a")) == "mine"
    assert Named("a") == Named("A")
    assert hash(Named("a")) == hash(("a",))


def test_without_equality_each_one_is_itself() -> None:
    @frozen(eq=False)
    class Same:
        """A value."""

        x: int

    assert Same(1) != Same(1)
    assert len({Same(1), Same(1)}) == 2


def test_a_generic_class() -> None:
    @frozen
    class Box(Generic[T]):
        """A box."""

        content: T

    assert Box[int](1) == Box(1)


@frozen
class Sent:
    """A value that goes to a worker."""

    x: int
    names: tuple[str, ...] = ()


def test_copies_and_pickles_are_equal() -> None:
    one = Sent(1, ("a",))
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == copy.deepcopy(one) == one


def test_a_value_in_itself_is_shown() -> None:
    one = OURS(1)
    one.names.append(one)
    assert "..." in repr(one)


def test_patterns_match_the_fields() -> None:
    match Sent(1, ("a",)):
        case Sent(x, names):
            assert (x, names) == (1, ("a",))


def test_the_first_instances_may_come_from_several_threads() -> None:
    made = point(frozen)
    found: list[int] = []
    threads = [threading.Thread(target=lambda at=at: found.append(made(at).x)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


def test_nothing_is_compiled_before_the_first_instance() -> None:
    made = point(frozen)
    assert "x" not in inspect.signature(made.__init__).parameters
    made(1)
    assert list(inspect.signature(made).parameters)[:2] == ["x", "y"]


def test_value_classes_of_the_program_use_it() -> None:
    root = Path(__file__).parents[2]
    modules = [*(root / "app").rglob("*.py"), *(root / "widgets").rglob("*.py")]
    assert len(modules) > 100
    for module in modules:
        # The demo is a program of its own, and this one has to name what it replaces.
        if "demo" not in module.parts and module.name != "frozen.py":
            assert "frozen=True, slots=True)\n" not in module.read_text(encoding="utf-8"), module
