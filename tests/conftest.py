import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))      # helpers that several test modules share

settings.register_profile("quick", deadline=None, derandomize=True)
settings.load_profile("quick")
