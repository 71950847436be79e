"""Loading a cached function without waking the whole compiler, and what becomes of a cache that fails.

Before it loads from its cache, numba installs every implementation it has, compiles its runtime's few functions,
imports scipy on the way, and parses the text that the machine code was made of: 0.3 s in which the rig waits, for
things that only compiling needs. Machine code brings the runtime's functions along and needs the addresses of numba's
helpers, nothing else. This uses names inside numba; where a version lacks one, loading takes the long way, and
tests/unit/rt holds that it does not.

A cache is a convenience: a file in it that is damaged is made anew, and where it cannot be written (a full disk), the
compiled code is used and the next start compiles again.
"""

import functools
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

log = logging.getLogger(__name__)


def load(dispatcher: Any, signature: Any) -> bool:
    """Loads the function for this signature from the cache into its dispatcher. False: it has to be compiled."""
    try:
        from numba.core import sigutils
        from numba.core.compiler_lock import global_compiler_lock

        normalize: Any = sigutils.normalize_signature
        with global_compiler_lock:
            context = dispatcher.targetctx
            _name_helpers()
            arguments, _ = normalize(signature)
            if tuple(arguments) in dispatcher.overloads:
                return True
            compiled = _read(dispatcher._cache, signature, context)
            if compiled is None:
                return False
            context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
            dispatcher.add_overload(compiled)
            dispatcher.disable_compile()
            return True
    except (ImportError, AttributeError):
        return False


@contextmanager
def keep(dispatcher: Any) -> Iterator[None]:
    """What is compiled meanwhile goes to the cache if it can."""
    cache = dispatcher._cache
    save = cache.save_overload

    def save_or_say(signature: Any, compiled: Any) -> None:
        try:
            save(signature, compiled)
        except OSError as error:
            log.warning("compiled code cannot be kept, the next start compiles again: %s", error)

    cache.save_overload = save_or_say
    try:
        yield
    finally:
        del cache.save_overload


def _read(cache: Any, signature: Any, context: Any) -> Any:
    """What the cache holds for this signature, or None."""
    codegen = context.codegen()
    codegen._library_class = _loaded()
    try:
        return cache._load_overload(signature, context)
    except (ImportError, AttributeError):
        raise
    except Exception as error:  # whatever unpickling a file makes of it that was cut short, by a power failure say
        log.warning("compiled code in %s cannot be read, it is made anew: %r", cache.cache_path, error)
        cache.flush()
        return None
    finally:
        del codegen._library_class  # numba's own stands on the class


@functools.cache
def _loaded() -> Any:
    """numba's library of machine code, for what comes from a cache."""
    from llvmlite import binding
    from numba.core.codegen import JITCodeLibrary

    class Loaded(JITCodeLibrary):
        """The same text is cached too, for what takes the function in when it is compiled: rarely, so parsed then."""

        def __init__(self, codegen: Any, name: str) -> None:
            self._code, self._text, self._parsed = b"", b"", None
            super().__init__(codegen, name)

        @classmethod
        def _unserialize(cls, codegen: Any, state: Any) -> Any:
            name, kind, data = state
            if kind != "object":
                return super()._unserialize(codegen, state)
            library: Any = cls(codegen, name)
            library._code, library._text = data
            library.enable_object_caching()
            library._set_compiled_object(library._code)
            library._finalize_final_module()
            return library

        def get_pointer_to_function(self, name: str) -> int:
            """Where it is, or 0: numba knows by the text."""
            return int(self._codegen._engine.get_function_address(name)) if name.encode() in self._code else 0

        def _get_text(self) -> Any:
            if self._parsed is None and self._text:
                self._parsed = binding.parse_bitcode(self._text)
                self._codegen._engine._load_defined_symbols(self._parsed)
            return self._parsed

        def _set_text(self, module: Any) -> None:
            self._parsed = module

        _shared_module = property(_get_text, _set_text)

    return Loaded


def _name_helpers() -> None:
    """Tells the linker where numba's runtime is. What else numba makes of it at this point, it makes when it compiles.

    Cached machine code holds the runtime's own compiled functions as far as it calls them.
    """
    from llvmlite import binding
    from numba.core.runtime import nrt

    runtime: Any = nrt
    for name, address in runtime._nrt.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
