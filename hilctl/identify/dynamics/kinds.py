"""How a record was made and what it is for: the two words that planning, studies and reports share."""

from typing import Literal

Kind = Literal["stepped", "sweep", "multisine", "step", "motion", "record"]
Role = Literal["fit", "check"]  # models are fitted to the record; models are only validated on it
