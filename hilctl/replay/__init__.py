"""A recording's readings through today's controller, bit for bit: where it differs, and in which term."""
