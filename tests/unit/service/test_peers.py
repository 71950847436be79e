"""Which connections still stand."""

import zmq

from hilctl.service.peers import Peers
from tests.system.service_parts import until


def heard(router, peers):
    """A message of a new connection: the connection, and how to end it."""
    asks = router.context.socket(zmq.DEALER)
    asks.connect(router.last_endpoint.decode())
    asks.send(b"x")
    origin = router.recv_multipart(copy=False)[0]
    return peers.of(origin), lambda: asks.close(linger=0)


def test_a_connection_stands_until_its_end_and_a_later_one_is_another():
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        peers = Peers(router)
        router.bind("tcp://127.0.0.1:*")
        first, end_first = heard(router, peers)
        other, end_other = heard(router, peers)
        assert first is not None and peers.there(first) and peers.there(other)
        end_first()
        until(lambda: not peers.there(first), "the end of the first")
        assert peers.there(other)
        later, end_later = heard(router, peers)  # perhaps with the first one's descriptor
        assert peers.there(later) and not peers.there(first)
        peers.close()
        assert not peers.there(other) and not peers.there(later)  # a socket that was closed has none
        end_other()
        end_later()
