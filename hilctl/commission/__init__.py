"""Commissioning: friction measured, identified, compensated and proved, on a rig or on its twin.

chain      the order of the work, and what happens when a part of it cannot be done
notes      the results so far, as one object that a report and a program read
parameters the identified values as one set, and how they are restored
candidates the friction models to try on the rig, and the trial
sines      the sines whose distortion is measured
tracking   triangles and other motions that are tracked
worth      the figures of a tracked motion
history    an earthquake or another history that is tracked
telling    the identified friction model, as the answer holds it
"""

from hilctl.commission.chain import Commissioning, How
from hilctl.commission.notes import CommissionFailed

__all__ = ["CommissionFailed", "Commissioning", "How"]
