"""What a line does to answers: late, spoilt, lost, repeated. In time order; bytes in, pieces with their delays out."""

import math
import random
from typing import NamedTuple

_FLOOD = 20  # copies of one answer


class Piece(NamedTuple):
    """Bytes that go out after a delay."""

    delay_s: float
    data: bytes


class LineFaults:
    """The active faults of one line."""

    def __init__(self) -> None:
        self._random = random.Random(1)
        self.silent_until_s = -math.inf
        self.delay_s, self.delay_every = 0.0, 1
        self.bits = self.flips = 0
        self.keep = self.cuts = 0
        self.more = self.grows = 0
        self.copies = self.olds = self.units = 0
        self.lose_every = 0
        self.exception_code = self.exceptions = 0
        self._answers = self._requests = 0
        self._last = b""

    def clear(self) -> None:
        """None from now on."""
        self.__init__()  # type: ignore[misc]

    def hears(self, now_s: float) -> bool:
        """Whether a request that has come is heard at all."""
        self._requests += 1
        if now_s < self.silent_until_s:
            return False
        return not (self.lose_every and self._requests % self.lose_every == 0)

    def exception(self) -> int:
        """The code to answer with instead; 0 for none."""
        if self.exceptions <= 0:
            return 0
        self.exceptions -= 1
        return self.exception_code

    def outgoing(self, answer: bytes, now_s: float, unit_at: int = -1) -> tuple[Piece, ...]:
        """What goes out for an answer. `unit_at`: where its unit id stands, where it has one."""
        if now_s < self.silent_until_s:
            return ()
        self._answers += 1
        late_s = self.delay_s if self.delay_s and self._answers % self.delay_every == 0 else 0.0
        last, self._last = self._last, answer
        if self.olds > 0 and last:
            self.olds -= 1
            answer = self._last = last
        if self.units > 0 and unit_at >= 0:
            self.units -= 1
            answer = answer[:unit_at] + bytes(((answer[unit_at] + 1) % 248 or 1,)) + answer[unit_at + 1 :]
        if self.flips > 0:
            self.flips -= 1
            answer = self._flipped(answer)
        if self.cuts > 0:
            self.cuts -= 1
            answer = answer[: self.keep]
        if self.grows > 0:
            self.grows -= 1
            answer = answer.rstrip(b"\0") + self.noise(self.more)
        if self.copies > 0:
            self.copies -= 1
            return (Piece(late_s, answer),) * (1 + _FLOOD)
        return (Piece(late_s, answer),)

    def noise(self, count: int) -> bytes:
        """Bytes that mean nothing, none of them 0: no delimiter is among them."""
        return bytes(self._random.randrange(1, 256) for _ in range(count))

    def _flipped(self, answer: bytes) -> bytes:
        changed = int.from_bytes(answer, "little")
        for place in self._random.sample(range(8 * len(answer)), min(self.bits, 8 * len(answer))):
            changed ^= 1 << place
        return changed.to_bytes(len(answer), "little")
