"""What lies in `tables.h5`: probes, series over time or iterations, and the results of ensembles over their sweeps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr

from .fields import text, units_of
from .lazy import Rows, lazy
from .xdmf import Place, open_file


def _datasets(file: h5py.File, group: str) -> Iterator[tuple[str, h5py.Dataset]]:
    """Names and datasets right in a group; none where there is no such group."""
    for name, item in file.get(group, {}).items():
        if isinstance(item, h5py.Dataset):
            yield name, item


def _attributes(data: h5py.Dataset) -> dict[str, str]:
    found = units_of(data.attrs)
    found.update({name: text(value) for name, value in data.attrs.items() if name != "unit"})
    return found


def probes(tables: Path) -> xr.Dataset:
    """Records of `output.probes`: FIELD_min, FIELD_max, FIELD_integral over (time), FIELD_points over (time, point), and
    FIELD_line_1 over (time, line_1), with the places of points and samples as coordinates."""
    group, found = "series/probes", xr.Dataset()
    with open_file(tables) as file:
        if group not in file:
            return found
        for name, data in _datasets(file, group):
            line = re.fullmatch(r"(.*_)?(line_\d+|points)", name)
            place, attrs = Place(tables, f"{group}/{name}"), _attributes(data)
            if name == "time":
                found.coords["time"] = xr.Variable("time", data[()], attrs)
            elif line and line[1] is None:  # coordinates of its points
                dim = "point" if name == "points" else name
                for axis, values in zip("xyz", np.transpose(data[()])):
                    found.coords[f"{dim}_{axis}"] = xr.Variable(dim, values, attrs)
            elif line:
                dim = "point" if line[2] == "points" else line[2]
                # The values of one place are stored without an axis of places.
                rows = data.shape[:1] if data.ndim > 1 else (len(data), 1)
                found[name] = lazy(["time", dim], Rows(place, rows), attrs)
            else:
                found[name] = lazy(["time"], Rows(place, data.shape), attrs)
    return found


def _axis_of_series(name: str, lengths: dict[str, int]) -> str:
    """The dimension of a series: that of its times, where there are any, else what its values are counted by."""
    for times in (f"{name}_time", "output_time"):
        if times != name and lengths.get(times) == lengths[name] and not name.endswith("_time"):
            return times
    if name.endswith(("_time", "_step")):
        times = name[:-5] + "_time"
        return times if times in lengths else name + "_index"
    history = re.fullmatch(r"residual_history(.*)", name)
    if history:
        return "iteration" + history[1]
    for prefix, dim in (("levels_", "level"), ("newton_", "newton_step")):
        if name.startswith(prefix):
            return dim
    return name + "_index"


def series(tables: Path) -> xr.Dataset:
    """All series but probes: residual_history over (iteration), values of a family over their times."""
    found = xr.Dataset()
    with open_file(tables) as file:
        items = dict(_datasets(file, "series"))
        lengths = {name: len(data) for name, data in items.items()}
        for name, data in items.items():
            dim = _axis_of_series(name, lengths)
            if found.sizes.get(dim, lengths[name]) != lengths[name]:
                dim = name + "_index"
            if dim == name:
                found.coords[name] = xr.Variable(name, data[()], _attributes(data))
            else:
                found[name] = lazy([dim, *(f"{name}_{n}" for n in range(1, data.ndim))],
                                   Rows(Place(tables, f"series/{name}"), data.shape[:1]), _attributes(data))
    return found


def _order(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different values in the order of their first row, and the number of each row's value."""
    unique, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return unique[order], rank[inverse]


def _words(text_of_words: str) -> list[str]:
    """Values that are words, from a list where commas inside of brackets and quotes belong to a value."""
    found, depth, quote = [""], 0, ""
    for sign in text_of_words:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        depth += (sign in "[{(") - (sign in "]})") if not quote else 0
        if sign == "," and depth == 0 and not quote:
            found.append("")
        else:
            found[-1] += sign
    return [word.strip() for word in found]


def _own_name(name: str) -> str:
    """The name of a swept value in datasets, which have some names for themselves."""
    return f"{name}_swept" if name in {"phase", "time", "system", "status", "stiff"} or name.startswith("cost_") else name


