"""Algebraic multigrid in whole runs of family sparse: equal bits on any layout, restart, keys, what a run tells."""

import re
import sys
import unittest

import h5py
import test_sparse
from runs import INPUTS, PROGRAM
from sparse_runs import BOX, CHANGING, ELASTIC, FLAT, MATRIX, NEUMANN, VENTRICLE, random_matrix, scipy_sparse


def with_multigrid(deck, keys="coarse_max: 100"):
    for other in ("jacobi", "l1_jacobi", "chebyshev"):
        deck = deck.replace(f"preconditioner: {other}", f"preconditioner: amg, amg: {{{keys}}}")
    if "  preconditioner" in deck:
        deck = deck.replace("amg, amg:", "amg\n  amg:")
    return deck


class EqualBits(test_sparse.EqualBits):
    LAYOUTS = [(1, "omp", 1), (1, "emulated-lazy", 4), (3, "[omp, omp:2]", 1)]
    FEW = [(1, "omp", 1), (2, "[omp, emulated]", 1)]  # for what differs little from a case on all of them

    def compare(self, deck, *more):
        super().compare(with_multigrid(deck), *more)

    def compare_few(self, deck, *more):
        self.LAYOUTS = self.FEW
        super().compare(deck, *more)

    def test_box(self):
        self.compare(BOX)

    def test_bisection(self):
        """Rows in another order, results in that of the grid."""
        import numpy as np

        self.compare(BOX.replace("matrix:", "order: bisection\n  matrix:"), "--set", "sparse.rhs={random: 3}",
                     "--set", "verify.max_error=1e9")
        self.run_deck(with_multigrid(BOX), "--set", "sparse.rhs={random: 3}", "--set", "verify.max_error=1e9")
        fields = []
        for directory in ("run0", "box"):
            with h5py.File(self.folder / directory / "fields_0001.vtkhdf") as file:
                fields.append({name: file[f"VTKHDF/CellData/{name}"][()] for name in ("f", "k", "u")})
        one, other = fields
        self.assertTrue(np.array_equal(one["f"], other["f"]))
        self.assertTrue(np.array_equal(one["k"], other["k"]))
        self.assertLess(np.abs(one["u"] - other["u"]).max(), 1e-6 * np.abs(other["u"]).max())

    def test_convection_by_gmres_and_bicgstab(self):
        self.compare(FLAT)
        self.compare_few(with_multigrid(FLAT), "--set", "sparse.solver.method=bicgstab")

    def test_ventricle(self):
        self.compare(VENTRICLE)

    def test_elasticity(self):
        self.compare(ELASTIC)

    def test_null_space(self):
        self.compare_few(with_multigrid(NEUMANN))

    def test_more_parts_than_hold_coarse_levels(self):
        """Twelve, of which eight hold the levels that are held whole."""
        self.LAYOUTS = [(1, "omp", 1), (3, "[omp, emulated-lazy, omp, omp]", 1)]
        super().compare(with_multigrid(NEUMANN, "coarse_max: 100, cycle: w"))
        super().compare(with_multigrid(ELASTIC, "type: aggregation, near_null_space: rigid_body, coarse_max: 100"))
        super().compare(CHANGING, "--set", "sparse.sequence.reuse=pattern", "--set", "sparse.sequence.solves=3")

    def test_aggregation(self):
        super().compare(with_multigrid(ELASTIC, "type: aggregation, near_null_space: rigid_body, coarse_max: 100"))
        self.compare_few(with_multigrid(BOX, "preset: memory, coarse_max: 100"))

    def test_hierarchies_that_are_refreshed(self):
        self.compare_few(CHANGING)

    def test_weights(self):
        deck = with_multigrid(BOX, "preset: robust, coarse_max: 100")
        self.run_deck(deck)
        self.run_deck(deck, "--set", "output.directory=weighted", "--set", "run.per_rank=3", "--set",
                      "run.weights=[1, 3, 2]", "--set", "run.threads=3", ranks=2)
        self.assertEqual(self.bits("weighted"), self.bits("box"))

    def test_cycles_and_smoothers(self):
        for keys in ("cycle: w", "cycle: f, sweeps: 2", "smoother: chebyshev, degree: 3", "preset: report"):
            self.compare_few(with_multigrid(BOX, keys + ", coarse_max: 100"))

    test_files = None


class Restart(test_sparse.SparseCase):
    check = test_sparse.Restart.check

    def test_methods(self):
        self.check(with_multigrid(BOX), "box", 4)
        self.check(with_multigrid(FLAT), "flat", 4)

    def test_bisection(self):
        self.check(with_multigrid(BOX.replace("matrix:", "order: bisection\n  matrix:")), "box", 4)

    def test_null_space(self):
        self.check(with_multigrid(NEUMANN), "box", 4)

    def test_sequences_whose_matrix_changes(self):
        for reuse in ("auto", "none"):
            self.check(CHANGING, "box", 30, "--set", f"sparse.sequence.reuse={reuse}")


