"""From the register map to requests: what travels together."""



from firmware_bridge.described.signals import READINGS
from firmware_bridge.modbus.plan import Place, buses, requests
from firmware_bridge.modbus.settings import Config
from hilctl.params import check
from tests.unit.modbus.modbus_maps import table


def planned(**changes):
    return requests(check(Config, table(**changes), "driver"), "amplifier")


def test_neighbours_travel_in_one_request_and_outputs_come_first():
    write, read = planned()
    assert (write.function, write.write_at, write.write_count) == (16, 0, 4)
    assert (read.function, read.read_at, read.read_count) == (3, 10, 15)
    assert Place(READINGS.index("pressure_b"), 6) in read.readings


def test_function_23_writes_and_reads_in_one():
    (both,) = planned(amplifier__fc23=True)
    assert (both.function, both.write_at, both.write_count, both.read_at, both.read_count) == (23, 0, 4, 10, 15)
    assert len(both.outputs) == 4 and len(both.readings) == 10


def test_function_23_cannot_read_input_registers():
    inputs = {f"reading__{name}__function": 4 for name in READINGS}
    assert [request.function for request in planned(amplifier__fc23=True, **inputs)] == [16, 4]


def test_a_poll_group_is_a_request_of_its_own():
    requests_ = planned(reading__oil_temperature__every=100, reading__spool__every=10)
    assert [(r.function, r.every, r.read_at, r.read_count) for r in requests_[2:]] == [
        (3, 1, 22, 3), (3, 10, 20, 1), (3, 100, 21, 1),
    ]  # fmt: skip


def test_registers_of_no_meaning_are_read_across_only_as_far_as_allowed():
    apart = {"reading__fault__address": 30}
    assert [r.read_count for r in planned(**apart) if r.read_count] == [14, 1]
    assert [r.read_count for r in planned(**apart, amplifier__read_across=5) if r.read_count] == [14, 1]
    assert [r.read_count for r in planned(**apart, amplifier__read_across=6) if r.read_count] == [21]


def test_no_request_is_longer_than_the_protocol_allows():
    far = {"reading__fault__address": 140, "amplifier__read_across": 100, "reading__device_tick__address": 100}
    assert all(r.read_count <= 125 for r in planned(**far))
    assert sum(len(r.readings) for r in planned(**far)) == 10


def test_devices_behind_one_gateway_share_its_connection_and_others_do_not():
    slow = {"reading__oil_temperature__device": "transducers", "reading__oil_temperature__every": 50}
    same = check(Config, table(**slow, transducers={"transport": "tcp", "host": "127.0.0.1", "port": 1502, "unit": 2}))
    (shared,) = buses(same)
    assert shared.devices == ("amplifier", "transducers")
    assert len(shared.slow) == 1
    other = check(Config, table(**slow, transducers={"transport": "rtu", "serial": "/dev/x"}))
    assert [bus.devices for bus in buses(other)] == [("amplifier",), ("transducers",)]


def test_outputs_are_read_back_but_for_the_reset_key():
    (bus,) = buses(check(Config, table(output__reset={"device": "amplifier", "address": 4}), "driver"))
    (back,) = bus.back
    assert (back.function, back.read_at, back.read_count) == (3, 0, 4)
    assert [place.word for place in back.outputs] == [0, 1, 2, 3]
    assert buses(check(Config, table(read_back_every=0), "driver"))[0].back == ()
