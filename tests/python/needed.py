"""Skips a test program whose Python packages are not installed: CTest knows the exit code."""

import importlib.util
import sys

SKIPPED = 77


def need(*packages):
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        sys.exit(SKIPPED)
