"""What a recording must hold to be replayed, and what to do where it does not."""

from hilctl.errors import WrongUse
from hilctl.recording.reader import Recording
from hilctl.signals import NAMES


def need_replayable(recording: Recording) -> None:
    """WrongUse with what is missing."""
    version = recording.versions.get("hilctl", "unknown")
    if recording.channels != NAMES:
        gone = [name for name in recording.channels if name not in NAMES]
        new = [name for name in NAMES if name not in recording.channels]
        told = "; ".join(
            [f"{what} {', '.join(names)}" for what, names in (("it has", gone), ("it lacks", new)) if names]
            or ["the same ones in another order"]
        )
        raise WrongUse(
            f"{recording.path}: recorded with other channels than this version's ({told}); "
            f"replay it with hilctl {version}, which recorded it"
        )
    if not recording.types:
        raise WrongUse(
            f"{recording.path}: holds no readings as the driver gave them (recorded with hilctl {version}); "
            "only recordings that the service of this version or a later one makes can be replayed"
        )
    if not recording.known:
        raise WrongUse(
            f"{recording.path}: holds no state of the controller to begin from: the core gave none, or the recording "
            "was cut off before it came; record again, for at least as long as recording.flush_hz takes"
        )
