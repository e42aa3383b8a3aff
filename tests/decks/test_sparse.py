"""Whole runs of family sparse: equal bits on any layout, restart, decks with faults, ends of solves."""

import unittest

from runs import INPUTS, PROGRAM
from sparse_runs import BOX, ELASTIC, FLAT, MATRIX, NEUMANN, POISSON, VENTRICLE, SparseCase, random_matrix


class EqualBits(SparseCase):
    LAYOUTS = [(1, "omp", 1), (3, "omp", 1), (1, "emulated-lazy", 4), (2, "[omp, omp:2, emulated]", 1)]

    def compare(self, deck, *more):
        bits = []
        for ranks, devices, per_rank in self.LAYOUTS:
            directory = f"run{len(bits)}"
            self.run_deck(deck, "--set", f"run.devices={devices}", "--set", f"run.per_rank={per_rank}", "--set",
                          f"output.directory={directory}", *more, ranks=ranks)
            bits.append(self.bits(directory))
            self.assertEqual(bits[-1], bits[0], f"{ranks} ranks, {per_rank} times {devices}")

    def test_box(self):
        self.compare(BOX)

    def test_convection_by_gmres_and_bicgstab(self):
        self.compare(FLAT)
        self.compare(FLAT, "--set", "sparse.solver.method=bicgstab", "--set", "sparse.matrix_format.kind=crs")

    def test_ventricle(self):
        self.compare(VENTRICLE)

    def test_elasticity(self):
        self.compare(ELASTIC)

    def test_null_space(self):
        self.compare(NEUMANN)
        self.compare(NEUMANN, "--set", "sparse.solver.method=gmres", "--set", "sparse.preconditioner=none")

    def test_files(self):
        import numpy as np

        A = random_matrix(5000)
        self.write_system(A, A @ np.cos(np.arange(5000)))
        self.compare(MATRIX)

    def test_weights(self):
        self.run_deck(BOX)
        self.run_deck(BOX, "--set", "output.directory=weighted", "--set", "run.per_rank=3", "--set",
                      "run.weights=[1, 3, 2]", "--set", "run.threads=3", ranks=2)
        self.assertEqual(self.bits("weighted"), self.bits("box"))


class Meshes(SparseCase):
    """Values at the points of the mesh that rows come from; points are numbered by rows."""

    def mesh(self, directory):
        import h5py

        file = h5py.File(self.folder / directory / "fields_0001.vtkhdf")
        self.addCleanup(file.close)
        mesh = file["VTKHDF"]
        return mesh, mesh["Points"][()], mesh["Connectivity"][()]

    def test_tetrahedra(self):
        import numpy as np

        self.run_deck(VENTRICLE, "--set", "sparse.matrix.ventricle.numbering=random", ranks=2)
        mesh, points, corners = self.mesh("ventricle")
        corners = corners.reshape(-1, 4)
        self.assertTrue(np.array_equal(mesh["PointData/u"][()], self.columns("ventricle")))
        self.assertTrue(np.array_equal(np.unique(corners), np.arange(len(points))))
        edges = points[corners[:, 1:]] - points[corners[:, :1]]
        volumes = np.linalg.det(edges) / 6
        self.assertGreater(volumes.min(), 0.01 * 0.3**3)
        self.assertLess(abs(volumes.sum() / 102.27 - 1), 1e-4)
        sigma = mesh["CellData/sigma"][()]
        self.assertLess(np.abs(sigma[:, :3].sum(axis=1) - (0.799 + 2 * 0.255)).max(), 1e-14)
        self.assertEqual(set(mesh["PointData/part"][()]), {0, 1})
        # Grounded are the points near the apex, which shows that places and rows belong together.
        near = ((points - [0, 0, -6]) ** 2).sum(axis=1) <= 0.3**2
        self.assertTrue(near.any())
        self.assertEqual(np.abs(mesh["PointData/f"][()][near]).max(), 0)

    def test_hexahedra(self):
        import numpy as np

        self.run_deck(ELASTIC, ranks=3)
        mesh, points, corners = self.mesh("elastic")
        corners, u, rows = corners.reshape(-1, 8), mesh["PointData/u"][()], 9 * 9 * 8
        self.assertTrue(np.array_equal(u[:rows].ravel(), self.columns("elastic")))
        self.assertTrue(np.array_equal(points[:, 0] == 0, np.arange(len(points)) >= rows))
        self.assertEqual(np.abs(u[rows:]).max(), 0)
        offsets = points[corners] - points[corners[:, :1]]
        cube = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
        self.assertTrue((offsets == np.array(cube)).all())
        self.assertEqual(len({tuple(lowest) for lowest in points[corners[:, 0]]}), 9 * 8 * 7)
        # The body hangs: its free end lies lowest.
        self.assertEqual(points[u[:, 2].argmin(), 0], 9)

    def test_fields_of_other_sources(self):
        self.write("deck.yaml", ELASTIC.replace("directory: elastic", "fields: [sigma]"))
        done = self.run_program("check", "deck.yaml", program=PROGRAM, expect=2)
        self.assertIn("there is no field sigma", done.stderr)


