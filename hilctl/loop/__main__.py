"""`python -m hilctl.loop FD`: the core process. Only a service starts it."""

import gc
import os
import sys

gc.disable()  # for good, and before anything is loaded: looking for garbage is a tenth of the time to the first tick

if __name__ == "__main__":
    from hilctl.loop.process import main

    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # the interpreter need not tidy up, and a loop that hangs must not be unmapped while it runs
