"""Algebraic multigrid in whole runs of family sparse: equal bits on any layout, restart, keys, what a run tells."""

import unittest

import h5py
import test_sparse
from runs import INPUTS, PROGRAM
from sparse_runs import BOX, ELASTIC, FLAT, NEUMANN, VENTRICLE


def with_multigrid(deck, keys="coarse_max: 100"):
    for other in ("jacobi", "l1_jacobi", "chebyshev"):
        deck = deck.replace(f"preconditioner: {other}", f"preconditioner: amg, amg: {{{keys}}}")
    if "  preconditioner" in deck:
        deck = deck.replace("amg, amg:", "amg\n  amg:")
    return deck


class EqualBits(test_sparse.EqualBits):
    def compare(self, deck, *more):
        super().compare(with_multigrid(deck), *more)

    def test_box(self):
        self.compare(BOX)

    def test_convection_by_gmres_and_bicgstab(self):
        self.compare(FLAT)
        self.compare(FLAT, "--set", "sparse.solver.method=bicgstab")

    def test_ventricle(self):
        self.compare(VENTRICLE)

    def test_elasticity(self):
        self.compare(ELASTIC)

    def test_null_space(self):
        self.compare(NEUMANN)

    def test_weights(self):
        deck = with_multigrid(BOX, "preset: robust, coarse_max: 100")
        self.run_deck(deck)
        self.run_deck(deck, "--set", "output.directory=weighted", "--set", "run.per_rank=3", "--set",
                      "run.weights=[1, 3, 2]", "--set", "run.threads=3", ranks=2)
        self.assertEqual(self.bits("weighted"), self.bits("box"))

    def test_cycles_and_smoothers(self):
        for keys in ("cycle: w", "cycle: f, sweeps: 2", "smoother: chebyshev, degree: 3", "preset: report"):
            super().compare(with_multigrid(BOX, keys + ", coarse_max: 100"))

    test_files = None


class Restart(test_sparse.SparseCase):
    check = test_sparse.Restart.check

    def test_methods(self):
        self.check(with_multigrid(BOX), "box", 4)
        self.check(with_multigrid(FLAT), "flat", 4)

    def test_null_space(self):
        self.check(with_multigrid(NEUMANN), "box", 4)


FAULTS = [
    ("preset: fast", "preset: slow", "expected one of"),
    ("preset: fast", "preset: fast, degree: 3", "is for smoother chebyshev"),
    ("preset: fast", "bound: much", "must be a positive number or none"),
    ("preset: fast", "coarse_max: 5000", "4096"),
    ("preconditioner: amg", "preconditioner: jacobi", "is for preconditioner amg"),
    ("max_error: 2.0e-2", "max_error: 2.0e-2, operator_complexity: [3, 2]", "[low, high]"),
]


class Multigrid(test_sparse.SparseCase):
    def test_faults(self):
        deck = with_multigrid(BOX, "preset: fast")
        for what, to, message in FAULTS:
            with self.subTest(to):
                self.assertIn(what, deck)
                self.write("deck.yaml", deck.replace(what, to, 1))
                done = self.run_program("check", "deck.yaml", program=PROGRAM, expect=2)
                self.assertIn(message, done.stderr)

    def test_what_a_run_tells(self):
        done = self.run_deck(with_multigrid(BOX))
        for text in ("operator complexity", "small enough to be solved directly", "inverted"):
            self.assertIn(text, done.stdout + done.stderr)
        findings = self.findings("box")
        self.assertLess(findings["operator_complexity"], 3.2)
        self.assertLess(findings["iterations"], 15)
        with h5py.File(self.folder / "box/tables.h5") as file:
            self.assertEqual(file["series/levels_rows"][0], 21 * 17 * 19)

    def test_presets(self):
        for preset, most in (("fast", 13), ("robust", 12), ("report", 13)):
            self.run_deck(with_multigrid(BOX, f"preset: {preset}"))
            self.assertLess(self.findings("box")["iterations"], most)
            deck = (self.folder / "box/deck.yaml").read_text(encoding="utf-8")
            self.assertIn("bound: " + {"fast": "1.9", "robust": "1", "report": "none"}[preset], deck.replace('"', ""))
        self.run_deck(with_multigrid(BOX, "preset: robust, omega: 0.7"))
        self.assertIn("omega: 0.7", (self.folder / "box/deck.yaml").read_text(encoding="utf-8"))

    def test_decks_of_inputs(self):
        for name in ("anisotropic", "convection", "jumps", "lognormal", "neumann", "ventricle"):
            with self.subTest(name):
                self.run_program("run", INPUTS / "sparse" / f"{name}.yaml", "--set", f"output.directory={name}",
                                 program=PROGRAM)


if __name__ == "__main__":
    unittest.main()
