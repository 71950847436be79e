"""Listening: what has come is given at once, and a listener that rests in between misses nothing."""

import zmq

from hilctl.client.access import Access
from hilctl.client.telemetry import listen
from hilctl.wire.encode import pack


def test_a_listener_rests_only_when_all_that_has_come_is_taken():
    with zmq.Context.instance().socket(zmq.XPUB) as publisher:
        publisher.setsockopt(zmq.XPUB_VERBOSE, 1)  # each subscription is told
        port = publisher.bind_to_random_port("tcp://127.0.0.1")
        got, rested = [], []

        def publish(*numbers):
            for number in numbers:
                publisher.send_multipart([b"event", pack({"kind": "x", "tick": number})])

        def rest():
            rested.append([event.tick for event in got])
            if len(rested) == 1:
                publish(2, 3, 4)
                assert arrived.poll(5000)  # the second listener has them, so they have left

        heard = listen(f"tcp://127.0.0.1:{port}", ["event"], 5.0, Access(), rest)
        publisher.recv()
        with zmq.Context.instance().socket(zmq.SUB) as arrived:
            arrived.subscribe(b"event")
            arrived.connect(f"tcp://127.0.0.1:{port}")
            publisher.recv()
            publish(1)
            arrived.recv_multipart()
            got += [next(heard)]
            got += [next(heard) for _ in range(3)]
            publish(5)
            got.append(next(heard))
        heard.close()
    assert [event.tick for event in got] == [1, 2, 3, 4, 5]
    assert rested[0] == [1]
    assert len(rested) <= 3
