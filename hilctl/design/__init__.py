"""Controllers computed from a machine: gains and notches, their margins, and what was measured of them."""
