"""The compiled functions' Python as C99. Nothing here knows what they compute."""
