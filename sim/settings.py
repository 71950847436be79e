"""The declaration of [twin] in the rig file. Machine and friction have the same declarations as the controller's
nominal ones and default to them; the rest are imperfections of a real rig that a nominal model leaves out.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from hilctl.friction.karnopp import Karnopp
from hilctl.friction.model import Law
from hilctl.machine import Machine
from hilctl.params import Params, Problem, extended, note, number, whole
from hilctl.signals import ALARMS, Status
from sim.specimens.settings import SpecimenConfig

NEVER_S = 1e9
Failing = Literal["displacement", "acceleration", "pressure_a", "pressure_b"]


class Valve(Params):
    """Imperfections of the servo valve, beyond the linear second-order model of [machine]."""

    null_bias: Annotated[float, number(-0.2, 0.2, "", "opening at zero command while enabled")] = 0.01
    hysteresis: Annotated[float, number(0, 0.1, "", "width of the loop between opening and closing")] = 0.001
    threshold: Annotated[float, number(0, 0.1, "", "smallest change of the command that moves the spool")] = 0.0005
    edge_rounding: Annotated[float, number(0, 0.05, "", "rounding of the edges, as an opening; 0: sharp")] = 0.0
    slew_per_s: Annotated[float, number(1, 1e5, "1/s", "greatest spool speed, full openings a second")] = 250.0
    null_leakage: Annotated[
        float, number(1e-5, 0.1, "", "opening of each edge at null; machine.Kc if that gives more")
    ] = 1e-3
    laminar_pa: Annotated[float, number(1e2, 1e6, "Pa", "drop below which an orifice's flow is laminar")] = 1e5


class Supply(Params):
    """Pump and accumulator."""

    rise_s: Annotated[float, number(1e-3, 60, "s", "time constant of the rise to a higher pressure")] = 0.2
    fall_s: Annotated[float, number(1e-3, 60, "s", "time constant of the fall to a lower one, or to 0")] = 0.3
    droop_pa_s_m3: Annotated[float, number(0, 1e12, "Pa·s/m³", "pressure drop per flow drawn; 0: none")] = 0.0
    droop_s: Annotated[float, number(1e-3, 10, "s", "time constant of that drop (accumulator)")] = 0.02


class Link(Params):
    """The link to the device: exchanges that are lost bring no reading, and their command does not arrive; commands
    that are late act within their period, but not from its beginning."""

    lost: Annotated[float, number(0, 1, "", "share of the exchanges that are lost, at random")] = 0.0
    lost_ticks: Annotated[int, whole(1, 1000, "", "as many in a row each time: until a lost one is given up")] = 3
    late: Annotated[float, number(0, 1, "", "share of the commands that act late, at random")] = 0.0
    late_s: Annotated[float, number(0, 1, "s", "by up to so much, within a period of the loop")] = 2e-4


class Cylinder(Params):
    """Cylinder: lowest pressure and end stops."""

    vapour_pa: Annotated[float, number(-1.01e5, 0, "Pa", "gauge pressure at which the oil cavitates")] = -0.98e5
    end_stop_hz: Annotated[float, number(1, 1000, "Hz", "frequency of the mass on an end stop")] = 70.0
    end_stop_damping: Annotated[float, number(0, 2, "", "damping ratio of the mass on an end stop")] = 0.5
    position_m: Annotated[float, number(-5, 5, "m", "position of the table at the start")] = 0.0


class Displacement(Params):
    """Displacement transducer; by default 16 bit over 200 mm."""

    bias_m: Annotated[float, number(-1, 1, "m", "constant error")] = 0.0
    gain_error: Annotated[float, number(-0.5, 0.5, "", "relative error")] = 0.0
    noise_m: Annotated[float, number(0, 0.1, "m", "noise, rms")] = 5e-6
    quantum_m: Annotated[float, number(0, 0.1, "m", "resolution, 0 is continuous")] = 0.2 / 65536
    bandwidth_hz: Annotated[float, number(0, 1e5, "Hz", "-3 dB, two equal poles; 0 is no filter")] = 0.0
    delay_s: Annotated[float, number(0, 0.02, "s", "delay, in addition to that of the filter")] = 0.0
    period_s: Annotated[float, number(0, 10, "s", "sampling period, with hold; 0: every period of the loop")] = 0.0


class Acceleration(Params):
    """Accelerometer on the table."""

    bias_m_s2: Annotated[float, number(-100, 100, "m/s²", "constant error")] = 0.02
    gain_error: Annotated[float, number(-0.5, 0.5, "", "relative error")] = 0.005
    noise_m_s2: Annotated[float, number(0, 100, "m/s²", "noise, rms")] = 0.02
    quantum_m_s2: Annotated[float, number(0, 10, "m/s²", "resolution, 0 is continuous")] = 0.0
    bandwidth_hz: Annotated[float, number(0, 1e5, "Hz", "-3 dB, two equal poles; 0 is no filter")] = 400.0
    delay_s: Annotated[float, number(0, 0.02, "s", "delay, in addition to that of the filter")] = 0.0
    period_s: Annotated[float, number(0, 10, "s", "sampling period, with hold; 0: every period of the loop")] = 0.0
    specific_force: Annotated[bool, note("on a vertical axis it also shows gravity")] = False


class Pressure(Params):
    """A pressure transducer."""

    bias_pa: Annotated[float, number(-1e7, 1e7, "Pa", "constant error")] = 0.0
    gain_error: Annotated[float, number(-0.5, 0.5, "", "relative error")] = 0.0
    noise_pa: Annotated[float, number(0, 1e7, "Pa", "noise, rms")] = 25e3
    quantum_pa: Annotated[float, number(0, 1e6, "Pa", "resolution, 0 is continuous")] = 0.0
    bandwidth_hz: Annotated[float, number(0, 1e5, "Hz", "-3 dB, two equal poles; 0 is no filter")] = 0.0
    delay_s: Annotated[float, number(0, 0.02, "s", "delay, in addition to that of the filter")] = 0.0
    period_s: Annotated[float, number(0, 10, "s", "sampling period, with hold; 0: every period of the loop")] = 0.0


class PressureA(Pressure, kw_only=True):
    """The transducer of chamber A: its errors do not cancel those of B."""

    bias_pa: Annotated[float, number(-1e7, 1e7, "Pa", "constant error")] = 25e3
    gain_error: Annotated[float, number(-0.5, 0.5, "", "relative error")] = 0.002


class PressureB(Pressure, kw_only=True):
    """The transducer of chamber B."""

    bias_pa: Annotated[float, number(-1e7, 1e7, "Pa", "constant error")] = -25e3
    gain_error: Annotated[float, number(-0.5, 0.5, "", "relative error")] = -0.002


class SupplyPressure(Params):
    """Supply pressure, where the rig has it."""

    present: Annotated[bool, note("the rig has this sensor")] = True
    noise_pa: Annotated[float, number(0, 1e7, "Pa", "noise, rms")] = 25e3
    period_s: Annotated[float, number(0, 10, "s", "sampling period, with hold; 0: every period of the loop")] = 0.0


class Spool(Params):
    """Spool position, where the rig has it."""

    present: Annotated[bool, note("the rig has this sensor")] = True
    noise: Annotated[float, number(0, 1, "", "noise, rms, of full opening")] = 1e-3
    period_s: Annotated[float, number(0, 10, "s", "sampling period, with hold; 0: every period of the loop")] = 0.0


class OilTemperature(Params):
    """Oil temperature, where the rig has it: constant."""

    present: Annotated[bool, note("the rig has this sensor")] = True
    value_degc: Annotated[float, number(-40, 150, "°C", "its constant reading")] = 40.0
    period_s: Annotated[float, number(0, 10, "s", "sampling period, with hold; 0: every period of the loop")] = 0.0


class Input(Params):
    """An input of signals.ALARMS, where the rig has it."""

    present: Annotated[bool, note("the rig has this input")] = True


class _Measuring(Params):
    """The sensors of the simulated rig."""

    displacement: Displacement = Displacement()
    acceleration: Acceleration = Acceleration()
    pressure_a: PressureA = PressureA()
    pressure_b: PressureB = PressureB()
    supply_pressure: SupplyPressure = SupplyPressure()
    spool: Spool = Spool()
    oil_temperature: OilTemperature = OilTemperature()


class _Faults(Params):
    """Simulated faults, with their time after the first exchange. The default is never."""

    sensor: Annotated[Failing, note("the sensor that fails")] = "displacement"
    sensor_nan_after_s: Annotated[float, number(0, NEVER_S, "s", "the sensor gives no number from then on")] = NEVER_S
    sensor_stuck_after_s: Annotated[float, number(0, NEVER_S, "s", "the reading is stuck from then on")] = NEVER_S
    sensor_drifts_after_s: Annotated[float, number(0, NEVER_S, "s", "the sensor drifts from then on")] = NEVER_S
    sensor_drift_per_s: Annotated[float, number(-1e9, 1e9, "", "drift in the sensor's unit per second")] = 0.0
    supply_lost_after_s: Annotated[float, number(0, NEVER_S, "s", "the supply fails from then on")] = NEVER_S
    status_after_s: Annotated[float, number(0, NEVER_S, "s", "exchange returns the status below from here")] = NEVER_S
    status_until_s: Annotated[float, number(0, NEVER_S, "s", "end of that")] = NEVER_S
    status: Annotated[int, whole(0, max(Status).value, "", "that status, see the driver contract")] = 2
    reversed: Annotated[bool, note("the valve's wiring is reversed")] = False
    valve_dead: Annotated[bool, note("the valve does not follow its command and stays at its null bias")] = False
    sensor_reversed: Annotated[tuple[Failing, ...], note("sensors whose sign is reversed")] = ()
    sensor_dead: Annotated[
        tuple[Failing, ...], note("dead sensors: they show only bias and noise, from the start")
    ] = ()
    pressures_exchanged: Annotated[bool, note("each pressure transducer is on the other chamber")] = False


def _due(meaning: str) -> object:
    return Annotated[float, number(0, NEVER_S, "s", f"{meaning} from then on")]


if TYPE_CHECKING:

    class Sensors(_Measuring):
        """The sensors of the simulated rig, with the inputs."""

    class Faults(_Faults):
        """The faults, with those of the inputs."""

else:
    Sensors = extended(_Measuring, "Sensors", [(name, Input, Input()) for name in ALARMS])
    Faults = extended(_Faults, "Faults", [(f"{name}_after_s", _due(a.meaning), NEVER_S) for name, a in ALARMS.items()])


class TwinConfig(Params, kw_only=True):
    """The simulated plant."""

    machine: Machine
    friction: Law
    substep_s: Annotated[float, number(1e-6, 1e-3, "s", "longest step of the integration")] = 50e-6
    seed: Annotated[int, whole(0, 2**31 - 1, "", "seed of the sensors' noise: the same seed gives the same bytes")] = 1
    valve: Valve = Valve()
    supply: Supply = Supply()
    cylinder: Cylinder = Cylinder()
    sensors: Sensors = Sensors()
    link: Link = Link()
    specimen: SpecimenConfig = SpecimenConfig()
    faults: Faults = Faults()

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """The table starts within its stroke."""
        if abs(self.cylinder.position_m) > self.machine.stroke_m:
            limit = f"must be within the stroke of {self.machine.stroke_m:g} m either way"
            yield Problem(f"{at}.cylinder.position_m", self.cylinder.position_m, limit)


class KarnoppTwin(TwinConfig, kw_only=True):
    """The simulated plant with Karnopp friction, the default."""

    friction: Karnopp
