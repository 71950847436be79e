"""What a rig is, found out by measuring: campaigns and fits. Supervisory: nothing here runs in the tick."""
