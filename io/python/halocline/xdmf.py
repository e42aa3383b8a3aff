"""The index of a run's fields, `fields.xdmf`: which outputs there are, on which grid, and where their values lie.

It describes every kind of grid that halocline writes and names the files itself, so nothing here depends on their names.
"""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

AXES = ("x", "y", "z")


@contextlib.contextmanager
def open_file(path: Path) -> Iterator[h5py.File]:
    """An HDF5 file for reading; faults name it, which those of the library do not always."""
    try:
        file = h5py.File(path, "r")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise OSError(f"{path}: {error}") from error
    with file:
        yield file


@dataclass(frozen=True)
class Place:
    """A dataset in an HDF5 file."""

    file: Path
    path: str

    def read(self) -> np.ndarray:
        """All of its values, in the shape of the file."""
        with open_file(self.file) as file:
            return file[self.path][()]


@dataclass(frozen=True)
class Box:
    """A grid of points, a tensor product. `nodes`: coordinates along x, y and z; one alone where an axis is missing."""

    nodes: tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cells:
    """A mesh. `points`: (points, 3) coordinates; `corners`: (cells, 4 or 8) numbers of points, in VTK's order."""

    points: Place
    corners: Place


@dataclass
class Output:
    """The fields of one time. `fields`: place and True for values at points, False for values in cells, by name."""

    time: float
    grid: Box | Cells
    fields: dict[str, tuple[Place, bool]] = field(default_factory=dict)


def _numbers(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=float)


class _Reader:
    """Reads the elements of one index; files that several outputs share are read once."""

    def __init__(self, index: Path) -> None:
        self.index = index
        self.nodes: dict[Place, np.ndarray] = {}

    def place(self, item: ElementTree.Element) -> Place:
        if item.get("Format") != "HDF":
            raise ValueError(f"{self.index}: values of the format {item.get('Format')} where HDF was expected")
        file, _, path = (item.text or "").strip().rpartition(":")
        return Place(self.index.parent / file, path)

    def values(self, item: ElementTree.Element) -> np.ndarray:
        """Coordinates in the index itself or in a file."""
        if item.get("Format") == "XML":
            return _numbers(item.text or "")
        place = self.place(item)
        if place not in self.nodes:
            self.nodes[place] = place.read()
        return self.nodes[place]

    def grid(self, element: ElementTree.Element) -> Box | Cells:
        topology, geometry = element.find("Topology"), element.find("Geometry")
        if topology is None or geometry is None:
            raise ValueError(f"{self.index}: an output without its grid")
        items, kind = geometry.findall("DataItem"), geometry.get("GeometryType")
        if kind == "ORIGIN_DXDYDZ":  # in the order z, y, x, as the numbers of points
            points = _numbers(topology.get("Dimensions", "")).astype(int)
            origin, step = (self.values(item) for item in items)
            z, y, x = (first + width * np.arange(n) for first, width, n in zip(origin, step, points))
            return Box((x, y, z))
        if kind == "VXVYVZ":
            x, y, z = (self.values(item) for item in items)
            return Box((x, y, z))
        corners = topology.find("DataItem")
        if kind != "XYZ" or corners is None:
            raise ValueError(f"{self.index}: a grid of the kind {kind} is unknown")
        return Cells(self.place(items[0]), self.place(corners))

    def output(self, element: ElementTree.Element) -> Output:
        time = element.find("Time")
        found = Output(float(time.get("Value", "nan")) if time is not None else np.nan, self.grid(element))
        for attribute in element.findall("Attribute"):
            item = attribute.find("DataItem")
            if item is not None:
                found.fields[attribute.get("Name", "")] = (self.place(item), attribute.get("Center") == "Node")
        return found


def outputs(index: Path) -> list[Output]:
    """All outputs in the index, in the order of time; none where there is no index."""
    if not index.exists():
        return []
    reader = _Reader(index)
    try:
        root = ElementTree.parse(index).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{index} is damaged: {error}") from error
    return [reader.output(grid) for grid in root.iter("Grid") if grid.get("GridType") == "Uniform"]
