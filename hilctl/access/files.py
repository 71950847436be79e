"""Files with secrets: written for their user alone, and not believed when others could have read or written them."""

import os
import stat
from pathlib import Path

from hilctl.errors import HilctlError


def read_secret(path: Path, what: str) -> str:
    """The text of a file that only this user, or root, can read. What it is called, for the refusal."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise HilctlError(f"{what} {path}: cannot be read: {error.strerror}", key=str(path)) from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise HilctlError(f"{what} {path}: is no file", key=str(path))
    with os.fdopen(descriptor, "rb") as file:
        if found.st_uid not in (os.geteuid(), 0):
            raise HilctlError(
                f"{what} {path}: belongs to another user (uid {found.st_uid})", key=str(path),
                remedy=f"`chown {os.geteuid()} {path}`, or name a file of your own",
            )  # fmt: skip
        if found.st_mode & 0o077:
            raise HilctlError(
                f"{what} {path}: its mode is {stat.S_IMODE(found.st_mode):04o}, so that others have access to it; "
                "it must be 0600", key=str(path),
                remedy=f"make a new one if it may have been read, then `chmod 600 {path}`",
            )  # fmt: skip
        try:
            return file.read().decode()
        except UnicodeDecodeError:
            raise HilctlError(f"{what} {path}: is no text", key=str(path)) from None


def write_secret(path: Path, text: str, *, new: bool = False) -> None:
    """Writes such a file, whole or not at all, and on the disk when this returns. `new`: refused where one exists."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if new:
            os.link(draft, path)
        else:
            draft.replace(path)
    except FileExistsError:
        raise HilctlError(f"{path} exists already", key=str(path), remedy="name another file") from None
    finally:
        draft.unlink(missing_ok=True)
