"""Binary frames over a serial line to our own firmware: firmware_bridge/PROTOCOL.md."""
