"""The pages of what was recorded: of a recording, and of the black box that a trip leaves."""