class Restart(SparseCase):
    """From a checkpoint of the middle, on another layout."""

    def check(self, deck, directory, every, *more):
        self.run_deck(deck, "--set", f"checkpoint.every={every}", "--set", "checkpoint.keep=100", *more)
        saved = [name for name in self.names(directory) if name.startswith("checkpoint_")]
        self.assertGreaterEqual(len(saved), 2)
        for name, ranks, devices in ((saved[0], 3, "omp"), (saved[-1], 2, "emulated-lazy")):
            self.run_program("run", "deck.yaml", "--restart", f"{directory}/{name}", "--set", "output.directory=again",
                             "--set", f"run.devices={devices}", *more, ranks=ranks, program=PROGRAM)
            self.assertEqual(self.bits("again"), self.bits(directory), name)

    def test_methods(self):
        self.check(BOX, "box", 20)
        self.check(FLAT, "flat", 30)
        self.check(FLAT, "flat", 30, "--set", "sparse.solver.method=bicgstab")

    def test_a_sequence_whose_matrix_changes(self):
        deck = BOX.replace("k: 1 + x*y", "k: 1 + t + x*y").replace("output:", "  sequence: {solves: 3, step: 0.5}\noutput:")
        self.check(deck, "box", 35)

    def test_null_space(self):
        self.check(NEUMANN, "box", 20)

    def test_a_sequence_with_a_start(self):
        deck = FLAT.replace("output:", "  start: {formula: x*y}\n  sequence: {solves: 2}\noutput:")
        self.check(deck, "flat", 40)

    def test_another_problem_is_refused(self):
        self.run_deck(BOX, "--set", "checkpoint.every=20")
        for change in ("sparse.matrix.box.k=2", "sparse.preconditioner=none", "sparse.matrix.box.grid.cells=[20, 17, 19]"):
            self.run_program("run", "deck.yaml", "--restart", "auto", "--set", change, program=PROGRAM, expect=2)


class Ends(SparseCase):
    def failed(self, deck, *messages):
        done = self.run_deck(deck, ranks=2, expect=3)
        for message in messages:
            self.assertIn(message, done.stdout + done.stderr)
        return done

    def test_reasons(self):
        self.failed(BOX.replace("matrix:", "solver: {maxit: 7}\n  matrix:"), "CG did not converge after 7 iterations")
        self.failed(BOX.replace("k: 1", "reaction: -500\n      k: 1"), "not positive definite", "method gmres")
        rough = POISSON.replace("k: 1", "k: 1\n      source: 1\n      random: {kind: lognormal, decades: 6}")
        self.failed(rough.replace("matrix:", "solver: {tol: 1.0e-15, maxit: 5000}\n  matrix:"), "stagnated",
                    "and tol lies below that")

    def test_no_right_side(self):
        self.run_deck(POISSON)
        self.assertEqual(self.findings("box")["iterations"], 0)

    def test_words_for_right_sides(self):
        for rhs in ("ones", "row_sums", "{random: 3}", "{formula: x + y*z}"):
            self.run_deck(POISSON.replace("matrix:", f"rhs: {rhs}\n  matrix:"), ranks=2)
            self.assertLess(self.findings("box")["residual"], 1e-8)
        self.run_deck(POISSON.replace("matrix:", "rhs: row_sums\n  matrix:") + 'verify: {exact: "1", max_error: 1e-5}\n')

    def test_study(self):
        self.write("deck.yaml", BOX)
        self.run_program("study", "deck.yaml", "--refine", "2", program=PROGRAM)
        rows = [line.split(",") for line in (self.folder / "box_study/study.csv").read_text(encoding="utf-8").splitlines()]
        self.assertAlmostEqual(float(rows[2][rows[0].index("order of max_error.u")]), 2, delta=0.1)


