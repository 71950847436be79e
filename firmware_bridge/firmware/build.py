"""Builds the firmware outside the tree, once for each state of the sources: boards on a PC, and images for a Cortex-M.

`python -m firmware_bridge.firmware.build` builds all that this machine has compilers for, and prints the core's size.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from hilctl.errors import HilctlError

HERE = Path(__file__).parent
SHARED = ("boards/witness.c", "boards/steps.c", "boards/text.c")
BOARDS = {
    "bench": ("boards/bench.c", *SHARED),
    "native": ("boards/native.c", *SHARED, "boards/plant.c"),
}
METAL = ("lm3s6965evb", "mps2_an385")
CORE = ("core/device.c", "core/frame.c")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-Os")
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
CORTEX_M3 = ("-mcpu=cortex-m3", "-mthumb", "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-nostdlib")
WATCHDOG_US = 1_000_000  # of the images: an emulator's host may stall, and a reset must then mean a hang
MOST_FLASH, MOST_RAM = 4096, 1024  # of the core on a Cortex-M3

# The core alone, with whatever it pulls in.
_CORE_ALONE = """
#include "core/device.h"
struct hil_device device;
const struct hil_board board;
void everything(uint8_t *frame);
void everything(uint8_t *frame) {
    hil_boot(&device, &board, 1);
    hil_latch(&device, HIL_WATCHDOG);
    hil_receive(&device, frame[0]);
    hil_tick(&device, &(const struct hil_inputs){.displacement = frame[1]});
    (void)hil_reply(&device, frame);
}
"""


class BuildError(HilctlError):
    """The compiler refused, or there is none."""


class Size(NamedTuple):
    """What the core takes, in bytes."""

    flash: int
    ram: int  # of one device
    stack: int  # at most: of all functions together


def compiler() -> str | None:
    """The C compiler, if there is one."""
    return shutil.which(os.environ.get("CC", "gcc")) or shutil.which("cc")


def cross_compiler() -> str | None:
    """The compiler for a Cortex-M, if there is one."""
    return shutil.which("arm-none-eabi-gcc")


def build(board: str, *, sanitized: bool = False, sources_in: Path = HERE) -> Path:
    """The program of a board, compiled unless that has been done. From other sources: beside them, warnings allowed."""
    if board in METAL:
        return _image(board, sources_in)
    flags = (*STRICT, *SANITIZED) if sanitized else STRICT
    return _built(board, sources_in, compiler(), flags, [*CORE, *BOARDS[board]])


def library() -> Path:
    """The board `emulated`, to be loaded into a process."""
    return _built("emulated.so", HERE, compiler(), (*STRICT, "-fPIC", "-shared"),
                  [*CORE, *SHARED, "boards/emulated.c"])


def _image(board: str, sources_in: Path) -> Path:
    metal = sources_in / "boards/metal"
    flags = (*STRICT, *CORTEX_M3, f"-DWATCHDOG_US={WATCHDOG_US}u", "-L", str(metal), "-T", str(metal / f"{board}.ld"))
    own = [f"boards/metal/{name}.c" for name in ("main", "startup", "memory", board)]
    return _built(board, sources_in, cross_compiler(), flags, [*CORE, *SHARED, "boards/plant.c", *own], "-lgcc")


def _built(
    name: str, sources_in: Path, with_compiler: str | None, flags: tuple[str, ...], sources: list[str], *last: str
) -> Path:
    if sources_in != HERE:
        flags = (*flags, "-w")
    place = (_place() if sources_in == HERE else sources_in) / f"{name}-{_digest(*flags)}"
    if not place.exists():
        _into(place, with_compiler, [*flags, *(str(sources_in / source) for source in sources), *last])
    return place


def core_object(name: str) -> Path:
    """One of the core's sources as an object, compiled for a machine without a C library."""
    place = _place() / f"{Path(name).stem}-{_digest('object')}.o"
    if not place.exists():
        _into(place, compiler(), [*STRICT, "-ffreestanding", "-c", str(HERE / name)])
    return place


def core_size() -> Size:
    """What the core takes on a Cortex-M3, with all that it needs of the compiler's own library."""
    with tempfile.TemporaryDirectory(prefix="hilctl-core-") as folder:
        main, program = Path(folder) / "alone.c", Path(folder) / "alone"
        main.write_text(_CORE_ALONE)
        sources = [*(HERE / name for name in CORE), HERE / "boards/metal/memory.c", main]
        only = ["-ffunction-sections", "-fstack-usage", "-Wl,--gc-sections,-e,everything"]
        _into(program, cross_compiler(), [*STRICT, *CORTEX_M3, *only, f"-I{HERE}", *map(str, sources), "-lgcc"])
        said = subprocess.run(["arm-none-eabi-size", program], capture_output=True, text=True, check=True).stdout
        used = [line.split("\t") for path in Path(folder).glob("*.su") for line in path.read_text().splitlines()]
    text, data, bss = (int(word) for word in said.splitlines()[1].split()[:3])
    stack = sum(int(row[1]) for row in used if "alone.c" not in row[0])
    return Size(text + data, data + bss, stack)


def _place() -> Path:
    place = Path(tempfile.gettempdir()) / f"hilctl-firmware-{os.getuid()}"
    place.mkdir(mode=0o700, exist_ok=True)
    if place.stat().st_uid != os.getuid():
        raise BuildError(f"{place} belongs to somebody else")
    return place


def _digest(*flags: str) -> str:
    digest = hashlib.sha256(repr((flags, compiler(), cross_compiler())).encode())
    for path in sorted((*HERE.rglob("*.[ch]"), *HERE.rglob("*.ld"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _into(place: Path, with_compiler: str | None, arguments: list[str]) -> None:
    if with_compiler is None:
        raise BuildError("no C compiler: install gcc (or name one in CC), and gcc-arm-none-eabi for a Cortex-M")
    made = place.with_suffix(f".{os.getpid()}")
    done = subprocess.run([with_compiler, *arguments, "-o", str(made)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(done.stderr)
    made.replace(place)


def main() -> int:
    """Builds everything and tells sizes; 1 when the core is too large."""
    for board in BOARDS:
        print(f"{board}: {build(board)}")
    if cross_compiler() is None:
        print("no arm-none-eabi-gcc: no images for a Cortex-M")
        return 0
    for board in METAL:
        print(f"{board}: {build(board)}")
    size = core_size()
    print(
        f"core on a Cortex-M3: flash {size.flash} of {MOST_FLASH} bytes; RAM {size.ram} and at most {size.stack} of "
        f"stack, of {MOST_RAM} bytes"
    )
    return int(size.flash > MOST_FLASH or size.ram + size.stack > MOST_RAM)


if __name__ == "__main__":
    sys.exit(main())
