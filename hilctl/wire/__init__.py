"""What crosses the wire: messages, errors, operations, and where a service is found. Any language can speak it.

docs/protocol.md is made from these declarations.
"""

from hilctl.wire.errors import Code, Refused

__all__ = ["MAJOR", "MINOR", "PROTOCOL", "Code", "Refused"]

MAJOR = 1  # another major version is refused
MINOR = 5  # a minor version only adds
PROTOCOL = f"{MAJOR}.{MINOR}"
