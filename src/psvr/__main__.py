import sys

from psvr.cli import main

sys.exit(main())
