"""Whoever reads bytes of others takes them or refuses them, whatever they are: `make fuzz` in short."""

import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_bridge.firmware.build import compiler
from tests.fuzz import __main__ as fuzzing
from tests.fuzz.mutate import mutated
from tests.fuzz.run import corpus_of
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

OTHERS = ("modbus-tcp", "modbus-rtu")  # whose seeds are also answers to other requests
DEAR = {"device": 40, "recordings": 10, "rigs": 15}  # examples; of the others 150
SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))


@pytest.fixture(params=TARGETS)
def target(request) -> Target:
    if request.param == "device" and compiler() is None:
        pytest.skip("needs a C compiler")
    return TARGETS[request.param]


def test_what_it_begins_with_is_taken_and_what_once_was_a_finding_is_refused_or_taken(target):
    with target.open() as take:
        taken = [take(data) for data in target.seeds()]
        assert all(taken) or (any(taken) and target.name in OTHERS)
        for data in corpus_of(target.name):
            take(data)


def test_whatever_comes_is_taken_or_refused(target):
    seeds = target.seeds() + corpus_of(target.name)
    with target.open() as take:

        # The same inputs each time: to look for others is the command's work.
        @settings(
            max_examples=DEAR.get(target.name, 150), derandomize=True, database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(st.binary(max_size=400) | st.randoms(use_true_random=False).map(lambda chance: changed(chance, seeds)))
        def read(data: bytes) -> None:
            take(data)

        read()


def changed(chance: random.Random, seeds: list[bytes]) -> bytes:
    return mutated(chance, seeds, 2 * max(map(len, seeds)))


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", TARGETS)
def test_a_million_inputs_do_no_harm(name):
    found = fuzzing.fuzz(TARGETS[name], max(1000, round(SHARE * TARGETS[name].runs)), 1, guided=False)
    assert not found.problem, found.problem


def test_what_a_reader_neither_takes_nor_refuses_is_found_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzzing, "OUT", tmp_path)
    found = fuzzing.fuzz(TARGETS["points"], 300, 1, guided=False, program="tests.fuzz.broken")
    assert "ZeroDivisionError" in found.problem and f"kept as {tmp_path / 'points-1'}" in found.problem
    assert (tmp_path / "points-1").read_bytes()
