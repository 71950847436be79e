"""Who may ask for what: commands, modes, the lease, telemetry.

One thread owns the wire, another writes the recording.
"""
