"""What a rig that closes its own displacement loop (law.feedback = "rig") is not asked, and what to do instead.

Its command is a displacement, no opening, and no gain of ours stands in its loop. Refused before anything moves.
"""

from typing import TYPE_CHECKING, Literal

from hilctl.params import BadValues, Problem

if TYPE_CHECKING:
    from hilctl.client import Client

Work = Literal["friction", "presliding", "plant", "commission", "tune"]

_WHY: dict[Work, str] = {
    "friction": "friction is measured at speeds that three-variable control holds",
    "presliding": "reversals are driven under three-variable control",
    "plant": "flow, oil and valve are found from the valve's opening, and this rig's command is a displacement",
    "commission": "compensation and gains that are found act on the valve's opening, and this rig's command is a "
                  "displacement",
    "tune": "there are no gains to tune",
}  # fmt: skip
REMEDY = (
    "`hilctl identify dynamics` identifies such a rig as it stands; where the rig has an input for the valve's "
    'opening, connect that and say law.feedback = "three_state" in the rig file'
)


def refuse_own_loop(feedback: object, work: Work) -> None:
    """BadValues where `feedback`, of law.feedback, says that the rig closes its own loop."""
    if feedback == "rig":
        why = f"the rig closes its own displacement loop: {_WHY[work]}"
        raise BadValues([Problem("law.feedback", "rig", why, REMEDY)])


def refuse_on(rig: "Client", work: Work) -> None:
    """The same, asking the service."""
    refuse_own_loop(rig.get("law.feedback")["law.feedback"], work)
