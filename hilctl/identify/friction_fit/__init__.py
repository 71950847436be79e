"""A friction law from points: mean speed, mean force, and how sure of it one is. Needs no rig."""
