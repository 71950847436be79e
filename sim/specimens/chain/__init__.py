"""One to four links with any friction law at any joint: on the table, or on a base that stands still.

`settings.py` declares them, `laws.py` makes a law of a joint's coefficients, `forces.py` has the equations, `modes.py`
decides what sticks.
"""
