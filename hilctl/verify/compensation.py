"""Whether compensation may stay on: judged on the rig, by sines with and without it."""

from collections.abc import Mapping, Sequence

from hilctl.results.commissioned import Commissioned
from hilctl.results.verified import Cause, Compensation, Judged

OFF = "`hilctl set law.feed.inverse=0` switches it off"
KEEPS = 0.5  # of what compensation was worth
WORSE = 1.25  # times the distortion without, and than it was commissioned with: two cycles repeat within a fifth


def compensation(
    stored: Commissioned, sines: Mapping[str, Judged], why_not: str, unstable: str, causes: Sequence[Cause]
) -> Compensation:  # fmt: skip
    """Judged on the rig: by the sines, under the stored parameters."""
    if unstable:
        return Compensation(False, f"with the machine as it is now the loop is unstable: {unstable}",
                            "`hilctl off`; `hilctl tune` computes gains that hold", dict(sines))  # fmt: skip
    if stored.friction is None:
        return Compensation(None, "none was commissioned")
    if not sines:
        reason = why_not or "no sine of the commissioning could be repeated"
        if causes:
            return Compensation(False, f"not proved on the rig: {reason}; and the rig has changed", OFF)
        return Compensation(True, f"the rig has not changed; not proved on the rig: {reason}")
    said = ", ".join(_sine_text(key, one) for key, one in sines.items())
    if any(one.compensated > WORSE * one.without / min(_times_then(one) or 1.0, 1.0) for one in sines.values()):
        return Compensation(False, f"it distorts more than it removes: {said}", OFF, dict(sines))
    helps = "it still helps" if all(_times(one) >= 1.0 for one in sines.values()) else "it is no worse than it was"
    if any(_times(one) < KEEPS * (_times_then(one) or 0.0) for one in sines.values()):
        helps = "it helps less than when it was commissioned"
    return Compensation(True, f"{helps}: {said}", "", dict(sines))


def _times(one: Judged) -> float:
    return one.without / max(one.compensated, 1e-9)


def _times_then(one: Judged) -> float | None:
    if one.then_without is None or not one.then_compensated:
        return None
    return one.then_without / one.then_compensated


def _sine_text(key: str, one: Judged) -> str:
    then = _times_then(one)
    was = f" ({then:.2g} times when it was commissioned)" if then is not None else ""
    return f"{key} Hz: {one.without:.3g} → {one.compensated:.3g} %, {_times(one):.2g} times less{was}"
