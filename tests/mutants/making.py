"""Mutants of a Python file: the same text with one small fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
EMPTY = {"str": '""', "bytes": 'b""', "list": "[]", "dict": "{}", "tuple": "()", "int": "0"}
"""What is returned in place of a value, by the name of the annotated type; else None."""


@dataclass(frozen=True)
class Mutant:
    """A fault in a file; `start` and `end` are the bytes that `text` takes the place of."""

    path: Path
    line: int
    kind: str
    start: int
    end: int
    text: str

    def source(self, before: str) -> str:
        """The file with the fault."""
        raw = before.encode()
        return (raw[: self.start] + self.text.encode() + raw[self.end :]).decode()

    def diff(self, before: str) -> str:
        """The fault as a difference."""
        old, new = before.splitlines(), self.source(before).splitlines()
        name = self.path.as_posix()
        return "\n".join(unified_diff(old, new, name, name, lineterm="", n=1))


def mutants_of(path: Path, source: str) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    lines = [0]
    for line in source.encode().split(b"\n"):
        lines.append(lines[-1] + len(line) + 1)
    found = []
    for node, kind, text in _faults(ast.parse(source)):
        assert isinstance(node, ast.expr | ast.stmt)
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        found.append(Mutant(path, node.lineno, kind, start, end, text))
    return sorted(found, key=lambda one: (one.start, one.end, one.kind))


def _faults(tree: ast.Module) -> Iterator[tuple[ast.AST, str, str]]:
    """Each place with a fault: the node, the kind, and the text in its place."""
    nodes = [(tree, "")]
    while nodes:
        node, returns = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            returns = _name(node.returns)
        yield from _faults_at(node, returns)
        nodes += [(child, returns) for child in _children(node)]  # type: ignore[misc]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The parts that run: no annotations, decorators, docstrings or texts in f-strings."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not is_text and not isinstance(child, ast.JoinedStr):
                yield child


def _faults_at(node: ast.AST, returns: str) -> Iterator[tuple[ast.AST, str, str]]:
    match node:
        case ast.Compare(left, [op], [right]):
            turned = ast.Compare(left, [TURNED[type(op)]()], [right])
            yield node, "comparison turned", f"({ast.unparse(turned)})"
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield node, "and/or swapped", f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(ast.Not(), operand):
            yield node, "not removed", f"({ast.unparse(operand)})"
        case ast.Constant(bool() as value):
            yield node, "boolean turned", str(not value)
        case ast.Constant(int() as value):
            yield node, "constant off by one", str(value + 1)
        case ast.Return(value) if value is not None:
            empty = EMPTY.get(returns, "None")
            if ast.unparse(value) not in (empty, "None") and returns != "bool":
                yield node, "return value lost", f"return {empty}"
        case ast.Expr(ast.Call() | ast.Await()) | ast.Raise() | ast.AugAssign():
            yield node, "statement removed", "pass"
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield node, "statement removed", "pass"


def _name(annotation: ast.expr | None) -> str:
    """The name of an annotated type, without its parameters."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return annotation.id if isinstance(annotation, ast.Name) else ""
