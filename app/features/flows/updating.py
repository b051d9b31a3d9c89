"""Rewrites failed expectations with observed values; all else of a file stays.

Only the characters of a value are replaced, so that comments and layout are kept; a value over
several lines, or with a variable in it, is left to its author.

Values are written as YAML on one line: plain if possible, and with nothing hidden in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ...approval.matrix import HINT_NAMES
from ...calls.call import Call
from ...cli.output.results import StepObservation
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, same
from ...protocol.extensions.tool_resolution import Resolution
from .flow import ABSENT, Step
from .matching import pointed
from .yaml_tree import compose_yaml, read_yaml

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS: Final = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))


def written(value: JsonValue) -> str:
    """A value in a notation that is valid anywhere in a flow file."""
    match value:
        case str():
            return _text(value)
        case dict():
            inside = (f"{_text(name)}: {written(one)}" for name, one in value.items())
            return f"{{{', '.join(inside)}}}"
        case list():
            return f"[{', '.join(written(one) for one in value)}]"
    return json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if "\\" in text and text.isprintable():
        # Patterns can be read in single quotes alone: there a backslash is itself.
        return "'" + text.replace("'", "''") + "'"
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(one if one.isprintable() else _escaped(one) for one in quoted)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def escaped(value: JsonValue) -> JsonValue:
    """A value whose texts mean themselves, where `${` would begin a variable."""
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, list):
        return [escaped(one) for one in value]
    if isinstance(value, dict):
        return {name: escaped(one) for name, one in value.items()}
    return value


Path = tuple[str | int, ...]
_PLAINLY: Final = frozenset(
    ("verdict", "strong", "decided_by", "sent", "outcome", "schema", "error_code")
) | {"denial", "disposition"}
"""Expectations whose value is one word or number of the call."""
LONGEST: Final = 2_000
"""Characters of a value that is written; a longer one would be too long to read."""
_KEY_BEFORE: Final = re.compile(r"( *)[a-z_]+: +")


@frozen
class Proposal:
    """A value of a flow file that would make a failed step pass."""

    step: int
    """The index of the step in its flow."""
    path: Path
    """Where below the step: `("expect", "verdict")`."""
    value: JsonValue
    is_several: bool = False
    """True if the value is a list of matchers that replace the one matcher there."""

    @property
    def place(self) -> str:
        """`expect.verdict`."""
        return ".".join(str(one) for one in self.path)


def proposals(step: Step, seen: StepObservation, failed: set[str]) -> list[tuple[Path, JsonValue]]:
    """New values, by place, for each failed check."""
    found: list[tuple[Path, JsonValue]] = []
    for one in step.expected:
        if one.name in failed:
            below = _values(one.name, one.value, seen)
            found += [(("expect", one.name, *path), escaped(value)) for path, value in below]
    return found


def _values(name: str, wanted: Any, seen: StepObservation) -> list[tuple[Path, JsonValue]]:
    call = seen.call
    if name == "dialog" and isinstance(wanted, bool):
        return [((), bool(seen.dialogs))]
    if call is None:
        return []
    if name in _PLAINLY:
        value = _plain(name, call)
        return [] if value is None else [((), value)]
    if name == "resolved" and call.resolution is not None:
        return list(_resolved(wanted, call.resolution))
    if name in ("structured", "result"):
        whole = call.raw
        if name == "structured":
            whole = None if call.answer is None else call.answer.structured
        return list(_equals(wanted, whole))
    if name == "content" and seen.texts is not None:
        return [
            ((at, "equals"), seen.texts)
            for at, one in enumerate(wanted)
            if isinstance(one, dict) and "equals" in one
        ]
    return []


def _plain(name: str, call: Call) -> JsonValue:
    match name:
        case "verdict":
            return call.verdict.answer.value
        case "strong":
            return call.verdict.strong
        case "decided_by":
            return call.decision.by if call.decision else None
        case "sent":
            return call.sent
        case "outcome":
            return call.outcome.value if call.outcome else None
        case "denial":
            return ABSENT if call.denial is None else call.denial.remediation.value
        case "disposition":
            return ABSENT if call.disposition is None else call.disposition.value
        case "schema":
            return call.schema.answer.value if call.schema else None
    return call.error.code if call.error else None


def _resolved(wanted: Mapping[str, Any], found: Resolution) -> Iterator[tuple[Path, JsonValue]]:
    """The keys that differ, with their values of now."""
    values: dict[str, JsonValue] = {"status": found.status.value}
    if found.hints is not None:
        values["effect"] = found.hints.hints.effect.value
        values |= dict(zip(HINT_NAMES, found.hints, strict=True))
    for name, value in values.items():
        if name in wanted and wanted[name] != value:
            yield (name,), value


def _equals(wanted: Any, whole: JsonValue) -> Sequence[tuple[Path, JsonValue]]:
    found: list[tuple[Path, JsonValue]] = []
    for at, one in enumerate(wanted):
        inside = pointed(whole, one.get("at", "")) if isinstance(one, Mapping) else ()
        if "equals" in one and inside and not same(inside[0], one["equals"]):
            found.append(((at, "equals"), inside[0]))
    return found


def edited(text: str, wanted: Sequence[Proposal]) -> tuple[str, list[Proposal]]:
    """The file with new values, and the proposals that could not be applied.

    Raises FlowError if the file can no longer be read.
    """
    root = compose_yaml(text, "the flow")
    spans: list[tuple[int, int, str]] = []
    left: list[Proposal] = []
    for one in wanted:
        node, list_of_it = _node(root, ("steps", one.step, *one.path))
        if node is None or not _can_replace(node, text):
            left.append(one)
            continue
        start, end = node.start_mark.index, node.end_mark.index
        if one.is_several and isinstance(one.value, list):
            before = text[text.rfind("\n", 0, start) + 1 : start]
            new = _several(one.value, before, list_of_it)
            start -= (len(before) - len(before.rstrip())) * new.startswith("\n")
        else:
            new = written(one.value)
        if len(new) > LONGEST:
            left.append(one)
            continue
        spans.append((start, end, new))
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    tree = read_yaml(text.encode("utf-8", "surrogatepass"), "the flow").plain()
    assert isinstance(tree, dict)
    return text, left


def _several(values: Sequence[JsonValue], before: str, list_of_it: Any) -> str:
    """Write several values in the place of one: as items of its list, or as a list of their own;
    `before` is the text before it on its line.
    """
    several = [written(one) for one in values]
    if len(several) == 1:
        return several[0]
    if list_of_it is not None and list_of_it.flow_style:
        return ", ".join(several)
    if list_of_it is not None and before.strip() == "-":
        return f"\n{before}".join(several)
    if list_of_it is None and (key := _KEY_BEFORE.fullmatch(before)):
        return "".join(f"\n{key[1]}  - {one}" for one in several)
    return f"[{', '.join(several)}]"


def _can_replace(node: Any, text: str) -> bool:
    old = text[node.start_mark.index : node.end_mark.index]
    is_on_a_line = node.id == "scalar" or node.flow_style
    return is_on_a_line and "\n" not in old and "${" not in old and bool(old.strip())


def _node(node: Any, path: Path) -> tuple[Any, Any]:
    """The node at a place, and the list that it is an item of; a value alone counts as a list of
    one. None if the place does not exist.
    """
    list_of_it = None
    for step in path:
        if node.id == "mapping":
            if step == 0:
                continue
            list_of_it = None
            node = next((value for key, value in node.value if key.value == step), None)
        elif node.id == "sequence" and isinstance(step, int):
            list_of_it = node
            node = node.value[step] if step < len(node.value) else None
        elif step == 0:
            continue
        else:
            return None, None
        if node is None:
            return None, None
    return node, list_of_it
