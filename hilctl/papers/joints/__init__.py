"""002: pendulums with friction in their joints."""
