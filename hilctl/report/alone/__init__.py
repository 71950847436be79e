"""The page of one part of a commissioning, measured alone.

page       the page of each kind: its sections as a commissioning's report shows them
friction   the five lines of a friction campaign, or of points that were measured elsewhere
machine    those of valve, cylinder and mass
turning    those of friction before it slides
applying   what was applied, and what applies the rest
"""
