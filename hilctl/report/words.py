"""Names of friction models."""

_LAWS = {
    "coulomb": "Coulomb", "stribeck": "Stribeck", "karnopp": "Karnopp", "lugre": "LuGre", "gms": "GMS",
    "dahl": "Dahl", "armstrong": "Armstrong", "undecided": "Undecided",
    "bliman-sorine-1": "Bliman–Sorine 1", "bliman-sorine-2": "Bliman–Sorine 2",
}  # fmt: skip


def called(law: str) -> str:
    """A law's name, and what follows it: "stribeck, delta 2"."""
    for mark in (",", "+"):
        name, found, rest = law.partition(mark)
        if found:
            return f"{called(name)}{found}{rest}"
    return _LAWS.get(law, law)
