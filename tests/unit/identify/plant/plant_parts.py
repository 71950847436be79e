"""Records of a made-up machine, exact but for what a test adds: motion and friction are chosen, the command follows."""

from typing import Any

import numpy as np

from hilctl.experiment.drive import Driven, taken
from hilctl.experiment.facts import Facts

BELIEVED = {
    "machine.m": 500.0, "machine.A": 3e-3, "machine.Vt": 8.5e-4, "machine.beta": 9e8, "machine.Ctc": 5e-12,
    "machine.Kc": 0.0, "machine.Ps": 21e6, "machine.Ps_low": 5e6, "machine.Qn": 4.6e-3, "machine.wv": 643.0,
    "machine.zv": 0.88, "machine.slew_per_s": 250.0,
    "machine.dead_band": 0.0, "machine.overlap_a": 0.0, "machine.overlap_b": 0.0,
    "machine.hysteresis": 0.0, "machine.K": 0.0, "machine.B": 0.0, "machine.stroke_m": 0.1, "law.valve.null_bias": 0.0,
    "law.valve.inverse": 1.0, "machine.vertical": False, "sensors.supply_pressure.present": True,
    "law.feedback": "three_state", "law.feed.extra_preview_s": 0.0, "limits.position.min_m": -0.09,
    "limits.position.max_m": 0.09,
    "limits.velocity.max_m_s": 1.0, "limits.acceleration.max_m_s2": 100.0, "limits.command.opening": 1.0,
    "sensors.displacement.noise": 5e-6, "sensors.acceleration.noise": 0.02, "sensors.pressure_a.noise": 25e3,
    "sensors.pressure_b.noise": 25e3, "sensors.displacement.delay_s": 5e-4, "sensors.acceleration.delay_s": 5.1e-4,
    "sensors.acceleration.gain": 1.0,
}  # fmt: skip
TRUE = {
    "m": 430.0, "Qn": 5.2e-3, "beta": 1.05e9, "Ctc": 6e-12, "wv": 560.0, "zv": 0.8, "delay": 0.0, "null": 0.01,
    "leak": 1e-3,
}  # fmt: skip
MODE_RAD_S = 276.0
_OVER = 10  # finer than a tick


class Believed(Facts):
    """Facts that know their mode without all of a rig's tables."""

    @property
    def mode_rad_s(self) -> float:
        return MODE_RAD_S


def facts(rate_hz: float = 1000.0, **changes: Any) -> Believed:
    """What the controller believes: wrong by a fifth."""
    return Believed(rig="made-up", rate_hz=rate_hz, epoch=0, values={**BELIEVED, **changes})


def records(
    seed: int | None = 0, *, accelerometer: float = 1.005, push: float = 25e3, late_s: float = 0.0,
    filter_s: float = 0.0, **truth: float,
) -> list[Driven]:  # fmt: skip
    """A slow and a fast sine and two sweeps, with noise unless there is no seed; `filter_s`: the delay of two equal
    poles in the accelerometer, instead of the declared one."""
    true = {**TRUE, **truth}
    rng = np.random.default_rng(seed) if seed is not None else None
    legs = [
        ("slow sine", 1.5, _sine(1.5, 0.06, 4.0)), ("fast sine", 5.0, _sine(5.0, 0.019, 4.0)),
        ("chirp up", 4.0, _sweep(4.0, 70.0, 8.0)), ("chirp down", 4.0, _sweep(70.0, 4.0, 8.0)),
    ]  # fmt: skip
    return [
        taken(name, _samples(x, true, rng, accelerometer, push, late_s, filter_s), 1000.0, {"lowest_hz": lowest})
        for name, lowest, x in legs
    ]


def _time(seconds: float) -> Any:
    return np.arange(round((seconds + 0.6) * 1000 * _OVER)) / (1000.0 * _OVER) - 0.3


def _faded(t: Any, seconds: float) -> Any:
    """0 to 1 and back, smooth to the fourth derivative."""
    s = np.clip(np.minimum(t, seconds - t) / 0.5, 0.0, 1.0)
    return s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)


def _sine(hz: float, amplitude_m: float, seconds: float) -> Any:
    t = _time(seconds)
    return amplitude_m * _faded(t, seconds) * np.sin(2 * np.pi * hz * t)


def _sweep(first_hz: float, last_hz: float, seconds: float) -> Any:
    t = _time(seconds)
    growth = np.log(last_hz / first_hz) / seconds
    within = np.clip(t, 0.0, seconds)
    f = first_hz * np.exp(growth * within)
    phase = 2 * np.pi * (f - first_hz) / growth
    return 0.006 / (1 + (f / 8.0) ** 2) * _faded(t, seconds) * np.sin(phase)


