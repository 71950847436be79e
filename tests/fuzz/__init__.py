"""Hostile input for everything that reads: lines, messages and files. `make fuzz`."""