class Sweep:
    """Rows of the tables of an ensemble, or of `halocline sweep`, and the swept values they belong to.

    `dims`, `shape`: of the rows, the swept names where the rows are all combinations of their values, else `system`;
    `coords`: swept values over these.
    """

    def __init__(self, tables: Path) -> None:
        self.tables = tables
        with open_file(tables) as file:
            swept = {_own_name(name): (data[()], _attributes(data)) for name, data in _datasets(file, "sweep")}
            count = file["status"].shape[0] if "status" in file else 0
        words = {name: _words(attrs.pop("words")) for name, (_, attrs) in swept.items() if "words" in attrs}
        axes = {name: _order(values) for name, (values, _) in swept.items()}
        # The slowest first: the one that changes in the fewest rows.
        names = sorted(axes, key=lambda name: np.count_nonzero(np.diff(axes[name][1])))
        shape = tuple(len(axes[name][0]) for name in names)
        product = bool(names) and int(np.prod(shape, dtype=float)) == count
        if product:
            numbers = np.ravel_multi_index(tuple(axes[name][1] for name in names), shape)
            product = bool(np.array_equal(numbers, np.arange(count)))
        self.coords: dict[str, xr.Variable] = {}
        if product:
            self.dims, self.shape = names, shape
            self.coords = {name: xr.Variable(name, axes[name][0], swept[name][1]) for name in names}
        else:
            self.dims, self.shape = ["system"], (count,)
            self.coords = {name: xr.Variable("system", *swept[name]) for name in names}
        for name, texts in words.items():
            numbers = self.coords[name]
            values = np.array(texts)[np.asarray(numbers.values, dtype=int)]
            self.coords[name] = xr.Variable(numbers.dims, values, numbers.attrs)

    def column(self, path: str, axis: str, single: bool = False) -> xr.Variable:
        """A dataset with a row per system; `axis`: the name of its second axis, which a `single` value lacks in the file
        and has here."""
        rows = Rows(Place(self.tables, path), (*self.shape, 1) if single else self.shape)
        with open_file(self.tables) as file:
            attrs = _attributes(file[path])
        return lazy([*self.dims, axis][:len(rows.shape)], rows, attrs)

    def results(self) -> xr.Dataset:
        """Results over the swept values (and `phase`), `status`, `cost_accepted` and its like."""
        with open_file(self.tables) as file:
            names = {f"{prefix}{name}": data.name for group, prefix in (("result", ""), ("cost", "cost_"))
                     for name, data in _datasets(file, group)}
            names.update({name: name for name in ("status", "stiff") if name in file})
        return xr.Dataset({name: self.column(path, "phase") for name, path in names.items()}, self.coords)

    def times(self) -> xr.Dataset:
        """Values at given times, over the swept values and `time`."""
        with open_file(self.tables) as file:
            items = {name: (data.name, data.ndim) for name, data in _datasets(file, "times")}
            if not items:
                return xr.Dataset()
            times = xr.Variable("time", np.atleast_1d(file["times/t"][()]), _attributes(file["times/t"]))
        found = {name: self.column(path, "time", single=axes == 1) for name, (path, axes) in items.items() if name != "t"}
        return xr.Dataset(found, {**self.coords, "time": times})


def columns(tables: Path) -> xr.Dataset:
    """Columns with one value or several per row, over (row) or (row, side)."""
    found = xr.Dataset()
    with open_file(tables) as file:
        for name, data in _datasets(file, "columns"):
            rows = Rows(Place(tables, data.name), data.shape[:1])
            found[name] = lazy(["row", "side"][:data.ndim], rows, _attributes(data))
    return found


def failed(tables: Path) -> xr.Dataset:
    """Systems that failed: number, time, phase and status over (failure); empty where none did."""
    with open_file(tables) as file:
        return xr.Dataset({name: ("failure", data[()], _attributes(data)) for name, data in _datasets(file, "failed")})


def trajectories(tables: Path) -> list[xr.Dataset]:
    """Points of the followed systems: one Dataset over `time` for each."""
    with open_file(tables) as file:
        items = dict(_datasets(file, "trajectory"))
        if "offset" not in items:
            return []
        offset = items.pop("offset")[()].astype(int)
        found: list[xr.Dataset] = []
        for begin, end in zip(offset[:-1], offset[1:]):
            points: dict[str, Any] = {name: ("time", data[begin:end], _attributes(data)) for name, data in items.items()
                                      if data.ndim == 1 and name != "t"}
            found.append(xr.Dataset(points, {"time": ("time", items["t"][begin:end], _attributes(items["t"]))}))
        return found
