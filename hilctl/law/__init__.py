"""What turns readings and reference into a valve command: one block a file; tick.py puts them in order."""
