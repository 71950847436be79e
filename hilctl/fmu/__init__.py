"""A rig's twin as an FMI 3.0 co-simulation unit, for other simulation tools: C made of the twin's own functions."""
