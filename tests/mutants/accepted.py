"""Mutants that may survive (accepted.txt): the mutant on one line, the reason below it, indented."""

from pathlib import Path

FILE = Path(__file__).with_name("accepted.txt")


def accepted(text: str) -> dict[str, str]:
    """Reasons by mutants, which are written `file function: old -> new`."""
    reasons: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" "):
            name = line.strip()
            reasons[name] = ""
        else:
            reasons[name] = f"{reasons[name]} {line.strip()}".strip()
    without = [one for one, reason in reasons.items() if not reason]
    if without:
        raise ValueError(f"{FILE.name}: no reason is given for {without[0]}")
    return reasons