class Reuse(test_sparse.SparseCase):
    """Of a hierarchy, while the values of the matrix change."""

    def renewals(self, deck, *more):
        done = self.run_deck(deck, *more)
        return [line.split(": ")[-1] for line in (done.stdout + done.stderr).splitlines()
                if "refreshed" in line or "anew" in line or "another" in line]

    def test_words(self):
        counts = {}
        for reuse, renewal in (("none", "set up anew"), ("pattern", "hierarchy refreshed"), ("hierarchy", None)):
            expected = [] if renewal is None else 5 * [renewal]
            self.assertEqual(self.renewals(CHANGING, "--set", f"sparse.sequence.reuse={reuse}"), expected)
            counts[reuse] = self.findings("box")["iterations"]
        self.assertLess(counts["pattern"], counts["none"] + 5)
        self.assertGreater(counts["hierarchy"], 2 * counts["pattern"])

    def test_as_iterations_tell(self):
        self.assertEqual(self.renewals(CHANGING), ["hierarchy refreshed"])

    def test_values_that_stay(self):
        deck = CHANGING.replace("- 0.6", "- 100").replace("t*x", "t*0")
        self.assertEqual(self.renewals(deck, "--set", "sparse.sequence.reuse=pattern"), [])

    def test_of_aggregates(self):
        memory = ("--set", "sparse.amg.preset=memory", "--set", "sparse.sequence.reuse=pattern")
        self.assertEqual(set(self.renewals(CHANGING, *memory)), {"hierarchy refreshed"})

    def test_a_null_space_that_comes(self):
        deck = NEUMANN.replace("k: 1", "reaction: max(0, 1 - t)\n      k: 1").replace(
            "  preconditioner: jacobi", "  sequence: {solves: 3, step: 0.5}\n  preconditioner: amg")
        self.assertEqual(self.renewals(deck), ["the matrix has another null space"])
        self.assertLess(self.findings("box")["residual"], 1e-8)


FAULTS = [
    ("preset: fast", "preset: slow", "expected one of"),
    ("preset: fast", "preset: fast, degree: 3", "is for smoother chebyshev"),
    ("preset: fast", "bound: much", "must be a positive number or none"),
    ("preset: fast", "coarse_max: 5000", "4096"),
    ("preconditioner: amg", "preconditioner: jacobi", "is for preconditioner amg"),
    ("preconditioner: amg", "sequence: {reuse: none}\n  preconditioner: amg", "needs several solves"),
    ("preset: fast", "near_null_space: rigid_body", "is for type aggregation"),
    ("preset: fast", "preset: memory, near_null_space: rigid_body", "is for matrix.elastic_box, or a matrix.file"),
    ("preset: fast", "type: aggregation, entries: 2", "is for type classical"),
    ("preset: fast", "type: aggregation, near_null_space: {file: none.mtx}", "none.mtx"),
    ("directory: box", "directory: box, every: 0.5", "counts iterations for family sparse; expected a whole number"),
    ("directory: box", "directory: box, at: [1, 2.5]", "found 2.5"),
    ("directory: box", "directory: box, images: {every: 0.5, field: u}", "found 0.5"),
    ("directory: box", "directory: box, probes: {points: [[0, 0, 0]], fields: [u, sigma]}", "there is no field sigma"),
    ("directory: box", "directory: box, images: {field: part}", "there is no field part"),
    ("max_error: 2.0e-2", "max_error: 2.0e-2, operator_complexity: [3, 2]", "[low, high]"),
]


