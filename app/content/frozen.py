"""Immutable value classes that cost nothing before their first instance.

`dataclasses.dataclass(frozen=True, slots=True)` writes and compiles six methods for each class
when it is defined, up to a millisecond each: for some 380 classes that was half of the start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, Final, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_NOT_GIVEN: Final = object()


@overload
def frozen(cls: type[T], /) -> type[T]: ...


@overload
def frozen(*, kw_only: bool = False, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    cls: type[T] | None = None, /, *, kw_only: bool = False, eq: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class a frozen dataclass with slots.

    It behaves as one of `dataclasses`, whose `fields`, `replace` and `asdict` work on it. Its
    `__init__` is compiled at the first instance; the other methods are shared and never compiled.
    """

    def make(plain: type[T]) -> type[T]:
        return _made(plain, kw_only=kw_only, eq=eq)

    return make if cls is None else make(cls)


def _made(plain: type[T], *, kw_only: bool, eq: bool) -> type[T]:
    # Without a docstring it would look up the signature, to write one.
    plain.__doc__ = plain.__doc__ or plain.__name__
    # Collects the fields, checks them, and compiles nothing.
    dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(plain)
    own = vars(plain)
    made = _with_slots(plain)
    found = _fields(made)
    methods: dict[str, Any] = {
        "__repr__": _repr,
        "__getstate__": _getstate,
        "__setstate__": _setstate,
        "__setattr__": _refusing(made, "assign to", object.__setattr__),
        "__delattr__": _refusing(made, "delete", object.__delattr__),
        "__init__": _first_init(made),
    }
    if eq:
        methods["__eq__"] = _equality(_values([one.name for one in found if one.compare]))
        methods["__hash__"] = _hashing(_values([one.name for one in found if _is_hashed(one)]))
    for name, method in methods.items():
        # Python sets `__hash__` to None beside an `__eq__` in the body.
        is_unset = name == "__hash__" and own.get(name) is None and "__eq__" in own
        if name not in own or is_unset:
            setattr(made, name, method)
    return made


def _fields(made: Any) -> tuple[Field[Any], ...]:
    return fields(made)


def _is_hashed(one: Field[Any]) -> bool:
    return one.compare if one.hash is None else one.hash


def _with_slots(plain: type[T]) -> type[T]:
    """The same class, whose instances have a slot for each field and no `__dict__`."""
    names = [one.name for one in _fields(plain)]
    body = {name: value for name, value in vars(plain).items() if name not in names}
    inherited = {slot for base in plain.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    body["__slots__"] = tuple(name for name in names if name not in inherited)
    body.pop("__dict__", None)
    body.pop("__weakref__", None)
    metaclass: Any = type(plain)
    made: type[T] = metaclass(plain.__name__, plain.__bases__, body)
    made.__qualname__ = plain.__qualname__
    return made


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of these fields, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    get = attrgetter(*names)
    return lambda one: (get(one),)


def _equality(values: Callable[[Any], object]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hashing(values: Callable[[Any], object]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _setstate(self: Any, state: Sequence[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


def _refusing(made: type, verb: str, otherwise: Callable[..., None]) -> Callable[..., None]:
    """Refuse a change of an instance; an attribute that a plain subclass adds may change."""
    names = frozenset(one.name for one in _fields(made))

    def refuse(self: Any, name: str, *value: Any) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot {verb} field {name!r}")
        otherwise(self, name, *value)

    return refuse


def _first_init(made: type) -> Callable[..., None]:
    """An `__init__` that compiles the one of the class, and is replaced by it."""

    def __init__(self: Any, /, *args: Any, **more: Any) -> None:
        compiled = _compiled_init(made)
        made.__init__ = compiled  # type: ignore[misc]
        compiled(self, *args, **more)

    return __init__


def _compiled_init(made: type) -> Callable[..., None]:
    scope: dict[str, Any] = {"_not_given": _NOT_GIVEN}
    positional: list[str] = []
    by_name: list[str] = []
    steps: list[str] = []
    for one in _fields(made):
        name = one.name
        value = name
        # Its slot sets the value past the refusal of the class.
        scope[f"_set_{name}"] = getattr(made, name).__set__
        parameter = name
        if one.default_factory is not MISSING:
            scope[f"_make_{name}"] = one.default_factory
            parameter = f"{name}=_not_given"
            value = f"_make_{name}() if {name} is _not_given else {name}"
        elif one.default is not MISSING:
            scope[f"_default_{name}"] = one.default
            parameter = f"{name}=_default_{name}"
        if one.init:
            (by_name if one.kw_only else positional).append(parameter)
        elif one.default_factory is not MISSING:
            value = f"_make_{name}()"
        elif one.default is not MISSING:
            value = f"_default_{name}"
        else:
            continue
        steps.append(f"    _set_{name}(self, {value})\n")
    if hasattr(made, "__post_init__"):
        steps.append("    self.__post_init__()\n")
    parameters = ["self", *positional, *(["*", *by_name] if by_name else [])]
    source = f"def __init__({', '.join(parameters)}):\n{''.join(steps) or '    pass'}"
    exec(compile(source, f"<the __init__ of {made.__qualname__}>", "exec"), scope)
    compiled: Callable[..., None] = scope["__init__"]
    compiled.__qualname__ = f"{made.__qualname__}.__init__"
    compiled.__module__ = made.__module__
    return compiled
