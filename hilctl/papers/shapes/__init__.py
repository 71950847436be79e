"""001: friction with a shape, GMS, and breakaway laws."""
