"""A commissioning with every part, small; and a page to look things up in."""

import copy
from html.parser import HTMLParser
from typing import Any

import msgspec
import numpy as np
import pytest

from hilctl.friction import check_friction
from hilctl.identify.dynamics.study import Study
from hilctl.params.finite import finite
from hilctl.results.commissioned import FORMAT, Commissioned
from tests.unit.report.study_parts import small_study

OFFSET_N, SD_N = 120.0, 4.0
CURVE = {"model": "stribeck", "fc": 300.0, "fs": 3000.0, "vs": 0.1, "sigma": 3200.0, "delta": 2.0,
         "negative": {"fc": None, "fs": None}}  # fmt: skip
FREQUENCIES = {"0.5": 0.08, "1": 0.08, "2": 0.05, "5": 0.02}


def quantity(value, unit, before=None, reason="a motion", identified=True):
    return {"value": value, "low": 0.97 * value, "high": 1.02 * value, "unit": unit, "reason": reason,
            "before": before, "origin": "identified" if identified else "not identifiable"}  # fmt: skip


def campaign_and_fit() -> tuple[dict[str, Any], dict[str, Any]]:
    speeds = np.geomspace(1e-3, 0.8, 8)
    signed = np.concatenate([speeds, -speeds])
    law = check_friction({k: v for k, v in CURVE.items() if k != "negative"}).curve(signed) + OFFSET_N
    off = 3.0 * np.cos(np.arange(16.0))
    force = law + off
    words = {"fc": (300.0, "N"), "fs": (3000.0, "N"), "vs": (0.1, "m/s"), "sigma": (3200.0, "N·s/m")}
    names = [*words, "offset"]
    ends = np.array([300.0, 3000.0, 0.1, 3200.0, OFFSET_N])
    away = np.linspace(2, 0, 5)[None, :, None] * np.linspace(-0.5, 0.5, 3)[:, None, None]
    data = {
        "campaign": "c-1", "rig": "a rig", "begun": "2026-01-02T03:04:05+00:00", "epoch": 4, "folder": "out/c-1",
        "complete": True, "speeds": {"planned": 8, "finished": 8},
        "points": [
            {"direction": int(np.sign(v)), "speed_m_s": abs(v), "force_n": np.sign(v) * f, "std_n": SD_N, "windows": 2,
             "samples": 900} for v, f in zip(signed, force, strict=True)
        ],
        "curve": [{"speed_m_s": v, "force_n": 2000.0, "std_n": SD_N, "offset_n": OFFSET_N} for v in speeds],
        "windows": {"counted": 30, "discarded": [
            {"speed_m_s": 0.001, "direction": 1, "reason": "the table hunted"},
            {"speed_m_s": 0.001, "direction": 1, "reason": "the table hunted"},
            {"speed_m_s": 0.8, "direction": -1, "reason": "the valve was saturated"},
        ]},
        "oil_degc": {"low": 38.0, "high": 41.5}, "rig_seconds": 148.2, "remarks": ["the oil warmed up"],
    }  # fmt: skip
    fit = {
        "law": "stribeck, delta 2", "why": "least BIC", "table": CURVE, "directions": "offset",
        "parameters": {name: quantity(value, unit) for name, (value, unit) in words.items()},
        "offset": quantity(OFFSET_N, "N"),
        "points": {"speed_m_s": signed.tolist(), "force_n": force.tolist(), "sd_n": [SD_N] * 16,
                   "curve_n": law.tolist(), "residual_n": off.tolist(), "inside": [True] * 15 + [False]},
        "rejected": [{"point": 15, "speed_m_s": -0.8, "force_n": -2700.0, "curve_n": -2740.0, "deviations": 8.1,
                      "limit": 3.9}],
        "scatter_n": 2.9, "r2": 0.99998, "fit_percent": 99.6,
        "flags": [{"code": "offset", "key": "offset", "text": "a force does not turn", "remedy": "zero the sensors"}],
        "laws": [
            {"law": name, "model": "m", "bic": bic, "above_best": bic and bic + 320.0, "weight": weight,
             "parameters": 4, "directions": "offset", "refused": refused,
             "f_tests": [{"richer": "offset", "over": "alike", "f": 7.5e4, "probability": 1e-9, "difference": 0.1,
                          "taken": True}]}
            for name, bic, weight, refused in (
                ("stribeck, delta 2", -320.0, 0.9, ""), ("coulomb", 200.0, 1e-90, ""),
                ("coulomb+power", None, None, "needs 4 different speeds"),
            )
        ],
        "knowledge": [{"key": "", "names": names, "covariance": np.diag((0.01 * ends) ** 2).tolist(),
                       "condition": 5.9, "weakest": "fc is known least"}],
        "searches": [{"key": "", "names": names, "mean": ends.tolist(), "spread": [1e-9] * 5, "gap": 1e-12,
                      "reached": 1.0, "history": (ends * (1 + away)).tolist()}],
    }  # fmt: skip
    return data, fit


