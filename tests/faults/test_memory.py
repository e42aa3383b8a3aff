"""Runs of all families under Valgrind: no value is used that nobody has set, also none that the address sanitizer does not
see, and no memory outside of blocks. Takes minutes, so it waits to be asked: HALOCLINE_VALGRIND=1 in the environment.
"""

import os
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import PROGRAM, RunCase  # noqa: E402  pylint: disable=wrong-import-position
from test_changed import ENSEMBLE  # noqa: E402
from test_longer import COLLOCATION, DIFFUSION, FRACTIONAL, SPARSE  # noqa: E402

DECKS = {
    "collocation": COLLOCATION.replace("16", "6").replace("maxit: 6", "maxit: 60"),
    "diffusion": DIFFUSION.replace("end: 0.3", "end: 0.03").replace("every: 0.1", "every: 0.015"),
    "ensemble": ENSEMBLE.replace("transient: 3000", "transient: 20"),
    "fractional": FRACTIONAL.replace("8, 8, 8", "4, 4, 4").replace("steps: 32", "steps: 8").replace(", horizon: 1", ""),
    "sparse": SPARSE.replace("12, 12, 12", "6, 6, 6"),
}
OF_MPI = pathlib.Path("/usr/share/openmpi/openmpi-valgrind.supp")  # what Open MPI says of itself
FOUND = 99


@unittest.skipUnless(os.environ.get("HALOCLINE_VALGRIND"), "HALOCLINE_VALGRIND is not set")
@unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
class Memory(RunCase):
    """Nothing found."""

    def test_all_families(self):
        self.write("s.csv", "t,s\n0,0\n1e6,1\n")
        known = [f"--suppressions={OF_MPI}"] if OF_MPI.is_file() else []
        for name, deck in DECKS.items():
            with self.subTest(name):
                self.write(f"{name}.yaml", deck.replace("directory: out", f"directory: {name}"))
                self.run_program("--quiet", f"--error-exitcode={FOUND}", "--num-callers=25", *known, PROGRAM, "run",
                                 f"{name}.yaml", program="valgrind", environment={"OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    unittest.main()
