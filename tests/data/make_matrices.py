#!/usr/bin/env python3
"""Makes matrix.h5, a matrix as scipy and h5py write it: test_hdf5_matrix.cpp knows what is in it; and plate.mtx with
plate_load.mtx and plate_solution.mtx, for inputs/sparse/from_file.yaml: a plate in its plane, two displacements a node,
by bilinear elements on 16 x 10 squares, those along x held at the left end, those along y at the lower left corner."""

import pathlib

import h5py
import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as la

A = sp.csr_matrix(np.array([[4, -1, 0], [-1, 4, -0.5], [0, -0.5, 4]], dtype=np.float32))
with h5py.File(pathlib.Path(__file__).with_name("matrix.h5"), "w") as file:
    for name in ("indptr", "indices", "data"):
        file.create_dataset(name, data=getattr(A, name), compression="gzip")
    file.attrs["shape"] = A.shape
    file["rhs"] = np.array([1, 2, 3], dtype=np.int32)

NX, NY, NU = 16, 10, 0.3


def square():
    """Stiffness of a square of edge 1 in plane stress, E = 1, corners counterclockwise, by 2 x 2 points."""
    D = np.array([[1, NU, 0], [NU, 1, 0], [0, 0, (1 - NU) / 2]]) / (1 - NU**2)
    K = np.zeros((8, 8))
    for x in (0.5 - 3**-0.5 / 2, 0.5 + 3**-0.5 / 2):
        for y in (0.5 - 3**-0.5 / 2, 0.5 + 3**-0.5 / 2):
            gx = np.array([-(1 - y), 1 - y, y, -y])
            gy = np.array([-(1 - x), -x, x, 1 - x])
            B = np.zeros((3, 8))
            B[0, 0::2], B[1, 1::2], B[2, 0::2], B[2, 1::2] = gx, gy, gy, gx
            K += B.T @ D @ B / 4
    return K


def plate():
    node = lambda i, j: i + (NX + 1) * j
    K = sp.lil_matrix((2 * (NX + 1) * (NY + 1),) * 2)
    for j in range(NY):
        for i in range(NX):
            corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]
            dofs = [2 * n + c for n in corners for c in (0, 1)]
            K[np.ix_(dofs, dofs)] += square()
    f = np.zeros(K.shape[0])
    f[[2 * node(NX, j) + 1 for j in range(NY + 1)]] = -1e-3
    held = [2 * node(0, j) for j in range(NY + 1)] + [1]
    free = np.setdiff1d(np.arange(K.shape[0]), held)
    return sp.csc_matrix(K.tocsr()[free][:, free]), f[free]


A, f = plate()
A = (A + A.T) / 2
u = la.spsolve(A, f)
here = pathlib.Path(__file__)
scipy.io.mmwrite(here.with_name("plate.mtx"), sp.coo_matrix(A), symmetry="symmetric", precision=16,
                 comment=" a plate held at one end, by make_matrices.py")
for name, values in (("plate_load", f), ("plate_solution", u)):
    scipy.io.mmwrite(here.with_name(name + ".mtx"), values.reshape(-1, 1), precision=16)
print(A.shape, A.nnz)
