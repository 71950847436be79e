"""Values as JSON can hold them: no NaN, no infinity, nothing of numpy."""

import math
from collections.abc import Mapping
from typing import Any


def finite(value: Any) -> Any:
    """The same in maps, lists and plain values; None for a number that is not finite. A named tuple becomes a map."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (str, int)):
        return value
    if hasattr(value, "tolist"):  # an array, or a number, of numpy
        return finite(value.tolist())
    if hasattr(value, "_asdict"):
        return finite(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return value
