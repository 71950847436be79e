"""The frequency response of a record, for each excitation, with coherence and an uncertainty that holds.

    response = multisine_response(driven, output, rate_hz, tones)      or stepped_response, sweep_response
    bandwidth(response).gain.hz
"""

from hilctl.identify.dynamics.response.average import average
from hilctl.identify.dynamics.response.bandwidth import Bandwidth, Crossing, bandwidth
from hilctl.identify.dynamics.response.distortion import LineDistortion, line_distortion
from hilctl.identify.dynamics.response.hold import hold_factor, without_hold
from hilctl.identify.dynamics.response.multisine import multisine_response
from hilctl.identify.dynamics.response.periodic import lines_response, period_of
from hilctl.identify.dynamics.response.result import Response
from hilctl.identify.dynamics.response.stepped import stepped_response
from hilctl.identify.dynamics.response.sweep import reach_hz, sweep_response

__all__ = [
    "Bandwidth",
    "Crossing",
    "LineDistortion",
    "Response",
    "average",
    "bandwidth",
    "hold_factor",
    "line_distortion",
    "lines_response",
    "multisine_response",
    "period_of",
    "reach_hz",
    "stepped_response",
    "sweep_response",
    "without_hold",
]
