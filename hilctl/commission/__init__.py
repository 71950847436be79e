"""Commissioning: friction measured, identified, compensated and proved, on a rig or on its twin.

chain      the order of the work, and what happens when a part of it cannot be done
notes      what is found on the way, as one object that a report and a program read
parameters the identified values as one set, and the way back
candidates which friction laws are worth a trial, and the trial
sines      the sines by which distortion is judged
tracking   triangles, and what a motion was worth
history    an earthquake, or anything else that is to be followed
telling    from what was identified to what is told of it
"""

from hilctl.commission.chain import Commissioning, How
from hilctl.commission.notes import CommissionFailed

__all__ = ["CommissionFailed", "Commissioning", "How"]
