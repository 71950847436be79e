"""The parameters that a study proposes to set: precise values of a model that has no sign of missing structure."""

from hilctl.identify.dynamics.study import Grey

SURE = 0.3  # of a value: with a wider half interval the rig file's value stays


def proposed(grey: Grey | None) -> dict[str, float]:
    """By the rig file's key: parameters of the grey box identified within SURE, and the mass."""
    if grey is None:
        return {}
    out: dict[str, float] = {}
    for one in grey.fit.estimates if grey.fit and not doubt(grey) else ():
        if one.value is None or one.by not in ("linear", "profile") or one.at_bound or one.name not in grey.keys:
            continue
        if one.low is not None and one.high is not None and one.high - one.low < 2 * SURE * abs(one.value):
            out[grey.keys[one.name]] = one.value
    if grey.mass is not None:
        out |= {key: value for key, value in grey.mass.changes().items() if key == "machine.m"}
    return out


def doubt(grey: Grey) -> str:
    """Why no value of the fit should be set; empty if they may be."""
    if grey.fit is None:
        return ""
    none = {flag.key for flag in grey.fit.flags if flag.code == "none"}
    ends = [one.name for one in grey.fit.estimates if one.value is not None and one.at_bound]
    ends = [name for name in ends if name not in grey.keys and name not in none]
    if ends:
        names = ", ".join(ends)
        return f"{names} ended at a bound, so it may stand for an effect that the model lacks and bias the others"
    return ""
