"""Every folder of lib/problems is registered and has a deck, and every deck passes `halocline check`.

    check_families.py [PROGRAM]      exit code 1 and one line per fault, 0, or 77 when there is no program to ask
"""

import pathlib
import subprocess
import sys

import repository

SHARED = {"data", "costs"}  # folders of what several families have


def unregistered(root):
    """Families whose folder is not named where it must be, one line each."""
    faults = []
    problems = root / "lib" / "problems"
    for folder in sorted(path for path in problems.iterdir() if path.is_dir() and path.name not in SHARED):
        for place in ("registry.cpp", "CMakeLists.txt"):
            listing = problems / place
            if not listing.exists() or folder.name not in listing.read_text(encoding="utf-8"):
                faults.append(f"lib/problems/{folder.name}: not named in lib/problems/{place}")
        if not list((root / "inputs" / folder.name).glob("*.yaml")):
            faults.append(f"lib/problems/{folder.name}: no deck in inputs/{folder.name}")
    return faults


def rejected(program, root):
    """Decks that `halocline check` refuses, with what it says."""
    faults = []
    for deck in sorted(root.glob("inputs/*/*.yaml")):
        run = subprocess.run([program, "check", str(deck.relative_to(root))], cwd=root, capture_output=True, text=True,
                             timeout=60, check=False)
        if run.returncode != 0:
            faults.append(f"{deck.relative_to(root)}: check ends with {run.returncode}\n{run.stdout}{run.stderr}")
    return faults


if __name__ == "__main__":
    found = unregistered(repository.ROOT)
    asked = len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_file()
    if asked:
        found += rejected(sys.argv[1], repository.ROOT)
    print("\n".join(found) or "every family is registered and has a deck" + ", every deck is accepted" * asked)
    if not found and not asked:
        print("skipped: the program is not built, so no deck was checked")
    sys.exit(1 if found else 0 if asked else repository.SKIPPED)
