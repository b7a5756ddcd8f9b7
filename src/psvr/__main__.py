"""`python -m psvr`: the command line."""

import sys

from psvr.cli import main

sys.exit(main())
