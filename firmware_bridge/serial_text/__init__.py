"""Devices on serial lines that speak text or simple binary; the rig file has requests and answers as templates."""
