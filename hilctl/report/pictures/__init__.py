"""The figures, one idea a file: each draws from a commissioning's dict, or draws nothing where the data are missing."""
