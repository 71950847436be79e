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
    data = store.read(name)
    if data is not None:
        try:
            return internals.loaded(function, options, data), False
        except Exception as error:  # whatever unpickling makes of what another program has written there
            log.warning("compiled code %s cannot be loaded, it is compiled again: %r", name, error)
            store.remove(name)
    announce()
    dispatcher = internals.compile_entry(function, signature, options)
    data = internals.dumped(dispatcher)
    if data is not None:
        store.write(name, data)
    return dispatcher, True


def is_kept(function: Callable[..., Any], options: dict[str, Any]) -> bool:
    """Whether the function as it stands was compiled before. Imports no compiler, looks at no processor."""
    key = key_of(function, options) if internals_known() else None
    return key is not None and store.holds(_prefix(function, key))


def _prefix(function: Callable[..., Any], key: str) -> str:
    name = f"{function.__module__}.{function.__qualname__}"
    return f"{''.join(c if c.isalnum() or c in '._' else '_' for c in name)[:100]}-{key}-"
