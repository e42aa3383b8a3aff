"""Fields over time, as one xarray.Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from .lazy import Stack, lazy
from .xdmf import AXES, Box, Cells, Output, Place, open_file

COMPONENTS = {3: ["x", "y", "z"], 6: ["xx", "yy", "zz", "xy", "yz", "xz"]}


def text(value: Any) -> str:
    """A text attribute, which h5py gives as bytes or str."""
    return value.decode() if isinstance(value, bytes) else str(value)


def units_of(attributes: Any) -> dict[str, str]:
    """The unit of a dataset; "1" where it has no dimension."""
    return {"units": text(attributes.get("unit", "")) or "1"}


def _facts(place: Place) -> tuple[np.dtype, tuple[int, ...], dict[str, str]]:
    with open_file(place.file) as file:
        data = file[place.path]
        return data.dtype, data.shape, units_of(data.attrs)


def _length_unit(place: Place) -> str:
    with open_file(place.file) as file:
        root = file.get("VTKHDF", file)
        return text(root.attrs.get("length_unit", "")) or "1"


def _same_grid(first: Box | Cells, other: Box | Cells) -> bool:
    if isinstance(first, Box) and isinstance(other, Box):
        return all(np.array_equal(a, b) for a, b in zip(first.nodes, other.nodes))
    return first == other


def _places(outputs: Sequence[Output], name: str) -> tuple[list[Place], bool]:
    missing = next((output for output in outputs if name not in output.fields), None)
    if missing is not None:
        raise ValueError(f"field {name} is not in the output of time {missing.time}")
    return [output.fields[name][0] for output in outputs], outputs[0].fields[name][1]


def _on_box(outputs: Sequence[Output], grid: Box) -> xr.Dataset:
    """Dimensions (time, z, y, x) without axes of one value: a plane may be one cell thick in the index. Values in cells
    stand at the middles of these."""
    data: dict[str, xr.Variable] = {}
    coords: dict[str, Any] = {}
    centrings = {at_points for _, at_points in outputs[0].fields.values()}
    for name in outputs[0].fields:
        places, at_points = _places(outputs, name)
        # Names of axes are those of points unless there are cells alone.
        suffix = "_cell" if not at_points and len(centrings) > 1 else ""
        dims, shape = [], []
        for axis, nodes in zip(reversed(AXES), reversed(grid.nodes)):
            values = nodes if at_points or len(nodes) == 1 else (nodes[1:] + nodes[:-1]) / 2
            shape.append(len(values))
            if len(values) > 1:
                dims.append(axis + suffix)
                coords[axis + suffix] = xr.Variable(axis + suffix, values, {"units": _length_unit(places[0])})
        dtype, _, units = _facts(places[0])
        kept = tuple(count > 1 for count in shape)
        data[name] = lazy(["time", *dims], Stack(places, tuple(shape), kept, dtype), units)
    return xr.Dataset(data, coords)


def _on_cells(outputs: Sequence[Output], grid: Cells) -> xr.Dataset:
    """Dimensions (time, point or cell, component); coordinates x, y, z of points and the corners of cells."""
    data: dict[str, xr.Variable] = {}
    coords: dict[str, Any] = {}
    unit = "1"
    for name in outputs[0].fields:
        places, at_points = _places(outputs, name)
        dtype, shape, units = _facts(places[0])
        unit = _length_unit(places[0])
        dims = ["time", "point" if at_points else "cell"]
        if len(shape) > 1:
            names = COMPONENTS.get(shape[1], [str(n) for n in range(shape[1])])
            dims.append("component" if shape[1] == 3 else "entry")
            coords[dims[-1]] = names
        data[name] = lazy(dims, Stack(places, shape, (True,) * len(shape), dtype), units)
    points = grid.points.read()
    for n, axis in enumerate(AXES):
        coords[axis] = xr.Variable("point", points[:, n], {"units": unit})
    with open_file(grid.corners.file) as file:
        count = file["Types"].shape[0]
        width = file[grid.corners.path].size // max(count, 1)
    corners = Stack([grid.corners], (count, width), (True, True), np.dtype("int64"))
    coords["corners"] = lazy(["one", "cell", "corner"], corners, {"long_name": "points of a cell"})[0]
    return xr.Dataset(data, coords)


def fields_over_time(outputs: Sequence[Output], problem: str) -> xr.Dataset:
    """All fields of all outputs, read when their values are needed.

    ValueError where the grid or the fields differ between outputs; `Results.output` opens one of these.
    """
    if not outputs:
        return xr.Dataset()
    grid = outputs[0].grid
    for output in outputs[1:]:
        if not _same_grid(grid, output.grid):
            raise ValueError(f"the grid changes at time {output.time}; open one output with output(number)")
    data = _on_box(outputs, grid) if isinstance(grid, Box) else _on_cells(outputs, grid)
    name = "iteration" if problem in {"collocation", "sparse"} else "time"
    times = np.array([output.time for output in outputs])
    return data.assign_coords(time=xr.Variable("time", times, {"units": "1", "long_name": name}))


