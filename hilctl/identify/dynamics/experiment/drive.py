"""One motion over the wire: made smaller where the service refuses it or the valve saturates, every sample fetched."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify.campaign.facts import Facts
from hilctl.identify.dynamics.excitation import as_history
from hilctl.identify.dynamics.experiment.planning import Leg, Signal, signal_of
from hilctl.identify.dynamics.experiment.room import centre_of
from hilctl.identify.dynamics.experiment.store import Driven, plain_name
from hilctl.identify.plant.fetch import REST_S, NotFetched, fetch_whole
from hilctl.identify.trips import trip_text
from hilctl.law.motions import Samples, samples_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hilctl.client import Client, Motion

SMALLER = 0.7  # of the amplitude before
ROUNDS = 4
PLANNING_S = 60.0  # for an answer: the first plan of its kind is compiled
SATURATED = 0.01  # of the samples
_FINEST_S = 1e-3  # that an uploaded history's knots may be apart


class DynamicsFault(HilctlError):
    """The study cannot go on. The message says what is wrong and what to do; finished motions are kept."""


def ready(rig: "Client", then: str = "") -> None:
    """DynamicsFault when the rig is not in a state to be driven; `then` is what to do when it is."""
    status = rig.status()
    if status["trip"]:
        raise DynamicsFault(f"{trip_text(status['trip'])}; mend it, then `hilctl reset` and `hilctl arm`{then}")
    if status["mode"] != "hold":
        raise DynamicsFault(f"the rig is {status['mode']}; `hilctl arm` brings it to hold{then}")


def drive(rig: "Client", index: int, leg: Leg, facts: Facts, channels: "Sequence[str]") -> Driven:
    """The samples of a leg. DynamicsFault when it does not end as planned."""
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
                f"the service fell silent during {leg.name}: {silent}. What is finished is kept: start the service, "
                "look at the rig, `hilctl arm`, and go on with --resume"
            ) from None
        except Refused as error:
            if error.code != "limit":
                raise DynamicsFault(
                    f"{leg.name} was refused: {error.message}. What is finished is kept: put that right, bring the rig "
                    "to hold, and go on with --resume"
                ) from None
            refused = error.message
            notes.append(f"{leg.name}: {share:.2g} of its amplitude was refused: {refused}")
        else:
            saturated = float(np.mean(driven.samples["saturated"] != 0))
            if saturated <= SATURATED:
                return driven
            refused = f"the valve was saturated for {100 * saturated:.1f} % of the time"
            notes.append(f"{leg.name}: at {share:.2g} of its amplitude {refused}; driven again with less")
        share *= SMALLER
    raise DynamicsFault(
        f"{leg.name}: no useful amplitude is left: {refused}; ask for less (--amplitude), or for a narrower band "
        "(--band)"
    )


def _once(
    rig: "Client", index: int, leg: Leg, facts: Facts, channels: "Sequence[str]", share: float, notes: list[str]
) -> Driven:
    """With a share of the amplitude; Refused where the service does not take it."""
    start, before = _prepared(rig, leg, facts, share)
    try:
        fetched = fetch_whole(rig, start, channels)
    except NotFetched as error:
        raise DynamicsFault(
            f"{leg.name}: {error}. What is finished is kept: mend it, `hilctl reset` and `hilctl arm` where it "
            "tripped, and go on with --resume"
        ) from None
    notes += [f"{leg.name}: {text}" for text in fetched.again]
    begins = 0 if before is None else round((fetched.motion.facts["first_sample_s"] + before) * facts.rate_hz)
    return Driven(index, share, begins, list(notes), fetched.samples)


def _prepared(rig: "Client", leg: Leg, facts: Facts, share: float) -> "tuple[Callable[[], Motion], float | None]":
    """What starts the motion, and how long its history rests before the excitation; None where it is none."""
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
    """What is uploaded, and how many of its samples of rest come first: no finer than the service's knots may be."""
    every = max(1, int(np.ceil(rate_hz * _FINEST_S - 1e-9)))
    coarse: Any = signal.values[::every]
    if signal.closed:
        return as_history(coarse, rate_hz / every)
    rest = round(REST_S * rate_hz / every)
    values = np.concatenate([np.full(rest, coarse[0]), coarse, np.full(rest, coarse[-1])])
    return samples_of(values, "displacement", interval_s=every / rate_hz), rest
