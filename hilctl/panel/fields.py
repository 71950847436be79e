"""Fields made of the service's declarations: what is typed is kept in the seat until it is sent."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui


def text_of(value: Any) -> str:
    """As it is typed."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list):
        return ", ".join(text_of(one) for one in value)
    return str(value)


def bounds_of(declared: Mapping[str, Any]) -> str:
    """In words."""
    if declared.get("choices"):
        return " | ".join(declared["choices"])
    low, high = declared.get("low"), declared.get("high")
    if low is None and high is None:
        return ""
    return f"{text_of(low)} to {text_of(high)} {declared['unit']}".strip()


def parsed(declared: Mapping[str, Any], typed: str) -> tuple[Any, str]:
    """Its value, or what is wrong with it."""
    typed, kind = typed.strip(), declared["kind"]
    if typed == "" and kind not in ("text", "choice", "texts", "floats"):
        return None, f"{declared['key']} is required: {bounds_of(declared)}" if declared.get("required") else ""
    if kind == "bool":
        known = {"true": True, "false": False}
        return known.get(
            typed.lower()
        ), "" if typed.lower() in known else f"{declared['key']}: {typed!r}, true or false"
    if kind == "choice":
        ok = typed in declared["choices"]
        return typed, "" if ok else f"{declared['key']}: {typed!r}, one of {bounds_of(declared)}"
    if kind in ("floats", "ints", "numbers"):
        parts = [part for part in typed.replace(",", " ").split() if part]
        found = [_number(declared, part) for part in parts]
        return [value for value, _ in found], next((why for _, why in found if why), "")
    if kind in ("float", "int"):
        return _number(declared, typed)
    if kind == "texts":
        return [part.strip() for part in typed.split(",") if part.strip()], ""
    return typed, ""


def _number(declared: Mapping[str, Any], typed: str) -> tuple[Any, str]:
    key = declared["key"]
    try:
        value: float = int(typed) if declared["kind"] in ("int", "ints") else float(typed.replace(",", "."))
    except ValueError:
        what = "a whole number" if declared["kind"] in ("int", "ints") else "a number"
        return None, f"{key}: {typed!r} is not {what}"
    low, high = declared.get("low"), declared.get("high")
    if not math.isfinite(value) or (low is not None and value < low) or (high is not None and value > high):
        return None, f"{key}: {typed}, must be {bounds_of(declared)}"
    return value, ""


def wrong(declared: Mapping[str, Any], typed: str) -> str | None:
    """What a field says of what is typed."""
    return parsed(declared, typed)[1] or None


class Form:
    """One field a declaration. `kept`: where what is typed is kept, by key."""

    def __init__(self, declared: list[dict[str, Any]], kept: dict[str, str], changed: Callable[[], None]) -> None:
        self._declared, self._kept = declared, kept
        self._inputs: dict[str, Any] = {}
        for one in declared:
            key, unit = one["key"], f" [{one['unit']}]" if one["unit"] else ""
            shown = kept.get(key, text_of(one.get("default")))

            def typed(change: Any, key: str = key) -> None:
                kept[key] = str(change.value if change.value is not None else "")
                changed()

            hint = f"{one['meaning']}. {bounds_of(one)}"
            if one.get("choices"):
                made: Any = ui.select(list(one["choices"]), value=shown, label=f"{key}{unit}", on_change=typed)
            else:
                made = ui.input(f"{key}{unit}", value=shown, on_change=typed, validation=partial(wrong, one))
            made.props(f'dense outlined aria-label="{key}"').style("width:11.5rem").tooltip(hint)
            self._inputs[key] = made

    def values(self) -> tuple[dict[str, Any], str]:
        """What was typed, without what was left as it is; and the first thing that is wrong."""
        found: dict[str, Any] = {}
        for one in self._declared:
            typed = self._kept.get(one["key"], text_of(one.get("default")))
            value, why = parsed(one, typed)
            if why:
                return {}, why
            if value is not None and (one.get("required") or typed != text_of(one.get("default"))):
                found[one["key"]] = value
        return found, ""
