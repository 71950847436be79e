"""Another device, valve or sign behind the same plug: proved again at arming, refused by its name, within 3 mm."""


import pytest

from hilctl.client import Refused
from tests.system.emulate_parts import driven
from tests.system.service_parts import arms, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

MOST_M = 3e-3
# What was changed behind the plug; the trip that names it, the sensor that it names, or none.
CHANGED = {
    "reversed": ("polarity", None),
    "sign displacement": ("sensor_reversed", "displacement"),
    "sign acceleration": ("sensor_reversed", "acceleration"),
    "swap": ("pressures_exchanged", None),
    "valve_dead": ("no_motion", None),
    "dead displacement": ("sensor_dead", "displacement"),
    "dead acceleration": ("sensor_dead", "acceleration"),
    "dead pressure_b": ("sensor_dead", "pressure_b"),
}
QUICK = {("modbus-tcp", name) for name in CHANGED} | {("serial", "reversed"), ("serial", "sign displacement")}


def _cases():
    for transport in ("modbus-tcp", "serial", "modbus-rtu"):
        for told in CHANGED:
            marks = () if (transport, told) in QUICK else (pytest.mark.slow, pytest.mark.many)
            yield pytest.param(transport, told, id=f"{transport}: {told}", marks=marks)


@pytest.fixture(scope="module")
def rigs():
    """One emulation and its service a transport, as `(device, rig)`, proved and off.

    A test that passes leaves them so, and says it by `proved`; after one that fails they are proved again.
    """
    made, proved = {}, set()

    def of(transport):
        if transport not in made:
            while made:
                made.popitem()[1][0].__exit__(None, None, None)
            context = driven(transport)
            made[transport] = (context, context.__enter__())
        device, _, rig = made[transport][1]
        if transport not in proved:
            ready(device, rig)
        proved.discard(transport)
        return device, rig

    of.proved = proved.add
    yield of
    while made:
        made.popitem()[1][0].__exit__(None, None, None)


def ready(device, rig):
    """In hold with every sign as it should be, then off."""
    device.tell("clear")
    until(lambda: arms(rig), "arming")
    rig.off()
    rig.wait_mode("off")


def replugged(device, rig, told):
    """Unplugged, changed, plugged in again, and reconnected."""
    before = rig.status()["link"]["reconnects"]
    device.tell("unplug 0.3")
    device.tell(told)
    until(lambda: (link := rig.status()["link"])["reconnects"] > before and link["state"] == "open", "the link")


def refusal(device, rig):
    """The trip in which arming ends; a host that stalls may end it by another one first. Each has its own way to go."""

    def ended():
        if rig.status()["trip"] is not None:
            rig.reset()
        device.tell("mark")
        try:
            rig.arm()
        except Refused:
            rig.wait_mode("off")
            trip = rig.status()["trip"]
            return trip if trip and trip["name"] not in HOST else None
        return {"name": "armed"}

    return until(ended, "the end of arming")


HOST = {"late_ticks", "driver", "sensor_stale"}


@pytest.mark.parametrize(("transport", "told"), list(_cases()))
def test_what_was_changed_behind_the_plug_is_refused_by_its_name_within_three_millimetres(rigs, transport, told):
    device, rig = rigs(transport)
    replugged(device, rig, told)
    trip, (name, sensor) = refusal(device, rig), CHANGED[told]
    assert (trip["name"], trip.get("sensor")) == (name, sensor)
    assert 0 <= device.seen["travelled_m"] < MOST_M
    ready(device, rig)  # with everything as it was, it arms again
    rigs.proved(transport)
