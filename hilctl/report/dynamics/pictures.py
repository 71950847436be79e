"""The pictures of a study: experiments, preparation, responses, models and validation."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hilctl.identify.dynamics.study import Check, Study, Transfers
from hilctl.identify.frequency.estimate import Measured
from hilctl.identify.frequency.prepare import Prepared
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.report.dynamics.style import (
    BAND,
    EXTRA,
    MEASURED,
    MODEL,
    OTHER,
    db,
    degrees,
    frequencies,
    labelled,
    shown_as,
    with_intervals,
)
from hilctl.report.pictures.style import DASHES, SHADES, below, new
from hilctl.report.series import thinned

_MOST = 6  # experiments in one picture
_ROOM_DB = 8.0  # below the lowest magnitude
_BEFORE_S, _AFTER_S = 0.05, 0.3  # of a step


def pictures_of(study: Study) -> Iterator[tuple[str, Any]]:
    """Every figure that has data, by name."""
    yield "driven", driven(study)
    for index, name in enumerate(study.prepared):
        if name == _most_changed(study):
            yield f"cleaned-{index}", cleaned(study.prepared[name])
    for index, pair in enumerate(pairs_of(study)):
        yield f"response-{index}", response(study, pair)
    for index, fitted in enumerate(study.transfers):
        yield f"transfer-{index}", transfer(study, fitted)
    yield "singular", singular(study)
    yield "tuning", tuned(study)
    for index, checks in enumerate(checks_of(study)):
        yield f"check-{index}", checked(checks)


def pairs_of(study: Study) -> list[Pair]:
    """In the order of the responses."""
    return list(dict.fromkeys(one.pair for one in study.responses))


def checks_of(study: Study) -> list[list[Check]]:
    """Checks of one output of one experiment together, for all models."""
    found: dict[tuple[str, str], list[Check]] = {}
    for one in study.checks:
        found.setdefault((one.experiment, one.output), []).append(one)
    return list(found.values())


def driven(study: Study) -> Any:
    """Reference and output of each experiment over time."""
    shown = _one_a_group(study.experiments)[:_MOST]
    if not shown:
        return None
    pair = (pairs_of(study) or [Pair("xd_m", "displacement_m")])[0]
    figure, axes = new(len(shown), 1, 0.4 + 1.35 * len(shown))
    for ax, one in zip(axes[:, 0], shown, strict=True):
        t = (np.arange(one.samples) - one.begins) / one.rate_hz
        for name, label, look in ((pair.output, "output", _OUTPUT), (one.reference, "reference", _REFERENCE)):
            if name in one.channels:
                factor, _ = shown_as(name)
                ax.plot(*thinned(t, factor * one.channels[name]), label=label, **look)
        ax.set_title(one.name)
        ax.set_ylabel(labelled(pair.output).replace(", ", ",\n"))
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
    """The experiment that preparation changed most, relative to its channels' spread."""

    def changed(name: str) -> float:
        one = study.prepared[name]
        now = one.channels
        return max(
            (float(np.std(values - now[name]) / (np.std(values) or 1.0))
             for name, values in one.original.items()), default=0.0,
        )  # fmt: skip

    fitted = {one.name for one in study.experiments if one.role == "fit"}
    return max([name for name in study.prepared if name in fitted] or study.prepared, key=changed, default="")


def cleaned(made: Prepared) -> Any:
    """Each channel as recorded and as prepared, and what was removed apart from the mean."""
    now, names = made.channels, list(made.original)
    figure, axes = new(len(names), 2, 0.6 + 1.5 * len(names))
    t = np.arange(len(next(iter(made.original.values())))) / made.rate_hz
    for row, name in zip(axes, names, strict=True):
        factor, unit = shown_as(name)
        was, is_now = factor * made.original[name], factor * now[name]
        row[0].plot(*thinned(t, was), color=MEASURED, linewidth=0.6, label="recorded")
        row[0].plot(*thinned(t, is_now), color=MODEL, linewidth=0.6, label="prepared")
        away = was - is_now
        row[1].plot(*thinned(t, away - away.mean()), color=OTHER, linewidth=0.6, label="removed")
        row[0].set_title(labelled(name))
        row[1].set_title("removed, without its mean" + (f", {unit}" if unit else ""))
        for ax in row:
            ax.margins(x=0)
    for ax in axes[-1]:
        ax.set_xlabel("time, s")
    below(figure, axes)
    return figure


