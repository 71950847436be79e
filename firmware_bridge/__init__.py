"""What connects the loop to a rig."""
