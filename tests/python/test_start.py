"""Runs that Python starts: decks as files and as dicts, on ranks, and what is raised when they fail."""

import contextlib
import io
import os
import unittest

from needed import need

need("numpy", "h5py", "xarray")

# pylint: disable=wrong-import-position
import numpy as np  # noqa: E402

import halocline  # noqa: E402
from runs import MPIEXEC, PROGRAM, RunCase  # noqa: E402

DECK = {"problem": "diffusion",
        "diffusion": {"grid": {"size": [1, 1], "cells": [np.int64(16), 16]},
                      "equation": {"kind": "diffusion", "D": 0.1, "initial": "1 + cos(pi*x)"},
                      "walls": {"rest": {"kind": "no_flux"}},
                      "stencil": {"mask": "5pt", "co": 0.5},
                      "time": {"end": 0.1}},
        "output": {"every": 0.05},
        "verify": {"mass": [0.999999, 1.000001]}}


class Start(RunCase):
    def setUp(self):
        super().setUp()
        home = os.getcwd()
        self.addCleanup(os.chdir, home)
        os.chdir(self.folder)

    def run_quietly(self, *arguments, **options):
        return halocline.run(*arguments, quiet=True, program=PROGRAM, launcher=MPIEXEC[:-1], **options)

    def test_dict_on_two_ranks(self):
        run = self.run_quietly(DECK, ranks=2, directory="out/a box")
        self.assertEqual(run.report["ranks"], 2)
        self.assertEqual(run.fields["c"].shape, (3, 16, 16))
        self.assertEqual(os.listdir(), ["out"])  # the deck was there for the run alone
        alone = self.run_quietly(DECK, directory="out/b")
        self.assertTrue(run.fields.equals(alone.fields))

    def test_file_with_settings(self):
        self.write("deck.yaml", (run := self.run_quietly(DECK, directory="first")).deck)
        again = self.run_quietly("deck.yaml", overwrite=True, set={"diffusion.grid.cells": np.array([8, 8])})
        self.assertEqual(run.directory, again.directory)
        self.assertEqual(again.fields["c"].shape, (3, 8, 8))

    def test_what_is_shown(self):
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            halocline.run(DECK, directory="out", program=PROGRAM)
        self.assertIn("256 unknowns", shown.getvalue())
        self.assertIn("mass", shown.getvalue())

    def test_run_that_is_finished(self):
        self.run_quietly(DECK, directory="out")
        again = self.run_quietly(DECK, directory="out", restart="auto")
        self.assertEqual(again.fields["c"].shape, (3, 16, 16))

    def test_failures(self):
        with self.assertRaises(halocline.RunError) as caught:
            self.run_quietly(DECK, directory="out", set={"diffusion.time.end": -1})
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("diffusion.time.end", caught.exception.output)
        self.assertIsNone(caught.exception.results)
        with self.assertRaises(halocline.RunError) as caught:  # a limit that does not hold: the results are there
            self.run_quietly(DECK, directory="out", set={"verify.mass": [2, 3]})
        self.assertEqual(caught.exception.code, 1)
        self.assertEqual(caught.exception.results.fields["c"].shape, (3, 16, 16))
        with self.assertRaisesRegex(ValueError, "needs a directory"):
            self.run_quietly(DECK)
        with self.assertRaisesRegex(ValueError, "one rank or more"):
            self.run_quietly(DECK, directory="o", ranks=0)
        with self.assertRaisesRegex(FileNotFoundError, "HALOCLINE"):
            halocline.run(DECK, directory="o", program="no_such_program")


if __name__ == "__main__":
    unittest.main()
