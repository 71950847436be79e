"""The page of a trip, from the black box that it left."""
