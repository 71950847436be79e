"""The wall clock's offset from the monotonic one, with clocks that the test sets."""

import time

from hilctl.service.wall import KEPT, STEP_NS, Wall, read_clocks

WALL_NS = 1_700_000_000_000_000_000


class Clocks:
    """Two clocks; a look at them takes `width_ns`, and every fifth one less."""

    def __init__(self) -> None:
        self.now_ns, self.offset_ns, self.width_ns, self.looks = 5_000, WALL_NS, 2_000, 0

    def read(self) -> tuple[int, int, int]:
        self.looks += 1
        width_ns = self.width_ns if self.looks % 5 else self.width_ns // 10
        before_ns, self.now_ns = self.now_ns, self.now_ns + width_ns
        return before_ns, before_ns + width_ns // 2 + self.offset_ns, self.now_ns


def test_the_offset_is_from_the_shortest_look_and_uncertain_by_half_of_it() -> None:
    wall = Wall(Clocks().read)
    assert abs(wall.now.offset_ns - WALL_NS) <= wall.now.uncertainty_ns <= 102
    assert wall.now.since_ns == 0  # samples from before the first look have it as well


def test_a_step_begins_another_offset_and_keeps_the_ones_before() -> None:
    clocks = Clocks()
    wall = Wall(clocks.read)
    first, hours_ns = wall.now, 3 * 3600 * 10**9
    clocks.now_ns += 10**9
    clocks.offset_ns -= hours_ns
    assert abs(wall.look() + hours_ns) < 1000
    assert wall.look() == 0
    assert wall.now.since_ns > 10**9 and abs(wall.now.offset_ns - WALL_NS + hours_ns) < 1000
    assert wall.plain()["before"] == [first._asdict()]


def test_what_is_no_step_widens_the_uncertainty_and_moves_nothing() -> None:
    clocks = Clocks()
    wall = Wall(clocks.read)
    clocks.offset_ns += STEP_NS // 2
    assert wall.look() == 0
    assert wall.now.offset_ns == Wall(Clocks().read).now.offset_ns
    assert STEP_NS // 2 <= wall.now.uncertainty_ns <= STEP_NS // 2 + 1000
    clocks.offset_ns += STEP_NS  # half a step at a time becomes one in the end
    assert wall.look() > STEP_NS


def test_a_look_that_was_interrupted_says_nothing() -> None:
    clocks = Clocks()
    wall = Wall(clocks.read)
    before = wall.now
    clocks.width_ns = 10**9
    assert wall.look() == 0 and wall.now == before


def test_a_clock_that_is_stepped_again_and_again_takes_a_bounded_memory() -> None:
    clocks = Clocks()
    wall = Wall(clocks.read)
    for _ in range(3 * KEPT):
        clocks.offset_ns += 2 * STEP_NS
        wall.look()
    assert len(wall.offsets) == KEPT


def test_this_hosts_clocks_are_read_within_what_is_told() -> None:
    now = Wall().now
    before, here, after = read_clocks()
    assert before - now.uncertainty_ns <= here - now.offset_ns <= after + now.uncertainty_ns
    assert time.time_ns() - time.monotonic_ns() - now.offset_ns < STEP_NS
