"""Whether a commissioning still holds: a short course of motions on the rig, held against the stored result.

course     prepared, machine, friction at three speeds, sines with and without compensation; nothing is left changed
friction   the three speeds, and what they say of the friction model's parameters
compare    a quantity as stored and as it is now
diagnose   the causes that the changes allow, each with its remedy
judge      the result
"""

from hilctl.verify.course import Asked, VerifyFailed, verify

__all__ = ["Asked", "VerifyFailed", "verify"]
