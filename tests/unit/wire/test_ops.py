"""The declared operations: their arguments are checked whole, and everything is documented."""

import subprocess
import sys

import pytest

from hilctl.wire import document
from hilctl.wire.errors import MEANINGS, Code, Refused
from hilctl.wire.ops import MAX_CHUNK, OPS, check_arguments, describe_op


def _refusal(op: str, **args: object) -> Refused:
    with pytest.raises(Refused) as caught:
        check_arguments(op, args)
    return caught.value


def test_an_unknown_operation_names_the_nearest() -> None:
    refused = _refusal("trak")
    assert refused.code == Code.UNKNOWN_OP and "'track'" in refused.message


def test_every_wrong_argument_is_told_at_once() -> None:
    refused = _refusal("fetch", first=-1, every=0, channel=["tick"])
    assert refused.code == Code.BAD_VALUE
    assert all(key in refused.message for key in ("first", "every", "channel"))


@pytest.mark.parametrize(
    ("op", "args", "key"),
    [
        ("track", {"kind": "sine", "parameters": [1]}, "parameters"),
        ("track", {}, "kind"),
        ("set", {"values": 3}, "values"),
        ("get", {"keys": "machine"}, "keys"),
        ("get", {"keys": [1]}, "keys"),
        ("waveform", {"name": "a", "action": "chunk", "data": b"1234567"}, "data"),
        ("waveform", {"name": "a", "action": "chunk", "data": b"\0" * (MAX_CHUNK + 8)}, "data"),
        ("lease", {"action": "steal"}, "action"),
        ("set", {"values": {}, "origin": "x" * 81}, "origin"),
        ("zero", {"sensor": "a\x07"}, "sensor"),
        ("status", {"x": 1}, "x"),
        ("queue", {"motions": {"kind": "sine"}}, "motions"),
        ("queue", {"motions": ["sine"]}, "motions"),
        ("queued", {"wait_s": 61.0}, "wait_s"),
    ],
)
def test_a_wrong_argument_is_refused_by_its_key(op: str, args: dict[str, object], key: str) -> None:
    refused = _refusal(op, **args)
    assert (refused.code, refused.key) == (Code.BAD_VALUE, key)


def test_defaults_fill_what_is_not_given() -> None:
    _, given = check_arguments("fetch", {"first": 3})
    assert (given.args.first, given.args.every, given.open["channels"]) == (3, 1, [])


def test_stop_and_off_need_no_lease_and_whatever_moves_does() -> None:
    needs = {name for name, op in OPS.items() if op.lease}
    moves = {"arm", "reconnect", "supply", "track", "move", "feed", "queue", "unqueue", "hold", "reset"}
    assert needs == moves | {"zero", "set", "undo", "waveform"}


def test_every_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Code)


def test_every_operation_describes_itself() -> None:
    for op in OPS.values():
        told = describe_op(op)
        assert told["meaning"] and all(a["meaning"] for a in told["args"])


def test_the_page_of_the_protocol_is_up_to_date() -> None:
    page = document.PAGE.read_text()
    assert document.filled(page) == page, "run: python -m hilctl.wire.document"


def test_wire_and_client_import_no_compiler() -> None:
    code = "import sys, hilctl.client, hilctl.wire.document; print({'numba', 'scipy', 'h5py'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
