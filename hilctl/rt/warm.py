"""Loading a cached function without waking the whole compiler.

Before it loads from its cache, numba installs every implementation it has, and imports scipy on the way: 0.3 s in which
the rig waits, for things that only compiling needs. Machine code needs numba's runtime and nothing else. This uses four
names inside numba; where a version lacks one, loading takes the long way, and tests/unit/rt holds that it does not.
"""

from typing import Any


def load(dispatcher: Any, signature: Any) -> bool:
    """Loads the function for this signature from the cache into its dispatcher. False: it has to be compiled."""
    try:
        from numba.core import sigutils
        from numba.core.compiler_lock import global_compiler_lock
        from numba.core.runtime.nrt import rtsys

        normalize: Any = sigutils.normalize_signature
        with global_compiler_lock:
            context, cache = dispatcher.targetctx, dispatcher._cache
            rtsys.initialize(context)
            arguments, _ = normalize(signature)
            if tuple(arguments) in dispatcher.overloads:
                return True
            with cache._guard_against_spurious_io_errors():
                compiled = cache._load_overload(signature, context)
            if compiled is None:
                return False
            context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
            dispatcher.add_overload(compiled)
            dispatcher.disable_compile()
            return True
    except (ImportError, AttributeError):
        return False
