"""The report's sections, in the order of the work. Each makes its markup of what the dict tells."""
