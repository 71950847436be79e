"""A function without a signature that is given functions."""

from hilctl.rt.jit import jit


@jit()
def add(x):
    return x + 1.0


@jit()
def times(x):
    return x * 2.0


@jit()
def rt_call(function, x):
    return function(x)
