"""The page of a study of dynamics: everything that was driven and found, in one file."""
