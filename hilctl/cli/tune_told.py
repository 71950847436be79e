"""The result of `hilctl tune` in words."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hilctl.design.margins import Margins
    from hilctl.design.predict import Prediction
    from hilctl.design.result import Measured, Tuning


def fragment(made: "Tuning") -> str:
    """The values in the form of a rig file, with their origin."""
    from hilctl.design.result import fragment as toml

    remarks = [f"hilctl tune: {made.rig}, the machine from {made.known.source}"]
    if made.design is not None:
        p = made.design.predicted
        remarks.append(f"position gain {p.position_gain_per_s:.3g} 1/s")
        if p.worst is not None:
            remarks.append(f"worst corner: {_margins(p.worst)}")
    return toml(made.values, remarks)


def lines(made: "Tuning") -> list[str]:
    """Predicted and measured, before and after, one line each."""
    out: list[str] = []
    if made.known.assumed:
        names = " and ".join(f"machine.{name}" for name in made.known.assumed)
        out.append(f"{names}: not identified, assumed to be within 20 % of the rig file")
    d = made.design
    if d is not None:
        out += [f"predicted before: {_prediction(d.before)}"]
    if made.measured_before is not None:
        out += [f"measured before:  {_measured(made.measured_before)}"]
    if d is not None:
        out += [f"predicted now:    {_prediction(d.predicted)}"]
    if made.measured_after is not None:
        out += [f"measured now:     {_measured(made.measured_after)}"]
    if made.notched is not None:
        out += _notches(made)
    for measured in (made.measured_before, made.measured_after):
        out += list(measured.notes) if measured else []
    return out


def _notches(made: "Tuning") -> list[str]:
    n = made.notched
    assert n is not None
    out = [f"peak at {peak.hz:.3g} Hz, {peak.over_db:.2g} dB above its sides" for peak in n.peaks]
    return out + ([n.why] if n.why else [f"expected with notches: {_margins(n.after)}"])


def _prediction(p: "Prediction") -> str:
    if p.nominal is None:
        return f"unstable at {p.corner}"
    return f"{_follows(p.minus_3_db_hz, p.minus_90_deg_hz, p.crossover_hz)}; {_margins(p.nominal)}"


def _measured(m: "Measured") -> str:
    gain = m.bandwidth.gain.hz if m.bandwidth.gain else math.inf
    phase = m.bandwidth.phase.hz if m.bandwidth.phase else math.inf
    return f"{_follows(gain, phase, m.crossover_hz)}; {_margins(m.margins)}"


def _follows(gain_hz: float, phase_hz: float, crossover_hz: float) -> str:
    gain = f"-3 dB at {gain_hz:.3g} Hz" if math.isfinite(gain_hz) else "never 3 dB down"
    phase = f"-90° at {phase_hz:.3g} Hz" if math.isfinite(phase_hz) else "never 90° late"
    return f"{gain}, {phase}, crossover {crossover_hz:.3g} Hz"


def _margins(m: "Margins") -> str:
    gain = f"{m.gain_db:.3g} dB" if math.isfinite(m.gain_db) else "any gain"
    phase = f"{m.phase_deg:.3g}° at {m.phase_hz:.3g} Hz" if math.isfinite(m.phase_deg) else "any phase"
    return f"margins {gain}, {phase}, modulus {m.modulus:.3g} at {m.modulus_hz:.3g} Hz"
