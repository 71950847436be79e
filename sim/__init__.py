"""The twin: the simulated plant of a rig file, behind the same driver contract as a real rig."""
