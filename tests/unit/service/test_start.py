"""The core's process is started before anything heavy is imported."""

import subprocess
import sys


def test_what_starts_the_core_imports_nothing_heavy() -> None:
    code = (
        "import sys, hilctl.service.run; "
        "print({'numba', 'numpy', 'scipy', 'h5py', 'zmq', 'msgspec', 'hilctl.rig'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
