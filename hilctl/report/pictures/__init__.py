"""The figures, one idea a file: each draws from the result, or nothing where data are missing."""