class Multigrid(test_sparse.SparseCase):
    def test_aggregation(self):
        for deck, keys, least, most in ((NEUMANN, "preset: memory", 5, 30),
                                        (ELASTIC, "type: aggregation, near_null_space: rigid_body", 5, 30),
                                        (ELASTIC, "type: aggregation", 5, 60)):
            with self.subTest(keys):
                self.run_deck(with_multigrid(deck, keys + ", coarse_max: 100"))
                name = "box" if deck is NEUMANN else "elastic"
                self.assertGreater(self.findings(name)["iterations"], least)
                self.assertLess(self.findings(name)["iterations"], most)
                self.assertLess(self.findings(name)["operator_complexity"], 2)
                with h5py.File(self.folder / name / "tables.h5") as file:
                    entries, interpolated, stored = (file[f"series/levels_{what}"][0]
                                                     for what in ("entries", "interpolation_entries", "bytes"))
                self.assertTrue(1 <= stored / 8 / (entries + 2 * interpolated) < 1.2, (entries, interpolated, stored))

    def test_singular_components_of_few_rows(self):
        """Each is a single row on levels of the large one, where its matrix is zero."""
        import numpy as np

        sp = scipy_sparse()
        chains = [sp.diags([np.r_[1, np.full(n - 2, 2.0), 1], -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1])
                  for n in (2000, 3, 3, 3, 3, 3)]
        A = sp.block_diag(chains).tocsr()
        u = np.cos(np.arange(2015.0))
        for part in np.split(u, range(2000, 2015, 3)):
            part -= part.mean()
        self.write_system(A, A @ u + 1e-3)
        deck = with_multigrid(MATRIX, "coarse_max: 20").replace("rhs:", "solver: {method: cg, project_rhs: true}, rhs:")
        for ranks in (1, 2):
            self.run_deck(deck, ranks=ranks)
            self.assertLess(np.abs(self.columns("file") - u).max(), 1e-2)
            self.assertLess(np.abs(A @ (self.columns("file") - u)).max(), 1e-7)

    def test_memory_of_a_part_does_not_grow_with_their_number(self):
        deck = self.write("deck.yaml", with_multigrid(BOX.replace("matrix:", "order: bisection\n  matrix:")))
        found = []
        for parts, cells in ((16, "[512, 504, 500]"), (1024, "[2048, 2016, 2000]")):
            told = self.run_program("check", deck, "--ranks", parts, "--devices", "h200", "--set",
                                    f"sparse.matrix.box.grid.cells={cells}", program=PROGRAM).stdout
            found.append(float(re.search(r"memory +([0-9.]+) GB", told).group(1)))
        self.assertLess(found[1], 1.05 * found[0])

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
            for name, values in self.report("box")["series"].items():
                self.assertEqual(list(file[f"series/{name}"]), values)
            self.assertEqual(file["series/levels_longest_row"][0], 7)
            self.assertIn("levels_entries", self.report("box")["series"])
            self.assertGreater(file["series/levels_bytes"][0], 4 * file["series/levels_entries"][0])

    def test_probes_of_all_fields(self):
        """Those of the deck, not of other sources."""
        self.run_deck(with_multigrid(BOX).replace("directory: box", "directory: box, probes: {points: [[0.5, 0.5, 0.5]]}"))
        with h5py.File(self.folder / "box/tables.h5") as file:
            self.assertTrue(any("k" in name for name in file["series/probes"]))

    def test_advice(self):
        """Where cycles do badly: what would help, and what it costs."""
        deck = with_multigrid(BOX, "theta: 0.9, entries: 1, omega: 0.2")
        self.assertIn("amg.preset: robust", self.run_deck(deck).stderr)
        self.assertNotIn("amg.preset", self.run_deck(with_multigrid(BOX)).stderr)

    def test_presets(self):
        for preset, most in (("fast", 13), ("robust", 12), ("report", 13)):
            self.run_deck(with_multigrid(BOX, f"preset: {preset}"))
            self.assertLess(self.findings("box")["iterations"], most)
            deck = (self.folder / "box/deck.yaml").read_text(encoding="utf-8")
            self.assertIn("bound: " + {"fast": "1.9", "robust": "1", "report": "none"}[preset], deck.replace('"', ""))
        self.run_deck(with_multigrid(BOX, "preset: robust, omega: 0.7"))
        self.assertIn("omega: 0.7", (self.folder / "box/deck.yaml").read_text(encoding="utf-8"))

    def test_measured(self):
        """Pieces of an iteration are timed apart, and change nothing."""
        self.run_deck(with_multigrid(BOX))
        before = self.bits("box")
        self.run_deck(with_multigrid(BOX), "--set", "sparse.measure.kernels=3", ranks=2)
        self.assertEqual(self.bits("box"), before)
        found = self.findings("box")
        self.assertLess(found["us.dot"], found["us.product"] + found["us.cycle"])
        self.assertGreater(found["us.dot"], 0)
        self.assertTrue(0 < found["share_of_copy"] < 3, found)
        self.run_deck(FLAT, "--set", "sparse.measure.kernels=1")
        self.assertIn("us.preconditioner", self.findings("flat"))
        self.assertNotIn("share_of_copy", self.findings("flat"))

    def test_aquifer(self):
        self.run_program("run", INPUTS / "sparse" / "aquifer.yaml", "--set", "sparse.matrix.box.grid.cells=[64, 32, 12]", "--set",
                         "output.directory=aquifer", program=PROGRAM, ranks=2)
        self.assertTrue((self.folder / "aquifer/images/u_0001.png").exists())

    def test_decks_of_inputs(self):
        for name in ("anisotropic", "convection", "jumps", "lognormal", "neumann", "ventricle"):
            with self.subTest(name):
                self.run_program("run", INPUTS / "sparse" / f"{name}.yaml", "--set", f"output.directory={name}",
                                 program=PROGRAM)


