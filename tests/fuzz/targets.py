"""All of them, by name."""

from tests.fuzz import files, lines, messages

TARGETS = {target.name: target for target in (*lines.TARGETS, *messages.TARGETS, *files.TARGETS)}
