#!/usr/bin/env python3
"""Makes matrix.h5, a matrix as scipy and h5py write it: test_hdf5_matrix.cpp knows what is in it."""

import pathlib

import h5py
import numpy as np
import scipy.sparse as sp

A = sp.csr_matrix(np.array([[4, -1, 0], [-1, 4, -0.5], [0, -0.5, 4]], dtype=np.float32))
with h5py.File(pathlib.Path(__file__).with_name("matrix.h5"), "w") as file:
    for name in ("indptr", "indices", "data"):
        file.create_dataset(name, data=getattr(A, name), compression="gzip")
    file.attrs["shape"] = A.shape
    file["rhs"] = np.array([1, 2, 3], dtype=np.int32)
