"""Every operation with every wrong argument: `bad_value`, the argument named, what is allowed."""

import pytest

from hilctl.params import leaves
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import OPS, check_arguments

ARGS = [(op, leaf) for op in OPS.values() for leaf in leaves(op.args)]
NUMBERS = [(op, leaf) for op, leaf in ARGS if leaf.kind in ("float", "int")]
OPEN = [(op, one) for op in OPS.values() for one in op.open]


def _id(value):
    return getattr(value, "name", None) or getattr(value, "path", None)


def good(op):
    """The required arguments, with good values."""
    found = {}
    for leaf in leaves(op.args):
        if not isinstance(leaf.default, (bool, int, float, str)):
            found[leaf.path] = leaf.choices[0] if leaf.choices else "x" if leaf.kind == "text" else max(leaf.low, 0)
    return found


def refusal(op, **args):
    with pytest.raises(Refused) as refused:
        check_arguments(op.name, {**good(op), **args})
    assert refused.value.code == Code.BAD_VALUE
    return refused.value


@pytest.mark.parametrize("op", OPS.values(), ids=_id)
def test_good_arguments_pass_and_an_unknown_one_is_named(op):
    check_arguments(op.name, good(op))
    assert refusal(op, surplus=1).key == "surplus"


@pytest.mark.parametrize(("op", "leaf"), ARGS, ids=_id)
def test_an_argument_of_a_wrong_type_is_named(op, leaf):
    for value in ([], {}, None, b"\x00"):
        refused = refusal(op, **{leaf.path: value})
        assert refused.key == leaf.path
        assert "must be" in refused.message


@pytest.mark.parametrize(("op", "leaf"), NUMBERS, ids=_id)
def test_a_number_out_of_bounds_is_named_with_its_bounds(op, leaf):
    for value in (leaf.high * 2 + 1, leaf.low - 1, float("nan"), "3", True):
        refused = refusal(op, **{leaf.path: value})
        assert refused.key == leaf.path
        assert " to " in refused.message


@pytest.mark.parametrize("op", [op for op in OPS.values() if good(op)], ids=_id)
def test_an_argument_that_is_missing_is_named(op):
    with pytest.raises(Refused) as refused:
        check_arguments(op.name, {})
    assert refused.value.key in good(op)
    assert "missing" in refused.value.message


@pytest.mark.parametrize(("op", "one"), OPEN, ids=_id)
def test_an_open_argument_of_a_wrong_type_is_named(op, one):
    refused = refusal(op, **{one.name: 3})
    assert refused.key == one.name
    assert "must be" in refused.message


def test_an_operation_that_there_is_not_comes_with_the_nearest():
    with pytest.raises(Refused, match="did you mean 'status'") as refused:
        check_arguments("statsu", {})
    assert refused.value.code == Code.UNKNOWN_OP
