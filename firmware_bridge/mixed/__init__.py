"""Several drivers as one: the amplifier on one line, transducers on another."""
