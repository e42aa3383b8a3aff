"""Decks of family sparse, systems in files, and how the tests of both run them."""

import unittest

from runs import PROGRAM, RunCase

BOX = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [21, 17, 19]}
      k: 1 + x*y + z/2
      source: manufactured
      sides: {x_max: {kind: neumann}, rest: {kind: dirichlet}}
  preconditioner: jacobi
output: {directory: box}
verify: {exact: sin(pi*x)*sin(2*pi*y)*sin(pi*z) + x*y, max_error: 2.0e-2}
"""
POISSON = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [15, 16, 17]}
      k: 1
      sides: {rest: {kind: dirichlet, value: 0}}
  preconditioner: jacobi
output: {directory: box}
"""
FLAT = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1], points: [83, 57]}
      k: 1 + x
      velocity: [30*y, 0]
      source: 1
      sides: {rest: {kind: dirichlet, value: x}}
  preconditioner: jacobi
output: {directory: flat}
"""
VENTRICLE = """\
problem: sparse
sparse: {matrix: {ventricle: {h: 0.3}}, preconditioner: chebyshev, sequence: {solves: 2, step: 0.5}}
output: {directory: ventricle}
"""
NEUMANN = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [21, 17, 19]}
      k: 1 + x*y
      source: (x - 1/2)*y + z - 1/2
      sides: {rest: {kind: neumann, value: 0}}
  solver: {project_rhs: true}
  preconditioner: jacobi
output: {directory: box}
"""
CHANGING = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [21, 17, 19]}
      k: 1 + t*x + 4000*max(0, t - 0.6)*exp(-30*(x - y)^2)
      source: 1
      sides: {rest: {kind: dirichlet, value: 0}}
  preconditioner: amg
  amg: {coarse_max: 100}
  sequence: {solves: 6, step: 0.25}
output: {directory: box}
"""
ELASTIC = """\
problem: sparse
sparse: {matrix: {elastic_box: {elements: [9, 8, 7], young: 1, poisson: 0.3}}, preconditioner: l1_jacobi}
output: {directory: elastic}
"""
MATRIX = """\
problem: sparse
sparse: {matrix: {file: {name: A.mtx}}, rhs: {file: f.mtx}, preconditioner: jacobi}
output: {directory: file}
"""


def scipy_sparse():
    try:
        import scipy.sparse
        import scipy.sparse.linalg
    except ImportError as error:
        raise unittest.SkipTest("scipy is missing") from error
    return scipy.sparse


def random_matrix(rows, seed=1):
    """Symmetric, positive definite, not banded."""
    sp = scipy_sparse()
    A = sp.random(rows, rows, density=4 / rows, random_state=seed)
    A = -(A + A.T)
    A = A.tolil()
    A.setdiag(0)
    return (A - sp.diags(A.sum(axis=1).A1 - 0.05)).tocsr()


class SparseCase(RunCase):
    def run_deck(self, deck, *more, ranks=1, expect=0):
        self.write("deck.yaml", deck)
        return self.run_program("run", "deck.yaml", "--overwrite", *more, ranks=ranks, program=PROGRAM, expect=expect)

    def findings(self, directory):
        return {finding["name"]: finding["value"] for finding in self.report(directory)["findings"]}

    def columns(self, directory, name="u"):
        import h5py

        with h5py.File(self.folder / directory / "tables.h5") as file:
            return file[f"columns/{name}"][()]

    def write_system(self, A, f):
        import scipy.io

        scipy.io.mmwrite(self.folder / "A.mtx", A, precision=17)
        scipy.io.mmwrite(self.folder / "f.mtx", f.reshape(len(f), -1), precision=17)
