"""The checksums of serial devices, by the names of the trade: how each is computed, as data.

A CRC is described as in the CRC catalogue: width, polynomial, initial value, reflected or not, what the result is
combined with. `check` is what each gives for the nine characters 123456789.
"""

from typing import NamedTuple

SUM, XOR, CRC = range(3)
_BYTES = range(256)


class Checksum(NamedTuple):
    """One way to compute a checksum."""

    kind: int
    bits: int
    check: int
    polynomial: int = 0
    begin: int = 0
    reflected: bool = False
    final: int = 0  # the result is combined with this by exclusive or
    negative: bool = False  # of a sum: its two's complement

    @property
    def mask(self) -> int:
        """All its bits."""
        return (1 << self.bits) - 1


CHECKSUMS: dict[str, Checksum] = {
    "sum8": Checksum(SUM, 8, 0xDD),
    "sum8_inverted": Checksum(SUM, 8, 0x22, final=0xFF),
    "sum16": Checksum(SUM, 16, 0x01DD),
    "lrc": Checksum(SUM, 8, 0x23, negative=True),
    "xor": Checksum(XOR, 8, 0x31),
    "crc8": Checksum(CRC, 8, 0xF4, 0x07),
    "crc8_maxim": Checksum(CRC, 8, 0xA1, 0x31, reflected=True),
    "crc16_modbus": Checksum(CRC, 16, 0x4B37, 0x8005, 0xFFFF, reflected=True),
    "crc16_arc": Checksum(CRC, 16, 0xBB3D, 0x8005, reflected=True),
    "crc16_ccitt": Checksum(CRC, 16, 0x29B1, 0x1021, 0xFFFF),
    "crc16_xmodem": Checksum(CRC, 16, 0x31C3, 0x1021),
    "crc16_kermit": Checksum(CRC, 16, 0x2189, 0x1021, reflected=True),
    "crc16_x25": Checksum(CRC, 16, 0x906E, 0x1021, 0xFFFF, reflected=True, final=0xFFFF),
}


def table_of(own: Checksum) -> list[int]:
    """What each byte does to a CRC."""
    if own.reflected:
        polynomial = _mirrored(own.polynomial, own.bits)
        return [_reflected(byte, polynomial) for byte in _BYTES]
    return [_straight(byte, own) for byte in _BYTES]


def computed(own: Checksum, data: bytes) -> int:
    """The checksum of these bytes, outside the tick."""
    if own.kind == XOR:
        found = 0
        for byte in data:
            found ^= byte
        return found
    if own.kind == SUM:
        found = sum(data) & own.mask
        return (-found if own.negative else found ^ own.final) & own.mask
    table, found = table_of(own), own.begin
    for byte in data:
        if own.reflected:
            found = table[(found ^ byte) & 0xFF] ^ (found >> 8)
        else:
            found = table[((found >> (own.bits - 8)) ^ byte) & 0xFF] ^ (found << 8) & own.mask
    return found ^ own.final


def _mirrored(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def _reflected(byte: int, polynomial: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ polynomial if byte & 1 else byte >> 1
    return byte


def _straight(byte: int, own: Checksum) -> int:
    found = byte << (own.bits - 8)
    for _ in range(8):
        found = (found << 1) ^ own.polynomial if found >> (own.bits - 1) & 1 else found << 1
    return found & own.mask
