"""What the parts of a commissioning share: the rig, the choices, and the results so far."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hilctl.commission import sines, tracking
from hilctl.commission.how import How
from hilctl.commission.notes import Notes, Tell
from hilctl.commission.parameters import settable
from hilctl.experiment.drive import holds
from hilctl.results.commissioned import Commissioned, Sent
from hilctl.results.quantity import Flag, Quantity

if TYPE_CHECKING:
    from hilctl.client import Client

GRAVE = (  # of the fits' flags: those that make the result doubtful
    "few_speeds", "narrow_speeds", "one_direction", "many_outliers", "no_falling_branch", "only_fast", "only_slow",
    "misfit", "search_missed", "directions_differ", "rank", "bound", "stiffness", "supply",
)  # fmt: skip


class Work:
    """A rig being commissioned."""

    def __init__(self, rig: "Client", how: How, tell: Tell, earlier: Commissioned | None = None) -> None:
        self.rig, self.how, self.notes = rig, how, Notes(rig, how.folder, tell, earlier)
        self.result.author = how.author or self.result.author
        self.before = self.prepared = settable(rig)  # the parameters at the begin, and once it is prepared
        self.origin = "commission"
        self.runs: list[tracking.Run] = []  # every motion that was tracked, by `before` and `after`
        self.sizes: list[sines.Size] = []
        self.tasks: list[tracking.Task] = []

    @property
    def result(self) -> Commissioned:
        """The results so far."""
        return self.notes.result

    @property
    def center_m(self) -> float:
        """Of the motions."""
        return self.sizes[0].center_m if self.sizes else 0.0

    @property
    def original(self) -> dict[str, Any]:
        """The parameters before anything was identified."""
        return {**self.before, **(self.result.sent.old if self.result.sent else {})}

    def changes(self) -> dict[str, Any]:
        """The identified machine, as `set` takes it."""
        return dict(self.result.plant_fit.changes) if self.result.plant_fit else {}

    def go_on_without(self, part: str, consequence: str, fault: Exception) -> None:
        """Leaves out what could not be done, unless the rig has tripped."""
        if not holds(self.rig):
            raise fault
        self.notes.miss(part, f"{self.notes.stage}: {fault}", consequence, self.how.alone(part))

    def sent(self, epoch: int, values: Mapping[str, Any], old: Mapping[str, Any]) -> None:
        """A set that was applied; beside an earlier one, what that replaced stays known."""
        earlier = self.result.sent or Sent(epoch, "", "", {}, {})
        self.result.sent = Sent(
            epoch, self.result.author, self.origin, {**earlier.values, **values}, {**old, **earlier.old}
        )

    def flags(self, flags: Sequence[Flag], found: Mapping[str, Quantity], earlier: Sequence[Flag] = ()) -> None:
        """Parameters that are not identified are listed apart; a fit's other remarks stay with the fit.

        Those of an earlier fit no longer hold.
        """
        old = {str(flag) for flag in earlier}
        self.result.warnings = [text for text in self.result.warnings if text not in old]
        self.result.not_identified = [flag for flag in self.result.not_identified if flag.key not in found]
        for flag in flags:
            if flag.key in found and not found[flag.key].identified:
                self.result.not_identified.append(flag)
            elif flag.code in GRAVE:
                self.notes.warn(str(flag))

    def gains(self, changed: Mapping[str, float]) -> None:
        """Gains that had to change with the machine."""
        if changed:
            self.notes.warn(
                "with the active gains the loop would be unstable on the identified machine; they were recomputed, as "
                f"by `hilctl tune`: {', '.join(f'{key} = {value:.4g}' for key, value in changed.items())}"
            )

    def oil(self) -> str:
        """The oil's temperature, for the origin of the parameters."""
        made = self.result.prepared
        degc = made.oil_after_degc if made else None
        return f", oil at {degc:.1f} °C" if degc is not None else ""
