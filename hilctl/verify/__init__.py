"""Whether a commissioning still holds: a short course of motions on the rig, held against the stored result.

course        prepared, machine, friction at three speeds, sines with and without compensation; nothing is left changed
found         what is asked for, and what was measured
compare       a quantity as stored and as it is now
friction      the three speeds, and what they say of the friction model's parameters
at_rest       null, zeros of the pressure sensors, supply
diagnose      the causes that the changes allow, each with its remedy
compensation  whether it may stay on
judge         all of it together
"""

from hilctl.verify.course import VerifyFailed, verify
from hilctl.verify.found import Asked

__all__ = ["Asked", "VerifyFailed", "verify"]
