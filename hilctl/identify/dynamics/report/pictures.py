"""The pictures of any study: what was driven, cleaned, found and checked."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hilctl.identify.dynamics.report.style import (
    BAND,
    EXTRA,
    MEASURED,
    MODEL,
    OTHER,
    labelled,
    shown_as,
    thinned,
)
from hilctl.identify.dynamics.study import Check, Cleaned, Experiment, Measured, Pair, Study, Transfers
from hilctl.report.pictures.style import AFTER, SHADES, below, decades, new

_MOST = 6  # experiments in one picture
_LAGS = 60


def pictures_of(study: Study) -> Iterator[tuple[str, Any]]:
    """Every figure that there is something to draw for, by name."""
    yield "driven", driven(study)
    for index, one in enumerate(study.prepared):
        if one.experiment == _most_changed(study):
            yield f"cleaned-{index}", cleaned(one)
    for index, pair in enumerate(pairs_of(study)):
        yield f"response-{index}", response(study, pair)
    for index, fitted in enumerate(study.transfers):
        yield f"transfer-{index}", transfer(study, fitted)
    yield "singular", singular(study)
    for index, check in enumerate(study.checks):
        yield f"check-{index}", checked(check)


def pairs_of(study: Study) -> list[Pair]:
    """In the order in which they were found."""
    return list(dict.fromkeys(one.pair for one in study.responses))


def driven(study: Study) -> Any:
    """Reference and output of each experiment over time."""
    shown = _one_a_group(study.experiments)[:_MOST]
    if not shown:
        return None
    pair = (pairs_of(study) or [Pair("xd_m", "displacement_m")])[0]
    figure, axes = new(len(shown), 1, 0.4 + 1.35 * len(shown))
    for ax, one in zip(axes[:, 0], shown, strict=True):
        t = (np.arange(one.samples) - one.begins) / one.rate_hz
        for name, colour, label in ((one.reference, OTHER, "reference"), (pair.output, MODEL, "output")):
            if name in one.channels:
                factor, _ = shown_as(name)
                ax.plot(*thinned(t, factor * one.channels[name]), color=colour, linewidth=0.7, label=label)
        ax.set_title(one.name)
        ax.set_ylabel(shown_as(pair.output)[1])
        ax.margins(x=0)
    axes[-1, 0].set_xlabel("time, s")
    below(figure, axes)
    return figure


def _one_a_group(experiments: Sequence[Experiment]) -> list[Experiment]:
    found: dict[str, Experiment] = {}
    for one in experiments:
        found.setdefault(one.group, one)
    return list(found.values())


def _most_changed(study: Study) -> str:
    """The experiment that preparing changed most, in parts of its channels' spread."""
    def changed(one: Cleaned) -> float:
        now = one.prepared.channels
        return max(
            (float(np.std(values - now[name]) / (np.std(values) or 1.0))
             for name, values in one.prepared.original.items()), default=0.0,
        )  # fmt: skip

    return max(study.prepared, key=changed).experiment if study.prepared else ""


def cleaned(one: Cleaned) -> Any:
    """What was recorded, what is left of it, and what was taken away, of each channel."""
    made = one.prepared
    now, names = made.channels, list(made.original)
    figure, axes = new(len(names), 2, 0.6 + 1.5 * len(names), width=7.2)
    t = np.arange(len(next(iter(made.original.values())))) / made.rate_hz
    for row, name in zip(axes, names, strict=True):
        factor, unit = shown_as(name)
        was, is_now = factor * made.original[name], factor * now[name]
        row[0].plot(*thinned(t, was), color=MEASURED, linewidth=0.6, label="recorded")
        row[0].plot(*thinned(t, is_now), color=MODEL, linewidth=0.6, label="prepared")
        row[1].plot(*thinned(t, was - is_now), color=OTHER, linewidth=0.6, label="taken away")
        row[0].set_title(labelled(name))
        row[1].set_title("taken away" + (f", {unit}" if unit else ""))
        for ax in row:
            ax.margins(x=0)
    for ax in axes[-1]:
        ax.set_xlabel("time, s")
    below(figure, axes)
    return figure


