"""Expressions from Python to C, with Python's meaning: /, %, **, min, max, chains of comparisons.

C leaves the order of evaluation within an expression open, Python does not: two calls in one that both write memory are
refused.
"""

import ast
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from hilctl.fmu.translate.program import NotTranslatable, Program
from hilctl.fmu.translate.types import (
    KNOWN,
    REAL,
    TRUTH,
    WHOLE,
    Array,
    Number,
    Record,
    Tuple,
    Type,
    Value,
    of_field,
    wider,
)
from hilctl.rt.jit import Jit, Primitive

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
          ast.LShift: "<<", ast.RShift: ">>"}  # fmt: skip
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_MATH = {name: name for name in ("sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "copysign", "floor")}


class Expressions:
    """The expressions of one function."""

    variables: dict[str, Type]
    read: set[str]
    writes: bool
    known_locals: dict[str, Any]
    _count: int

    def __init__(self, program: Program, scope: dict[str, Any], where: str) -> None:
        self.program, self.scope, self.where = program, scope, where

    def safe(self, name: str) -> str:
        """A name that C may take for a variable."""
        raise NotImplementedError

    def refusal(self, node: ast.AST, what: str) -> NotTranslatable:
        """Why it cannot be translated."""
        line = getattr(node, "lineno", 0)
        return NotTranslatable(f"{self.where}, line {line} of it: {what} has no translation to C")

    def temporary(self) -> str:
        """A name that nothing else has."""
        self._count += 1
        return f"t{self._count}_"

    def side_by_side(self, node: ast.AST, *values: Value) -> bool:
        """Whether one of these operands writes memory; two would do so in an order that C leaves open."""
        writing = sum(value.writes for value in values)
        if writing > 1:
            raise self.refusal(node, "an expression with two calls that write memory")
        return writing == 1

    def expression(self, node: ast.expr) -> Value:
        """The expression in C."""
        made: Callable[[Any], Value] | None = getattr(self, f"_e_{type(node).__name__}", None)
        if made is None:
            raise self.refusal(node, f"`{type(node).__name__}`")
        return made(node)

    def _e_Constant(self, node: ast.Constant) -> Value:
        return self._constant(node.value, node)

    def _constant(self, value: Any, node: ast.AST) -> Value:
        if isinstance(value, bool):
            return Value("true" if value else "false", TRUTH)
        if isinstance(value, int | np.integer):
            return Value(str(int(value)) if value >= 0 else f"({int(value)})", WHOLE, value)
        if isinstance(value, float | np.floating):
            value = float(value)
            text = "NAN" if math.isnan(value) else "INFINITY" if value == math.inf else repr(value)
            return Value(text if value >= 0 or math.isnan(value) else f"({value!r})", REAL)
        return Value("", KNOWN, value)

    def _e_Name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.known_locals:
            return self._constant(self.known_locals[name], node)
        if name in self.variables:
            self.read.add(name)
            return self._places(self.safe(name), self.variables[name])
        if name not in self.scope:
            raise self.refusal(node, f"the name {name}")
        return self._constant(self.scope[name], node)

    @staticmethod
    def _places(text: str, kind: Type) -> Value:
        return Value(text, kind)

    def _e_Attribute(self, node: ast.Attribute) -> Value:
        owner = self.expression(node.value)
        if owner.known is not None:  # a module, an enumeration, one of its members
            return self._constant(getattr(owner.known, node.attr), node)
        if isinstance(owner.type, Array) and node.attr == "size":
            return Value(str(math.prod(owner.type.shape)), WHOLE)
        if not isinstance(owner.type, Record) or node.attr not in owner.type.dtype.fields:
            raise self.refusal(node, f".{node.attr}")
        kind, text = of_field(owner.type.dtype.fields[node.attr][0]), f"{owner.text}->{node.attr}"
        if isinstance(kind, Record):
            self.program.record(kind.dtype, node.attr)
            return Value(f"(&{text})", kind)
        return Value(text, kind)

    def _e_Subscript(self, node: ast.Subscript) -> Value:
        owner = self.expression(node.value)
        at = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        places = [self.expression(one) for one in at]
        if owner.type == KNOWN and isinstance(owner.known, tuple):
            text, item = self.program.table(owner.known, ast.unparse(node.value))
            return Value(f"{text}[{places[0].text}]", item)
        if isinstance(owner.type, Tuple):
            k = ast.literal_eval(at[0])
            return Value(f"{owner.text}.f{k}", owner.type.items[k], writes=owner.writes)
        if not isinstance(owner.type, Array) or any(p.type not in (WHOLE, TRUTH) for p in places):
            raise self.refusal(node, "an index of this kind")
        shape, rest = owner.type.shape, owner.type.shape[len(places):]
        if len(places) > max(len(shape), 1):
            raise self.refusal(node, "an index too many")
        index = " + ".join(
            f"{p.text} * {math.prod(shape[k + 1:])}" if math.prod(shape[k + 1:]) != 1 else p.text
            for k, p in enumerate(places)
        )
        writes = self.side_by_side(node, *places)
        if rest:
            return Value(f"({owner.text} + ({index}))", Array(owner.type.item, rest), writes=writes)
        if isinstance(owner.type.item, Record):
            return Value(f"(&{owner.text}[{index}])", owner.type.item, writes=writes)
        return Value(f"{owner.text}[{index}]", owner.type.item, writes=writes)

    def _e_Tuple(self, node: ast.Tuple) -> Value:
        parts = tuple(self.expression(one) for one in node.elts)
        return Value("", Tuple(tuple(part.type for part in parts)), None, parts, any(p.writes for p in parts))

    def tuple_text(self, value: Value, kind: Type) -> str:
        """A tuple that is written out, as a value of C."""
        if sum(part.writes for part in value.parts) > 1:
            raise NotTranslatable(f"{self.where}: a tuple with two calls that write memory has no translation to C")
        if any(part.type == KNOWN for part in value.parts):
            raise NotTranslatable(f"{self.where}: a tuple of what is no number has no translation to C")
        items = ", ".join(self.tuple_text(p, p.type) if p.parts else p.text for p in value.parts)
        return f"({self.program.c(kind)}){{{items}}}"

    def _e_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(f"(!{value.text})", TRUTH, writes=value.writes)
        if isinstance(node.op, ast.USub):
            return Value(f"(-{value.text})", wider(WHOLE, value.type), writes=value.writes)
        raise self.refusal(node, f"`{type(node.op).__name__}`")

    def _e_BinOp(self, node: ast.BinOp) -> Value:
        return self.operation(node.op, self.expression(node.left), self.expression(node.right), node)

    def operation(self, op: ast.operator, one: Value, other: Value, node: ast.AST) -> Value:
        """Two numbers by an operator."""
        if not isinstance(one.type, Number) or not isinstance(other.type, Number):
            raise self.refusal(node, "arithmetic with what is no number")
        kind, writes = wider(wider(WHOLE, one.type), other.type), self.side_by_side(node, one, other)
        if isinstance(op, ast.Pow):
            return Value(f"pow({one.text}, {other.text})", REAL, writes=writes)
        if isinstance(op, ast.Div):
            return Value(f"((double){one.text} / (double){other.text})" if kind == WHOLE
                         else f"({one.text} / {other.text})", REAL, writes=writes)  # fmt: skip
        if isinstance(op, ast.Mod) and kind == WHOLE:
            return Value(f"hil_mod({one.text}, {other.text})", WHOLE, writes=writes)
        if type(op) not in _SIGNS or (isinstance(op, _BITS) and kind != WHOLE):
            raise self.refusal(node, f"`{type(op).__name__}` of these")
        return Value(f"({one.text} {_SIGNS[type(op)]} {other.text})", kind, writes=writes)

    def _e_BoolOp(self, node: ast.BoolOp) -> Value:
        values = [self.expression(one) for one in node.values]
        if any(v.type != TRUTH for v in values):
            raise self.refusal(node, "`and` and `or` of numbers")
        sign = " && " if isinstance(node.op, ast.And) else " || "  # evaluated in order in C too
        return Value(f"({sign.join(v.text for v in values)})", TRUTH, writes=any(v.writes for v in values))

    def _e_Compare(self, node: ast.Compare) -> Value:
        sides = [self.expression(one) for one in (node.left, *node.comparators)]
        pairs = []
        for op, one, other in zip(node.ops, sides, sides[1:], strict=False):
            if type(op) not in _COMPARED or KNOWN in (one.type, other.type):
                raise self.refusal(node, "a comparison of this kind")
            pairs.append(f"({one.text} {_COMPARED[type(op)]} {other.text})")
        if len(pairs) > 1 and any(side.writes for side in sides[1:-1]):
            raise self.refusal(node, "a chain of comparisons with a call that writes memory")
        text = pairs[0] if len(pairs) == 1 else f"({' && '.join(pairs)})"
        return Value(text, TRUTH, writes=self.side_by_side(node, *sides))

    def _e_IfExp(self, node: ast.IfExp) -> Value:
        test, one, other = (self.expression(part) for part in (node.test, node.body, node.orelse))
        kind, writes = wider(one.type, other.type), test.writes or one.writes or other.writes
        return Value(f"({test.text} ? {one.text} : {other.text})", kind, writes=writes)

    def _e_Call(self, node: ast.Call) -> Value:
        called = self.expression(node.func)
        if called.type != KNOWN or node.keywords:
            raise self.refusal(node, "a call of this kind")
        given = [self.expression(one) for one in node.args]
        writes, target = self.side_by_side(node, *given), called.known
        if isinstance(target, Primitive):
            target = target.plain
        name = getattr(target, "__name__", "")
        if name in ("as_record", "words_of") and getattr(target, "__module__", "") == "hilctl.rt.records":
            return self._laid_over(name, given, node)
        if getattr(target, "__module__", None) in ("math", "builtins"):
            return self._library(name, given, writes, node)
        plain = target.plain if isinstance(target, Jit) else target
        if not hasattr(plain, "__code__") or isinstance(target, ModuleType):
            raise self.refusal(node, f"a call of {name or target}")
        made = self.program.function(plain, tuple(g.type for g in given))
        self.writes = self.writes or made.writes
        texts = [self.tuple_text(g, g.type) if g.parts else g.text for g in given]
        return Value(f"{made.name}({', '.join(texts)})", made.returns, writes=writes or made.writes)

    def _laid_over(self, name: str, given: list[Value], node: ast.Call) -> Value:
        kind = given[0].type
        if name == "words_of" and isinstance(kind, Record):
            return Value(f"((double *){given[0].text})", Array(REAL, (kind.dtype.itemsize // 8,)))
        if name == "as_record" and kind == Record(given[1].known):
            return given[0]
        raise self.refusal(node, f"{name} of this")

    def _library(self, name: str, given: list[Value], writes: bool, node: ast.Call) -> Value:
        texts = [g.text for g in given]
        if name in _MATH:
            return Value(f"{_MATH[name]}({', '.join(texts)})", REAL, writes=writes)
        if name in ("isnan", "isfinite", "isinf"):
            return Value(f"({name}({texts[0]}) != 0)", TRUTH, writes=writes)
        if name == "len" and given[0].type == KNOWN:
            return Value(str(len(given[0].known)), WHOLE)
        if name == "float":
            return Value(f"((double){texts[0]})", REAL, writes=writes)
        if name == "int":
            return Value(f"((int64_t){texts[0]})", WHOLE, writes=writes)
        if name == "round" and len(given) == 1:
            return Value(f"((int64_t)nearbyint({texts[0]}))", WHOLE, writes=writes)
        kind = given[0].type
        for g in given[1:]:
            kind = wider(kind, g.type)
        if name == "abs":
            return Value(f"{'fabs' if kind == REAL else 'llabs'}({texts[0]})", kind, writes=writes)
        if name in ("min", "max") and len(given) > 1:
            text, suffix = texts[0], "" if kind == REAL else "_whole"
            for other in texts[1:]:
                text = f"hil_{name}{suffix}({text}, {other})"
            return Value(text, kind, writes=writes)
        raise self.refusal(node, f"{name}()")
