"""How probable a friction model is said to be, and how often it is the right one."""

import os

import numpy as np
import pytest
from scipy.stats import binom

from hilctl.identify.presliding import judge
from hilctl.identify.presliding.estimate_travel import Travel
from hilctl.identify.presliding.judge_odds import LEVEL, choice, independent, of_jump, of_springs
from tests.unit.identify.presliding.random_rigs import KINDS, a_rig

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
OIL_M = 8e-5


def coloured(correlation: float, points: int, seed: int) -> np.ndarray:
    """Noise of which neighbours are so much alike: a periodic one of first order."""
    white = np.random.default_rng(seed).standard_normal(points)
    line = np.fft.rfft(white) / (1 - correlation * np.exp(-2j * np.pi * np.arange(points // 2 + 1) / points))
    return np.fft.irfft(line, points)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
def test_points_that_share_their_noise_count_as_fewer(correlation):
    sizes = [999] * 4
    noise = [[coloured(correlation, n, 10 * seed + i) for i, n in enumerate(sizes)] for seed in range(20)]
    counted = [independent(np.concatenate(one), sizes) for one in noise]
    assert np.mean(counted) == pytest.approx(sum(sizes) * (1 - correlation) / (1 + correlation), rel=0.1)
    assert max(counted) <= sum(sizes)


def test_probabilities_add_up_and_follow_what_is_left():
    odds = of_springs({"lugre": 1.0, "gms": 1.4, "dahl": 2.0}, 100.0)
    assert sum(odds.values()) == pytest.approx(1)
    assert odds["lugre"] > odds["gms"] > odds["dahl"] > 0
    more = of_springs({"lugre": 1.0, "gms": 1.4, "dahl": 2.0}, 400.0)
    assert more["lugre"] > odds["lugre"], "more independent points say more"
    assert of_springs({"lugre": 3.0, "gms": 3.0}, 1e5) == {"lugre": 0.5, "gms": 0.5}


def test_below_the_level_it_is_undecided():
    assert choice({"lugre": LEVEL, "gms": 1 - LEVEL}) == "lugre"
    assert choice({"lugre": LEVEL - 0.01, "gms": 1.01 - LEVEL}) == "undecided"


def test_the_further_the_table_goes_while_friction_turns_the_less_it_jumps():
    found = [of_jump(Travel(3000.0, 1e-6 * errors, 1e-6, 24), OIL_M, 1e-7) for errors in (0, 1, 3, 5, 10, 50)]
    assert found == sorted(found, reverse=True)
    assert found[0] > LEVEL
    assert found[-1] < 0.01
    assert 1 - LEVEL < found[2] < LEVEL, "three standard errors are no proof of either"
    assert of_jump(Travel(3000.0, float("nan"), float("inf"), 1), OIL_M, 1e-7) == 1.0


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_models_are_right_as_often_as_they_are_said_to_be():
    """On random rigs, half of them stiff, loud and badly known; `pytest -s` prints the table."""
    rigs = max(8, round(80 * SHARE))
    found = []
    for seed in range(rigs):
        rig = a_rig(seed, KINDS[seed % len(KINDS)])
        told = judge(rig.swings, rig.facts, rig.known).told()
        right = told.kind == rig.kind or (told.kind == "static" and _stiffer(rig, told))
        found.append((told.probabilities[told.kind], right))
        assert (told.choice == "undecided") == (max(told.probabilities.values()) < LEVEL)
        assert told.reasons
    odds, right = np.array([p for p, _ in found]), np.array([r for _, r in found])
    for low, high in ((0.0, 0.6), (0.6, 0.9), (0.9, 0.99), (0.99, 1.01)):
        some = (odds >= low) & (odds < high)
        if some.any():
            print(f"{low:.2f} to {min(high, 1):.2f}: {some.sum()} rigs, said {odds[some].mean():.3f}, "
                  f"right {right[some].mean():.3f}")  # fmt: skip
    decided = odds >= LEVEL
    assert decided.mean() > 0.4, "most rigs can be told"
    assert right[decided].sum() >= binom.ppf(0.02, decided.sum(), LEVEL)
    spread = np.sqrt(np.sum(odds * (1 - odds)))
    assert abs(right.sum() - odds.sum()) < 3 * spread + 1, "neither too sure nor too shy"


def _stiffer(rig, told) -> bool:
    """A spring that the result says it does not resolve."""
    law = rig.law
    return law.get("s0", sum(law.get("k", [0.0]))) >= told.parameters["s0"].low


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_dahls_shape_and_stiffness_lie_in_their_intervals():
    """Delays are off by 50 µs, mass by 0.5 %, and the curve as a campaign leaves it; `pytest -s` prints each rig."""
    rigs, held = max(2, round(24 * SHARE)), []
    for seed in range(1000, 1000 + rigs):
        rig = a_rig(seed, "dahl", hard=0.0)
        found = judge(rig.swings, rig.facts, rig.known)
        if found.kind != "dahl":
            continue
        alpha, s0 = found.parameter("alpha"), found.parameter("s0")
        held += [q.bounds[0] <= rig.law[key] <= q.bounds[1] for key, q in (("alpha", alpha), ("s0", s0))]
        print(f"{seed}: alpha {rig.law['alpha']:.3f} as {alpha.value:.3f} [{alpha.low:.3f}, {alpha.high:.3f}], "
              f"s0 {s0.value / rig.law['s0']:.3f} ± {(s0.high - s0.low) / 2 / s0.value:.3f}", held[-2:])  # fmt: skip
    assert len(held) >= rigs, "half of them are taken for Dahl's at least"
    assert sum(held) >= binom.ppf(0.05, len(held), 0.95)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_sides_that_differ_are_found_and_those_that_do_not_stay_alike():
    """Of each model, its negative side half as stiff again; `pytest -s` prints the ratios."""
    rounds, unlike, alike = max(1, round(3 * SHARE)), [], []
    for seed in range(2000, 2000 + rounds):
        for kind in ("lugre", "gms", "dahl"):
            for ratio in (1.5, 1.0):
                rig = a_rig(seed, kind, hard=0.0, s0=ratio)
                found = judge(rig.swings, rig.facts, rig.known)
                if found.kind != kind:
                    continue
                q, said = found.sides["s0"], "s0" in found.table.get("negative", {})
                print(f"{seed} {kind}: {ratio} as {q.value:.3f} [{q.low:.3f}, {q.high:.3f}]", "unlike" if said else "")
                (unlike if ratio > 1 else alike).append((q.low < ratio < q.high, said))
    assert np.mean([held for held, _ in (*unlike, *alike)]) > 0.75
    assert np.mean([said for _, said in unlike]) > 0.6
    assert sum(said for _, said in alike) <= 1
