"""The pendulum's pictures for the documents, and how fast it is computed: `python -m sim.specimens.figures [FOLDER]`.

matplotlib is an extra (`report`); without it only the speed is printed.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hilctl.errors import NoFigures
from sim.specimens.links import Link
from sim.specimens.settings import Pendulum, SpecimenConfig
from sim.specimens.simulate import Motion, Table, simulate

_STYLE: Any = {
    "figure.figsize": (7.2, 7.2), "figure.dpi": 110, "figure.constrained_layout.use": True, "savefig.bbox": "tight",
    "font.size": 10, "axes.titlesize": 11, "axes.titlelocation": "left", "axes.grid": True, "grid.color": "0.9",
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "lines.linewidth": 1.2,
}  # fmt: skip
_COLOURS = ("#1b6ca8", "#d95f02")
_DRIVE = Link(couple_n_m=6.0)
_PERIODS = 40


def free() -> Motion:
    """The paper's first case: released from the horizontal."""
    return simulate(SpecimenConfig(kind="pendulum"), 50.0)


def driven() -> Motion:
    """The second: both links driven by 6 N·m, long enough to be periodic; the last two periods."""
    config = SpecimenConfig(kind="pendulum", pendulum=Pendulum(link1=_DRIVE, link2=_DRIVE))
    period = 2 * np.pi / _DRIVE.drive_rad_s
    motion = simulate(config, _PERIODS * period, step_s=period / 60_000, every=20)
    columns = [name for name, kind in Motion.__annotations__.items() if kind is not float]
    last: dict[str, Any] = {name: getattr(motion, name)[-6001:] for name in columns}
    return motion._replace(**last)


def on_the_table() -> Motion:
    """Hanging on a table of 100 kg that is pushed to and fro; the pendulum weighs 4 kg."""
    still = Link(angle_rad=0.0)
    config = SpecimenConfig(kind="pendulum", pendulum=Pendulum(link1=still, link2=still))
    push = Table(100.0, force_n=lambda t: 120 * np.sin(np.pi * t), speed_m_s=-120 / 100 / np.pi)
    return simulate(config, 16.0, table=push)


def speed(step_s: float) -> float:
    """Seconds simulated in one second of this thread's processor time, at best of five."""
    config = SpecimenConfig(kind="pendulum", pendulum=Pendulum(link1=_DRIVE, link2=_DRIVE))
    simulate(config, 0.1, step_s=step_s)
    spent = []
    for _ in range(5):
        begin = time.thread_time()
        simulate(config, 10.0, step_s=step_s)
        spent.append(time.thread_time() - begin)
    return 10.0 / min(spent)


def _angles_speeds_forces(pyplot: Any, motion: Motion, title: str) -> Any:
    figure, (angles, speeds, forces) = pyplot.subplots(3, 1, sharex=True)
    t = motion.time_s - motion.time_s[0]
    for i, colour in enumerate(_COLOURS):
        angles.plot(t, motion.angles_rad[:, i], color=colour, label=f"link {i + 1}")
        speeds.plot(t, motion.speeds_rad_s[:, i], color=colour)
        forces.plot(t, motion.normal_n[:, i], color=colour)
    angles.set(title=title, ylabel="angle, rad")
    speeds.set(ylabel="angular speed, rad/s")
    forces.set(ylabel="normal force in\nits upper joint, N", xlabel="time, s")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _on_the_table(pyplot: Any, motion: Motion) -> Any:
    figure, (angles, table, reaction) = pyplot.subplots(3, 1, sharex=True)
    for i, colour in enumerate(_COLOURS):
        angles.plot(motion.time_s, motion.angles_rad[:, i], color=colour, label=f"link {i + 1}")
    table.plot(motion.time_s, 1e3 * motion.table_m, color="0.25")
    reaction.plot(motion.time_s, motion.reaction_n, color="0.25")
    angles.set(title="Hanging on a table of 100 kg under 120 N at 0.5 Hz", ylabel="angle, rad")
    table.set(ylabel="table, mm")
    reaction.set(ylabel="pendulum's force\non the table, N", xlabel="time, s")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def draw(folder: Path) -> list[Path]:
    """Writes the figures into the folder, which is made if need be; NoFigures where matplotlib is missing."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise NoFigures from None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    pictures: dict[str, Callable[[], Any]] = {
        "pendulum-free": lambda: _angles_speeds_forces(plt, free(), "Released from the horizontal"),
        "pendulum-driven": lambda: _angles_speeds_forces(plt, driven(), "Driven by 6 N·m on both links: two periods"),
        "pendulum-on-the-table": lambda: _on_the_table(plt, on_the_table()),
    }
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with plt.rc_context(_STYLE):
        for name, picture in pictures.items():
            figure, path = picture(), folder / f"{name}.png"
            figure.savefig(path)
            plt.close(figure)
            written.append(path)
    return written


def main(folder: str = "docs") -> int:
    """Draws the pictures and prints the speed."""
    try:
        for path in draw(Path(folder)):
            print(path)
    except NoFigures as missing:
        print(missing, file=sys.stderr)
    for step_s in (1e-4, 5e-5):
        print(f"pendulum, steps of {1e6 * step_s:.0f} µs: {speed(step_s):.0f} × real time on one core")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
