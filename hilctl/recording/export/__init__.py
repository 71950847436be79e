"""Recordings in other programs' formats, written block by block: memory stays the same, however long they are."""
