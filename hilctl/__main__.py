"""`python -m hilctl`: the command line, where no script is installed."""

import sys

from hilctl.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
