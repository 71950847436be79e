"""The line of `hilctl status` on the link to the device."""

from hilctl.client.status_text import link_text

OPEN = {
    "driver": "modbus", "state": "open", "since_s": 3.0, "reason": "", "attempts": 0, "reconnects": 0, "exchanges": 99,
    "errors": {"late": 0, "timeout": 0, "bad_checksum": 0}, "lost": 0, "exchange_us": {}, "detail": {},
    "ages_ms": {"displacement": {"newest": 0.2, "oldest": 0.9}, "pressure_a": {"newest": 3.0, "oldest": 25.04}},
}  # fmt: skip


def test_an_open_link_tells_its_errors_and_the_oldest_reading():
    assert link_text(OPEN) == "modbus, open; no errors; oldest reading pressure_a 25.0 ms"
    worse = {**OPEN, "errors": {"late": 3, "timeout": 0, "bad_checksum": 1}, "lost": 2, "reconnects": 1}
    assert link_text(worse) == (
        "modbus, open; 3 late, 1 bad checksum; 2 commands lost; reconnects: 1; oldest reading pressure_a 25.0 ms"
    )


def test_a_lost_link_tells_since_when_which_attempt_and_why():
    gone = {**OPEN, "state": "reconnecting", "since_s": 12.34, "attempts": 5, "reason": "COM7: nobody there"}
    assert link_text(gone) == "modbus, RECONNECTING for 12.3 s, attempt 5: COM7: nobody there"
    assert link_text({**gone, "state": "lost", "reason": "", "since_s": 0.0}) == "modbus, LOST for 0.0 s"
