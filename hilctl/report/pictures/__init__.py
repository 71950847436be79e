"""The figures, one idea a file: each draws what a commissioning's dict tells, or nothing where it tells nothing."""
