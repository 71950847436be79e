"""Recordings: every sample, event and parameter change of a run in one HDF5 file, written outside the loop."""
