"""The only door to numba: what runs in the tick is compiled here, and nothing else in the house imports numba."""

from hilctl.rt.jit import jit, record_type

__all__ = ["jit", "record_type"]
