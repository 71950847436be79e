"""`python -m hilctl.loop FD`: the core process. Only a service starts it."""

import sys

from hilctl.loop.process import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
