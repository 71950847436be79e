"""The order of the work.

    prepared      sensors zeroed, null and polarity proved, the oil warm
    before        distortion and tracking under the active parameters, without the inverse model
    plant         moving mass, flow gain, oil, valve, delay; applied at once, because the mass is needed for the forces;
                  where the loop hunts on the valve's inverse, less of it (hilctl.commission.valve)
    friction      constant speeds, both directions; the friction model of the curve
    reversals     the friction before it slides
    compensation  the candidate models, each as one set; the best one stays; the shift in time with the least distortion
    gains         tuned for the identified machine, if asked for
    after         distortion and tracking again; where something got worse, the inverse model is limited to the rest
    learning      iterative learning control (ILC) of sines, if asked for

A part that cannot be done is left out, and the others go on: the result says what is missing, and how to get it alone
(hilctl.commission.only). After a trip nothing goes on. If it ends early, the parameters are restored, and the results
so far are kept.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from hilctl.commission import only, parts, scheduling, tracking
from hilctl.commission.compensating import compensation, machine_alone
from hilctl.commission.gains import gains
from hilctl.commission.how import How
from hilctl.commission.identifying import friction, plant, reversals
from hilctl.commission.notes import CommissionFailed
from hilctl.commission.parameters import restored
from hilctl.commission.progress import expected_s
from hilctl.commission.work import Work
from hilctl.experiment import course, journal
from hilctl.experiment.blame import REMEDY, bad_link, counted
from hilctl.experiment.drive import LegFault
from hilctl.experiment.own_loop import refuse_on
from hilctl.experiment.stages import Progress, progress
from hilctl.experiment.store import StoreError
from hilctl.identify.friction import CannotPlan
from hilctl.params import BadValues
from hilctl.results.commissioned import Commissioned, Failed
from hilctl.wire.errors import Refused

if TYPE_CHECKING:
    from hilctl.client import Client

_FAULTS = (CannotPlan, StoreError, LegFault, BadValues)


class Commissioning:
    """A rig being commissioned; BadValues where it closes its own loop, StoreError where the folder holds another.

    `result` holds the results so far, at every moment.
    """

    def __init__(self, rig: "Client", how: How, tell: Callable[[str], None] = lambda text: None) -> None:
        refuse_on(rig, "commission")
        earlier = only.earlier(how, str(rig.hello["rig"])) if how.only else None
        self.rig, self.how, self.work = rig, how, Work(rig, how, tell, earlier)
        self._link = counted(rig)
        if how.only and not how.resume:
            course.forgotten(how.samples)
        begin = course.resumed if how.resume else course.begun
        rate_hz, before = rig.hello["rate_hz"], self.work.before
        begin(how.samples, course.now(self.result.rig, rate_hz, before, how.asked, how.author))
        if earlier is not None:
            only.keep_earlier(how, earlier)

    @property
    def result(self) -> Commissioned:
        """The results so far."""
        return self.work.result

    @property
    def runs(self) -> list[tracking.Run]:
        """Every motion that was tracked, by `before` and `after`."""
        return self.work.runs

    @property
    def progress(self) -> Progress:
        """How far it is, and the rig time that is left, estimated."""
        return progress(expected_s(self.how), self.work.notes.stage, self.work.notes.share)

    def run(self) -> Commissioned:
        """All parts that are asked for. CommissionFailed: one could not be done, and the parameters are restored."""
        work = self.work
        try:
            with journal.kept(self.how.samples / course.LEGS):
                parts.prepared(work)
                if self.how.only:
                    only.alone(work)
                else:
                    _all(work)
                parts.concluded(work)
        except KeyboardInterrupt:
            self._broken_off("interrupted")
            raise
        except (*_FAULTS, Refused, OSError) as fault:  # a service that is gone is one, and a full disk
            raise self._broken_off(self._with_the_link(fault)) from fault
        only.completed(work)
        return self.result

    def _with_the_link(self, fault: Exception) -> str:
        """What is wrong; and that the link is bad, where it is and the fault does not say so."""
        text = str(fault)
        if isinstance(fault, OSError) or REMEDY in text:  # a service that is gone counts no more
            return text
        try:
            link = bad_link(self._link, counted(self.rig))
        except (Refused, OSError):
            return text
        return f"{text}. {link}" if link else text

    def _broken_off(self, text: str) -> CommissionFailed:
        stage = self.work.notes.stage
        kept = restored(self.rig, self.work.before, f"{self.work.origin}, broken off")
        if self.how.only:
            only.failed(self.work, f"{stage}: {text}", kept)
        else:
            self.result.failed, self.result.complete = Failed(stage, text, kept), False
            only.unreached(self.work)
        return CommissionFailed(f"{stage}: {text}; {kept}")


def _all(work: Work) -> None:
    parts.sines_driven(work, "before")
    parts.tracked(work, "before")
    plant(work)
    friction(work)
    if work.result.fit is not None:
        reversals(work)
        compensation(work, work.result.fit)
    else:
        only.lacks_friction(work, "reversals")
        only.lacks_friction(work, "compensation")
        machine_alone(work)
    if work.how.tune:
        gains(work)
    parts.sines_driven(work, "after")
    parts.tracked(work, "after")
    scheduling.scheduled(work)
    if work.how.learn_hz:
        parts.learned(work)
