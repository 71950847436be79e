"""The unit in FMPy: it is valid, agrees with the twin sample by sample, and refuses what it cannot do."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hilctl.fmu
from firmware_bridge.driver import COMMAND, READINGS
from firmware_bridge.firmware.build import compiler
from hilctl.bench.fmu import PRESETS, SPECIMENS, allowed, rig_under
from hilctl.fmu.compare import judged, triangle, twin_driven
from hilctl.fmu.sources import python_of
from hilctl.fmu.translate.body import translated
from hilctl.fmu.translate.program import Program
from hilctl.fmu.translate.types import Record
from hilctl.fmu.write import OPTIONS, compiled, unit_of, unpacked, write
from hilctl.friction import linear_models
from sim.driver import TwinDriver
from sim.specimens.record import Kind
from sim.twin import STATE, command, exchange_under
from tests.unit.fmu.fmu_parts import Run, archive, extracted, fmpy, needs_compiler, rig, unit

pytestmark = needs_compiler
SECONDS = 0.5


@pytest.fixture
def made():
    """Makes instances that are freed at the end."""
    instances = []

    def make(*arguments, **named):
        instances.append(Run(*arguments, **named))
        return instances[-1]

    yield make
    for one in instances:
        one.close()


def test_fmpy_finds_the_unit_valid():
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(archive())) == []


@pytest.mark.parametrize("noise", [False, True])
def test_every_reading_has_the_bits_of_the_twins(made, noise):
    commands = triangle(rig(), SECONDS)
    ours, twin = made(noise=noise).run(commands), twin_driven(rig(), commands, noise=noise)
    assert np.ptp(twin[:, 0]) > 0.01  # m
    np.testing.assert_array_equal(ours, twin)


def test_before_the_first_step_it_shows_what_the_twin_shows(made):
    changes = {"twin__sensors__pressure_a__bias_pa": 1e4, "twin__sensors__displacement__gain_error": 0.02}
    driver, readings = TwinDriver(rig(**changes).driver_config, rig().facts(virtual=True)), np.zeros(1, READINGS)[0]
    driver.open()
    driver.exchange(driver.state, command(periods=0), readings)
    one = made(**changes)
    required = ["displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa"]
    assert one.get(*required) == [readings[name] for name in required]


CASES = [(preset, model, "none") for preset in PRESETS for model in linear_models()]
CASES += [(PRESETS[0], model, one) for one in SPECIMENS for model in ("karnopp", "lugre")]


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize(("preset", "model", "specimen"), CASES)
def test_under_every_model_and_specimen_the_unit_agrees_with_the_twin(made, preset, model, specimen, tmp_path):
    one = rig_under(preset, model, specimen)
    own, commands = unit_of(one), triangle(one, 10.0)
    path = write(own, tmp_path / "unit.fmu", compiler()).path
    found = judged(own, made(path).run(commands), twin_driven(one, commands, noise=False))
    assert found.worst <= allowed(model), found
    assert found.travel_m > 1e-3


def test_every_friction_model_and_specimen_has_a_translation_that_compiles(tmp_path):
    program = Program(STATE, "Twin", translated)
    pairs = [(model, Kind.NONE) for model in linear_models()] + [("lugre", kind) for kind in Kind]
    names = {
        program.function(python_of(exchange_under(*pair)), (Record(STATE), Record(COMMAND), Record(READINGS))).name
        for pair in pairs
    }
    types, functions = program.text()
    uses = "".join(f"int64_t (*use_{name})(Twin *, Record *, Record_2 *) = {name};\n" for name in sorted(names))
    (tmp_path / "all.c").write_text(f'#include "python.h"\n{types}{functions}{uses}')
    include = str(Path(hilctl.fmu.__file__).with_name("csrc"))
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", include]
    made = subprocess.run([compiler(), *strict, str(tmp_path / "all.c")], capture_output=True, text=True, check=False)
    assert not made.returncode, made.stderr
    assert len(names) == len(set(pairs))


def test_a_parameter_of_the_unit_is_the_key_of_the_rig_file(made):
    """Among them those that several words of the twin's record are derived from."""
    changes = {"twin__machine__m": 600.0, "twin__machine__Ps": 18e6, "twin__friction__fs": 2500.0,
               "twin__valve__null_bias": -0.01, "twin__sensors__pressure_a__gain_error": 0.01}  # fmt: skip
    commands = triangle(rig(), SECONDS)
    ours, twin = made(**changes).run(commands), twin_driven(rig(**changes), commands, noise=False)
    np.testing.assert_allclose(ours, twin, rtol=1e-9, atol=1e-9 * np.abs(twin).max(axis=0).min())
    assert np.abs(ours - twin_driven(rig(), commands, noise=False)).max(axis=0)[0] > 1e-4


