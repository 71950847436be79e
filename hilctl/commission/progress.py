"""How far a commissioning is: the share of the rig time that its stages take on the twin of table-500.

Seconds from `hilctl commission table-500 --twin --tune --learn --sines 1 --json FILE` (`stages`), 2026-11-26. Another
rig and other motions take longer or shorter: what is left is an estimate.
"""

from hilctl.commission.how import How
from hilctl.experiment.stages import PLANT_S, PREPARING_S

SINE_S = 6.0  # before or after
_TRACKING_S, _LEARNING_S = 13.0, 37.0  # the triangles; a learned drive
_REVERSALS_S, _CANDIDATES_S, _PREVIEW_S, _GAINS_S = 40.0, 7.0, 22.0, 53.0


def expected_s(how: How) -> dict[str, float]:
    """The stages of this commissioning in their order, and how long each may take."""
    sines_s = SINE_S * len(how.sines_hz)
    parts: list[tuple[str, str, float]] = [
        ("", "preparing", PREPARING_S + how.warm_up_s),
        ("sines", "distortion before", sines_s),
        ("tracking", "tracking before", _TRACKING_S),
        ("plant", "mass, flow, oil and delay", PLANT_S),
        ("friction", "measuring friction", how.campaign_s),
        ("friction", "fitting the friction model", 0.0),
        ("reversals", "reversals", _REVERSALS_S),
        ("compensation", "compensation", _CANDIDATES_S),
        ("compensation", "preview", _PREVIEW_S),
        ("gains", "gains", _GAINS_S),
        ("sines", "distortion after", sines_s),
        ("tracking", "tracking after", _TRACKING_S),
        ("learning", "learning", _LEARNING_S * max(1, len(how.learn_hz))),
        ("", "keeping the parameters", 0.0),
    ]
    return {stage: seconds for part, stage, seconds in parts if not part or how.does(part)}
