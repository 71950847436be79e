"""The linear dynamics of a rig from records: what to drive it with, its frequency response, and models of it."""
