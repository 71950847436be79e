"""004: the identification of an analog position servo in nine states, from a sweep of sines."""
