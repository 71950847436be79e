"""The demonstration: the twin follows triangles and a sine under two control laws, through the wire like any client.

course     which motions, and driving them
measure    what a motion was worth: error, flatness, distortion
report     the JSON object, and the table
figures    the pictures
"""
