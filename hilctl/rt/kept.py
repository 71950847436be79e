"""Compiled entry functions, kept from one run to the next under a key of all that they are made from."""

import logging
from collections.abc import Callable
from typing import Any

from hilctl.rt import internals, store
from hilctl.rt.key import digest, key_of
from hilctl.rt.tested import internals_known

log = logging.getLogger(__name__)


def load_or_compile(
    function: Callable[..., Any], signature: Any, options: dict[str, Any], announce: Callable[[], None]
) -> tuple[Any, bool]:
    """The dispatcher of this function, and whether it had to be compiled, which is announced before."""
    key = key_of(function, options) if internals_known() else None
    if key is None:
        announce()
        return internals.compile_entry(function, signature, options), True
    name = f"{_prefix(function, key)}{digest(internals.machine(signature))}"
    found = _loaded(function, options, name)
    if found is not None:
        return found, False
    announce()
    with store.alone(name):
        found = _loaded(function, options, name)
        if found is not None:
            return found, False
        dispatcher = internals.compile_entry(function, signature, options)
        data = internals.dumped(dispatcher)
        if data is not None:
            store.write(name, data)
    return dispatcher, True


def _loaded(function: Callable[..., Any], options: dict[str, Any], name: str) -> Any:
    data = store.read(name)
    if data is None:
        return None
    try:
        return internals.loaded(function, options, data)
    except Exception as error:  # whatever unpickling makes of what another program has written there
        log.warning("compiled code %s cannot be loaded, it is compiled again: %r", name, error)
        store.remove(name)
        return None


def by_types(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """The dispatcher of a function without a signature: what it compiles when Python calls it is kept for each types
    of arguments."""
    dispatcher = internals.compile_entry(function, None, options)
    if internals_known():

        def name_of(types: Any) -> str | None:
            key = key_of(function, options, quiet=True)
            return None if key is None else f"{_prefix(function, key)}{digest(internals.machine(types))}"

        def read(types: Any) -> bytes | None:
            name = name_of(types)
            return None if name is None else store.read(name, in_use=False)

        def write(types: Any, data: bytes) -> None:
            name = name_of(types)
            if name is not None:
                store.write(name, data, in_use=False)

        internals.keep_each(dispatcher, read, write)
    return dispatcher


def is_kept(function: Callable[..., Any], options: dict[str, Any]) -> bool:
    """Whether the function as it stands was compiled before. Imports no compiler, looks at no processor."""
    key = key_of(function, options) if internals_known() else None
    return key is not None and store.holds(_prefix(function, key))


def _prefix(function: Callable[..., Any], key: str) -> str:
    name = f"{function.__module__}.{function.__qualname__}"
    return f"{''.join(c if c.isalnum() or c in '._' else '_' for c in name)[:100]}-{key}-"
