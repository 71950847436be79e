"""A rig with some of its parameters changed: checked whole, every problem reported at once.

A change of `friction.model` brings the new model's keys: those that are given, and from the old model those that both
have. The loop blends real numbers between two sets, and the words of two models mean different things; so the model
changes only while friction has no say: the inverse model is out (`law.feed.inverse` is 0), and the service asks for a
rig that is off or holds still.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from hilctl.friction import MODELS, Friction, Law, Model, linear_models
from hilctl.law.settings import Controller
from hilctl.params import BadValues, Problem, assign, check, flatten, leaves, nearest
from hilctl.params.tables import nested
from hilctl.rig import Rig

_RESTART = ("rig", "loop", "service", "recording", "driver", "twin", "schema", "base", "include")
_MODEL = "friction.model"
_AT = "friction."


def changed(rig: Rig, changes: Mapping[str, Any]) -> Rig:
    """The rig with these changes; BadValues with every problem."""
    problems: list[Problem] = []
    model = _model(rig.friction, changes, problems)
    good = {key: value for key, value in changes.items() if _known(key, value, model, problems)}
    rubbing = {key.removeprefix(_AT): value for key, value in good.items() if key.startswith(_AT)}
    rest = {key: value for key, value in good.items() if not key.startswith(_AT)}
    tables, friction = rig.tables, rig.friction
    # Both are tried, so that every problem is reported at once.
    try:
        tables = assign(tables, rest) if rest else tables
    except BadValues as bad:
        problems += bad.problems
    try:
        if rubbing:
            friction = _rubbing(friction, model, rubbing)
    except BadValues as bad:
        problems += bad.problems
    if (rig.tables.law.feedback == "rig") != (tables.law.feedback == "rig"):
        told = f"cannot change between rig and another while the service runs: it is {rig.tables.law.feedback}"
        problems.append(Problem("law.feedback", tables.law.feedback, told, "change the rig file and restart"))
    if tables.law.rig.reach_m != rig.tables.law.rig.reach_m:
        told = f"cannot change from {rig.tables.law.rig.reach_m:g} m while the service runs: the table would move"
        problems.append(Problem("law.rig.reach_m", tables.law.rig.reach_m, told, "change the rig file and restart"))
    if model.name != rig.friction.model:
        shares = rig.tables.law.feed.inverse, tables.law.feed.inverse
        if any(shares):
            told = "cannot change while the inverse model is in use: law.feed.inverse is " + " and becomes ".join(
                f"{share:g}" for share in dict.fromkeys(shares)
            )
            remedy = "set law.feed.inverse to 0 before, and back afterwards, each in a set of its own"
            problems.append(Problem(_MODEL, model.name, told, remedy))
    if problems:
        raise BadValues(problems)
    return dataclasses.replace(rig, tables=tables, friction=friction)


def _model(old: Friction, changes: Mapping[str, Any], problems: list[Problem]) -> Model:
    """The model after the changes; the old one where they name none."""
    name, known = changes.get(_MODEL, old.model), linear_models()
    if isinstance(name, str) and name in known:
        return MODELS[name]
    joint = isinstance(name, str) and name in MODELS
    said = "is the law of a joint, not of a cylinder" if joint else "must be one of " + ", ".join(known)
    hint = "one of " + ", ".join(known) if joint else nearest(str(name), known)
    problems.append(Problem(_MODEL, name, said, hint))
    return MODELS[old.model]


def _known(key: str, value: Any, model: Model, problems: list[Problem]) -> bool:
    """Whether `set` may change this key; a problem where not."""
    if key == _MODEL:
        return not problems  # an unknown model has already been reported
    own = tuple(leaf.path for leaf in leaves(model.Params, "friction"))
    every = (*(leaf.path for leaf in leaves(Controller)), *own)
    if key in every:
        return True
    if key.split(".", maxsplit=1)[0] in _RESTART:
        problems.append(Problem(key, value, "cannot change while the service runs", "change the rig file and restart"))
    elif key.startswith(_AT):
        said = f"no such key of the friction model {model.name}"
        if not any(problem.key == _MODEL for problem in problems):  # else its keys are not known
            problems.append(Problem(key, value, said, nearest(key, own)))
    else:
        problems.append(Problem(key, value, "no such key", nearest(key, every)))
    return False


def _rubbing(old: Friction, model: Model, given: Mapping[str, Any]) -> Friction:
    if model.name != old.model:
        return Friction(model.name, model.code, _of_model(old.params, model, given))
    rest = {key: value for key, value in given.items() if key != "model"}
    return old._replace(params=assign(old.params, rest, "friction"))


def _of_model(old: Law, model: Model, given: Mapping[str, Any]) -> Law:
    """Parameters of a new model: the given ones, and those of the old model that mean the same in both."""
    was = {leaf.path: leaf for leaf in leaves(type(old))}
    values = flatten(old)
    taken, spare = dict[str, Any](), set[str]()
    for leaf in leaves(model.Params):
        before = was.get(leaf.path)
        if leaf.path == "model" or before is None or values[leaf.path] is None:
            continue
        if (before.kind, before.unit) == (leaf.kind, leaf.unit):
            taken[leaf.path] = values[leaf.path]
            if leaf.optional and not before.optional:
                spare.add(leaf.path)
    try:
        return check(model.Params, nested({**taken, **given}), "friction")
    except BadValues as bad:
        # What the new model can do without may contradict what is given instead of it.
        fewer = {key: value for key, value in taken.items() if key not in spare}
        try:
            return check(model.Params, nested({**fewer, **given}), "friction")
        except BadValues as still:
            raise min(bad, still, key=lambda refused: len(refused.problems)) from None
