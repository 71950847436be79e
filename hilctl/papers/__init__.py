"""Published experiments as cases: what serves a paper alone."""
