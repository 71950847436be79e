"""What an installation consists of, and under which licences."""

from importlib import metadata

import pytest

from deploy.release.shipped import RUNTIME, licence, locked, needed, refused


def test_what_is_needed_follows_the_lock():
    core, whole = needed(), needed(RUNTIME)
    assert {"hilctl", "numba", "llvmlite", "pyzmq", "mdurl"} <= set(core)
    assert {"nicegui", "matplotlib", "asammdf", "fonttools"} <= set(whole) - set(core)
    assert not {"pytest", "mypy", "ruff", "casadi", "colorama"} & set(whole)
    assert "llvmlite" in core["numba"] and all(set(needs) <= set(whole) for needs in whole.values())
    assert set(whole) <= set(locked())


def test_an_extra_of_a_package_brings_what_it_needs():
    packages = {
        "hilctl": {"dependencies": [{"name": "a", "extra": ["x"]}, {"name": "w", "marker": "sys_platform == 'win32'"}]},
        "a": {"optional-dependencies": {"x": [{"name": "b"}], "y": [{"name": "c"}]}},
        "b": {"dependencies": [{"name": "a"}]},
    }
    assert needed(packages=packages) == {"hilctl": ["a"], "a": ["b"], "b": ["a"]}


@pytest.mark.parametrize("name", sorted(needed(RUNTIME)))
def test_what_ships_has_a_licence_that_goes_with_ours(name):
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    assert refused(licence(name)) == []


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        ("MIT", []),
        ("", ["no licence"]),
        ("GPL-3.0-only", ["GPL-3.0-only"]),
        ("AGPL-3.0-or-later OR MIT", []),
        ("MIT AND (GPL-2.0-only OR ISC)", []),
        ("MIT AND GPL-2.0-only", ["GPL-2.0-only"]),
        ("(MIT OR ISC) AND SSPL-1.0", ["SSPL-1.0"]),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", []),
        ("Apache-2.0 WITH LLVM-exception", []),
    ],
)
def test_an_expression_is_judged_as_a_whole(expression, parts):
    assert refused(expression) == parts


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"License-Expression": "MIT AND BSD-3-Clause"}, "MIT AND BSD-3-Clause"),
        ({"Classifier": "License :: OSI Approved :: MIT License"}, "MIT"),
        ({"License": "Apache 2.0"}, "Apache-2.0"),
        ({"License": "GPLv3", "Classifier": "License :: OSI Approved :: MIT License"}, "GPLv3"),
        ({"License": "ours alone"}, ""),
        ({}, ""),
    ],
)
def test_a_licence_is_read_from_the_metadata(fields, found, tmp_path):
    info = tmp_path / "thing-1.dist-info"
    info.mkdir()
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: thing\nVersion: 1\n{lines}")
    assert licence("thing", [str(tmp_path)]) == found
