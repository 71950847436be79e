"""The demonstration: a simulated rig whose true parameters are withheld, commissioned over the wire like any rig.

truth      its true parameters: machine and friction differ from the rig file
quake      a synthetic earthquake
course     the motions that are tracked, and PID alone on them
figures    their pictures
"""