def test_a_tunable_parameter_acts_from_when_it_is_set_until_it_is_set_back(made):
    steady, tuned, back = made(), made(), made()
    commands = triangle(rig(), 0.2)
    for one in (tuned, back):
        np.testing.assert_array_equal(steady.run(commands), one.run(commands))
        steady.own.reset()
        steady.own.setBoolean([steady.reference["noise"]], [False])
        steady.own.enterInitializationMode()
        steady.own.exitInitializationMode()
        steady.now = 0
    steady.run(commands)
    tuned.set("twin.machine.m", 800.0)
    back.set("twin.machine.m", 800.0)
    back.set("twin.machine.m", 500.0)
    ours, heavy, again = steady.run(commands), tuned.run(commands), back.run(commands)
    assert np.abs(ours - heavy).max(axis=0)[0] > 1e-5
    np.testing.assert_allclose(again, ours, rtol=1e-9, atol=1e-9)


def test_a_seed_of_its_own_gives_other_noise_and_the_same_movement(made):
    one, other = made(noise=True), made(noise=True)
    other.own.reset()
    other.own.setInt64([other.reference["twin.seed"]], [7])
    other.own.enterInitializationMode()
    other.own.exitInitializationMode()
    commands = triangle(rig(), 0.1)
    assert not np.array_equal(one.run(commands), other.run(commands))
    assert one.get("true.position_m") == other.get("true.position_m")


def test_a_state_is_taken_set_and_kept_as_bytes(made):
    one, other, commands = made(), made(), triangle(rig(), 0.2)
    one.run(commands)
    state = one.own.getFMUState()
    kept = one.own.serializeFMUState(state)
    first = one.run(commands[:50])
    one.own.setFMUState(state)
    one.now -= 50
    np.testing.assert_array_equal(one.run(commands[:50]), first)
    one.own.freeFMUState(state)
    moved = other.own.deserializeFMUState(kept)
    other.own.setFMUState(moved)
    other.now = len(commands)
    np.testing.assert_array_equal(other.run(commands[:50]), first)
    other.own.freeFMUState(moved)


def test_instances_of_one_process_know_nothing_of_each_other(made):
    commands = triangle(rig(), 0.2)
    alone = made().run(commands)
    left, right = made(), made()
    rows = [(left.run([u])[0], right.run([-u])[0]) for u in commands]
    np.testing.assert_array_equal(np.array([row for row, _ in rows]), alone)
    assert rows[-1][0][0] - rows[-1][1][0] > 1e-3


def test_after_a_reset_it_runs_as_at_first(made):
    one, commands = made(), triangle(rig(), 0.1)
    first = one.run(commands)
    one.own.reset()
    one.own.setBoolean([one.reference["noise"]], [False])
    one.own.enterInitializationMode()
    one.own.exitInitializationMode()
    one.now = 0
    np.testing.assert_array_equal(one.run(commands), first)


def test_a_longer_communication_step_holds_the_command(made):
    fine, coarse = made(), made()
    rows = fine.run(np.repeat([0.1, -0.05], 5))
    for k, u in enumerate((0.1, -0.05)):
        coarse.set("valve", u)
        coarse.own.doStep(5 * k * coarse.period_s, 5 * coarse.period_s)
        np.testing.assert_array_equal(coarse.get(*coarse.outputs()), rows[5 * k + 4])


def _refused(capfd, action):
    with pytest.raises(Exception, match=r"FMI3Slave|fmi3|status"):
        action()
    return "".join(capfd.readouterr())


@pytest.mark.parametrize("periods", [0.5, 1.5, 0.0, -1.0, float("nan")])
def test_a_step_that_is_no_multiple_of_the_period_is_refused_and_leaves_the_state(made, periods, capfd):
    one = made()
    before = one.get("true.position_m", "true.pressure_a_pa")
    said = _refused(capfd, lambda: one.own.doStep(0.0, periods * one.period_s))
    assert "must be a multiple of 0.001 s" in said
    assert one.get("true.position_m", "true.pressure_a_pa") == before


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [("valve", 1.5, "must be from -1 to 1"), ("valve", float("nan"), "must be from -1 to 1"),
     ("twin.friction.fs", -1.0, "must be from 0"), ("displacement_m", 0.1, "is an output")],
)  # fmt: skip
def test_a_value_that_is_none_is_refused_with_its_bounds(made, name, value, says, capfd):
    one = made()
    said = _refused(capfd, lambda: one.set(name, value))
    assert name in said
    assert says in said


def test_a_description_of_another_unit_is_refused(capfd):
    from fmpy.fmi3 import FMU3Slave

    description, folder = extracted(archive())
    one = FMU3Slave(guid="{another}", unzipDirectory=folder, instanceName="one",
                    modelIdentifier=description.coSimulation.modelIdentifier)  # fmt: skip
    with pytest.raises(Exception, match="instantiate"):
        one.instantiate(loggingOn=True)
    assert "is of another unit" in "".join(capfd.readouterr())


def test_the_sources_compile_without_a_warning(tmp_path):
    source = unpacked(unit().files, tmp_path)
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
    made = subprocess.run([compiler(), *OPTIONS, *strict, str(source)], capture_output=True, text=True, check=False)
    assert not made.returncode, made.stderr


