"""Iterative learning control (ILC): a motion is repeated, and its drive corrected until the table makes the motion.

wanted       the motion, as samples and as lines
played       a drive on the rig, and its answer
response     what a change of the drive does
correct      the next correction: gated, bounded
judge        the error that is left
payload      whether the rig is still the same
drive_file   a drive on the disk
learn        the course of it
"""

KINDS = ("sine", "triangle", "chirp", "waveform")  # of motions that can be learned
SUFFIX = ".drive.json"  # of a drive's file
