"""Whether compensation may stay on: judged on the rig, by sines with and without it."""

from collections.abc import Mapping, Sequence

from hilctl.results.commissioned import Commissioned
from hilctl.results.verified import Cause, Compensation, Judged

OFF = "`hilctl set law.feed.inverse=0` switches it off"
LEAVES = 2.0  # times the distortion that it left when it was commissioned
WORSE = 1.25  # times the distortion without it, and the one that it left then: a few cycles repeat within a fifth


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
    if any(one.compensated > WORSE * max(one.without, one.then or 0.0) for one in sines.values()):
        return Compensation(False, f"it distorts more than it removes: {said}", OFF, dict(sines))
    helps = "it still helps"
    if any(one.compensated > one.without for one in sines.values()):
        helps = "it is no worse than it was"
    if any(one.compensated > LEAVES * (one.then or one.compensated) for one in sines.values()):
        helps = "it helps less than when it was commissioned"
    return Compensation(True, f"{helps}: {said}", "", dict(sines))


def _sine_text(key: str, one: Judged) -> str:
    was = f" ({one.then:.3g} % when it was commissioned)" if one.then is not None else ""
    return f"distortion at {key} Hz {one.without:.3g} % without it, {one.compensated:.3g} % with it{was}"
