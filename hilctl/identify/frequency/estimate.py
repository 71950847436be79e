"""The frequency response of each experiment, by the estimator for its excitation.

An input from within the loop (the valve's command) contains noise that the loop has fed back from the output, which
would bias a quotient. If the estimator takes its input as exact, the responses of both channels to the driven reference
are estimated instead, and divided. A channel held from tick to tick, such as the valve's command, has half a tick of
lag in its samples; the response is corrected for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hilctl.identify.frequency.judge import Finding, RecordFault
from hilctl.identify.frequency.prepare import Prepared
from hilctl.identify.frequency.record import Experiment, Kind, Pair, Role
from hilctl.identify.frequency.response import average, bandwidth, without_hold
from hilctl.identify.frequency.response_lines import lines_response, multisine_response, period_of
from hilctl.identify.frequency.response_swept import reach_hz, stepped_response, sweep_response
from hilctl.results.response import Bandwidth, Reals, Response
from hilctl.servo import Hold

POINTS = 150  # at most, of a sweep
BIN = 8.0  # least lines of the record between two points
MARGIN = 0.06  # of a sweep's band left out at both ends, where its soft ends leave little power
FOLLOWING = ("displacement_m", "position_m")
FLAT, LAG_DEG = 0.1, 30.0  # most change of magnitude, and most phase, of an output that follows at low frequencies
LEAST = 10  # frequencies
APART = 0.3  # of them outside the intervals: by chance one in twenty is


@dataclass(frozen=True)
class Measured:
    """A frequency response, from the experiments of one group."""

    experiment: str  # the group
    kind: Kind
    pair: Pair
    response: Response
    bandwidth: Bandwidth
    role: Role = "fit"


def measured_of(
    experiments: Sequence[Experiment], cleaned: Mapping[str, Prepared], pairs: Sequence[Pair]
) -> tuple[tuple[Measured, ...], dict[str, tuple[Finding, ...]]]:
    """Every group's response for every pair, and the findings where there is none."""
    out: list[Measured] = []
    wrong: dict[str, tuple[Finding, ...]] = {}
    groups: dict[str, list[Experiment]] = {}
    for one in experiments:
        if one.kind not in ("motion", "step"):
            groups.setdefault(one.group, []).append(one)
    for group, members in groups.items():
        for pair in pairs:
            try:
                response = _together([_one(each, cleaned[each.name], pair) for each in members], members[0].kind)
            except RecordFault as fault:
                wrong[group] = (*wrong.get(group, ()), *fault.findings)
                continue
            first = members[0]
            out.append(Measured(group, first.kind, pair, response, _bandwidth(response, pair, first), first.role))
    return tuple(out), wrong


def _one(experiment: Experiment, cleaned: Prepared, pair: Pair) -> Response:
    made = _sampled(experiment, cleaned, pair)
    still = experiment.hold(pair.input) is Hold.zero
    return without_hold(made, experiment.rate_hz, Hold.zero) if still else made


def _sampled(experiment: Experiment, cleaned: Prepared, pair: Pair) -> Response:
    reference = experiment.reference if experiment.reference in cleaned.channels else pair.input
    direct = experiment.signal is not None and experiment.kind in ("multisine", "stepped")
    if direct or reference == pair.input:
        try:
            return _estimated(experiment, cleaned, pair)
        except RecordFault:
            if reference == pair.input:
                raise
    both = [_estimated(experiment, cleaned, Pair(reference, name)) for name in (pair.output, pair.input)]
    return through(*both)


def _estimated(experiment: Experiment, cleaned: Prepared, pair: Pair) -> Response:
    driven, output = cleaned.channels[pair.input], cleaned.channels[pair.output]
    rate_hz, signal = experiment.rate_hz, experiment.signal
    if experiment.kind == "multisine" and signal is not None:
        return multisine_response(driven, output, rate_hz, signal, begins=experiment.begins)
    if experiment.kind == "stepped" and signal is not None:
        return stepped_response(driven, output, rate_hz, signal.steps, begins=experiment.begins)
    if experiment.kind == "record" and (period := period_of(driven)):
        found = lines_response(driven, output, rate_hz, period, experiment.band_hz)
        if found is not None and len(found.hz) > 1:
            return found
    carrier_hz = float(getattr(signal, "carrier_hz", 0.0))
    return sweep_response(driven, output, rate_hz, frequencies_of(experiment), carrier_hz=carrier_hz)


def through(output: Response, driven: Response) -> Response:
    """The response from one channel to another, from the responses of both to the reference."""
    gain = output.gain / driven.gain
    share = output.variance / np.abs(output.gain) ** 2 + driven.variance / np.abs(driven.gain) ** 2
    return Response(
        output.hz, gain, np.abs(gain) ** 2 * share, np.minimum(output.freedom, driven.freedom),
        np.minimum(output.coherence, driven.coherence),
    )  # fmt: skip


def frequencies_of(experiment: Experiment) -> Reals:
    """The frequencies at which a sweep, or a recording, is evaluated: equal ratios, not closer than it can resolve."""
    low, high = experiment.band_hz
    low, high = low * (1 + MARGIN), high * (1 - MARGIN)
    step = BIN / experiment.seconds
    made = [max(low, step)]
    ratio = (high / made[0]) ** (1 / POINTS) if high > made[0] else 1.0
    while made[-1] < high:
        made.append(max(made[-1] * ratio, made[-1] + step))
    return np.array(made[:-1] if len(made) > 1 else made)


def _together(responses: Sequence[Response], kind: str) -> Response:
    if len(responses) == 1:
        return responses[0]
    if kind == "multisine":
        return average(responses)
    parts = [np.concatenate(part) for part in zip(*responses, strict=True)]
    order = np.argsort(parts[0], kind="stable")
    return Response(*(part[order] for part in parts))


def _bandwidth(response: Response, pair: Pair, one: Experiment) -> Bandwidth:
    """The bandwidth of a displacement that follows at low frequencies; other responses have none."""
    few = response.within(0.0, float(response.hz[0]) * 3)
    size = few.magnitude
    flat = len(size) > 1 and float(np.ptp(size)) < FLAT * float(size.mean())
    follows = pair.output in FOLLOWING and flat and float(np.abs(few.phase_deg).max()) < LAG_DEG
    if not follows or len(response.hz) <= LEAST:
        return Bandwidth(None, None)
    swept = one.signal is None or one.kind not in ("multisine", "stepped")
    return bandwidth(response, reach_hz=reach_hz(response.hz, one.seconds) if swept else None)


def scatter_between(measured: Sequence[Measured]) -> tuple[str, ...]:
    """A remark for each pair of excitations that differ by more than their intervals: the rig is not linear."""
    out = []
    for at, one in enumerate(measured):
        for other in measured[at + 1 :]:
            if one.pair != other.pair or "check" in (one.role, other.role):
                continue
            here, there = one.response, other.response
            hz = here.hz[(here.hz >= there.hz[0]) & (here.hz <= there.hz[-1])]
            if len(hz) < LEAST:
                continue
            sizes = [np.interp(hz, each.hz, each.magnitude) for each in (here, there)]
            reach = np.hypot(*(np.interp(hz, each.hz, each.radius()) for each in (here, there)))
            apart = float(np.mean(np.abs(sizes[0] - sizes[1]) > reach))
            if apart > APART:
                out.append(
                    f"{one.experiment} and {other.experiment} differ by more than their intervals at "
                    f"{100 * apart:.0f} % of the frequencies ({one.pair}): the rig is not linear (friction, "
                    "saturation), and each response holds for the motion it was measured with"
                )
    return tuple(out)
