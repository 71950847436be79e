"""The page of a study by simulation: many runs, what they have in common, and what breaks them."""
