"""The parts around what is identified: preparation, sines and tracking before and after, learned drives, the end."""

from typing import Any

from hilctl.commission import judging, scheduling, sines, tracking
from hilctl.commission.candidates import switch
from hilctl.commission.parameters import settable
from hilctl.commission.work import Work
from hilctl.experiment import course
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import read_facts
from hilctl.experiment.prepare import prepare, prepare_again
from hilctl.identify.friction.report import WARMER_K
from hilctl.learning import SUFFIX
from hilctl.learning.learn import Asked, learn
from hilctl.learning.wanted import wanted
from hilctl.wire.errors import Refused


def prepared(work: Work) -> None:
    """In hold, zeroed and warm, under three-variable control, the inverse model off."""
    rig, how, notes = work.rig, work.how, work.notes
    with notes.stages("preparing"):
        made = course.prepared(how.samples)
        if made is None:
            made = prepare(rig, stands_at_m=how.stands_at_m, warm_up_s=how.warm_up_s, tell=notes.tell)
            course.keep_prepared(how.samples, made)
        else:
            prepare_again(rig, made, warm_up_s=how.warm_up_s, tell=notes.tell)
        work.result.prepared = made
        for remark in made.remarks:
            notes.warn(remark)
        work.sizes = sines.sizes_of(rig, how.sines_hz)
        work.tasks = list(how.tasks) or tracking.triangles_of(rig)
        for history in how.histories:
            history.upload(rig)
        work.tasks += [history.task for history in how.histories]
        switch(rig, 0.0, work.origin)
        if not how.only:
            scheduling.cleared(work)
        if rig.get("law.feedback")["law.feedback"] != "three_state":
            rig.set({"law.feedback": "three_state"}, origin=work.origin)
        work.prepared = settable(rig)


def sines_driven(work: Work, when: str) -> None:
    """Distortion of the sines, before or after."""
    judging.distortion(work.rig, work.notes, work.sizes, when, work.go_on_without)


def tracked(work: Work, when: str) -> None:
    """Tracking of the triangles and histories, before or after."""
    work.runs += judging.tracked(work.rig, work.notes, work.tasks, when, work.go_on_without)


def learned(work: Work) -> None:
    """A drive signal for each of the sines that are asked for."""
    with work.notes.stages("learning"):
        for size in (s for s in work.sizes if s.frequency_hz in work.how.learn_hz):

            def tell(index: int, repeat: Any, key: str = size.key) -> None:
                work.notes.tell(f"learning {key} Hz: repeat {index}, distortion {repeat.percent:.2f} %")

            try:
                facts, motion = read_facts(work.rig), size._asdict()
                file = work.how.folder / f"learned-{size.key}-hz{SUFFIX}"
                asked = Asked(f"learned {size.key} Hz", work.how.learn_repeats, file=file,
                              motion={"kind": "sine", **motion})  # fmt: skip
                found = learn(work.rig, facts, wanted(facts, "sine", motion), asked, tell)
            except (LegFault, Refused) as fault:
                work.go_on_without("learning", f"no drive is learned for {size.key} Hz", fault)
                continue
            work.result.learning[size.key] = found
            if size.key in work.result.thd:
                work.result.thd[size.key].learned = found.percent


def concluded(work: Work) -> None:
    """The active parameters are saved."""
    result = work.result
    with work.notes.stages("keeping the parameters"):
        if result.sent is not None:
            saved = work.rig.save(work.how.folder / "identified.toml")
            result.sent.file, result.sent.line, result.sent.included = saved.path, saved.line, saved.included
        result.epoch = int(work.rig.status()["epoch"])
        oil = result.prepared.oil_after_degc if result.prepared else None
        seen = result.campaign.oil_degc if result.campaign else None
        if oil is not None and seen and abs(seen.high - oil) >= WARMER_K:
            work.notes.warn(f"the oil warmed from {oil:.1f} to {seen.high:.1f} °C; warm up longer, repeat")
