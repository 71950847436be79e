"""The versions of numba whose inside `internals` was tested with; pyproject.toml asks for the same.

With any other, or with HILCTL_NUMBA_INTERNALS=0, only what numba documents is used: the same results, but callees
compile more slowly, and nothing is kept between runs.
"""

import functools
import importlib.metadata
import logging
import os
import re

LOWEST, CEILING = "0.63", "0.69"  # tests/unit/rt passed with 0.63.1, 0.66.0 and 0.68.1; 0.61 has other names

log = logging.getLogger(__name__)


@functools.cache
def internals_known() -> bool:
    """Whether the inside of the installed numba may be used; says once what to do if not."""
    if os.environ.get("HILCTL_NUMBA_INTERNALS", "1") == "0":
        return False
    version = importlib.metadata.version("numba")
    if _number(LOWEST) <= _number(version) < _number(CEILING):
        return True
    log.warning(
        "numba %s is outside the tested range: each start compiles the loop again, which takes a minute;"
        " install a tested version: pip install 'numba>=%s,<%s'",
        version,
        LOWEST,
        CEILING,
    )
    return False


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
