"""Studies by simulation: many runs of the same motions on rigs, loads, noise and faults that vary, in virtual time."""
