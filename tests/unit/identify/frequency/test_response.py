"""Frequency responses against the servo's in closed form: errors, intervals, bandwidths, faults."""

import numpy as np
import pytest

from hilctl.identify.frequency.excite_multisine import Multisine, multisine
from hilctl.identify.frequency.excite_stepped import SteppedSine, stepped_sine
from hilctl.identify.frequency.judge import RecordFault
from hilctl.identify.frequency.response import average, bandwidth, without_hold
from hilctl.identify.frequency.response_lines import multisine_response
from hilctl.identify.frequency.response_swept import reach_hz, stepped_response, sweep_response
from hilctl.params import BadValues, check
from hilctl.results.response import Response
from hilctl.servo import Hold, frequency_response, paper_servo, simulate
from tests.unit.identify.frequency.measured import HZ, KINDS, TRUTH, UNIT, measured, share

NOISE = 0.04


def error(response):
    return np.linalg.norm(response.gain - TRUTH) / np.linalg.norm(TRUTH)


def covered(response):
    apart = response.gain - TRUTH
    return np.mean(np.abs(np.concatenate([apart.real, apart.imag])) < np.tile(response.radius(0.95), 2))


@pytest.mark.parametrize(
    ("kind", "bias", "largest"), [("stepped", 1e-3, 0.018), ("multisine", 1e-6, 0.007), ("sweep", 5e-5, 0.010)]
)
def test_each_excitation_finds_the_servo(kind, bias, largest):
    made = measured(kind)
    clean, noisy = made.response(), made.response(NOISE, 3)
    assert list(noisy.hz) == list(HZ)
    assert error(clean) < bias
    assert error(noisy) < largest
    assert noisy.coherence.min() < 0.99 < noisy.coherence[:20].min()


@pytest.mark.parametrize("kind", KINDS)
def test_the_intervals_hold(kind):
    found = [covered(measured(kind).response(NOISE, seed)) for seed in range(5)]
    assert 0.91 < np.mean(found) < 0.98  # 1000 parts: 0.95 ± 0.007


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [1000.0, 2000.0])
def test_errors_and_intervals_over_many_seeds(kind, rate):
    made = measured(kind, rate)
    runs = [made.response(NOISE, seed) for seed in range(share(60))]
    off, holds = np.array([error(r) for r in runs]), np.mean([covered(r) for r in runs])
    band = [bandwidth(r) for r in runs]
    print(
        f"{kind} {rate:g} Hz: error {100 * off.mean():.2f} % (worst {100 * off.max():.2f}), interval "
        f"holds {100 * holds:.1f} %, -3 dB {np.mean([b.gain.hz for b in band]):.2f} ± "
        f"{np.std([b.gain.hz for b in band]):.2f}, "
        f"-90° {np.mean([b.phase.hz for b in band]):.2f} ± {np.std([b.phase.hz for b in band]):.3f} Hz"
    )
    assert 0.93 < holds < 0.97
    assert off.max() < {"stepped": 0.018, "multisine": 0.008, "sweep": 0.010}[kind]
    assert np.mean([b.gain.error_hz for b in band]) == pytest.approx(np.std([b.gain.hz for b in band]), rel=0.6)