# What replaces what, and part of the message; the sign § stands where the fault is reported.
FAULTS = [
    ("box:", "bx:", "did you mean 'box'?"),
    ("k: 1 + x*y + z/2\n", "\n", "sparse.matrix.box.k: missing"),
    ("matrix:\n", "matrix:\n    elastic_box: {elements: [2, 2, 2], young: 1, poisson: 0.3}\n", "several sources"),
    ("matrix:\n", "rhs: {formula: x, random: 3}\n  matrix:\n", "gives several: one of random, formula and file"),
    ("matrix:\n", "rhs: {random: 3, dataset: u}\n  matrix:\n", "`dataset` or `object` without `file`"),
    ("matrix:\n", "rhs: {file: none.mtx}\n  matrix:\n", "none.mtx: cannot be read"),
    ("matrix:\n", "start: {file: none.txt}\n  matrix:\n", "its ending is none of"),
    ("matrix:\n", "order: rcm\n  matrix:\n", "is for matrix.file"),
    ("matrix:\n", "order: hilbert\n  matrix:\n", "expected one of"),
    ("matrix:\n", "degree: 3\n  matrix:\n", "is for preconditioner chebyshev"),
    ("matrix:\n", "solver: {method: cg, restart: 5}\n  matrix:\n", "is for method gmres"),
    ("matrix:\n", "solver: {null_space: none, project_rhs: true}\n  matrix:\n", "means nothing with null_space: none"),
    ("matrix:\n", "matrix_format: {sigma: 48}\n  matrix:\n", "must be 1, 32"),
    ("matrix:\n", "matrix_format: {kind: crs, sigma: 32}\n  matrix:\n", "is for slices"),
    ("matrix:\n", "sequence: {step: 1}\n  matrix:\n", "needs sequence.solves above 1"),
    ("matrix:\n", "sequence: {start: zero}\n  matrix:\n", "needs several solves"),
    ("preconditioner: jacobi", "preconditioner: amgx", "expected one of"),
    ("max_error: 2.0e-2", "max_error: 2.0e-2, iterations: [3, 2]", "[low, high]"),
    ("max_error: 2.0e-2", "max_error: 2.0e-2, reference: {file: a.mtx}", "contradicts verify.exact"),
    ("directory: box", "directory: box, fields: [v]", "expected one of"),
]


class Decks(SparseCase):
    def check(self, deck, expect=0):
        self.write("deck.yaml", deck)
        return self.run_program("check", "deck.yaml", program=PROGRAM, expect=expect)

    def test_faults(self):
        self.check(BOX)
        for what, to, message in FAULTS:
            with self.subTest(to):
                self.assertIn(what, BOX)
                self.assertIn(message, self.check(BOX.replace(what, to, 1), 2).stderr)

    def test_what_has_no_grid(self):
        for key, message in (("images: {field: u}", "not fields on a grid"), ("fields: [k]", "there is no field k")):
            self.assertIn(message, self.check(ELASTIC.replace("directory:", f"{key}, directory:"), 2).stderr)
        self.assertIn("is for matrix.box", self.check(ELASTIC + "verify: {exact: x}\n", 2).stderr)
        self.assertIn("has no right side of its own",
                      self.check("problem: sparse\nsparse: {matrix: {file: {name: A.mtx}}}\n", 2).stderr
                      if self.write_small() else "")

    def write_small(self):
        self.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        return True

    def test_the_resolved_deck_gives_the_same_result(self):
        self.run_deck(FLAT)
        self.run_program("run", "flat/deck.yaml", "--set", "output.directory=again", program=PROGRAM)
        self.assertEqual(self.bits("again"), self.bits("flat"))

    def test_small_decks_of_inputs(self):
        for name in ("default", "poisson", "hpcg", "elasticity", "from_file"):
            self.run_program("run", INPUTS / "sparse" / f"{name}.yaml", "--set", f"output.directory={name}", program=PROGRAM)

    def test_pictures_and_probes(self):
        self.run_deck(BOX.replace("directory: box", "directory: box, images: {field: u}, probes: {fields: [u], points: [[0.5, 0.5, 0.5]]}"),
                      ranks=3)
        self.assertTrue(list((self.folder / "box/images").iterdir()))


if __name__ == "__main__":
    unittest.main()