def response(study: Study, pair: Pair) -> Any:
    """Magnitude, phase and coherence of each excitation, with what they are known to."""
    found = [one for one in study.responses if one.pair == pair]
    figure, axes = new(3, 1, 6.0, sharex=True)
    magnitude, phase, coherence = axes[:, 0]
    for one, colour in zip(found, _colours(len(found)), strict=True):
        r = one.response
        low, high = r.magnitude_interval()
        floor = 0.02 * float(np.min(r.magnitude))
        magnitude.fill_between(r.hz, *(_db(np.maximum(x, floor)) for x in (low, high)), color=colour, alpha=0.22, lw=0)
        magnitude.plot(r.hz, r.magnitude_db, color=colour, linewidth=1.1, label=one.experiment)
        least, most = r.phase_interval_deg()
        phase.fill_between(r.hz, least, most, color=colour, alpha=0.22, lw=0)
        phase.plot(r.hz, r.phase_deg, color=colour, linewidth=1.1)
        coherence.plot(r.hz, r.coherence, color=colour, linewidth=1.0)
        _crossings(magnitude, phase, one, colour)
    magnitude.set_ylabel(f"magnitude, dB{_ratio(pair)}")
    phase.set_ylabel("phase, °")
    coherence.set_ylabel("coherence")
    coherence.set_ylim(-0.03, 1.05)
    _frequencies(axes[:, 0])
    below(figure, axes)
    return figure


def _crossings(magnitude: Any, phase: Any, one: Measured, colour: str) -> None:
    for ax, crossing in ((magnitude, one.bandwidth.gain), (phase, one.bandwidth.phase)):
        if crossing is not None:
            ax.axvline(crossing.hz, color=colour, linewidth=0.8, linestyle=(0, (2, 2)))


def transfer(study: Study, one: Transfers) -> Any:
    """The measured magnitude and phase with every order, the chosen one strong; and what BIC says of each."""
    if one.family is None:
        return None
    measured = next((m for m in study.responses if m.experiment == one.experiment and m.pair == one.pair), None)
    if measured is None:
        return None
    r = measured.response.within(*one.band_hz)
    figure, axes = new(2, 1, 4.6, sharex=True)
    axes[0, 0].plot(r.hz, r.magnitude_db, color=MEASURED, linewidth=2.4, label="measured")
    axes[1, 0].plot(r.hz, r.phase_deg, color=MEASURED, linewidth=2.4)
    hz = np.geomspace(r.hz[0], r.hz[-1], 400)
    for fitted in one.family.fits:
        gain = fitted.transfer.gain(hz)
        best = fitted.order == one.family.best.order
        style: Any = {"color": MODEL if best else SHADES[fitted.order % len(SHADES)], "linewidth": 1.4 if best else 0.6}
        label = f"order {fitted.order}" + (", chosen" if best else "")
        axes[0, 0].plot(hz, _db(np.abs(gain)), label=label, **style)
        axes[1, 0].plot(hz, _near(np.rad2deg(np.unwrap(np.angle(gain))), r.phase_deg), **style)
    axes[0, 0].set_ylabel(f"magnitude, dB{_ratio(one.pair)}")
    axes[1, 0].set_ylabel("phase, °")
    _frequencies(axes[:, 0])
    below(figure, axes)
    return figure


