"""Mutants of a function: its syntax tree with one thing changed, each a change that a slip of the hand could make.

    comparison      the bound moved (< to <=), and the whole turned round (< to >=)
    arithmetic      + to -, * to /, and back; & to |; a minus dropped; abs dropped; min for max
    constant        0 to 1, 1 to 0, another c to c + 1 and to -c
    logic           and for or, an operand dropped, a condition negated
    statement       dropped: an assignment to a record, a call, break, continue, an early return
    result          a boolean negated, a number one more
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

_BOUND = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_TURNED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
           ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
_ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
               ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
               ast.LShift: ast.RShift, ast.RShift: ast.LShift}
_CALLED = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "sin": "cos", "cos": "sin"}
_COMPOUND = (ast.If, ast.While, ast.For, ast.With)


class Mutant(NamedTuple):
    """One function with one thing changed."""

    path: Path
    function: str
    first: int  # lines of the statement, without what is nested in it
    last: int
    line: int
    old: str  # the statement
    new: str
    code: CodeType

    @property
    def name(self) -> str:
        """What is changed, wherever in its file it stands."""
        return f"{self.function}: {self.old} -> {self.new}"


def mutants_of(path: Path, shown: Path, wanted: Callable[[str], bool]) -> Iterator[Mutant]:
    """All mutants of the functions of a file whose names are wanted; `shown`: the path that a report names."""
    for function in ast.parse(path.read_text()).body:
        if isinstance(function, ast.FunctionDef) and wanted(function.name):
            function.decorator_list = []
            yield from _of_function(function, path, shown)


def _of_function(function: ast.FunctionDef, path: Path, shown: Path) -> Iterator[Mutant]:
    plain, seen = _compiled(function, path).co_code, set()
    constants = repr(_compiled(function, path).co_consts)
    for statement, change, undo in _changes(function):
        old, at = _header(statement), statement.lineno
        last = max([at] + [n.end_lineno or 0 for n in _own(statement) if hasattr(n, "end_lineno")])
        replacement = change()
        new = _header(replacement if isinstance(replacement, ast.stmt) else statement)
        code = _compiled(function, path)
        undo()
        if (code.co_code, repr(code.co_consts)) != (plain, constants) and (at, old, new) not in seen:
            seen.add((at, old, new))
            yield Mutant(shown, function.name, at, last, at, old, new, code)


def _compiled(function: ast.FunctionDef, path: Path) -> CodeType:
    module = ast.fix_missing_locations(ast.Module([function], []))
    return next(c for c in compile(module, str(path), "exec").co_consts if isinstance(c, CodeType))


def _header(statement: ast.stmt) -> str:
    """The statement in one line, without what is nested in it."""
    if isinstance(statement, ast.If):
        return f"if {ast.unparse(statement.test)}"
    if isinstance(statement, ast.While):
        return f"while {ast.unparse(statement.test)}"
    if isinstance(statement, ast.For):
        return f"for {ast.unparse(statement.target)} in {ast.unparse(statement.iter)}"
    return " ".join(ast.unparse(statement).split())


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that are not nested statements."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


Change = tuple[ast.stmt, Callable[[], Any], Callable[[], None]]


def _changes(function: ast.FunctionDef) -> Iterator[Change]:
    """A statement, how it is changed, how that is undone; a change of the whole returns its replacement."""
    for body in _bodies(function):
        for k, statement in enumerate(body):
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # a docstring
            if _droppable(statement):
                yield statement, *_set(body, k, ast.copy_location(ast.Pass(), statement))
            yield from _parts(statement)
            for node in _own(statement):
                for owner, key, new in _at(node, function):
                    yield statement, *_quiet(owner, key, new)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if isinstance(body, list) and body:
            yield body
            for statement in body:
                if isinstance(statement, _COMPOUND):
                    yield from _bodies(statement)


def _droppable(statement: ast.stmt) -> bool:
    """Not a local name's only assignment: what then is missing ends every test at once, which proves nothing."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(t, (ast.Attribute, ast.Subscript)) for t in statement.targets)
    if isinstance(statement, ast.Return):
        return statement.value is None
    return isinstance(statement, (ast.AugAssign, ast.Expr, ast.Break, ast.Continue))