def sine(frequency, kicks, harmonics):
    t = np.arange(200) / 200
    reference = np.sin(2 * np.pi * t)
    return {"rate_hz": 200 * frequency, "reference_m_s2": reference.tolist(),
            "acceleration_m_s2": (reference + kicks * np.sin(6 * np.pi * t)).tolist(),
            "harmonics_percent": [harmonics / k for k in range(1, 19)]}  # fmt: skip


def tuning() -> dict[str, Any]:
    margins = {"rise_db": 8.5, "rise_hz": 70.0, "fall_db": None, "fall_hz": None, "phase_deg": 46.1, "phase_hz": 9.0,
               "modulus": 0.62, "modulus_hz": 60.0}  # fmt: skip
    curve = {"magnitude": [2.0, 0.5], "phase_deg": [-90.0, -180.0]}
    loop = {"margins": margins, "crossover_hz": 7.81, "minus_3_db_hz": 70.4, "minus_90_deg_hz": None, "hz": [1.0, 9.0],
            "loop": curve, "follows": curve}  # fmt: skip
    return {"values": {"law.three_state.kd_per_m": 27.99}, "source": "this commissioning", "assumed": [], "spread": {},
            "decided_by": [], "before": None, "predicted": loop, "measured_before": None,
            "measured_after": {**loop, "margins": {**margins, "phase_deg": 44.9}, "crossover_hz": 7.77}, "epochs": [8],
            }  # fmt: skip


