"""What runs make of MPI they give back: requests, communicators and the rest are counted by a library in front of MPI
(mpi_leaks.c), with MPI's own checks of arguments and handles. Runs of all families, to the end and stopped, on devices
that copy by themselves, and runs that end early with an error on all ranks.

HALOCLINE_MPI_DECKS=1 in the environment also takes every deck in inputs/ that a second of work stops.
"""

import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))
from runs import INPUTS, PROGRAM, RunCase  # noqa: E402  pylint: disable=wrong-import-position
from test_changed import ENSEMBLE  # noqa: E402
from test_longer import COLLOCATION, DIFFUSION, FRACTIONAL, SPARSE  # noqa: E402

LIBRARY = os.environ["HALOCLINE_MPI_LEAKS"]
DECKS = {"collocation": COLLOCATION.replace("maxit: 6", "maxit: 1000"), "diffusion": DIFFUSION, "ensemble": ENSEMBLE,
         "fractional": FRACTIONAL, "sparse": SPARSE}
WATCHED = {"LD_PRELOAD": LIBRARY, "OMPI_MCA_mpi_param_check": "1", "OMPI_MCA_mpi_show_handle_leaks": "1"}
LAZY = ("--set", "run.devices=emulated-lazy", "--set", "run.per_rank=2")


class Given(RunCase):
    """Runs that give back what they have made."""

    def setUp(self):
        super().setUp()
        self.write("s.csv", "t,s\n0,0\n1e6,1\n")

    def watched(self, *arguments, ranks=2, expect=0):
        """The same run on so many ranks; every one of them has given back all."""
        done = self.run_program("run", *arguments, ranks=ranks, program=PROGRAM, expect=expect, environment=WATCHED)
        told = sorted(re.findall(r"^mpi_leaks: rank (\d+): (.*)$", done.stderr, re.M))
        self.assertEqual(told, [(str(rank), "nothing") for rank in range(ranks)], done.stderr)
        self.assertNotRegex(done.stderr, "still allocated|MPI_ERR|leak(s|ed) ", done.stderr)
        return done

    def test_all_families(self):
        for name, deck in DECKS.items():
            with self.subTest(name):
                self.write(f"{name}.yaml", deck.replace("directory: out", f"directory: {name}"))
                self.watched(f"{name}.yaml", "--set", "run.wall_limit=1e-9")
                self.watched(f"{name}.yaml", "--restart", "auto", *LAZY, "--set", "run.wall_limit=1")

    def test_devices_of_other_ranks(self):
        self.write("deck.yaml", DIFFUSION)
        self.watched("deck.yaml", "--set", "run.wall_limit=1e-9", "--set", "run.transfer=ipc", *LAZY)

    def test_errors(self):
        self.write("bad.yaml", DIFFUSION.replace("size:", "sise:"))
        self.watched("bad.yaml", expect=2)
        self.write("deck.yaml", DIFFUSION)
        (self.folder / "out").write_text("in the way", encoding="utf-8")
        self.watched("deck.yaml", expect=4)

    @unittest.skipUnless(os.environ.get("HALOCLINE_MPI_DECKS"), "HALOCLINE_MPI_DECKS is not set")
    def test_all_decks(self):
        for deck in sorted(INPUTS.glob("*/*.yaml")):
            with self.subTest(deck.name):
                for ranks in (2, 3):
                    self.watched(deck, "--overwrite", "--set", "output.directory=out", "--set", "run.wall_limit=1e-9",
                                 ranks=ranks)


if __name__ == "__main__":
    unittest.main()
