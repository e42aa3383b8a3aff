"""Matrices from files: formats, right sides, what is refused, what is unusual and solved; scipy makes them."""

import unittest

from runs import INPUTS, PROGRAM
from sparse_runs import MATRIX, SparseCase, random_matrix, scipy_sparse


def setUpModule():
    scipy_sparse()  # skips all of them where it is missing


class Files(SparseCase):
    def test_three_formats_give_the_same(self):
        import h5py
        import numpy as np

        A = random_matrix(1500)
        u = np.cos(np.arange(1500.0))
        f = A @ u
        self.write_system(A, f)
        self.run_deck(MATRIX + "verify: {unknowns: 1500, residual: 1e-8}\n", ranks=2)
        self.assertLess(np.abs(self.columns("file") - scipy_sparse().linalg.spsolve(A.tocsc(), f)).max(), 1e-6)
        with h5py.File(self.folder / "A.h5", "w") as file:
            for name in ("indptr", "indices", "data"):
                file[f"deep/A/{name}"] = getattr(A, name)
            file["deep/A"].attrs["shape"] = A.shape
            file["f"] = f
        big = lambda values, kind: np.asarray(values).astype(kind).tobytes()
        header = big([1211216, 1500, 1500, A.nnz], ">i4") + big(np.diff(A.indptr), ">i4") + big(A.indices, ">i4")
        vector = big([1211214, 1500], ">i4") + big(f, ">f8")
        (self.folder / "A.petsc").write_bytes(vector + header + big(A.data, ">f8") + vector)
        for name, matrix, rhs in (("h5", "{name: A.h5, group: deep/A}", "{file: A.h5, dataset: f}"),
                                  ("petsc", "{name: A.petsc, object: 2}", "{file: A.petsc, object: 3}")):
            keys = f"matrix: {{file: {matrix}}}, rhs: {rhs}, preconditioner: jacobi"
            deck = f"problem: sparse\nsparse: {{{keys}}}\noutput: {{directory: {name}}}\n"
            self.run_deck(deck, ranks=2)
            self.assertTrue((self.columns(name) == self.columns("file")).all())

    def test_documentation(self):
        """What docs/sparse.md says of scipy does so."""
        import os

        import numpy as np
        text = (INPUTS.parent / "docs" / "sparse.md").read_text(encoding="utf-8")
        text = text[text.index("### From scipy and back"):]
        write, deck, read = (block.split("\n", 1)[1] for block in text.split("```")[1:6:2])
        A = random_matrix(900)
        known = {"A": A, "f": A @ np.cos(np.arange(900.0))}
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        exec(write, known)
        self.write("matrix.yaml", deck)
        self.run_program("run", "matrix.yaml", program=PROGRAM)
        exec(read, known)
        self.assertLess(np.abs(known["u"] - np.cos(np.arange(900.0))).max(), 1e-5)

    def test_several_right_sides_and_a_start(self):
        import numpy as np

        A = random_matrix(1100)
        u = np.column_stack([np.ones(1100), np.cos(np.arange(1100.0))])
        self.write_system(A, A @ u)
        self.run_deck(MATRIX)
        self.assertLess(np.abs(self.columns("file") - u).max(), 1e-5)
        self.write_system(A, A @ np.ones(1100))
        self.run_deck(MATRIX)
        iterations = self.findings("file")["iterations"]
        again = MATRIX.replace("rhs: {file: f.mtx}", "rhs: row_sums, start: {file: file/tables.h5, dataset: columns/u}")
        self.run_deck(again.replace("directory: file", "directory: again"), "--set", "sparse.solver.tol=1e-7")
        self.assertEqual(self.findings("again")["iterations"], 0)
        self.assertGreater(iterations, 5)

    def test_cuthill_mckee(self):
        """Rows are renumbered, and nobody sees it."""
        import numpy as np

        A, u = self.singular(1, 2100)
        A = A + scipy_sparse().diags(0.01 + np.arange(2100) % 2)
        self.write_system(A, A @ u)
        bits = []
        for layout in (1, 3):
            self.run_deck(MATRIX.replace("rhs:", "order: rcm, rhs:"), "--set", f"run.per_rank={4 - layout}", ranks=layout)
            bits.append(self.bits("file"))
            self.assertLess(np.abs(self.columns("file") - u).max(), 1e-6)
            self.assertLess(np.abs(self.columns("file", "f") - A @ u).max(), 1e-12)
        self.assertEqual(bits[0], bits[1])
        start = "rhs: {file: f.mtx}, start: {file: file/tables.h5, dataset: columns/u}, order: rcm"
        reference = "verify: {reference: {file: file/tables.h5, dataset: columns/u}, max_error: 1e-12}\n"
        again = MATRIX.replace("rhs: {file: f.mtx}", start).replace("directory: file", "directory: again") + reference
        self.run_deck(again, "--set", "sparse.solver.tol=1e-7")
        self.assertEqual(self.findings("again")["iterations"], 0)
        random = MATRIX.replace("{file: f.mtx}", "{random: 3}")
        self.run_deck(random)
        natural = self.columns("file", "f")
        for order in ("rcm", "bisection"):
            self.run_deck(random.replace("rhs:", f"order: {order}, rhs:"), ranks=2)
            self.assertTrue((self.columns("file", "f") == natural).all())
            self.assertLess(np.abs(A @ self.columns("file") - natural).max(), 1e-6)
        A = A.tolil()
        A[700, 700] = 0
        self.refused(A, "with a zero there, one is row 700", MATRIX.replace("rhs:", "order: rcm, rhs:"))

    def system_of_two(self, rows=1200, coupling=0.9):
        """Two unknowns a node, coupled by more than neighbors are."""
        import numpy as np

        sp = scipy_sparse()
        A = sp.kron(random_matrix(rows), [[1, coupling], [coupling, 1]]) + 0.01 * sp.identity(2 * rows)
        return A.tocsr(), np.arange(2 * rows) % 2

    def test_components(self):
        import numpy as np
        import scipy.io

        A, which = self.system_of_two()
        self.write_system(A, A @ np.cos(np.arange(A.shape[0])))
        amg = MATRIX.replace("preconditioner: jacobi", "preconditioner: amg")
        by_number = amg.replace("rhs:", "components: 2, rhs:")
        by_file = amg.replace("rhs:", "components: {file: c.mtx}, rhs:")
        scipy.io.mmwrite(self.folder / "c.mtx", which.reshape(-1, 1))
        bits = []
        for deck, ranks in ((by_number, 1), (by_file, 2), (amg, 1)):
            self.run_deck(deck, ranks=ranks)
            bits.append(self.bits("file"))
        self.assertEqual(bits[0], bits[1])
        self.assertNotEqual(bits[0], bits[2])
        self.run_deck(by_file.replace("rhs:", "order: rcm, rhs:"), ranks=2)
        moved = self.bits("file")
        self.run_deck(by_number.replace("rhs:", "order: rcm, rhs:"))
        self.assertEqual(self.bits("file"), moved)

    def test_near_null_spaces(self):
        import numpy as np
        import scipy.io

        A, which = self.system_of_two()
        self.write_system(A, A @ np.cos(np.arange(A.shape[0])))
        columns = np.stack([which == 0, which == 1], axis=1).astype(float)
        scipy.io.mmwrite(self.folder / "v.mtx", columns)
        node = np.arange(A.shape[0]) // 2
        scipy.io.mmwrite(self.folder / "places.mtx", np.stack([node % 50, 0.5 * (node // 50)], axis=1).astype(float))
        amg = MATRIX.replace("preconditioner: jacobi", "components: 2, preconditioner: amg, amg: {type: aggregation}")
        by_file = amg.replace("aggregation}", "aggregation, near_null_space: {file: v.mtx}}")
        bodies = amg.replace("aggregation}", "aggregation, near_null_space: rigid_body}").replace(
            "A.mtx", "A.mtx, coordinates: {file: places.mtx}")
        self.assertIn("places", bodies)
        bits = []
        for deck, ranks in ((amg, 1), (by_file, 2), (bodies, 1), (bodies, 2)):
            self.run_deck(deck, ranks=ranks)
            bits.append(self.bits("file"))
        self.assertEqual(bits[0], bits[1])
        self.assertEqual(bits[2], bits[3])
        self.assertNotEqual(bits[0], bits[2])

    def test_components_are_suggested(self):
        import numpy as np

        A, _ = self.system_of_two(coupling=-0.9)
        self.write_system(A, A @ np.ones(A.shape[0]))
        deck = MATRIX.replace("preconditioner: jacobi", "preconditioner: amg")
        said = self.run_deck(deck, ranks=2)
        self.assertIn("the matrix looks like one of 2 unknowns a node", said.stdout + said.stderr)
        said = self.run_deck(deck.replace("rhs:", "components: 2, rhs:"))
        self.assertNotIn("looks like", said.stdout + said.stderr)

    def test_components_with_rows_missing(self):
        import numpy as np
        import scipy.io

        A, which = self.system_of_two()
        kept = np.flatnonzero(np.arange(A.shape[0]) % 7 != 3)
        A = A[kept][:, kept]
        self.write_system(A, A @ np.ones(len(kept)))
        scipy.io.mmwrite(self.folder / "c.mtx", which[kept].reshape(-1, 1))
        deck = MATRIX.replace("preconditioner: jacobi", "components: {file: c.mtx}")
        self.run_deck(deck, ranks=2)
        self.assertLess(np.abs(self.columns("file") - 1).max(), 1e-5)
        which = which[kept] + 0.0
        which[[700, 1800]] = [1.5, -1]
        scipy.io.mmwrite(self.folder / "c.mtx", which.reshape(-1, 1))
        self.assertIn("c.mtx: row 700 (counted from 0): 1.5 is no whole number", self.run_deck(deck, ranks=2, expect=2).stderr)
        for change, message in (
                ("components: 2", f"the matrix has {len(kept)} rows, which is no multiple of that"),
                ("components: {dataset: a}", "lacks `file`"),
                ("components: {file: f.mtx}, preconditioner: jacobi", "is for preconditioner amg"),
                ("components: 9", "expected one of")):
            done = self.run_deck(deck.replace("components: {file: c.mtx}", change), expect=2)
            self.assertIn(message, done.stderr)
        places = deck.replace("name: A.mtx", "name: A.mtx, coordinates: {file: places.mtx}")
        scipy.io.mmwrite(self.folder / "places.mtx", np.ones((len(kept), 4)))
        self.assertIn("places.mtx: has 4 columns; expected x and y", self.run_deck(places, expect=2).stderr)
        scipy.io.mmwrite(self.folder / "places.mtx", np.ones((len(kept) - 1, 3)))
        self.assertIn(f"places.mtx: has {len(kept) - 1} rows, the matrix", self.run_deck(places, expect=2).stderr)

    def test_reference(self):
        import numpy as np

        A = random_matrix(1500)
        self.write_system(A, A @ np.ones(1500))
        reference = "verify: {reference: {file: file/tables.h5, dataset: columns/u}, max_error: 1e-9}\n"
        self.run_deck(MATRIX, "--set", "sparse.solver.tol=1e-12")
        self.run_deck(MATRIX.replace("directory: file", "directory: again") + reference, "--set", "sparse.solver.tol=1e-12",
                      "--set", "sparse.solver.method=gmres")
        self.assertLess(self.findings("again")["max_error.u"], 1e-9)

    def test_several_right_sides(self):
        """All solutions are written, also by a run that was stopped between them."""
        import numpy as np

        A, rows = random_matrix(1100), 1100
        f = np.random.default_rng(2).standard_normal((rows, 3))
        self.write_system(A, f)
        deck = MATRIX.replace("rhs:", "order: rcm, rhs:")
        self.run_deck(deck, ranks=2)
        u = self.columns("file")
        self.assertLess(np.abs(A @ u - f).max(), 1e-6)
        self.assertEqual(np.abs(self.columns("file", "f") - f).max(), 0)
        self.assertLess(np.abs(self.columns("file", "residual") - (f - A @ u)).max(), 1e-12)
        first = self.findings("file")["iterations"]
        self.run_deck(deck, "--set", f"checkpoint.every={int(first) + 3}", "--set", "output.every=5", "--set",
                      "checkpoint.keep=100")
        saved = sorted((self.folder / "file").glob("checkpoint*"))[0]
        self.run_program("run", "deck.yaml", "--restart", saved, program=PROGRAM)
        self.assertTrue((self.columns("file") == u).all())
        self.assertEqual([name for name in self.names("file") if "unfinished" in name], [])

    def refused(self, A, message, deck=MATRIX, ranks=1):
        import numpy as np

        self.write_system(A, np.ones(A.shape[0]))
        before = self.names("file") if (self.folder / "file").exists() else []
        done = self.run_deck(deck, ranks=ranks, expect=2)
        self.assertIn(message, done.stderr)
        self.assertEqual(self.names("file") if (self.folder / "file").exists() else [], before)

    def test_refusals(self):
        import numpy as np

        sp = scipy_sparse()
        A = random_matrix(1500).tolil()
        self.refused(A[:, :1499], "is not square: 1500 x 1499")
        B = A.copy()
        B[700, 700] = 0
        self.refused(B, "1 row without a diagonal, or with a zero there, the first is row 700", ranks=2)
        B = A.copy()
        B[700, :] = 0
        B[:, 700] = 0
        self.refused(sp.csr_matrix(B), "1 row without entries, the first is row 700")
        self.refused(sp.csr_matrix(B), "row 700 (counted from 0) has no entries, but a right side",
                     MATRIX.replace("rhs:", "zero_rows: identity, rhs:"))
        B = A.copy()
        B[3, 7] = 5
        self.refused(B, "cg solves symmetric systems", MATRIX.replace("rhs:", "solver: {method: cg}, rhs:"))
        self.refused(B, "chebyshev is for symmetric", MATRIX.replace("jacobi", "chebyshev"))
        B[3, 7] = np.inf
        self.refused(B, "A.mtx:", ranks=2)

    def test_types_of_numbers(self):
        """Whole numbers with fractions, and numbers that are not real, are refused in one line."""
        import h5py

        A = random_matrix(100)
        deck = MATRIX.replace("A.mtx", "A.h5").replace("rhs: {file: f.mtx}", "rhs: ones")
        for name, change, message in (("indices", lambda x: x + 0.7, "A.h5: /indices: has floating-point numbers"),
                                      ("data", lambda x: x + 1j, "A.h5: /data: has no real numbers")):
            with h5py.File(self.folder / "A.h5", "w") as file:
                for each in ("indptr", "indices", "data"):
                    values = getattr(A, each)
                    file[each] = change(values) if each == name else values
                file.attrs["shape"] = A.shape
            self.assertIn(message, self.run_deck(deck, expect=2).stderr)
        self.write("A.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 2.5\n")
        self.assertIn("A.mtx:3: '2.5' is no whole number", self.run_deck(
            MATRIX.replace("rhs: {file: f.mtx}", "rhs: ones"), expect=2).stderr)

    def test_rows_without_entries(self):
        import numpy as np

        sp = scipy_sparse()
        A = random_matrix(1500).tolil()
        A[700, :] = 0
        A[:, 700] = 0
        f = np.ones(1500)
        f[700] = 0
        self.write_system(sp.csr_matrix(A), f)
        self.run_deck(MATRIX.replace("rhs:", "zero_rows: identity, rhs:"))
        self.assertEqual(self.columns("file")[700], 0)

    def test_a_row_that_knows_all(self):
        """And a column: the row is longer than slices are made for."""
        import numpy as np

        A = random_matrix(2100).tolil()
        A[5, :] = A[:, 5] = -0.01
        A[5, 5] = 40
        A = A.tocsr()
        A = A + scipy_sparse().identity(2100)
        u = np.cos(np.arange(2100.0))
        self.write_system(A, A @ u)
        bits = []
        for ranks in (1, 2):
            self.run_deck(MATRIX, ranks=ranks)
            self.assertLess(np.abs(self.columns("file") - u).max(), 1e-6)
            bits.append(self.bits("file"))
        self.assertEqual(bits[0], bits[1])

    def test_units(self):
        import numpy as np

        A = random_matrix(1500)
        counts = set()
        for factor in (1, 2.0**100, 2.0**-100):
            self.write_system(factor * A, A @ np.cos(np.arange(1500.0)) / factor)
            self.run_deck(MATRIX)
            counts.add(self.findings("file")["iterations"])
        self.assertEqual(len(counts), 1)

    def test_small_ones(self):
        """Fewer rows than parts, and none."""
        self.write("f.mtx", "%%MatrixMarket matrix array real general\n1 1\n3\n")
        self.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 2\n1 1 2\n")
        self.run_deck(MATRIX, "--set", "run.per_rank=2", ranks=3)
        self.assertEqual(list(self.columns("file")), [0.75])
        self.assertIn("1 entry was added to another", (self.folder / "file/run.log").read_text(encoding="utf-8"))
        self.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n")
        self.run_deck(MATRIX, expect=2)

    def test_a_right_side_with_no_number(self):
        import numpy as np

        self.write_system(random_matrix(1500), np.ones(1500))
        text = (self.folder / "f.mtx").read_text(encoding="utf-8").splitlines()
        text[-100] = "nan"
        self.write("f.mtx", "\n".join(text) + "\n")
        self.assertIn(f"f.mtx:{len(text) - 99}: ", self.run_deck(MATRIX, ranks=2, expect=2).stderr)

    def singular(self, blocks, size=400):
        """Graphs without ground, of so many components, rows in a random order; a right side, and a solution of mean zero
        on every component."""
        import numpy as np

        sp = scipy_sparse()
        parts = []
        for n in range(blocks):
            A = sp.random(size, size, density=min(1, 6 / size), random_state=n) + sp.diags([np.ones(size - 1)], [1])
            A = (-(A + A.T)).tolil()
            A.setdiag(0)
            parts.append((A - sp.diags(A.sum(axis=1).A1)).tocsr())
        u = np.cos(np.arange(float(blocks * size))).reshape(blocks, size)
        order = np.random.default_rng(1).permutation(blocks * size)
        A = sp.block_diag(parts).tocsr()[order][:, order]
        return A, (u - u.mean(axis=1, keepdims=True)).ravel()[order]

    def test_constants_on_components(self):
        import numpy as np

        for blocks in (1, 3, 11):
            A, u = self.singular(blocks)
            self.write_system(A, A @ u)
            self.run_deck(MATRIX, ranks=2 if blocks == 11 else 1)
            self.assertLess(np.abs(self.columns("file") - u).max(), 1e-6)
        words = (self.folder / "file/run.log").read_text(encoding="utf-8")
        self.assertIn("constants on 11 components of the graph are mapped to 0", words)
        self.write_system(A, A @ u + 1e-3)
        self.assertIn("there is no solution", self.run_deck(MATRIX, expect=2).stderr)
        self.run_deck(MATRIX.replace("rhs:", "solver: {project_rhs: true}, rhs:"))
        self.assertLess(np.abs(self.columns("file") - u).max(), 1e-6)

    def test_too_many_components(self):
        A, u = self.singular(257, 4)
        self.refused(A, "its graph has 257 components")

    def test_columns_whose_sums_are_not_zero(self):
        """Rows have the sum 0: what the matrix maps constants to is not what it maps nothing to."""
        import numpy as np

        A, u = self.singular(1)
        D = scipy_sparse().diags(1 + np.arange(400) % 3)
        self.write_system(D @ A, D @ A @ u)
        self.run_deck(MATRIX)
        self.assertIn("taken as it is", (self.folder / "file/run.log").read_text(encoding="utf-8"))
        found = self.columns("file")
        self.assertLess(np.abs(found - found.mean() - u + u.mean()).max(), 1e-5)

    def test_negative_diagonals(self):
        import numpy as np

        A = random_matrix(1500)
        u = np.cos(np.arange(1500.0))
        self.write_system(-A, -(A @ u))
        self.run_deck(MATRIX)
        self.assertIn("-A u = -f is solved", (self.folder / "file/run.log").read_text(encoding="utf-8"))
        self.assertLess(np.abs(self.columns("file") - u).max(), 1e-6)
        self.assertLess(np.abs(self.columns("file", "f") + A @ u).max(), 1e-12)


if __name__ == "__main__":
    unittest.main()
