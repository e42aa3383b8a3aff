"""Arrays in HDF5 files that are read piece by piece, when xarray asks for values. No file stays open between reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from .xdmf import Place, open_file

Key = tuple[Any, ...]  # integers and slices, one per axis


def lazy(dims: Sequence[str], array: BackendArray, attrs: dict[str, Any]) -> xr.Variable:
    """A variable whose values are those of `array`, read on demand."""
    return xr.Variable(dims, indexing.LazilyIndexedArray(array), attrs)


def _indexed(array: BackendArray, key: indexing.ExplicitIndexer) -> np.ndarray:
    if not isinstance(key, indexing.VectorizedIndexer):
        # As lists: xarray 2023.01 takes wrong places for steps below -1.
        parts = [np.arange(n)[part] if isinstance(part, slice) and (part.step or 1) < 0 else part
                 for part, n in zip(key.tuple, array.shape)]
        key = indexing.OuterIndexer(tuple(parts))
    return indexing.explicit_indexing_adapter(key, array.shape, indexing.IndexingSupport.BASIC, array.read)


def _slab(key: Any, count: int) -> tuple[int, int, Any]:
    """Rows [begin, end) that hold what `key` chooses of `count` rows, and the key within them."""
    chosen = np.arange(count)[key]
    if chosen.size == 0:
        return 0, 0, slice(0, 0)
    begin, end = int(chosen.min()), int(chosen.max()) + 1
    return begin, end, chosen - begin


def read_box(data: h5py.Dataset, shape: tuple[int, ...], key: Key) -> np.ndarray:
    """Values `key` of a dataset seen in `shape`, in which it may be stored flat: then whole rows are read."""
    if data.shape == shape:
        return data[key]
    begin, end, within = _slab(key[0], shape[0])
    width = int(np.prod(shape[1:], dtype=int)) if data.ndim == 1 else 1
    values = data[begin * width:end * width].reshape((end - begin, *shape[1:]))
    return values[(within, *key[1:])] if len(key) > 1 else values[within]


class Stack(BackendArray):
    """One field over several outputs.

    `places`: its datasets, one per output; `shape`: of one output as a whole, slowest axis first, with axes of one
    point; `kept`: which of these axes the array has. Its shape is (outputs, kept axes...).
    """

    def __init__(self, places: Sequence[Place], shape: tuple[int, ...], kept: tuple[bool, ...], dtype: np.dtype) -> None:
        self.places, self.whole, self.kept, self.dtype = list(places), shape, kept, dtype
        self.shape = (len(self.places), *(n for n, keep in zip(shape, kept) if keep))

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return _indexed(self, key)

    def read(self, key: Key) -> np.ndarray:
        inner = iter(key[1:])
        box = tuple(next(inner) if keep else 0 for keep in self.kept)
        # A flat dataset is read by rows of its first axis longer than one.
        first = next((axis for axis, n in enumerate(self.whole) if n > 1), 0)
        shape, box_in = self.whole, box

        def one(place: Place) -> np.ndarray:
            with open_file(place.file) as file:
                data = file[place.path]
                if data.shape == shape:
                    return np.asarray(data[box_in])
                return np.asarray(read_box(data, shape[first:], box_in[first:]))

        chosen = np.arange(len(self.places))[key[0]]
        if np.ndim(chosen) == 0:
            return one(self.places[int(chosen)])
        if chosen.size == 0:
            return np.empty((0, *self._lengths(key[1:])), self.dtype)
        return np.stack([one(self.places[n]) for n in chosen])

    def _lengths(self, key: Key) -> list[int]:
        return [len(range(n)[part]) for n, part in zip(self.shape[1:], key) if isinstance(part, slice)]


class Rows(BackendArray):
    """A dataset of rows, whose row numbers are those of a box of `rows` (slowest first): shape (rows..., columns...)."""

    def __init__(self, place: Place, rows: tuple[int, ...]) -> None:
        self.place, self.rows = place, rows
        with open_file(place.file) as file:
            data = file[place.path]
            self.dtype, self.columns = data.dtype, data.shape[1:]
        self.shape = (*rows, *self.columns)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return _indexed(self, key)

    def read(self, key: Key) -> np.ndarray:
        axes = len(self.rows)
        with open_file(self.place.file) as file:
            data = file[self.place.path]
            if axes == 1:
                return data[key]
            stride = int(np.prod(self.rows[1:], dtype=int))
            begin, end, within = _slab(key[0], self.rows[0])
            values = data[(slice(begin * stride, end * stride), *key[axes:])]
        values = values.reshape((end - begin, *self.rows[1:], *values.shape[1:]))
        return values[(within, *key[1:axes])]
