"""A file's bytes as text: UTF-8, UTF-16 with its mark, or Latin-1; packed by gzip or not."""

import gzip
import zlib
from pathlib import Path

from hilctl.identify.dynamics.intake.foreign import IntakeFault

_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 4096  # bytes that show whether it is text
_BINARY = (  # of others' files: how they begin, what they are
    (b"PK\x03\x04", "a packed file (npz, xlsx, zip)"), (b"\xd0\xcf\x11\xe0", "an Excel workbook"),
    (b"MATLAB", "a MATLAB file"), (b"\x89HDF", "an HDF5 file"), (b"TDSm", "a TDMS file"), (b"\x93NUMPY", "an npy file"),
)  # fmt: skip


def text_of(path: Path, raw: bytes) -> str:
    """IntakeFault where it is no text."""
    if raw.startswith(_GZIP):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise IntakeFault(f"{path} is packed by gzip, and cut off or damaged ({error}); copy it again") from None
    for begin, what in _BINARY:
        if raw.startswith(begin):
            raise IntakeFault(f"{path} is {what}, no text; export its channels as CSV with a header")
    if raw.startswith(_UTF16):
        return raw.decode("utf-16", errors="replace")
    if b"\0" in raw[:_HEAD]:
        raise IntakeFault(f"{path} is neither text nor a recording of ours; export it as CSV with a header")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
