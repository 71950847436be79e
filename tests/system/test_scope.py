"""The scope, as PlotJuggler's subscriber takes it: with the settings of docs/looking.md and nothing else."""

import math

import msgpack
import numpy as np
import pytest
import zmq

from hilctl.client import Client, private_service
from hilctl.signals import CHANNELS, NAMES
from tests.system.cli_parts import RIG
from tests.system.plotjuggler import Dropped, PlotJuggler
from tests.system.service_parts import ARMS_FAST

POINTS = 200


@pytest.fixture(scope="module")
def heard():
    """What came on the scope while a sine ran, and all samples of this time."""
    with private_service(RIG, changes={**ARMS_FAST, "service.scope_hz": 250.0}) as service:
        socket = zmq.Context.instance().socket(zmq.SUB)
        with socket, Client(service.commands) as rig:
            socket.subscribe("")  # PlotJuggler's default: every topic
            socket.connect(service.scope)
            rig.arm()
            messages, points = [], 0
            while points < POINTS:
                rig.run("sine", amplitude_m=0.001, frequency_hz=2.0, cycles=1)
                while socket.poll(500):
                    messages.append(socket.recv_multipart())
                    points += len(msgpack.unpackb(messages[-1][-1]))
            # The oldest one that came: what is drawn later was recorded before.
            first = int(min(record["tick"] for record in msgpack.unpackb(messages[0][1])))
            columns = rig.samples(0)
            assert columns["tick"][0] <= first
            yield messages, columns


def test_every_message_is_a_topic_and_a_list_of_maps_of_floats(heard):
    for frames in heard[0]:
        assert len(frames) == 2 and frames[0] == b"hilctl"
        for record in msgpack.unpackb(frames[1]):
            assert set(record) == {"timestamp", *NAMES} and {type(value) for value in record.values()} == {float}


def test_every_channel_arrives_under_its_name_with_the_values_that_fetch_has(heard):
    messages, columns = heard
    plot = PlotJuggler()
    for frames in messages:
        plot.receive(frames, math.nan)
    stamps, ticks = np.array(plot.series["hilctl/tick"]).T
    rows = np.searchsorted(columns["tick"], ticks)
    assert len(ticks) >= POINTS and (columns["tick"][rows] == ticks).all() and (np.diff(ticks) > 0).all()
    assert (stamps == columns["time_ns"][rows] * 1e-9).all(), "its own time, and not that of arrival"
    names = {f"hilctl/{name}" for name in NAMES if np.isfinite(columns[name][rows]).any()}
    assert set(plot.series) == names | {"hilctl/timestamp"}
    for channel in CHANNELS:
        wanted = columns[channel.name][rows].astype(float)
        points = dict(plot.series.get(f"hilctl/{channel.name}", ()))
        drawn = np.array([points.get(stamp, math.nan) for stamp in stamps])
        assert drawn.tobytes() == np.where(np.isfinite(wanted), wanted, math.nan).tobytes(), channel.name


@pytest.mark.parametrize("payload", [{1: 2.0}, [{"a": {2: 1.0}}]])
def test_what_plotjuggler_drops_is_dropped_here(payload):
    with pytest.raises(Dropped):
        PlotJuggler().receive([b"hilctl", msgpack.packb(payload)], 0.0)
    with pytest.raises(Dropped):
        PlotJuggler().receive([b"hilctl", msgpack.packb([{"a": 1.0}]) + b"\x00"], 0.0)


def test_columns_would_be_a_series_a_sample_and_binaries_none():
    plot = PlotJuggler()
    plot.receive([b"hilctl", msgpack.packb({"x": [1.0, 2.0], "y": b"\0" * 16})], 5.0)
    assert plot.series == {"hilctl/x[0]": [(5.0, 1.0)], "hilctl/x[1]": [(5.0, 2.0)]}
