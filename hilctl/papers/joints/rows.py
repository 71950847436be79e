"""Each result of the paper beside ours. Its text prints no numbers of its figures: what they show is compared."""

from collections.abc import Iterator

import numpy as np

from hilctl.machine import GRAVITY
from hilctl.papers.declaration import Row
from hilctl.papers.joints.study import Study, jump, repeats
from sim.specimens import Hinge, Link

_OURS = (
    "the text at hand gives neither masses and lengths nor coefficients and frequency; ours are 2 kg, 1 m, 0.3 and "
    "0.4, 1 rad/s"
)


def rows_of(study: Study) -> tuple[Row, ...]:
    """All of them."""
    return (*_equations(study), *_free(study), *_driven(study), *_beside_coulomb(study), *_correct(study))


def _equations(study: Study) -> Iterator[Row]:
    one, other = study.first_kind, study.free["lugre"]
    yield Row(of="Fig. 3", what="greatest gap of the joints in 50 s", paper=0.0, ours=float(one.gap_m.max()), unit="m",
              low=0.0, high=1e-12, steady=None)  # fmt: skip
    early = other.time_s <= 1.0
    off = np.abs(one.friction_n_m[early] - other.friction_n_m[early]).max()
    yield Row(of="Qf", what="torques of friction, the paper's form less that in the joints' angles, 1 s", paper=0.0,
              ours=float(off), unit="N·m", low=0.0, high=1e-6, steady=None)  # fmt: skip
    yield Row(of="eq. 9", what="rounds from the last solution, quasi-Newton, the mean", paper="few",
              ours=one.rounds, high=2.5)  # fmt: skip
    yield Row(of="eq. 9", what="rounds, Newton in the joints' angles, the mean", paper="few", ours=other.rounds,
              high=2.5)  # fmt: skip


def _free(study: Study) -> Iterator[Row]:
    motion, pin = study.free["lugre"], Hinge().radius_m
    hold = pin * Hinge().mu_s / (0.5 * Link().length_m)  # of one link: its centre no farther from under the pin
    yield Row(of="Fig. 4", what="angle of link 1 at rest", paper=0.0, ours=float(motion.angles_rad[-1, 0]), unit="rad",
              low=-hold, high=hold, steady=None,
              why=f"friction holds the links up to about {hold:.2g} rad from the vertical. {_OURS}")  # fmt: skip
    yield Row(of="Fig. 5", what="its speed after 50 s", paper=0.0, ours=float(abs(motion.speeds_rad_s[-1, 0])),
              unit="rad/s", low=0.0, high=1e-9, steady=None)  # fmt: skip
    weight = Link().m * GRAVITY
    yield Row(of="Fig. 6", what="normal force of joint 2 at rest", paper="m2 g", ours=float(motion.normal_n[-1, 1]),
              unit="N", low=weight * (1 - 0.08), high=weight * 1.0001,
              why=f"m2 g = {weight:.4g} N is the resultant of normal force and friction")  # fmt: skip


def _driven(study: Study) -> Iterator[Row]:
    motion = study.driven["lugre"]
    for of, what, column, unit in (
        ("Fig. 7", "angles: the last two of forty periods differ by", motion.angles_rad, "rad"),
        ("Fig. 8", "speeds: the last two of forty periods differ by", motion.speeds_rad_s, "rad/s"),
    ):
        yield Row(of=of, what=what, paper="periodic", ours=repeats(column), unit=unit, high=1e-5, steady=None,
                  why=_OURS)  # fmt: skip
    found = jump(motion)
    yield Row(of="Fig. 9", what="greatest change of the normal force within 4 ms", paper="jumps",
              ours=found.change_n, unit="N", low=50 * found.usual_n, steady=0.1,
              why=f"its median change within 4 ms is {found.usual_n:.2g} N")  # fmt: skip
    yield Row(of="Fig. 9", what="speed of joint 2 there, over its greatest", paper="changes sign",
              ours=found.speed, high=0.01, steady=None)  # fmt: skip


def _beside_coulomb(study: Study) -> Iterator[Row]:
    one, other = study.free["lugre"], study.free["coulomb"]
    early = one.time_s <= 10.0
    off = float(np.abs(one.angles_rad[early, 0] - other.angles_rad[early, 0]).max())
    yield Row(of="§ 3", what="released: link 1 under LuGre less that under Coulomb, 10 s", paper="good agreement",
              ours=off, unit="rad", high=0.1, why="Coulomb has no static friction above the sliding level",
              steady=0.1)  # fmt: skip
    lost = one.loss_j[-1] / other.loss_j[-1]
    yield Row.near("§ 3", "released: energy lost, LuGre over Coulomb", 1.0, lost, share=0.01)
    one, other = study.driven["lugre"], study.driven["coulomb"]
    off = float(np.abs(one.angles_rad[-2000:, 0] - other.angles_rad[-2000:, 0]).max())
    yield Row(of="§ 3", what="driven: link 1 under LuGre less that under Coulomb, last period", paper="good agreement",
              ours=off, unit="rad", high=0.05, steady=0.1)  # fmt: skip
    yield Row(of="§ 3", what="solutions of the equations, Coulomb over LuGre", paper="Coulomb costs more",
              ours=other.solves / one.solves, low=1.0,
              why=f"only the {other.events} reversals and break-aways cost more, when each is found inside its step; "
              "between them the equations are as smooth as under LuGre")  # fmt: skip


def _correct(study: Study) -> Iterator[Row]:
    yield Row(of="§ 4", what="energy error in 60 s, four links without friction, of the greatest energy", paper=0.0,
              ours=study.energy[4], low=0.0, high=1e-6, steady=None)  # fmt: skip
    frictionless = [yard for yard in study.yards if yard.law == "none"]
    yield Row(of="§ 4", what="one to four links without friction, against scipy, 1 s from level and 5 s from 0.1 rad",
              paper=0.0, ours=max(max(yard.angles_rad, yard.speeds_rad_s) for yard in frictionless), unit="rad, rad/s",
              low=0.0, high=1e-6, steady=None)  # fmt: skip
    jumping = [yard for yard in study.yards if yard.law in ("coulomb", "stribeck")]
    yield Row(of="§ 4", what="Coulomb and Stribeck friction, against scipy with its events", paper=0.0,
              ours=max(max(yard.angles_rad, yard.speeds_rad_s) for yard in jumping), unit="rad, rad/s", low=0.0,
              high=1e-6, steady=None)  # fmt: skip
    bent = [yard for yard in study.yards if yard.law == "lugre"]
    yield Row(of="§ 4", what="LuGre friction, against scipy, steps of 20 µs", paper=0.0,
              ours=max(bent[-1].angles_rad, bent[-1].speeds_rad_s), unit="rad, rad/s", low=0.0, high=1e-6,
              steady=None)  # fmt: skip
