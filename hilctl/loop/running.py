"""The loop on its thread, and the driver before and after it. Used by the core process, and by tests in one process."""

import logging
import os
import threading
import time
from typing import Any

from firmware_bridge.driver import DriverError, complaints
from firmware_bridge.registry import configured, exchange_of, find
from hilctl.loop.core import rt_run
from hilctl.loop.keeper import Keeper
from hilctl.loop.layout import HURRY
from hilctl.loop.memory import Memory
from hilctl.loop.options import DRIVER_FAILED, ENDED, SERVICE_GONE, Start
from hilctl.loop.realtime import Host, keep_off, name_process
from hilctl.loop.voice import Voice
from hilctl.params import Params
from hilctl.rt.jit import compile_now
from hilctl.signals import Trip

log = logging.getLogger("hilctl.loop")

_KEEPER_S = 0.3  # an attempt that blocks for longer is left behind


def load_loop(voice: Voice) -> None:
    """Loads the compiled loop, or compiles it, which takes a while and is announced."""

    def announce() -> None:
        voice.state("compiling", "compiling the loop, once for this version: this takes up to a minute")

    compile_now(rt_run, announce)


def make_driver(start: Start) -> Any:
    """The driver, configured. DriverError or BadValues when that cannot be."""
    kind = find(start.driver)
    config = start.driver_config
    if not isinstance(config, Params):
        config = configured(kind, config, start.facts)
    return kind(config, start.facts)


class LoopThread:
    """One run: open and arm the driver, loop, with its link kept; null, disarm, close."""

    def __init__(self, memory: Memory, start: Start, voice: Voice, driver: Any = None) -> None:
        self.memory, self._start, self._voice = memory, start, voice
        self._driver, self._exchange = driver, None
        self._host = Host()
        self._keeper = Keeper(memory, start.options, voice, start.driver)
        self._thread = threading.Thread(target=self._run, name="hilctl-loop", daemon=True)
        self._failed = self._opened = self.over = False
        self.spent_s = 0.0  # processor time of the loop, known at its end
        self.ended_fd, self._ended = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def open(self) -> bool:
        """Reaches the device, checks it and arms its watchdog. False, with the device left safe, when that fails."""
        self._voice.state("opening")
        try:
            if self._driver is None:
                self._driver = make_driver(self._start)
            self._driver.open()
            self._opened = True
            told = self._driver.check()
            problems = complaints(told)
            if problems:
                raise DriverError("; ".join(problems))
            for note in told:
                self._voice.say(note)
            self._exchange = exchange_of(self._driver)
            self._driver.arm()
            return True
        except Exception as error:  # a driver's code may raise anything
            self._tell(error)
            self._leave_safe()
            return False

    def start(self) -> None:
        """Starts the loop."""
        if not self._start.facts.virtual:
            name_process("hilctl-core")
            self._host.prepare_process(self.memory.map)
            keep_off(self._start.options.cpu)  # the loop's thread then goes there, and no other of these
        self._thread.start()
        self._keeper.start(self._driver)

    def _run(self) -> None:
        options = self._start.options
        try:
            if options.clock == "real":
                self._host.prepare_thread(options.priority, options.cpu)
                self._host.write(self.memory.realtime)
                missing = self._host.text(options.priority, options.cpu)
                if missing:
                    self._voice.say(missing)
            rt_run(self.memory.bytes, self._exchange, self._driver.state)
        except Exception as error:  # so may its exchange
            self._tell(error)
        finally:
            self.spent_s = time.thread_time()
            self.over = True
            os.write(self._ended, b".")

    def _tell(self, error: Exception) -> None:
        self._failed = True
        name = self._start.driver
        if isinstance(error, DriverError):
            self._voice.say(f"driver {name}: {error}")
        else:
            log.error("driver %s", name, exc_info=error)
            self._voice.say(f"driver {name}: {type(error).__name__}: {error}")

    @property
    def ticks(self) -> int:
        """How many ticks have run."""
        return int(self.memory.loop.status.ran)

    @property
    def ending(self) -> int:
        """The trip that ends the run, 0 while it goes on."""
        return int(self.memory.loop.status.ending or self.memory.words[HURRY])

    def end(self, why: Trip) -> None:
        """Asks for an orderly end; the first reason stays."""
        if self.memory.words[HURRY] == 0:
            self.memory.words[HURRY] = why

    def wait(self, timeout_s: float) -> bool:
        """Whether the loop has ended by then."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def close(self) -> int:
        """Leaves the device safe and says how the run ended."""
        hung = not self.over
        is_open = self._keeper.end(_KEEPER_S)
        if is_open is not None:  # else an attempt has the driver, and the rig is off
            self._opened = is_open
            self._leave_safe()
        self._host.close()
        self._voice.state("ended")
        if self._failed or hung:
            return DRIVER_FAILED
        return SERVICE_GONE if self.ending == Trip.SERVICE_LOST else ENDED

    def _leave_safe(self) -> None:
        if self._driver is None:
            return
        for step in (self._driver.disarm, self._driver.close) if self._opened else (self._driver.close,):
            try:
                step()
            except Exception as error:  # and what it does at the end
                self._tell(error)