def _parts(statement: ast.stmt) -> Iterator[Change]:
    """Of `a.x, a.y = 1, 2` and `a.x = a.y = 1`: with each of the assignments left out."""
    if not isinstance(statement, ast.Assign):
        return
    if len(statement.targets) > 1:
        for k in range(len(statement.targets)):
            yield statement, *_quiet(statement, "targets", statement.targets[:k] + statement.targets[k + 1 :])
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for k, one in enumerate(target.elts):
            if isinstance(one, (ast.Attribute, ast.Subscript)):
                lost = ast.copy_location(ast.Name("_dropped", ast.Store()), one)
                yield statement, *_quiet(target, "elts", [*target.elts[:k], lost, *target.elts[k + 1 :]])


def _at(node: ast.AST, function: ast.FunctionDef) -> Iterator[tuple[Any, Any, Any]]:
    """Changes of one node: where, which field, to what."""
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for table in (_BOUND, _TURNED):
                if type(op) in table:
                    yield node, "ops", [*node.ops[:k], table[type(op)](), *node.ops[k + 1 :]]
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _ARITHMETIC:
        yield node, "op", _ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        yield node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Call):
        yield from _called(node)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield from _result(node, function)
    for name, child in ast.iter_fields(node):
        for key, one in enumerate(child) if isinstance(child, list) else [(name, child)]:
            owner = child if isinstance(child, list) else node
            if isinstance(one, ast.Constant):
                yield from ((owner, key, ast.copy_location(ast.Constant(c), one)) for c in _constants(one.value))
            elif isinstance(one, ast.UnaryOp) and isinstance(one.op, (ast.USub, ast.Not)):
                yield owner, key, one.operand
            elif isinstance(one, ast.BoolOp):
                for k in range(len(one.values)):
                    rest = one.values[:k] + one.values[k + 1 :]
                    yield owner, key, rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(one.op, rest), one)
            elif isinstance(one, ast.Call) and _name(one) == "abs":
                yield owner, key, one.args[0]
    if isinstance(node, (ast.If, ast.While, ast.IfExp)) and not isinstance(node.test, ast.Compare):
        yield node, "test", ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)


def _name(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _called(node: ast.Call) -> Iterator[tuple[Any, Any, Any]]:
    other = _CALLED.get(_name(node))
    if other and isinstance(node.func, ast.Name):
        yield node, "func", ast.copy_location(ast.Name(other, ast.Load()), node.func)
    elif other and isinstance(node.func, ast.Attribute):
        yield node, "func", ast.copy_location(ast.Attribute(node.func.value, other, ast.Load()), node.func)


def _result(node: ast.Return, function: ast.FunctionDef) -> Iterator[tuple[Any, Any, Any]]:
    kind, value = ast.unparse(function.returns) if function.returns else "", node.value
    assert value is not None
    if kind == "bool":
        yield node, "value", ast.copy_location(ast.UnaryOp(ast.Not(), value), value)
    elif kind in ("int", "float") and not isinstance(value, ast.Constant):
        yield node, "value", ast.copy_location(ast.BinOp(value, ast.Add(), ast.Constant(1)), value)


def _constants(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if not isinstance(value, (int, float)):
        return []
    if value in (0, 1):
        return [type(value)(1 - value)]
    return [value + 1, -value]


def _set(owner: Any, key: Any, new: Any) -> tuple[Callable[[], Any], Callable[[], None]]:
    """Puts something into a field or a list, and back."""
    old = owner[key] if isinstance(owner, list) else getattr(owner, key)

    def put(value: Any) -> Any:
        if isinstance(owner, list):
            owner[key] = value
        else:
            setattr(owner, key, value)
        return value

    return lambda: put(new), lambda: (put(old), None)[1]


def _quiet(owner: Any, key: Any, new: Any) -> tuple[Callable[[], Any], Callable[[], None]]:
    change, undo = _set(owner, key, new)
    return lambda: (change(), None)[1], undo
