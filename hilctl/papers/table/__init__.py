"""000: friction of a hydraulic shaking table."""