def _derivative(y: Any) -> Any:
    w = 2 * np.pi * np.fft.rfftfreq(len(y), 1e-3 / _OVER)
    return np.fft.irfft(1j * w * np.fft.rfft(y), len(y))


def _samples(
    x: Any, true: dict[str, float], rng: Any, accelerometer: float, push: float, late_s: float, filter_s: float
) -> Any:
    area, half, ps = BELIEVED["machine.A"], BELIEVED["machine.Vt"] / 2, BELIEVED["machine.Ps"]
    v = _derivative(x)
    a = _derivative(v)
    friction = (287.0 + 2831.0 * np.exp(-((v / 0.115) ** 2))) * np.tanh(v / 0.02) + 3251.0 * v
    load = (true["m"] * a + friction) / area
    pa, pb = 0.5 * (ps + load), 0.5 * (ps - load)
    squeezed = 0.5 * ((half + area * x) * _derivative(pa) - (half - area * x) * _derivative(pb))
    flow = area * v + true["Ctc"] * load + squeezed / true["beta"]
    # Two orifices and their leakage at null: into A less into B, half of it; its slope is that of the two in use.
    opening = flow / (true["Qn"] * np.sqrt((ps - np.sign(flow) * load) / ps))
    for _ in range(8):
        off = _shape(opening, pa, pb, ps, true["leak"]) - flow / true["Qn"]
        opening -= off / np.sqrt((ps - np.sign(flow) * load) / ps)
    w = 2 * np.pi * np.fft.rfftfreq(len(x), 1e-3 / _OVER)
    s = 1j * w
    lines = np.fft.rfft(opening) * (s * s + 2 * true["zv"] * true["wv"] * s + true["wv"] ** 2) / true["wv"] ** 2
    # The command is held for a tick: half of one late, and a little smaller.
    held = np.sinc(w * 1e-3 / (2 * np.pi)) * np.exp(-s * 0.5e-3)
    lines *= np.exp(s * true["delay"]) / held * (w < 2 * np.pi * 400)
    sent = np.fft.irfft(lines, len(x)) - true["null"]
    passed = 1 / (1 + 0.5 * filter_s * s) ** 2 if filter_s else np.exp(-s * 5.1e-4)
    felt, seen = np.fft.rfft(a) * passed * np.exp(-s * late_s), np.fft.rfft(x) * np.exp(-s * (5e-4 + late_s))
    exact = {
        "displacement_m": np.fft.irfft(seen, len(x)), "acceleration_m_s2": accelerometer * np.fft.irfft(felt, len(x)),
        "pressure_a_pa": pa + push, "pressure_b_pa": pb - push, "u_applied": sent, "xd_m": x,
    }  # fmt: skip
    out = {name: values[::_OVER].copy() for name, values in exact.items()}
    count = len(out["xd_m"])
    if rng is not None:
        for name, rms in (
            ("displacement_m", 5e-6), ("acceleration_m_s2", 0.02), ("pressure_a_pa", 25e3), ("pressure_b_pa", 25e3),
        ):  # fmt: skip
            out[name] += rms * rng.standard_normal(count)
        out["acceleration_m_s2"] += 0.02
    nothing = np.zeros(count)
    return out | {
        "tick": np.arange(count), "epoch": nothing, "mode": nothing + 3, "rejected": nothing, "saturated": nothing,
        "supply_pressure_pa": np.full(count, ps),
    }  # fmt: skip


def _shape(opening: Any, pa: Any, pb: Any, ps: float, leak: float) -> Any:
    """(QA - QB)/2 for Qn = 1, each edge open by `leak` at null."""
    root = np.sqrt(opening**2 + 4 * leak**2)
    edge, counter = 0.5 * (root + opening), 0.5 * (root - opening)
    r = lambda d: np.sign(d) * np.sqrt(np.abs(d))  # noqa: E731
    return 0.5 * (edge * r(ps - pa) - counter * r(pa) - counter * r(ps - pb) + edge * r(pb)) / np.sqrt(ps / 2)


def changed(one: Driven, **channels: Any) -> Driven:
    """The same motion with other samples."""
    return with_rows(one, {**one.rows, **channels})


def with_rows(one: Driven, rows: Any) -> Driven:
    """The same motion, of which these rows came."""
    return taken(one.name, rows, one.record.rate_hz, one.about)

