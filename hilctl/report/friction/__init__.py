"""The page of a friction campaign, or of points that were measured elsewhere."""
