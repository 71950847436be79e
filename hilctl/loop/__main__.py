"""`python -m hilctl.loop FD`: the core process. Only a service starts it."""

import os
import sys

from hilctl.loop.process import main

if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # the interpreter need not tidy up, and a loop that hangs must not be unmapped while it runs
