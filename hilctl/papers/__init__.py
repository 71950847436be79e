"""The papers as cases that anyone can run: what serves a paper alone stands here."""
