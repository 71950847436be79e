"""What every driver promises the loop, as tests that a driver of one's own is run through.

    python -m hilctl.conformance my_rig:MyDriver --set gain=2

or, in tests of one's own, with a fixture that brings the driver and its device:

    from hilctl.conformance import Bench
    from hilctl.conformance.promises import *

    @pytest.fixture
    def bench():
        with Bench("my_rig:MyDriver", {"gain": 2}) as bench:
            yield bench

Needs pytest, which comes with `pip install hilctl[test]`.
"""

import pytest

pytest.register_assert_rewrite("hilctl.conformance.promises")

from hilctl.conformance.bench import Bench, Dialogue  # noqa: E402

__all__ = ["Bench", "Dialogue"]
