"""One motion over the wire: repeated smaller if the service refuses it or the valve saturates; all samples fetched."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment import drive as experiment
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.experiment.policy import REST_S, SPECTRUM
from hilctl.experiment.trips import trip_text
from hilctl.identify.dynamics.excitation import as_history
from hilctl.identify.dynamics.experiment.planning import Leg, Signal, signal_of
from hilctl.identify.dynamics.experiment.room import centre_of
from hilctl.identify.dynamics.experiment.store import Driven, plain_name
from hilctl.law.motions import Samples, samples_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hilctl.client import Client, Motion

SMALLER = 0.7  # of the amplitude before
ROUNDS = 4
PLANNING_S = 60.0  # for a reply: the first plan of its kind is compiled
SATURATED = 0.01  # of the samples: more are a saturated motion
_FINEST_S = 1e-3  # least interval between the knots of an uploaded history


class DynamicsFault(HilctlError):
    """The study cannot continue. The message says what is wrong and what to do; finished motions are kept."""


def ready(rig: "Client", then: str = "") -> None:
    """DynamicsFault when the rig cannot be driven; `then` says what to do once it can."""
    status = rig.status()
    if status["trip"]:
        remedy = "correct the cause, then run `hilctl reset` and `hilctl arm`"
        raise DynamicsFault(f"{trip_text(status['trip'])}; {remedy}{then}")
    if status["mode"] != "hold":
        raise DynamicsFault(f"the rig is in mode {status['mode']}, a motion starts from hold; run `hilctl arm`{then}")


def drive(rig: "Client", index: int, leg: Leg, facts: Facts, channels: "Sequence[str]") -> Driven:
    """The samples of a motion. DynamicsFault when it does not end as planned."""
    from hilctl.client import NoReply, Refused

    notes: list[str] = []
    share, refused = 1.0, ""
    rig.timeout_s = max(rig.timeout_s, PLANNING_S)
    for _ in range(ROUNDS):
        try:
            rig.wait(rig.move(centre_of(facts)))
            driven = _once(rig, index, leg, facts, channels, share, notes)
        except NoReply as silent:
            raise DynamicsFault(
                f"no reply from the service during {leg.name}: {silent}. Finished motions are kept: start the service, "
                "look at the rig, run `hilctl arm`, and continue with --resume"
            ) from None
        except Refused as error:
            if error.code != "limit":
                raise DynamicsFault(
                    f"{leg.name} was refused: {error.message}. Finished motions are kept: correct that, bring the rig "
                    "to hold, and continue with --resume"
                ) from None
            refused = error.message
            notes.append(f"{leg.name}: refused at {100 * share:.0f} % of its amplitude: {refused}; repeated with less")
        else:
            saturated = float(np.mean(driven.samples["saturated"] != 0))
            if saturated <= SATURATED:
                return driven
            refused = f"the valve was saturated for {100 * saturated:.1f} % of the time"
            notes.append(f"{leg.name}: at {100 * share:.0f} % of its amplitude {refused}; repeated with less")
        share *= SMALLER
    raise DynamicsFault(
        f"{leg.name}: no amplitude from 100 to {100 * share / SMALLER:.0f} % of the planned one works: {refused}; ask "
        "for less (--amplitude), or for a narrower band (--band)"
    )


def _once(
    rig: "Client", index: int, leg: Leg, facts: Facts, channels: "Sequence[str]", share: float, notes: list[str]
) -> Driven:
    """The motion at a share of its amplitude; Refused when the service refuses it."""
    start, before = _prepared(rig, leg, facts, share)
    try:
        fetched = experiment.drive(rig, experiment.Leg(leg.name, start, channels, SPECTRUM, rest_s=REST_S))
    except LegFault as error:
        raise DynamicsFault(
            f"{error}. Finished motions are kept: correct the cause, run `hilctl reset` and `hilctl arm` "
            "after a trip, and continue with --resume"
        ) from None
    notes += [f"{leg.name}: {text}" for text in fetched.again]
    begins = 0 if before is None else round((fetched.motion.facts["first_sample_s"] + before) * facts.rate_hz)
    return Driven(index, share, begins, list(notes), fetched.rows)


def _prepared(rig: "Client", leg: Leg, facts: Facts, share: float) -> "tuple[Callable[[], Motion], float | None]":
    """A function that starts the motion, and the rest in s before the excitation; None for a motion of the service."""
    if leg.kind == "motion":
        parameters = dict(leg.settings["parameters"])
        parameters["amplitude_m"] = share * parameters["amplitude_m"]
        return lambda: rig.track(leg.settings["kind"], **parameters), None
    signal = signal_of(leg, facts, share)
    history, rest = history_of(signal, facts.rate_hz)
    name = plain_name(leg.name)
    rig.upload(name, history.values, "displacement", interval_s=history.interval_s)
    parameters = {"upload": name, "center_m": centre_of(facts), "return_to_start": signal.closed}
    return lambda: rig.track("waveform", **parameters), rest * history.interval_s


def history_of(signal: Signal, rate_hz: float) -> tuple[Samples, int]:
    """The history to upload, no finer than the service accepts, and the samples of rest before the excitation."""
    every = max(1, int(np.ceil(rate_hz * _FINEST_S - 1e-9)))
    coarse: Any = signal.values[::every]
    if signal.closed:
        return as_history(coarse, rate_hz / every)
    rest = round(REST_S * rate_hz / every)
    values = np.concatenate([np.full(rest, coarse[0]), coarse, np.full(rest, coarse[-1])])
    return samples_of(values, "displacement", interval_s=every / rate_hz), rest