def test_noise_that_is_not_white_is_measured_where_it_is():
    made = measured("multisine")
    rng = np.random.default_rng(4)
    colour = np.fft.irfft(np.fft.rfft(rng.standard_normal(len(made.y))) / (1 + np.arange(len(made.y) // 2 + 1) / 300))
    colour = np.resize(colour, len(made.y))
    runs = []
    for seed in range(4):
        noise = np.roll(colour, 997 * seed) * 0.1 * made.y.std() / colour.std()
        runs.append(without_hold(made.estimate(made.u, made.y + noise), made.rate, Hold.first))
    assert 0.9 < np.mean([covered(r) for r in runs]) < 0.985


def test_noise_on_the_measured_input_widens_the_interval():
    made, rng = measured("multisine"), np.random.default_rng(5)
    noisy = [
        without_hold(
            made.estimate(made.u + 0.2 * made.u.std() * rng.standard_normal(len(made.u)), made.y), made.rate, Hold.first
        )
        for _ in range(5)
    ]
    assert 0.9 < np.mean([covered(r) for r in noisy]) < 0.985
    assert error(noisy[0]) > 10 * error(made.response())


def test_what_the_record_began_with_is_no_error():
    tones = multisine(check(Multisine, {"settle_periods": 0}), UNIT)
    state = np.zeros(9)
    state[6] = 0.005
    y = simulate(paper_servo(), tones.values, 1e-3, initial=state)[:, 0]
    found = without_hold(multisine_response(tones.values, y, 1000.0, tones), 1000.0, Hold.first)
    assert error(found) < 1e-3
    mean, once = (np.fft.rfft(each)[tones.lines] for each in (y.reshape(14, -1).mean(0), tones.values[: tones.period]))
    raw = Response(HZ, mean / once, HZ, HZ, HZ)
    assert error(without_hold(raw, 1000.0, Hold.first)) > 5e-3


def test_bandwidths_are_those_of_the_closed_form():
    fine = np.linspace(1, 100, 200_000)
    gain = frequency_response(paper_servo(), fine)[:, 0]
    static = float(np.abs(frequency_response(paper_servo(), [0.0])[0, 0]))
    fallen = fine[np.argmax(np.abs(gain) < 10 ** (-3 / 20) * static)]
    lagging = fine[np.argmax(np.unwrap(np.angle(gain)) < -np.pi / 2)]
    exact = Response(HZ, TRUTH, np.full(100, 1e-12), np.full(100, 20.0), np.ones(100))
    found = bandwidth(exact, reference=static)
    assert found.gain.hz == pytest.approx(fallen, abs=0.02) and found.phase.hz == pytest.approx(lagging, abs=0.02)
    noisy = bandwidth(measured("multisine").response(NOISE, 1))
    assert noisy.gain.hz == pytest.approx(fallen, abs=4 * noisy.gain.error_hz + 0.3)
    assert noisy.phase.hz == pytest.approx(lagging, abs=4 * noisy.phase.error_hz)
    assert bandwidth(exact.within(1, 15)) == (None, None)
    for lowest in (1.0, 2.5, 5.0):  # where the band begins: a response has begun to fall there already
        found = bandwidth(exact.within(lowest, 100))
        assert found.gain.hz == pytest.approx(fallen, rel=5e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lowest", [1.0, 5.0])
def test_a_bandwidths_error_is_what_it_scatters_by(kind, lowest):
    made, off = measured(kind), []
    for seed in range(24):
        response = made.response(NOISE, seed).within(lowest, 100)
        reach = reach_hz(response.hz, len(made.y) / made.rate) if kind == "sweep" else None
        found = bandwidth(response, reach_hz=reach)
        off.append([(found.gain.hz - 26.049) / found.gain.error_hz, (found.phase.hz - 29.296) / found.phase.error_hz])
    assert np.all(np.abs(np.mean(off, axis=0)) < 0.75)
    assert np.all((np.std(off, axis=0) > 0.65) & (np.std(off, axis=0) < 1.35))


def test_intervals_of_magnitude_and_phase():
    response = Response(*(np.array([v]) for v in (1.0, 3 + 4j, 0.02, 10.0, 1.0)))
    _, high = response.magnitude_interval(0.95)
    assert response.magnitude[0] == 5.0 and high[0] - 5 == pytest.approx(2.228 * 0.1, rel=1e-3)
    below, above = response.phase_interval_deg(0.95)
    assert (above - below)[0] == pytest.approx(2 * np.rad2deg(np.arcsin(0.2228 / 5)), rel=1e-3)
    lost = response._replace(variance=np.array([1e3]))
    assert lost.magnitude_interval()[0][0] == 0.0
    assert np.ptp(np.concatenate(lost.phase_interval_deg())) == pytest.approx(360)


@pytest.mark.parametrize(("hold", "factor"), [(Hold.first, 0.9676), (Hold.zero, 0.9836)])
def test_the_hold_is_taken_out(hold, factor):
    tones = multisine(check(Multisine, {}), UNIT)
    y = simulate(paper_servo(), tones.values, 1e-3, hold=hold)[:, 0]
    raw = multisine_response(tones.values, y, 1000.0, tones)
    assert abs(raw.gain[-1] / TRUTH[-1]) == pytest.approx(factor, abs=1e-3)
    assert error(without_hold(raw, 1000.0, hold)) < 1e-5  # a staircase has images of its lines


def test_records_that_do_not_belong_to_the_signal():
    tones = multisine(check(Multisine, {}), UNIT)
    u, y = measured("multisine").u, measured("multisine").y
    with pytest.raises(RecordFault, match="record to the signal's end"):
        multisine_response(u[:-5], y[:-5], 1000.0, tones)
    lost = np.delete(np.arange(len(u)), slice(5000, 5300))
    lost = np.append(lost, lost[-300:])
    with pytest.raises(RecordFault, match="beside the multisine's lines"):
        multisine_response(u[lost], y[lost], 1000.0, tones)
    with pytest.raises(RecordFault, match="sample at that rate"):
        multisine_response(u, y, 1024.0, tones)
    high = multisine(check(Multisine, {"start_hz": 10}), UNIT)
    with pytest.raises(RecordFault, match="nothing at 1 Hz"):
        multisine_response(high.values, high.values, 1000.0, tones)
    steps = stepped_sine(check(SteppedSine, {}), UNIT)
    with pytest.raises(RecordFault, match="check the sampling rate"):
        stepped_response(steps.values, steps.values, 900.0, steps.steps)
    with pytest.raises(RecordFault, match="record to its end"):
        stepped_response(steps.values[:-2000], steps.values[:-2000], 1000.0, steps.steps)
    with pytest.raises(RecordFault, match="it drives, or sweep over them"):
        sweep_response(u, y, 1000.0, [50.0, 200.0, 20.0])


def test_distortion_counts_as_error_where_several_phases_were_driven():
    def distorted(seed):
        tones = multisine(check(Multisine, {"seed": seed, "periods": 2, "end_hz": 40}), UNIT)
        y = tones.values + 0.2 * tones.values**3 + 1e-4 * np.random.default_rng(seed).standard_normal(len(tones.values))
        return multisine_response(tones.values, y, 1000.0, tones)

    every = [distorted(seed) for seed in range(12)]
    best = np.mean([np.mean(r.gain) for r in every])  # static and odd: one gain for all lines

    def holds(response):
        apart = response.gain - best
        return np.mean(np.abs(np.concatenate([apart.real, apart.imag])) < np.tile(response.radius(0.95), 2))

    assert holds(every[0]) < 0.2  # its own interval knows noise only
    groups = [average(every[i : i + 4]) for i in range(0, 12, 4)]
    assert 0.88 < np.mean([holds(group) for group in groups]) < 0.99
    assert groups[0].freedom[0] == 6.0 and groups[0].coherence.max() < 1.0
    with pytest.raises(BadValues, match="another seed"):
        average(every[:1])
    with pytest.raises(BadValues, match="same frequencies"):
        average([every[0], every[1].within(1, 20)])


@pytest.mark.parametrize("seed", range(12))
def test_a_dip_of_scatter_is_no_bandwidth(seed):
    hz = np.arange(1.0, 220.0)
    truth = 1 / (1 + 1j * hz / 130.0)
    scatter = 0.25 * np.abs(truth) * (np.random.default_rng(seed).normal(size=(2, len(hz))).T @ (1, 1j)) / 2**0.5
    response = Response(hz, truth + scatter, (0.25 * np.abs(truth)) ** 2, np.full(len(hz), 6.0), np.full(len(hz), 0.9))
    found = bandwidth(response, reference=1.0).gain
    assert found is not None and found.hz == pytest.approx(130.0, rel=0.15)