def whole() -> dict[str, Any]:
    data, fit = campaign_and_fit()
    x = np.linspace(0, 160e-6, 40)
    bent = 3000 * (1 - 2 * np.exp(-x / 3e-5))
    zeroed = {"sensor": "pressure_a", "key": "sensors.pressure_a.offset", "old": 0.0, "new": 24e3, "read": 24e3,
              "date": "2026-01-02T03:00:00+00:00"}  # fmt: skip
    friction = {name: quantity(p["value"], p["unit"], before=1.1 * p["value"], reason="constant speeds")
                for name, p in fit["parameters"].items()}  # fmt: skip
    friction["s0"] = quantity(9.98e7, "N/m", reason="reversals")
    return {
        "format": FORMAT, "rig": "a rig", "date": "2026-01-02T03:00:00+00:00", "author": "a person",
        "twin": True, "versions": {"hilctl": "1.2.3"}, "epoch": 9, "folder": "out/x",
        "complete": True, "failed": None,
        "prepared": {"date": "2026-01-02", "zeroed": [zeroed], "polarity": "proved by bumps", "null_opening": -0.0098,
                     "warm_up_s": 10.0, "oil_before_degc": 38.0, "oil_after_degc": 40.0, "epoch": 4,
                     "remarks": ["the supply was low"]},
        "campaign": data, "fit": fit,
        "presliding": {
            "kind": "lugre", "certain": True, "why": "the table moved 33 µm", "advice": "compensate with lugre",
            "warnings": ["the level differs"], "friction": {"model": "lugre"},
            "parameters": {"s0": {"value": 9.98e7, "low": 9.7e7, "high": None, "unit": "N/m"}},
            "evidence": {"level": 1.0, "level_n": 3000.0, "travel_m": 3.3e-5, "travel_error_m": 2e-6, "reversals": 24,
                         "left": {"lugre": 0.5, "gms": 10.1}, "points": 996, "independent": 120.0,
                         "loops": [{"amplitude_m": 2e-5, "frequency_hz": 2.0, "turned": 0.4,
                                    "loss_j": {"measured": 1.91e-3, "lugre": 1.92e-3, "gms": 1.13e-3},
                                    "chord_n_m": {"measured": 4e7, "lugre": 4.1e7, "gms": 5e7},
                                    "left": {"lugre": 0.5, "gms": 10.1}}],
                         "turn": {"amplitude_m": 8e-5, "distance_m": x.tolist(), "measured_n": (bent + 5).tolist(),
                                  "laws_n": {"lugre": bent.tolist(), "gms": (0.9 * bent).tolist()}}},
            "swings": [{"amplitude_m": 8e-5, "frequency_hz": 2.0, "cycles": 9}], "rig_seconds": 39.0,
            "choice": "lugre", "probabilities": {"lugre": 0.97, "gms": 0.03}, "decided_from": 0.9,
            "reasons": ["the loop of ±20 µm loses 1.91 mJ a cycle"],
            "sides": {"s0": {"value": 1.01, "low": 0.98, "high": 1.04}},
        },
        "friction": {"law": "lugre", "class": "lugre", "why": "it bends", "certain": True,
                     "parameters": friction, "table": CURVE},
        "plant": {"machine.m": quantity(499.9, "kg", 480.0, "forces"), "machine.beta": quantity(9.02e8, "Pa", 9e8),
                  "machine.Ctc": quantity(4.95e-12, "m³/(s·Pa)", 5e-12, identified=False)},
        "plant_fit": {"flags": [{"code": "imprecise", "key": "machine.Ctc", "text": "hardly known", "remedy": "leave"}],
                      "notes": ["m is relative to the area"], "explained_percent": {"slow sine": 99.9},
                      "weakest": "droop -1.00", "scatter": 0.6, "singular_values": [6.0, 1.0], "samples": 34000,
                      "changes": {"machine.m": 499.9}, "rig_seconds": 34.0},
        "choice": {"tried": [{"law": "lugre", "percent": 0.8, "extra_preview_s": 2e-4, "epoch": 7, "factor": 17.3,
                              "by_hz": {"1": 0.8, "0.5": 1.3}},
                             {"law": "gms", "percent": 2.5, "extra_preview_s": 3e-4, "epoch": 8}], "kept": "lugre",
                   "why": "least", "frequency_hz": 1.0, "before_percent": 18.0,
                   "before_by_hz": {"1": 18.0, "0.5": 17.0},
                   "machine_percent": 9.1, "machine_by_hz": {"1": 9.1, "0.5": 8.7}, "machine_factor": 1.97},
        "preview": {"extra_preview_s": 2e-4, "percent": 0.7, "tried": [[-2e-4, 2.1], [2e-4, 0.7], [6e-4, 1.9]]},
        "sent": {"epoch": 7, "author": "a person", "origin": "commission", "file": "out/x/found.toml",
                 "values": {"machine.m": 499.9, "friction.model": "lugre", "law.feed.inverse": 1.0},
                 "old": {"machine.m": 480.0, "friction.model": "karnopp", "law.feed.inverse": 0.0}},
        "thd": {key: {"before": 17.0 + n, "after": 0.61 + n, "factor": (17.0 + n) / (0.61 + n), "amplitude_m": size,
                      "resolution_after": 0.2} for n, (key, size) in enumerate(FREQUENCIES.items())},
        "sines": {key: {"before": sine(float(key), 0.3, 9.0), "after": sine(float(key), 0.02, 0.4)}
                  for key in FREQUENCIES},
        "tracking": [
            {"kind": "triangle", "name": "triangle 0.02 m/s", "parameters": {"amplitude_m": 0.05},
             "before": {"rms_um": 180.0, "flatness_percent": 6.1}, "after": {"rms_um": 31.0, "flatness_percent": 2.2}},
            {"kind": "record", "name": "El Centro", "parameters": {"peak_m": 0.05},
             "before": {"rms_um": 820.0, "acceleration_percent": 30.0, "displacement_percent": 2.0},
             "after": {"rms_um": 110.0, "acceleration_percent": 9.0, "displacement_percent": 0.3}},
        ],
        "learning": {"1": {"name": "learned-1", "frequency_hz": 1.0, "reached": True, "why": "the target is reached",
                           "best": 1,
                           "repeats": [{"percent": 0.9, "error_percent": 1.0, "share": 0.0},
                                       {"percent": 0.4, "error_percent": 0.5, "share": 0.7}]}},
        "tuning": tuning(), "warnings": ["the supply was low"],
        "not_identified": [{"code": "none", "key": "machine.K", "text": "nothing pulls", "remedy": "nothing to do"}],
        "losses": [{"leg": "slow sine", "text": "of 5000 ticks, 3 ticks did not run; at most 2 in a row"}],
        "stages": [{"name": "preparing", "rig_seconds": 33.0, "wall_seconds": 0.4}],
        "rig_seconds": 372.0, "wall_seconds": 17.4,
    }  # fmt: skip


_WHOLE = finite(whole())


@pytest.fixture
def plain_told() -> dict[str, Any]:
    """A commissioning as a file holds it."""
    return copy.deepcopy(_WHOLE)


@pytest.fixture
def told() -> Commissioned:
    """A commissioning, the test's own."""
    return msgspec.convert(copy.deepcopy(_WHOLE), Commissioned)


@pytest.fixture
def each_time() -> Any:
    """A commissioning for each example, as a file holds it."""
    return lambda: copy.deepcopy(_WHOLE)


class Read(HTMLParser):
    """What a page says: the text of each section, and every element's name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.ids: list[str] = []
        self.sections: dict[str, str] = {"": ""}
        self._at, self._silent = "", ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "section":
            self._at = given["id"]
            self.sections[self._at] = ""
        if tag in ("style", "svg", "title"):
            self._silent = tag

    def handle_endtag(self, tag):
        if tag == "section":
            self._at = ""
        if tag == self._silent:
            self._silent = ""
        if tag in ("p", "td", "th", "li", "dd", "dt", "h2", "h3", "caption", "figcaption"):
            self.sections[self._at] += "\n"

    def handle_data(self, data):
        if not self._silent:
            self.sections[self._at] += data


@pytest.fixture(scope="session")
def study() -> Study:
    """A study of dynamics."""
    return small_study()


@pytest.fixture
def read():
    """Turns a page into what it says."""
    return Read
