"""Controllers computed from a machine: gains and notches, their margins, and what was measured of them.

loop, notch_linear, resting    the law on a machine as a linear discrete system, and the family of machines it must hold
tuning                         gains with margin on the nominal machine
known, search, notches         gains and notches with margin over what was identified
margins, predict, result       what they are worth, and how they are reported
"""
