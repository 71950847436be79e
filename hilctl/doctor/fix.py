"""Settings that are safe to write: each takes effect at once, is undone by a write, and ends with the next start.

What needs the kernel's command line, another package or another file is not among them; nor is swap, which a service
may need for its memory.
"""

from collections.abc import Iterable
from typing import NamedTuple

from hilctl.doctor.finding import Finding, Tree, Write


class Step(NamedTuple):
    """A setting that is to be written, and what it was."""

    what: str  # the finding
    write: Write
    before: str

    @property
    def undo(self) -> Write:
        """Takes it back."""
        return Write(self.write.path, self.before)


class Done(NamedTuple):
    """What became of a step."""

    step: Step
    problem: str = ""  # why the kernel refused it; empty where it is done


def planned(findings: Iterable[Finding], tree: Tree) -> list[Step]:
    """In the order of the findings; nothing that is so already."""
    steps = []
    for finding in findings:
        for write in finding.writes:
            before = tree.active(write.path)
            if before is not None and before != write.value:
                steps.append(Step(finding.what, write, before))
    return steps


def carried_out(steps: Iterable[Step], tree: Tree) -> list[Done]:
    """Each is tried, whatever became of the others."""
    done = []
    for step in steps:
        try:
            tree.write(step.write)
        except OSError as error:
            done.append(Done(step, error.strerror or str(error)))
        else:
            done.append(Done(step))
    return done