_MAIN = """
#include "fmi.c"
static void heard(fmi3InstanceEnvironment e, fmi3Status s, fmi3String c, fmi3String m)
{
    (void)e, (void)s, (void)c;
    puts(m);
}
int main(void)
{
    fmi3Instance own = fmi3InstantiateCoSimulation("a", TOKEN, "", 0, 1, 0, 0, NULL, 0, NULL, heard, NULL);
    fmi3FMUState state = NULL;
    bool b[3];
    double reached;
    fmi3EnterInitializationMode(own, false, 0, 0, false, 0);
    fmi3ExitInitializationMode(own);
    for (int k = 0; k < 300; k++) {
        double u = 0.3 * sin(0.05 * k);
        uint32_t valve = 1;
        if (fmi3SetFloat64(own, &valve, 1, &u, 1))
            return 1;
        if (fmi3DoStep(own, k * PERIOD_S, PERIOD_S, true, b, b + 1, b + 2, &reached))
            return 1;
    }
    if (fmi3GetFMUState(own, &state) || fmi3SetFMUState(own, state) || fmi3FreeFMUState(own, &state) || fmi3Reset(own))
        return 1;
    fmi3FreeInstance(own);
    return 0;
}
"""


@pytest.mark.parametrize("model", ["karnopp", pytest.param("armstrong", marks=[pytest.mark.slow, pytest.mark.many])])
def test_under_sanitizers_nothing_is_found(model, tmp_path):
    unpacked(unit_of(rig_under("table-500", model, "pendulum" if model == "karnopp" else "none")).files, tmp_path)
    main, program = tmp_path / "main.c", tmp_path / "main"
    main.write_text(_MAIN)
    checks = ("-g", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all")
    build = [compiler(), "-std=c99", "-O1", *checks, "-o", str(program), str(main), "-lm"]
    made = subprocess.run(build, capture_output=True, text=True, check=False)
    if "cannot find" in made.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert not made.returncode, made.stderr
    run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr + run.stdout


def test_fmpy_compiles_a_unit_of_sources_alone(tmp_path, monkeypatch):
    from fmpy.build import build_platform_binary

    path = write(unit(), tmp_path / "sources.fmu", None).path
    description = fmpy.read_model_description(path)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    fmpy.extract(path, folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    build = tmp_path / "build"
    build.mkdir()
    build_platform_binary(folder, build, all_warnings=True)
    (library,) = (folder / "binaries").rglob("*.so")
    assert library.stem == description.coSimulation.modelIdentifier


def test_the_same_rig_file_gives_the_same_bytes(tmp_path):
    one, other = write(unit(), tmp_path / "a.fmu", None), write(unit_of(rig()), tmp_path / "b.fmu", None)
    assert one.path.read_bytes() == other.path.read_bytes()


def test_two_rigs_have_tokens_of_their_own():
    assert unit().token != unit_of(rig(twin__machine__m=501.0)).token


def standard() -> Path:
    """Where FMPy keeps the headers of FMI 3.0."""
    import fmpy

    return Path(fmpy.__file__).with_name("c-code")


def test_the_library_exports_the_functions_of_fmi_and_no_more(tmp_path):
    library = tmp_path / "unit.so"
    library.write_bytes(compiled(unit(), compiler()))
    listed = ["nm", "-D", "--defined-only", str(library)]
    told = subprocess.run(listed, capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in told.stdout.splitlines()]
    assert set(names) == set(re.findall(r"fmi3FullName\((fmi3\w+)\)", (standard() / "fmi3Functions.h").read_text()))


def test_every_function_is_declared_as_the_standards_own_header_has_it(tmp_path):
    """In place of our header, which has the standard's names and no declarations."""
    source = unpacked(unit().files, tmp_path)
    (tmp_path / "fmi3.h").write_text('#pragma once\n#include "fmi3Functions.h"\n#define FMI(type, name) type name\n')
    command = [compiler(), *OPTIONS, "-Wall", "-Werror", "-fsyntax-only", "-I", str(standard()), str(source)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not made.returncode, made.stderr
    wrong = source.read_text().replace("fmi3Boolean on,", "fmi3Int32 on,", 1)
    source.write_text(wrong)
    assert "conflicting types" in subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_a_program_that_holds_several_units_gives_their_functions_a_prefix(tmp_path):
    source, made = unpacked(unit().files, tmp_path), tmp_path / "unit.o"
    prefixed = ["-DFMI3_FUNCTION_PREFIX=rig_", "-c", "-o", str(made), str(source)]
    subprocess.run([compiler(), *OPTIONS, *prefixed], check=True)
    told = subprocess.run(["nm", "--defined-only", "-g", str(made)], capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in told.stdout.splitlines()]
    assert "rig_fmi3DoStep" in names
    assert [name for name in names if not name.startswith("rig_fmi3")] == []
