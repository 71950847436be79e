"""The demonstration: a twin that hides what it is, commissioned through the wire like any rig.

truth      what the twin hides: another machine and another friction than its rig file says
quake      an earthquake's ground motion, made up
course     which motions are tracked, and how PID alone does
figures    the pictures of those
"""
