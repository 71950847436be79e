"""What PlotJuggler makes of a message on its ZMQ socket, with its parser for MessagePack: rules, not its code.

From the sources of its plugins DataStreamZMQ and ParserJSON (3.x with lists of records, and 4), as read on 2026-11-26:
the first of several frames is the topic, the second the payload, a third one a time as text; without it the time of
arrival counts. The payload is read by nlohmann::json::from_msgpack, which wants one whole value and texts as keys, and
drops the message otherwise. A list at the top is a list of records, each with its own time. Of a record every number
and truth value becomes a point of the series TOPIC/KEY; nested maps add /KEY, nested lists [INDEX]; texts, binaries and
what is not finite become nothing.
"""

import math
from typing import Any

import msgpack

Series = dict[str, list[tuple[float, float]]]


class Dropped(Exception):
    """PlotJuggler shows nothing of this message."""


class PlotJuggler:
    """A session that subscribed; `series` are its curves."""

    def __init__(self, timestamp: str = "timestamp") -> None:
        self._timestamp = timestamp  # the name in "use field as timestamp if available"; empty: not ticked
        self.series: Series = {}

    def receive(self, frames: list[bytes], arrived_s: float) -> None:
        """One message."""
        topic, payload = (frames[0].decode(), frames[1]) if len(frames) > 1 else ("", frames[0])
        if len(frames) > 2:
            arrived_s = float(frames[2])
        try:
            value = msgpack.unpackb(payload, raw=False, strict_map_key=False)
        except (ValueError, msgpack.UnpackException) as error:
            raise Dropped(str(error)) from None
        _need_text_keys(value)
        for record in value if isinstance(value, list) else [value]:
            stamp = record.get(self._timestamp) if isinstance(record, dict) else None
            self._flatten(topic, record, float(stamp) if _is_number(stamp) else arrived_s)

    def _flatten(self, name: str, value: Any, at_s: float) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                self._flatten(f"{name}/{key}", inner, at_s)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                self._flatten(f"{name}[{index}]", inner, at_s)
        elif (_is_number(value) or isinstance(value, bool)) and math.isfinite(value):
            self.series.setdefault(name, []).append((at_s, float(value)))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _need_text_keys(value: Any) -> None:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise Dropped("a key is no text")
        for inner in value.values():
            _need_text_keys(inner)
    elif isinstance(value, list):
        for inner in value:
            _need_text_keys(inner)
