"""Identification of a rig from measurements: campaigns and fits. Supervisory: nothing here runs in the tick."""