def response(study: Study, pair: Pair) -> Any:
    """Magnitude, phase and coherence of each excitation, with 95 % intervals."""
    found = [one for one in study.responses if one.pair == pair]
    figure, axes = new(3, 1, 6.0, sharex=True)
    magnitude, phase, coherence = axes[:, 0]
    for index, one in enumerate(found):
        r, colour, dashes = one.response, SHADES[index % len(SHADES)], DASHES[index % len(DASHES)]
        with_intervals(magnitude, phase, r, colour, one.experiment, dashes=dashes)
        coherence.plot(r.hz, r.coherence, color=colour, linestyle=dashes, linewidth=1.0, label=one.experiment)
        _crossings(magnitude, phase, one, colour)
    lowest = min((float(one.response.magnitude_db.min()) for one in found), default=0.0)
    magnitude.set_ylim(bottom=lowest - _ROOM_DB)
    magnitude.set_ylabel(f"magnitude, dB{_ratio(pair)}")
    phase.set_ylabel("phase, °")
    coherence.set_ylabel("coherence")
    coherence.set_ylim(-0.03, 1.05)
    frequencies(axes[:, 0])
    below(figure, axes)
    return figure


def _crossings(magnitude: Any, phase: Any, one: Measured, colour: str) -> None:
    for ax, crossing in ((magnitude, one.bandwidth.gain), (phase, one.bandwidth.phase)):
        if crossing is not None:
            ax.axvline(crossing.hz, color=colour, linewidth=0.8, linestyle=(0, (2, 2)))


def transfer(study: Study, one: Transfers) -> Any:
    """The measured magnitude and phase with every order, the chosen one strong; and the BIC of each."""
    if one.family is None:
        return None
    measured = next((m for m in study.responses if m.experiment == one.experiment and m.pair == one.pair), None)
    if measured is None:
        return None
    r = measured.response.within(*one.band_hz)
    figure, axes = new(2, 1, 4.6, sharex=True)
    axes[0, 0].plot(r.hz, r.magnitude_db, color=MEASURED, linewidth=2.4, label="measured")
    axes[1, 0].plot(r.hz, r.phase_deg, color=MEASURED, linewidth=2.4, label="measured")
    hz = np.geomspace(r.hz[0], r.hz[-1], 400)
    for fitted in one.family.fits:
        gain = fitted.transfer.gain(hz)
        best = fitted.order == one.family.best.order
        other = {"color": SHADES[fitted.order % len(SHADES)], "linestyle": DASHES[fitted.order % len(DASHES)]}
        style: Any = {"color": MODEL, "linewidth": 1.4} if best else {**other, "linewidth": 0.8}
        label = f"order {fitted.order}" + (", chosen" if best else "")
        axes[0, 0].plot(hz, db(np.abs(gain)), label=label, **style)
        axes[1, 0].plot(hz, _near(degrees(gain), r.phase_deg), label=label, **style)
    axes[0, 0].set_ylabel(f"magnitude, dB{_ratio(one.pair)}")
    axes[1, 0].set_ylabel("phase, °")
    frequencies(axes[:, 0])
    below(figure, axes)
    return figure


def singular(study: Study) -> Any:
    """Singular values of the scaled derivatives, identifiable or not; and the course of the search."""
    fit = study.grey.fit if study.grey else None
    if fit is None:
        return None
    figure, axes = new(1, 2, 2.6)
    left, right = axes[0]
    values = np.maximum(np.asarray(fit.singular_values), 1e-16)
    n = np.arange(1, len(values) + 1)
    for part, colour, label in ((n <= fit.rank, MODEL, "identifiable"), (n > fit.rank, OTHER, "not identifiable")):
        if part.any():
            left.vlines(n[part], 1e-17, values[part], color=colour, linewidth=1.0)
            left.plot(n[part], values[part], "o", color=colour, markersize=4, label=label)
    left.set_yscale("log")
    left.set_ylim(0.2 * values.min(), 5 * values.max())
    left.set_xticks(n)
    left.set_title("singular values (scaled)")
    right.plot(np.arange(len(fit.history)), np.maximum(100 - np.asarray(fit.history), 1e-6), "o-", color=MODEL,
               markersize=2.5, linewidth=1.0)  # fmt: skip
    right.set_yscale("log")
    right.set_title("not explained, %")
    right.set_xlabel("iteration")
    left.set_xlabel("number")
    below(figure, axes)
    return figure


