"""Frames that the compiled code builds and takes, byte for byte beside pymodbus."""


import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pymodbus.framer import FramerRTU, FramerSocket
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersRequest,
    ReadInputRegistersRequest,
    ReadWriteMultipleRegistersRequest,
    WriteMultipleRegistersRequest,
)

from firmware_bridge.modbus.frames import rt_crc
from firmware_bridge.modbus.record import RTU, TCP
from tests.unit.modbus.modbus_talk import Talk

ADDRESS, UNIT, TRANSACTION = st.integers(0, 65535), st.integers(1, 247), st.integers(0, 65535)
WORDS = st.lists(st.integers(0, 65535), min_size=1, max_size=121)
KINDS = pytest.mark.parametrize("kind", [TCP, RTU], ids=["tcp", "rtu"])
FRAMERS = {TCP: FramerSocket, RTU: FramerRTU}


def theirs(kind, pdu, transaction):
    pdu.transaction_id = transaction
    return FRAMERS[kind](DecodePDU(False)).buildFrame(pdu)


@KINDS
@pytest.mark.parametrize(("function", "message"), [(3, ReadHoldingRegistersRequest), (4, ReadInputRegistersRequest)])
@given(address=ADDRESS, count=st.integers(1, 125), unit=UNIT, transaction=TRANSACTION)
def test_a_reading_request_is_pymodbus_byte_for_byte(kind, function, message, address, count, unit, transaction):
    talk = Talk(kind, function, unit, read=(address, count))
    assert talk.request(transaction) == theirs(kind, message(address=address, count=count, dev_id=unit), transaction)


@KINDS
@given(address=ADDRESS, words=WORDS, unit=UNIT, transaction=TRANSACTION)
def test_a_writing_request_is_pymodbus_byte_for_byte(kind, address, words, unit, transaction):
    talk = Talk(kind, 16, unit, write=(address, words))
    message = WriteMultipleRegistersRequest(address=address, registers=words, dev_id=unit)
    assert talk.request(transaction) == theirs(kind, message, transaction)


@KINDS
@given(read=ADDRESS, count=st.integers(1, 125), write=ADDRESS, words=WORDS, unit=UNIT, transaction=TRANSACTION)
def test_a_request_that_writes_and_reads_is_pymodbus_byte_for_byte(kind, read, count, write, words, unit, transaction):
    talk = Talk(kind, 23, unit, read=(read, count), write=(write, words))
    message = ReadWriteMultipleRegistersRequest(
        read_address=read, read_count=count, write_address=write, write_registers=words, dev_id=unit
    )
    assert talk.request(transaction) == theirs(kind, message, transaction)


@given(data=st.binary(max_size=256))
@example(data=b"123456789")
def test_the_checksum_is_that_of_the_specification(data):
    found = rt_crc(np.frombuffer(data, np.uint8).copy(), 0, len(data))
    assert found.to_bytes(2, "little") == FramerRTU.compute_CRC(data).to_bytes(2, "big")
    assert data != b"123456789" or found == 0x4B37  # the catalogue's check value of CRC-16/MODBUS
