"""A bound that was missed while a hypervisor took the processors away says nothing: it is reported as not measured."""

import pytest

DISTURBED = 0.005  # of the processors


def holds(bound: bool, taken_share: float, figures: object) -> None:
    """Fails where the bound is missed on a host of its own, and skips where it is missed on a disturbed one."""
    if not bound and taken_share > DISTURBED:
        pytest.skip(f"a hypervisor took {taken_share:.1%} of the processors, more than {DISTURBED:.1%}: {figures}")
    assert bound, figures