def singular(study: Study) -> Any:
    """Singular values of the scaled derivatives: what the data fix, and what they do not; and the search."""
    fit = study.grey.fit if study.grey else None
    if fit is None:
        return None
    figure, axes = new(1, 2, 2.6)
    left, right = axes[0]
    values = np.maximum(np.asarray(fit.singular_values), 1e-16)
    n = np.arange(1, len(values) + 1)
    for part, colour, label in ((n <= fit.rank, MODEL, "fixed"), (n > fit.rank, OTHER, "not fixed")):
        if part.any():
            left.vlines(n[part], 1e-17, values[part], color=colour, linewidth=1.0)
            left.plot(n[part], values[part], "o", color=colour, markersize=4, label=label)
    left.set_yscale("log")
    left.set_ylim(0.2 * values.min(), 5 * values.max())
    left.set_xticks(n)
    left.set_title("singular values of the scaled derivatives")
    right.plot(np.arange(len(fit.history)), np.maximum(100 - np.asarray(fit.history), 1e-6), "o-", color=MODEL,
               markersize=2.5, linewidth=1.0)  # fmt: skip
    right.set_yscale("log")
    right.set_title("what is not explained, %, by iteration")
    right.set_xlabel("iteration")
    left.set_xlabel("number")
    below(figure, axes)
    return figure


def checked(check: Check) -> Any:
    """Measured beside modelled, what is left, and whether that is noise."""
    tested = check.whiteness is not None and check.independence is not None
    figure, axes = new(3 if tested else 2, 1, 5.2 if tested else 3.6)
    t = np.arange(len(check.measured)) / check.rate_hz
    factor, unit = shown_as(check.output)
    top, left = axes[0, 0], axes[1, 0]
    top.plot(*thinned(t, factor * check.measured), color=MEASURED, linewidth=1.6, label="measured")
    top.plot(*thinned(t, factor * check.modelled), color=MODEL, linewidth=0.8, label=f"model: {check.model}")
    top.set_title(f"{check.experiment}: {labelled(check.output)}")
    left.plot(*thinned(t, factor * (check.measured - check.modelled)), color=OTHER, linewidth=0.6)
    left.set_title("what is left" + (f", {unit}" if unit else ""))
    left.set_xlabel("time, s")
    for ax in (top, left):
        ax.margins(x=0)
    if tested:
        _residuals(axes[2, 0], check)
    below(figure, axes)
    return figure


def _residuals(ax: Any, check: Check) -> None:
    white, apart = check.whiteness, check.independence
    assert white is not None
    assert apart is not None
    lags = np.arange(1, len(white.correlation) + 1)
    ax.vlines(lags, 0, white.correlation, color=AFTER, linewidth=1.0)
    ax.plot(lags, white.correlation, "o", color=AFTER, markersize=2.5, label="with itself")
    ax.plot(apart.lags, apart.correlation, "-", color=EXTRA, linewidth=1.2, label="with the input")
    ax.axhspan(-white.bound, white.bound, color=BAND, lw=0)
    for side in (-1, 1):
        ax.axhline(side * apart.bound, color=EXTRA, linewidth=0.7, linestyle=(0, (2, 2)))
    ax.set_title("correlation of what is left, by lag in samples; within the band it is noise")
    ax.margins(x=0.01)


def _colours(count: int) -> list[str]:
    return [SHADES[index % len(SHADES)] for index in range(count)]


def _db(magnitude: Any) -> Any:
    return 20 * np.log10(np.maximum(magnitude, 1e-300))


def _near(phase: Any, measured: Any) -> Any:
    """Turned by whole circles to where the measured one begins."""
    return phase - 360 * np.round((phase[0] - measured[0]) / 360)


def _ratio(pair: Pair) -> str:
    one, other = shown_as(pair.input)[1], shown_as(pair.output)[1]
    if one == other:
        return ""
    plain = {"mm": "m", "MPa": "Pa"}
    return f", of 1 {plain.get(other, other)}/{plain.get(one, one) or 'unit'}"


def _frequencies(axes: Sequence[Any]) -> None:
    for ax in axes:
        ax.set_xscale("log")
        ax.margins(x=0.01)
        decades(ax.xaxis)
    axes[-1].set_xlabel("frequency, Hz")
