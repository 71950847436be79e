"""What the service gives a core at its start, and how a core says that it ended."""

from typing import Any, NamedTuple

SECOND_NS = 1_000_000_000

# Exit codes of the core.
ENDED, MISMATCH, DRIVER_FAILED, SERVICE_GONE = 0, 2, 3, 4


class CoreOptions(NamedTuple):
    """What the service decides before it starts the core; the rig file's [loop] table holds most of it."""

    rate_hz: float = 1000.0
    clock: str = "real"  # or "virtual"
    spin_us: float = 0.0  # the last microseconds of each wait are spun, at most half a period
    cpu: int = -1  # the processor to stay on; -1: wherever the kernel puts it
    priority: int = 80  # of SCHED_FIFO, 1 to 99; 0: ordinary scheduling
    service_timeout_s: float = 1.0  # 0: the service is not watched
    exchange_share: float = 0.8  # of a period: how long after its deadline an exchange may last
    hurry_s: float = 10.0  # an orderly end that takes longer is cut short
    reconnect: bool = True  # after the link is lost
    lost_s: float = 1.0  # without an answer, while off: then the link is lost
    reconnect_first_s: float = 0.5  # pause after the first attempt that fails; each further one is twice as long
    reconnect_longest_s: float = 10.0
    row_slots: int = 0  # of the ring of samples, a power of two; 0: five seconds
    box_rows: int = 0  # of the newest rows that the core saves when the service is gone; 0: none
    history_rows: int = 0  # that the service holds, and the core with it where it may have to save them
    box_folder: str = ""  # where to
    hold_rows: int = 0  # virtual clock: how far the rows may run ahead of `held`; 0: as far as the ring holds

    @property
    def period_ns(self) -> int:
        """One tick."""
        return round(SECOND_NS / self.rate_hz)

    @property
    def rows(self) -> int:
        """Slots of the ring: five seconds or more, and a power of two."""
        return self.row_slots or 1 << max(12, (int(5 * self.rate_hz) - 1).bit_length())


class Start(NamedTuple):
    """What the service sends first, beside the memory's descriptor."""

    run: int
    driver: str
    driver_config: Any
    facts: Any
    options: CoreOptions
