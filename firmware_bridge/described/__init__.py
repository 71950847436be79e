"""What devices that the rig file describes have in common, whatever they speak."""
