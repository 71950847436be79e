"""Where results go, looked at before anything moves: a folder or a file that this user may write."""

import tempfile
from pathlib import Path

from hilctl.errors import WrongUse

_REMEDY = "name a place where this user may write"


def result_folder(option: str, folder: Path) -> Path:
    """The folder, which need not exist yet; WrongUse where nothing can be written in it."""
    why = why_not_writable(folder)
    if why:
        raise WrongUse(f"{option} {folder}: cannot be written: {why}; {_REMEDY}")
    return folder


def result_file(option: str, file: Path) -> Path:
    """The file, which need not exist yet; WrongUse where it cannot be written."""
    why = "it is a folder" if file.is_dir() else why_not_writable(file.parent)
    if why:
        raise WrongUse(f"{option} {file}: cannot be written: {why}; {_REMEDY}")
    return file


def source_file(option: str, file: Path) -> Path:
    """The file; WrongUse where it is not there, or is none."""
    if not file.is_file():
        what = "is no file" if file.exists() else "no such file"
        raise WrongUse(f"{option} {file}: {what}; check the path".lstrip())
    return file


def why_not_writable(folder: Path) -> str:
    """Why no file can be written in this folder, made where it is missing; empty where one can. It stays as it was."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)
    finally:
        for place in missing:
            if place.is_dir():
                place.rmdir()