def checked(checks: Sequence[Check]) -> Any:
    """Measured and modelled output, the residuals of each model, and their correlations."""
    first = checks[0]
    tested = [one for one in checks if one.whiteness is not None and one.independence is not None]
    figure, axes = new(3 if tested else 2, 2, 5.2 if tested else 3.6)
    top, left = _across(figure, axes[0]), _across(figure, axes[1])
    factor, unit = shown_as(first.output)
    models = dict(zip((one.model for one in checks), _MODELS, strict=False))
    for one in reversed(checks):
        t, part = _shown_part(one)
        if one is checks[-1]:
            top.plot(*thinned(t, factor * one.measured[part]), color=MEASURED, linewidth=2.0, label="measured")
        for ax, values in ((top, one.modelled), (left, one.measured - one.modelled)):
            ax.plot(*thinned(t, factor * values[part]), linewidth=0.9, label=f"model: {one.model}",
                    **models[one.model])  # fmt: skip
    top.set_title(f"{first.experiment}: {labelled(first.output)}")
    left.set_title("residuals" + (f", {unit}" if unit else ""))
    left.set_xlabel("time, s")
    for ax in (top, left):
        ax.margins(x=0)
    for one in tested:
        _residuals(axes[2, 0], axes[2, 1], one, models[one.model]["color"])
    below(figure, [top, left])
    return figure


def tuned(study: Study) -> Any:
    """The open loop with the gains before and with the proposed ones, predicted and measured."""
    told = study.tuning.to_json() if study.tuning else None
    if not told or not told["predicted"]:
        return None
    figure, axes = new(2, 1, 4.4, sharex=True)
    for name, colour, style in _TUNED:
        each = told.get(name)
        if each and each.get("loop"):
            hz, loop = np.asarray(each["hz"]), each["loop"]
            shown: Any = {"color": colour, "linestyle": style, "linewidth": 1.1}
            axes[0, 0].plot(hz, db(np.asarray(loop["magnitude"])), label=name.replace("_", " "), **shown)
            axes[1, 0].plot(hz, loop["phase_deg"], label=name.replace("_", " "), **shown)
    axes[0, 0].axhline(0.0, color=MEASURED, linewidth=0.7)
    axes[1, 0].axhline(-180.0, color=MEASURED, linewidth=0.7)
    axes[0, 0].set_ylabel("loop gain, dB")
    axes[1, 0].set_ylabel("phase, °")
    frequencies(axes[:, 0])
    below(figure, axes)
    return figure


_TUNED = (("before", OTHER, "-"), ("measured_before", OTHER, ":"), ("predicted", MODEL, "-"),
          ("measured_after", MODEL, ":"))  # fmt: skip
_MODELS = tuple({"color": colour, "linestyle": dashes}
                for colour, dashes in zip((OTHER, MODEL, EXTRA, *SHADES[3:]), DASHES, strict=True))  # fmt: skip
_OUTPUT: Any = {"color": MODEL, "linewidth": 1.0}
_REFERENCE: Any = {"color": OTHER, "linewidth": 0.9, "linestyle": (0, (2.5, 2.5))}


def _across(figure: Any, row: Any) -> Any:
    """All columns of a row as one."""
    place = row[0].get_subplotspec()
    for ax in row:
        ax.remove()
    return figure.add_subplot(place.get_gridspec()[place.rowspan.start, :])


def _shown_part(one: Check) -> tuple[Any, slice]:
    """Times, and the part that is shown: for a step, its surroundings."""
    t = np.arange(len(one.measured)) / one.rate_hz
    if one.step is None:
        return t, slice(None)
    at = int(np.argmax(np.abs(one.driven - one.driven[0]) > 1e-3 * np.ptp(one.driven)))
    part = slice(max(0, at - round(_BEFORE_S * one.rate_hz)), at + round(_AFTER_S * one.rate_hz))
    return t[part], part


def _residuals(itself: Any, driven: Any, one: Check, colour: str) -> None:
    white, apart = one.whiteness, one.independence
    assert white is not None
    assert apart is not None
    itself.plot(np.arange(1, len(white.correlation) + 1), white.correlation, "o-", color=colour, markersize=2.5,
                linewidth=0.6)  # fmt: skip
    itself.axhspan(-white.bound, white.bound, color=BAND, lw=0)
    itself.set_title("correlation of residuals, by lag")
    driven.plot(apart.lags, apart.correlation, color=colour, linewidth=1.2)
    for side in (-1, 1):
        driven.axhline(side * apart.bound, color=colour, linewidth=0.7, linestyle=(0, (2, 2)))
    driven.set_title("with the input, by lag")
    for ax in (itself, driven):
        ax.set_xlabel("samples")


def _near(phase: Any, measured: Any) -> Any:
    """Shifted by whole turns to the start of the measured one."""
    return phase - 360 * np.round((phase[0] - measured[0]) / 360)


def _ratio(pair: Pair) -> str:
    """The unit in which a gain is 0 dB."""
    one, other = ({"mm": "m", "MPa": "Pa"}.get(unit, unit) for unit in (shown_as(c)[1] for c in pair))
    if one == other:
        return ""
    return f" of 1 {other}/{one}" if one else f" of 1 {other}"