class Files(test_sparse.SparseCase):
    """Matrices that formulas of boxes do not give."""

    def solve(self, A, f, *more):
        self.write_system(A, f)
        deck = MATRIX.replace("preconditioner: jacobi", "preconditioner: amg, amg: {coarse_max: 100}")
        return self.run_deck(deck, *more)

    def test_isolated_rows_that_are_coupled(self):
        """Rows of a mass matrix depend on nothing, and their couplings have a larger sum than the diagonal."""
        import numpy as np

        sp = scipy_sparse()
        mass = sp.diags([1 / 6, 4 / 6, 1 / 6], [-1, 0, 1], (12, 12))
        line = sp.diags([-1, 2, -1], [-1, 0, 1], (600, 600))
        A = sp.block_diag((line, sp.kron(sp.kron(mass, mass), mass)), format="csr")
        for keys in ("preset=fast", "preset=robust", "type=aggregation", "sweeps=3"):
            with self.subTest(keys):
                self.solve(A, np.ones(A.shape[0]), "--set", "sparse.amg." + keys)
                self.assertLess(self.findings("file")["iterations"], 40)

    def test_units_of_right_sides(self):
        """GMRES gives vectors of norm 1 to the cycle, whatever the right side's norm is."""
        import numpy as np

        A, counts = random_matrix(1500), set()
        f = np.random.default_rng(1).standard_normal(1500)
        for unit in (1, 1e-40, 1e100):
            self.solve(A, unit * f, "--set", "sparse.solver.method=gmres")
            counts.add(self.findings("file")["iterations"])
        self.assertEqual(len(counts), 1, counts)

    def test_diagonal_of_many_rows(self):
        """Sweeps solve it, not an inverse of all rows."""
        import numpy as np

        sp = scipy_sparse()
        A = sp.diags([0.05, 1, 0.05], [-1, 0, 1], (4000, 4000))
        done = self.solve(A, np.ones(4000))
        self.assertIn("solved by sweeps", done.stderr)
        self.assertLess(self.findings("file")["iterations"], 5)


class Reproduce(test_sparse.SparseCase):
    def test_report(self):
        """All cases of the table, on a mesh of another size and on the host."""
        done = self.run_program("reproduce", INPUTS / "sparse" / "amg_report.table", "--set", "sparse.matrix.ventricle.h=0.5",
                                "--set", "run.devices=[omp:1]", "--set", "sparse.sequence.solves=2", program=PROGRAM)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if " with " in line]
        self.assertEqual(len(rows), 26)
        for label, published, seconds, ratio, _, iterations, _ in rows:
            self.assertEqual(published == "-", label.endswith("ours"))
            self.assertGreater(float(seconds), 0)
            self.assertEqual(ratio == "-", published == "-")
            self.assertLess(float(iterations), 12 if "AMG" in label else 600)
        self.assertIn("a stand-in for the matrix", done.stdout)


class Memory(test_sparse.SparseCase):
    """The forecast is near the peak of a run, and a run that comes to the end of memory tells its levels."""

    def test_forecast(self):
        deck = INPUTS / "sparse" / "ventricle.yaml"
        forecast, peak = self.forecast(deck), self.peak(deck, "--set", "output.directory=memory")
        self.assertLess(abs(forecast / peak - 1), 0.25, f"{forecast:.3g} bytes forecast, {peak:.3g} used")

    def test_end_of_memory(self):
        """Wherever it comes: exit code 4 with the forecast, and from the first level on with the levels so far."""
        import subprocess

        told = 0
        for limit in range(340_000, 1_500_000, 15_000):
            line = ["bash", "-c", f'ulimit -v {limit}; exec "$@"', "-", PROGRAM, "run", INPUTS / "sparse" / "ventricle.yaml",
                    "--set", "sparse.matrix.ventricle.h=0.15", "--set", "output.directory=memory", "--set", "run.threads=1"]
            done = subprocess.run(line, cwd=self.folder, capture_output=True, text=True, check=False, timeout=60)
            if "unknowns of family" in done.stderr:
                break
            # Libraries end the program themselves: libgomp, and Open MPI before ours has begun.
            if "libgomp" in done.stderr or "halocline:" not in done.stderr:
                continue
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(done.stderr, r"forecast of the plan: about [0-9.]+ [MG]B of memory")
            told += "levels of multigrid so far" in done.stderr and "    0       37022 " in done.stderr
        self.assertGreater(told, 2)


if __name__ == "__main__":
    unittest.main()
