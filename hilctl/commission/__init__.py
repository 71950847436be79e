"""Commissioning: friction measured, identified, compensated and proved, on a rig or on its twin.

chain         the order of the work, and what happens when a part of it cannot be done
only          parts that are measured alone, and complete a result
how           the choices of the person who commissions
work          what the parts share; notes: the results so far
parts         preparation, sines and tracking, learned drives, the end
identifying   machine, friction at constant speeds, friction before it slides
compensating  the friction model and the preview that lower the distortion most
gains         gains for the identified machine
candidates    the friction models to try on the rig, and the trial
parameters    the identified values as one set, and how they are restored
judging       sines (sines) and motions (tracking, worth, history) before and after
"""

from hilctl.commission.chain import Commissioning
from hilctl.commission.how import How
from hilctl.commission.notes import CommissionFailed

__all__ = ["CommissionFailed", "Commissioning", "How"]
