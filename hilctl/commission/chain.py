"""The order of the work.

    prepared      sensors zeroed, null and polarity proved, the oil warm
    before        distortion and tracking under the active parameters, without the inverse model
    plant         moving mass, flow gain, oil, valve, delay; applied at once, because the mass is needed for the forces
    friction      constant speeds, both directions; the friction model of the curve
    reversals     the friction before it slides
    compensation  the candidate models, each as one set; the best one stays
    preview       the shift in time with the least distortion
    gains         tuned for the identified machine, if asked for
    after         distortion and tracking again
    learning      iterative learning control (ILC) of sines, if asked for

A part that cannot be done is left out, and the others go on: its warning says what is missing, and how to get it alone.
After a trip nothing goes on. If it ends early, the parameters are restored, and the results so far are kept.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.commission import course, judging, sines, tracking
from hilctl.commission.candidates import LITTLE, Candidate, Trial, candidates_of, switch, try_law
from hilctl.commission.gains import tune_gains
from hilctl.commission.history import History
from hilctl.commission.notes import CommissionFailed, Notes
from hilctl.commission.parameters import PREVIEW, adopt, put_back, settable
from hilctl.commission.telling import sliding_curve, told_law, why
from hilctl.experiment import journal
from hilctl.experiment.drive import LegFault
from hilctl.experiment.own_loop import refuse_on
from hilctl.experiment.prepare import PrepareFailed, prepare, prepare_again
from hilctl.identify.campaign import Campaign, CampaignFault, CannotPlan, StoreError, as_object, signed
from hilctl.identify.campaign.running import WARMER_K
from hilctl.identify.campaign.store import PLAN
from hilctl.identify.friction_fit import FrictionFit, check_points, fit_friction
from hilctl.identify.learning import learn, reference_of
from hilctl.identify.plant.faults import PlantFault
from hilctl.identify.plant.identify import identify_plant
from hilctl.identify.plant.result import PlantFit
from hilctl.identify.presliding import Presliding, ReversalFault, identify_presliding
from hilctl.identify.preview import search
from hilctl.params import BadValues
from hilctl.wire.errors import Refused

if TYPE_CHECKING:
    from hilctl.client import Client

CAMPAIGN_S = 90.0  # of rig time: the whole chain then takes less than five minutes
REVERSALS_S = 40.0
JUDGED_HZ = 1.0  # where friction models are compared, and the preview is searched
GRAVE = (  # of the fits' flags: those that make the result doubtful
    "few_speeds", "narrow_speeds", "one_direction", "many_outliers", "no_falling_branch", "only_fast", "only_slow",
    "misfit", "search_missed", "directions_differ", "rank", "bound", "stiffness", "supply",
)  # fmt: skip
_FAULTS = (PrepareFailed, CampaignFault, CannotPlan, StoreError, ReversalFault, PlantFault, LegFault, BadValues)


class How(NamedTuple):
    """The choices of the person who commissions."""

    folder: Path
    stands_at_m: float | None = None
    warm_up_s: float = 10.0
    speeds_m_s: tuple[float, ...] | None = None
    campaign_s: float = CAMPAIGN_S
    sines_hz: tuple[float, ...] = sines.FREQUENCIES_HZ
    learn_hz: tuple[float, ...] = ()
    learn_repeats: int = 10
    tune: bool = False
    tasks: tuple[tracking.Task, ...] = ()  # tracked before and after; none: triangles that the rig can do
    histories: tuple[History, ...] = ()
    author: str = ""
    resume: bool = False  # goes on with the one in the folder

    @property
    def asked(self) -> dict[str, Any]:
        """What decides which motions are driven."""
        return {
            "stands_at_m": self.stands_at_m, "speeds_m_s": self.speeds_m_s, "campaign_s": self.campaign_s,
            "sines_hz": self.sines_hz, "learn_hz": self.learn_hz, "learn_repeats": self.learn_repeats,
            "tune": self.tune, "tasks": [task.text for task in self.tasks],
            "histories": [(one.name, one.peak_m) for one in self.histories],
        }  # fmt: skip


class Commissioning:
    """A rig being commissioned; BadValues where it closes its own loop, StoreError where the folder holds another.

    `notes.told` holds the results so far, at every moment.
    """

    def __init__(self, rig: "Client", how: How, tell: Callable[[str], None] = lambda text: None) -> None:
        refuse_on(rig, "commission")
        self.rig, self.how, self.notes = rig, how, Notes(rig, how.folder, tell)
        self.notes["author"] = how.author or self.notes["author"]
        self._before = self._prepared = settable(rig)
        begin = course.resumed if how.resume else course.begun
        begin(how.folder, course.now(self.notes["rig"], rig.hello["rate_hz"], self._before, how.asked, how.author))
        self._origin = "commission"
        self.runs: list[tracking.Run] = []  # every motion that was tracked, by `before` and `after`
        self._sizes: list[sines.Size] = []
        self._tasks: list[tracking.Task] = []

    def run(self) -> dict[str, Any]:
        """All parts. CommissionFailed says which part could not be done; the parameters are then restored."""
        try:
            with journal.kept(self.how.folder / "legs"):
                self._all()
        except KeyboardInterrupt:
            self._broken_off("interrupted")
            raise
        except (*_FAULTS, Refused, OSError) as fault:  # a service that is gone is one, and a full disk
            raise self._broken_off(str(fault)) from fault
        self.notes["complete"] = True
        return self.notes.told

    def _all(self) -> None:
        self._prepare()
        self._judge("before")
        plant = self._plant()
        fit = self._friction()
        kept = None if fit is None else self._compensate(fit, self._reversals(fit), plant)
        if kept is not None:
            self._preview(kept)
        elif plant is not None:
            self._machine_alone(plant)
        self._tune(plant)
        self._judge("after")
        self._learn()
        self._conclude()

    # --- the parts

    def _prepare(self) -> None:
        with self.notes.stages("preparing"):
            warm_up_s, made = self.how.warm_up_s, course.prepared(self.how.folder)
            if made is None:
                made = prepare(self.rig, stands_at_m=self.how.stands_at_m, warm_up_s=warm_up_s,
                               tell=self.notes.tell).as_dict()  # fmt: skip
                course.keep_prepared(self.how.folder, made)
            else:
                prepare_again(self.rig, made, warm_up_s=warm_up_s, tell=self.notes.tell)
            self.notes["prepared"] = made
            for remark in made["remarks"]:
                self.notes.warn(remark)
            self._sizes = sines.sizes_of(self.rig, self.how.sines_hz)
            self._tasks = list(self.how.tasks) or tracking.triangles_of(self.rig)
            for history in self.how.histories:
                history.upload(self.rig)
            self._tasks += [history.task for history in self.how.histories]
            switch(self.rig, 0.0, self._origin)
            if self.rig.get("law.feedback")["law.feedback"] != "three_state":
                self.rig.set({"law.feedback": "three_state"}, origin=self._origin)
            self._prepared = settable(self.rig)

    def _judge(self, when: str) -> None:
        """Distortion of the sines, and tracking of the triangles, before or after."""
        judging.distortion(self.rig, self.notes, self._sizes, when, self._go_on_without)
        self.runs += judging.tracked(self.rig, self.notes, self._tasks, when, self._go_on_without)

    def _friction(self) -> FrictionFit | None:
        try:
            return self._measured_friction()
        except (CampaignFault, LegFault, Refused, ValueError) as fault:
            self._go_on_without(
                "friction is not identified, and not compensated; the speeds that were measured are kept, "
                "`hilctl identify friction` measures it alone", fault,
            )  # fmt: skip
            return None

    def _measured_friction(self) -> FrictionFit:
        with self.notes.stages("measuring friction"):
            speeds = list(self.how.speeds_m_s) if self.how.speeds_m_s else None
            folder = self.how.folder / "friction"
            if (folder / PLAN).exists():
                campaign = Campaign.resume(self.rig, folder)
            else:
                campaign = Campaign.begin(self.rig, folder, speeds, self.how.campaign_s, self.notes["prepared"])
            self._origin = f"commission {campaign.store.header.id}{self._oil()}"
            self.notes["campaign"] = campaign.store.header.id
            try:
                with journal.kept(None):  # a campaign keeps its own
                    for _ in campaign.run():
                        done, of, _, left_s = campaign.progress
                        self.notes.tell(f"measuring friction: {done} of {of} speeds, {left_s:.0f} s left")
            finally:
                self.notes["campaign_data"] = as_object(campaign.store)
        with self.notes.stages("fitting the friction model"):
            # Zeroed sensors still differ in gain, and half the supply pressure turns that into a constant force.
            fit = fit_friction(check_points(*signed(campaign.store.finished())))
            self.notes["fit"] = fit.to_json()
            for remark in self.notes["campaign_data"]["remarks"]:
                self.notes.warn(remark)
            for one in campaign.store.finished():
                said = [f"driven again: {text}" for text in one.again]
                said += [f"{100 * one.lost:.2g} % of the readings were lost"] if one.lost else []
                self.notes.losses(f"{one.leg.speed_m_s:g} m/s", said)
            self._flags(fit.flags, [p.name for p in fit.parameters if not p.identified])
            return fit

    def _reversals(self, fit: FrictionFit) -> Presliding | None:
        with self.notes.stages("reversals"):
            try:
                found = identify_presliding(self.rig, sliding_curve(fit), center_m=self._center_m(),
                                            budget_s=REVERSALS_S, tell=self.notes.tell)  # fmt: skip
            except (ReversalFault, LegFault, Refused, ValueError) as fault:
                self._go_on_without("friction before sliding is not identified, and the static model is used; "
                                    "`hilctl identify presliding` measures it alone", fault)
                return None
            self.notes["presliding"] = found.to_json()
            self.notes.losses("reversals", found.losses)
            for warning in found.warnings:
                self.notes.warn(warning)
            return found

    def _plant(self) -> PlantFit | None:
        with self.notes.stages("mass, flow, oil and delay"):
            try:
                fit = identify_plant(self.rig, lambda name, done: self.notes.tell(f"plant: {name}"))
            except (PlantFault, LegFault, Refused) as fault:
                self._go_on_without("the machine parameters stay those of the rig file; "
                                    "`hilctl identify plant` measures them alone", fault)
                return None
            told = fit.to_json()
            self.notes["plant_fit"] = told
            self.notes.losses("mass, flow, oil and delay", fit.losses)
            self.notes["plant"] = {key.removeprefix("machine."): value for key, value in told["plant"].items()}
            self._flags(fit.flags, [q.key for q in fit.quantities if not q.identified])
            self._gains(adopt(self.rig, fit.changes(), f"{self._origin}, plant")[1])
            return fit

    def _compensate(self, fit: FrictionFit, found: Presliding | None, plant: PlantFit | None) -> Candidate | None:
        """The model that stays active, with the inverse model on; None where none lowers the distortion."""
        size = next((s for s in self._sizes if s.frequency_hz == JUDGED_HZ), self._sizes[0])
        before = judging.before(self.rig, self.notes, size)
        values: dict[str, Any] = plant.changes() if plant else {}
        put_back(self.rig, self._prepared, self._origin)  # so that all of it is one set, and one step back
        trials: list[Trial] = []
        with self.notes.stages("compensation"):
            certain = found is not None and found.certain
            for law in candidates_of(fit, found):
                if trials and certain and before > LITTLE * trials[0].percent:
                    break
                self.notes.tell(f"compensation: {law.name}")
                try:
                    trials.append(try_law(self.rig, law, values, size, self._origin))
                except LegFault as fault:
                    self._go_on_without(f"compensation with the friction model {law.name} is left out", fault)
            best = min(trials, key=lambda t: t.percent, default=None)
            self.notes["choice"] = {
                "frequency_hz": size.frequency_hz, "before_percent": before,
                "tried": [{"law": t.candidate.name, "percent": t.percent, "extra_preview_s": t.extra_preview_s,
                           "epoch": t.epoch} for t in trials],
                "kept": best.candidate.name if best else None, "why": "",
            }  # fmt: skip
            if best is None or best.percent >= before:
                self._none_helps(best, before)
                return None
            if best is not trials[-1]:
                best = try_law(self.rig, best.candidate, values, size, self._origin)
            self.notes["choice"]["why"] = why(best, trials, before)
        self._gains(best.gains)
        self._sent(best, fit, found)
        return best.candidate

    def _machine_alone(self, plant: PlantFit) -> None:
        """The identified machine stays active without a friction model."""
        values = plant.changes()
        now = self.rig.get(*values)
        if {key: now[key] for key in values} != values:
            adopt(self.rig, values, self._origin)
        self.notes["sent"] = {
            "epoch": int(self.rig.status()["epoch"]), "author": self.notes["author"], "origin": self._origin,
            "values": values, "old": {key: self._before[key] for key in values}, "file": None,
        }  # fmt: skip

    def _none_helps(self, best: Trial | None, before: float) -> None:
        switch(self.rig, 0.0, self._origin)
        said = "no friction model could be tried"
        if best:
            said = f"distortion {best.percent:.1f} % with it, {before:.1f} % without"
        self.notes["choice"] |= {"kept": None, "why": f"none: {said}"}
        self.notes.warn(f"compensation does not help on this rig and stays off: {said}; see what is not identified")

    def _preview(self, kept: Candidate) -> None:
        with self.notes.stages("preview"):
            size = next((s for s in self._sizes if s.frequency_hz == JUDGED_HZ), self._sizes[0])
            found = search(
                self.rig, size.frequency_hz, size.amplitude_m, size.center_m, cycles=sines.FEW_CYCLES,
                origin=self._origin,
                tell=lambda shift_s, seen: self.notes.tell(f"preview {1e3 * shift_s:+.2f} ms: {seen.percent:.2f} %"),
            )  # fmt: skip
            self.notes["preview"] = found._asdict()
            self.notes.told["sent"]["values"][PREVIEW] = found.extra_preview_s

    def _tune(self, plant: PlantFit | None) -> None:
        if not self.how.tune:
            return
        with self.notes.stages("gains"):
            try:
                made, taken_back = tune_gains(self.rig, plant, self._origin, self.notes.tell)
            except (LegFault, BadValues, Refused) as fault:
                self._go_on_without("the gains stay as they are", fault)
                return
            self.notes["tuning"] = {**made.to_json(), "taken_back": taken_back}
            if taken_back:
                self.notes.warn(f"{taken_back}; the gains are restored")
            elif "sent" in self.notes.told:
                self.notes.told["sent"]["values"] |= made.values

    def _learn(self) -> None:
        if not self.how.learn_hz:
            return
        with self.notes.stages("learning"):
            rows = self.notes.told.setdefault("learning", {})
            for size in (s for s in self._sizes if s.frequency_hz in self.how.learn_hz):
                def tell(index: int, repeat: Any, key: str = size.key) -> None:
                    self.notes.tell(f"learning {key} Hz: repeat {index}, distortion {repeat.percent:.2f} %")

                reference = reference_of(self.rig, "sine", frequency_hz=size.frequency_hz,
                                         amplitude_m=size.amplitude_m, center_m=size.center_m)  # fmt: skip
                found = learn(self.rig, reference, f"learned {size.key} Hz", repeats=self.how.learn_repeats, tell=tell)
                rows[size.key] = {
                    "name": found.name, "frequency_hz": size.frequency_hz, "reached": found.reached, "why": found.why,
                    "best": found.best, "repeats": [repeat._asdict() for repeat in found.repeats],
                }  # fmt: skip
                self.notes["thd"][size.key]["learned"] = found.percent

    # --- the answer

    def _sent(self, best: Trial, fit: FrictionFit, found: Presliding | None) -> None:
        made = next(one for one in self.rig.changes(first=best.epoch)["sets"] if one["epoch"] == best.epoch)
        edits = {edit["key"]: edit for edit in made["changed"]}
        self.notes["sent"] = {
            "epoch": best.epoch, "author": self.notes["author"], "origin": self._origin,
            "values": {key: edit["new"] for key, edit in edits.items()},
            "old": {key: edit["old"] for key, edit in edits.items()}, "file": None,
        }  # fmt: skip
        self.notes["friction"] = told_law(best.candidate, fit, found, self._before)

    def _conclude(self) -> None:
        with self.notes.stages("keeping the parameters"):
            if "sent" in self.notes.told:
                saved = self.rig.save(self.how.folder / "identified.toml")
                self.notes["sent"] |= {"file": saved.path, "line": saved.line, "included": saved.included}
            self.notes["epoch"] = int(self.rig.status()["epoch"])
            oil = self.notes["prepared"]["oil_after_degc"]
            range_k = self.notes.told.get("campaign_data", {}).get("oil_degc")
            if oil is not None and range_k and abs(range_k["high"] - oil) >= WARMER_K:
                self.notes.warn(f"the oil warmed from {oil:.1f} to {range_k['high']:.1f} °C; warm up longer, repeat")

    def _gains(self, changed: Mapping[str, float]) -> None:
        if changed:
            self.notes.warn(
                "with the active gains the loop would be unstable on the identified machine; they were recomputed, as "
                f"by `hilctl tune`: {', '.join(f'{key} = {value:.4g}' for key, value in changed.items())}"
            )

    def _flags(self, flags: Sequence[Any], unknown: Sequence[str]) -> None:
        """Parameters that are not identified are listed apart; a fit's other remarks stay with the fit."""
        for flag in flags:
            if flag.key in unknown:
                self.notes["not_identified"].append(flag._asdict())
            elif flag.code in GRAVE:
                self.notes.warn(f"{flag.text}; {flag.remedy}".removesuffix("; "))

    def _oil(self) -> str:
        """The oil's temperature, for the origin of the parameters."""
        oil = self.notes["prepared"]["oil_after_degc"]
        return f", oil at {oil:.1f} °C" if oil is not None else ""

    def _center_m(self) -> float:
        return self._sizes[0].center_m if self._sizes else 0.0

    def _go_on_without(self, consequence: str, fault: Exception) -> None:
        """Leaves a part out that could not be done, unless the rig has tripped."""
        status = self.rig.status()
        if status["mode"] != "hold" or status["trip"]:  # a trip holds for a while, then goes to off by itself
            raise fault
        self.notes.warn(f"{self.notes.stage}: {fault}. {consequence[0].upper()}{consequence[1:]}")

    def _broken_off(self, text: str) -> CommissionFailed:
        from hilctl.client import NoReply

        stage = self.notes.stage
        self.notes["failed"] = {"stage": stage, "text": text}
        kept = "no parameter was changed"
        try:
            if self.rig.status()["mode"] in ("track", "stop"):
                self.rig.stop()
            if put_back(self.rig, self._before, f"{self._origin}, broken off"):
                kept = "the parameters are restored"
        except NoReply:
            kept = "the service has ended, and the changed parameters with it; the next starts with the rig file's"
        except Refused as error:
            kept = f"the parameters could not be restored: {error}; `hilctl set --undo` restores them"
        self.notes["failed"]["parameters"] = kept
        return CommissionFailed(f"{stage}: {text}; {kept}")
