"""``python -m autodiff``; see `command_line.main`."""

import sys

from .command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
