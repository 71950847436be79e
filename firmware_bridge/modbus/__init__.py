"""Modbus TCP and RTU: any amplifier or transducer whose registers the rig file describes."""
