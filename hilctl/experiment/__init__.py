"""The one way to measure on a rig: what every experiment needs, whatever it looks for.

facts          the active parameters, read once and stored with what was measured
prepare        sensors zeroed, null and polarity proved, the oil warm
sensors        sensors that cannot be right; noise: of a sensor at rest; accelerometer: against displacement
crossover      the motion from displacement and acceleration together
trips          why a motion ended early, in a sentence
drive          a leg: driven, fetched, judged by the policy, driven again
measured       what has been measured, reported as it comes
store          files that are complete or absent; journal: the legs of a long work; course: what it was begun with
own_loop       what a rig that closes its own loop is not asked
"""
