"""Devices to test against: a plant, any driver by its name, behind a real protocol, in real time, with faults."""
