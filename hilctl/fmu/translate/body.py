"""One function from Python to C: its statements. It is translated until the type of no variable widens any more."""

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from hilctl.fmu.translate.expressions import Expressions
from hilctl.fmu.translate.program import Made, NotTranslatable, Program, source_of
from hilctl.fmu.translate.types import KNOWN, NOTHING, REAL, TRUTH, WHOLE, Array, Record, Tuple, Type, Value, wider

_RESERVED = frozenset((
    *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern"),
    *("float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed"),
    *("sizeof", "static"),
    *("struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "bool", "near", "far"),
    *("div", "index", "time", "y0", "y1", "j0", "j1", "yn", "jn", "gamma", "round", "small"),  # of its library
))  # fmt: skip


def translated(program: Program, plain: Callable[..., Any], types: tuple[Type, ...], name: str) -> tuple[Made, str]:
    """The function, and its text."""
    tree = ast.parse(source_of(plain)).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise NotTranslatable(f"{plain.__module__}.{plain.__qualname__}: is no plain function")
    body = _Body(program, plain, tree, types)
    for _round in range(10):
        known = dict(body.variables), body.returns
        body.begin()
        lines = body.block(tree.body)
        if known == (body.variables, body.returns):
            break
    returns = body.returns if body.returns is not None else NOTHING
    given = [argument.arg for argument in tree.args.args]
    parameters = ", ".join(f"{_join(program.c(body.variables[a]))}{body.safe(a)}" for a in given) or "void"
    own = [f"    {_join(program.c(kind))}{body.safe(v)} = {_zero(kind)};"
           for v, kind in body.variables.items() if v not in given and kind != KNOWN]  # fmt: skip
    idle = [f"    (void){body.safe(v)};" for v, kind in body.variables.items() if v not in body.read and kind != KNOWN]
    said = (ast.get_docstring(tree) or "").split("\n")[0]
    head = f"/* {plain.__module__}.{plain.__qualname__}{': ' if said else ''}{said} */"
    begin = f"static {_join(program.c(returns))}{name}({parameters})\n{{"
    return Made(name, returns, body.writes), "\n".join([head, begin, *own, *idle, *lines, "}"]) + "\n"


def _join(c: str) -> str:
    return c if c.endswith("*") else f"{c} "


def _zero(kind: Type) -> str:
    if isinstance(kind, Tuple):
        return "{0}"
    return {REAL: "0.0", TRUTH: "false", WHOLE: "0"}.get(kind, "NULL")  # type: ignore[call-overload,no-any-return]


class _Body(Expressions):
    """Statements of one function."""

    def __init__(
        self, program: Program, plain: Callable[..., Any], tree: ast.FunctionDef, types: tuple[Type, ...]
    ) -> None:
        cells = zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True)
        scope = {**vars(builtins), **plain.__globals__, **{name: cell.cell_contents for name, cell in cells}}
        super().__init__(program, scope, f"{plain.__module__}.{plain.__qualname__}")
        given = [argument.arg for argument in tree.args.args]
        if len(given) != len(types):
            raise NotTranslatable(f"{self.where}: takes {len(given)} arguments, not {len(types)}")
        self.variables = dict(zip(given, types, strict=True))
        self.returns: Type | None = None
        self.begin()

    def begin(self) -> None:
        """Before a pass over the body."""
        self.read: set[str] = set()
        self.writes, self._count, self.known_locals = False, 0, {}

    def block(self, statements: Sequence[ast.stmt], deep: int = 1) -> list[str]:
        """Lines of C."""
        return [" " * 4 * deep + line for one in statements for line in self._statement(one)]

    def _statement(self, node: ast.stmt) -> list[str]:
        made = getattr(self, f"_{type(node).__name__}", None)
        if made is None:
            raise self.refusal(node, f"`{type(node).__name__}`")
        lines: list[str] = made(node)
        return lines

    def _Pass(self, _node: ast.Pass) -> list[str]:
        return []

    def _Break(self, _node: ast.Break) -> list[str]:
        return ["break;"]

    def _Continue(self, _node: ast.Continue) -> list[str]:
        return ["continue;"]

    def _Expr(self, node: ast.Expr) -> list[str]:
        if isinstance(node.value, ast.Constant):
            return []
        return [f"(void){self.expression(node.value).text};"]

    def _Return(self, node: ast.Return) -> list[str]:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return ["return;"]
        value = self.expression(node.value)
        if value.type == NOTHING:  # of what is called for what it does
            return [f"{value.text};", "return;"]
        self.returns = wider(self.returns, value.type)
        if not value.parts:
            return [f"return {value.text};"]
        return [f"return {self.tuple_text(value, self.returns)};"]

    def _If(self, node: ast.If) -> list[str]:
        lines = [f"if ({self.expression(node.test).text}) {{", *self._deeper(node.body)]
        if node.orelse:
            lines += ["} else {", *self._deeper(node.orelse)]
        return [*lines, "}"]

    def _While(self, node: ast.While) -> list[str]:
        if node.orelse:
            raise self.refusal(node, "`while … else`")
        return [f"while ({self.expression(node.test).text}) {{", *self._deeper(node.body), "}"]

    def _For(self, node: ast.For) -> list[str]:
        call = node.iter
        if node.orelse or not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
                               and call.func.id == "range" and isinstance(node.target, ast.Name)):  # fmt: skip
            raise self.refusal(node, "a `for` that does not count")
        bounds = [self.expression(a) for a in call.args]
        if any(b.type not in (WHOLE, TRUTH) for b in bounds):
            raise self.refusal(node, "a range of no whole numbers")
        first, last = (Value("0", WHOLE), bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = ast.literal_eval(call.args[2]) if len(bounds) == 3 else 1
        counted, end, name = self.temporary(), self.temporary(), self.assigned(node.target.id, WHOLE)
        # the counter is the loop's own: Python's body may write to its variable without moving it
        sign = "<" if step > 0 else ">"
        bounded = f"int64_t {counted} = {first.text}, {end} = {last.text}; {counted} {sign} {end}"
        head = f"for ({bounded}; {counted} += {step}) {{"
        return [head, f"    {name} = {counted};", *self._deeper(node.body), "}"]

    def _deeper(self, statements: Sequence[ast.stmt]) -> list[str]:
        return self.block(statements)

    def _AnnAssign(self, node: ast.AnnAssign) -> list[str]:
        if node.value is None:
            return []
        return self._assign([node.target], node.value)

    def _Assign(self, node: ast.Assign) -> list[str]:
        return self._assign(node.targets, node.value)

    def _AugAssign(self, node: ast.AugAssign) -> list[str]:
        place = self.expression(_loaded(node.target))
        value = self.operation(node.op, place, self.expression(node.value), node)
        return [self._store(node.target, value)]

    def _assign(self, targets: Sequence[ast.expr], given: ast.expr) -> list[str]:
        value = self.expression(given)
        if len(targets) == 1 and not isinstance(targets[0], ast.Tuple):
            return self._one(targets[0], value)
        lines: list[str] = []
        held = self._hold(value, lines)
        for target in targets:
            lines += self._spread(target, held)
        return ["{", *(f"    {line}" for line in lines), "}"]

    def _spread(self, target: ast.expr, held: Value) -> list[str]:
        """The items of a tuple go to the targets of one."""
        if not isinstance(target, ast.Tuple):
            return self._one(target, held)
        if len(held.parts) != len(target.elts):
            raise self.refusal(target, "a tuple of another length")
        return [line for one, part in zip(target.elts, held.parts, strict=True) for line in self._spread(one, part)]

    def _hold(self, value: Value, lines: list[str]) -> Value:
        """The value in names of its own, so that what is assigned first does not change the rest."""
        if value.parts:
            parts = tuple(self._hold(part, lines) for part in value.parts)
            return Value("", value.type, None, parts)
        if value.type == KNOWN:
            return value
        name = self.temporary()
        lines.append(f"{_join(self.program.c(value.type))}{name} = {value.text};")
        if isinstance(value.type, Tuple):
            parts = tuple(Value(f"{name}.f{k}", item) for k, item in enumerate(value.type.items))
            return Value(name, value.type, None, parts)
        return Value(name, value.type)

    def _one(self, target: ast.expr, value: Value) -> list[str]:
        if isinstance(target, ast.Name) and value.type == KNOWN:
            self.known_locals[target.id] = value.known
            return []
        return [self._store(target, value)]

    def _store(self, target: ast.expr, value: Value) -> str:
        text = self.tuple_text(value, value.type) if value.parts else value.text
        if isinstance(target, ast.Name):
            return f"{self.assigned(target.id, value.type)} = {text};"
        self.writes = True
        place = self.expression(_loaded(target))
        if isinstance(place.type, Record | Array):
            raise self.refusal(target, "a whole record or array that is written to")
        return f"{place.text} = {text};"

    def assigned(self, name: str, kind: Type) -> str:
        """A variable that takes a value of this type."""
        try:
            self.variables[name] = wider(self.variables.get(name), kind)
        except TypeError as error:
            raise NotTranslatable(f"{self.where}: {name}: {error}") from None
        return self.safe(name)

    def safe(self, name: str) -> str:
        """A name that C may take for a variable."""
        return f"{name}_" if name in _RESERVED else name


def _loaded(target: ast.expr) -> ast.expr:
    """The same place, to be read."""
    made = ast.parse(ast.unparse(target), mode="eval").body
    return ast.copy_location(made, target)
