"""Moving mass, flow gain, oil, valve and delays from a few records of motion. The fit itself needs no rig."""
