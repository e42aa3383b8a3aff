"""Reads the output of write_samples back with ParaView's own readers and compares it with the formulas.

    check_paraview.py DIRECTORY COMMAND...     runs COMMAND DIRECTORY, then reads; exit code 77 without ParaView
"""

import json
import os
import shutil
import subprocess
import sys

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    from vtkmodules.vtkIOXdmf3 import vtkXdmf3Reader
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TIMES = [0.0, 0.5, 1.5]


def nodes(first, step, count, grading=1.0):
    return first + np.concatenate([[0.0], np.cumsum(step * grading ** np.arange(count - 1))])


X, Y, Z = nodes(0.125, 0.25, 13), nodes(-1, 0.5, 9), nodes(2, 0.125, 15)
STRETCHED = nodes(0.1, 0.1, 14, 1.3)
NONE, ABOVE = np.zeros(1), np.array([0.75])
# Name: axes, kind of VTK data in the .vtkhdf file, fields: u at points, c in cells.
SAMPLES = {
    "plane": ((X, Y, NONE), "unstructured", "uc"),
    "upright_plane": ((X, NONE, Z), "unstructured", "uc"),
    "graded_plane": ((STRETCHED, Y, NONE), "unstructured", "uc"),
    "line": ((X, NONE, NONE), "unstructured", "uc"),
    "image": ((X, Y, Z), "image", "u"),
    "image_with_cells": ((X, Y, Z), "image", "uc"),
    "graded_box": ((X, STRETCHED, Z), "unstructured", "uc"),
    "cells_of_plane": ((X, Y, NONE), "image", "c"),
    "cells_of_upright_plane": ((X, ABOVE, Z), "image", "c"),
    "explicit_cells": ((X, Y, NONE), "unstructured", "c"),
    "index_of_plane": ((X, Y, NONE), "none", "uc"),
    "index_of_box": ((X, STRETCHED, Z), "none", "uc"),
}
# The reader of ParaView 5.11 does not know cell data of images, whose XDMF alone is read there.
KNOWS_CELLS_OF_IMAGES = (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()) >= (9, 3)


def formula(points, t):
    x, y, z = points.T
    return np.sin(x) + 2 * y + 3 * x * y - z * z + t


def mesh(axes):
    """All combinations of the axes' values, x fastest."""
    z, y, x = np.meshgrid(*reversed(axes), indexing="ij")
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


def middles(axis):
    return (axis[1:] + axis[:-1]) / 2 if len(axis) > 1 else axis


def thickened(axes):
    """The axes of a plane as an image, one cell thick: as the finer of its cells, about the plane."""
    half = min(axis[1] - axis[0] for axis in axes if len(axis) > 1) / 2
    return [axis if len(axis) > 1 else axis[0] + np.array([-half, half]) for axis in axes]


def compare(data, axes, t, fields, where):
    points = np.array([data.GetPoint(i) for i in range(data.GetNumberOfPoints())])
    assert points.shape == mesh(axes).shape, f"{where}: {points.shape} points"
    assert np.allclose(points, mesh(axes), rtol=0, atol=1e-12), f"{where}: points"
    if "u" in fields:
        u = vtk_to_numpy(data.GetPointData().GetArray("u"))
        assert u.dtype == np.float64 and np.allclose(u, formula(points, t), rtol=0, atol=1e-12), f"{where}: u"
    if "c" not in fields:
        return
    centers = mesh([middles(axis) for axis in axes])
    assert data.GetNumberOfCells() == len(centers), f"{where}: {data.GetNumberOfCells()} cells"
    c = vtk_to_numpy(data.GetCellData().GetArray("c"))
    assert np.allclose(c, formula(centers, t), rtol=0, atol=1e-12), f"{where}: c"
    for cell in (0, len(centers) // 2, len(centers) - 1):
        bounds = np.array(data.GetCell(cell).GetBounds()).reshape(3, 2)
        assert np.allclose(bounds.mean(axis=1), centers[cell], rtol=0, atol=1e-12), f"{where}: cell {cell}"


def leaves(data):
    """The data sets in the output of a reader, which may be a tree of them."""
    if not isinstance(data, vtkCompositeDataSet):
        return [data]
    iterator = data.NewIterator()
    found = []
    while not iterator.IsDoneWithTraversal():
        found.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return found


# As ParaView offers them: XDMF Reader, its first choice and the one of PyVista, Xdmf3 Reader S and Xdmf3 Reader T.
XDMF_READERS = ("XDMF", "Xdmf3 S", "Xdmf3 T")


def xdmf_reader(kind, path):
    reader = vtkXdmfReader() if kind == "XDMF" else vtkXdmf3Reader()
    if kind != "XDMF":
        reader.SetFileSeriesAsTime(kind == "Xdmf3 T")
    reader.SetFileName(os.path.abspath(path))
    reader.UpdateInformation()
    return reader


def check_mesh(data, corners, t, where):
    """The box of 4 x 3 x 2 unit cubes of mesh_support.hpp."""
    points = mesh([np.arange(5.0), np.arange(4.0), np.arange(3.0)])
    assert np.array_equal(vtk_to_numpy(data.GetPoints().GetData()), points), f"{where}: points"
    arrays = data.GetPointData(), data.GetCellData()
    u, v, s = (vtk_to_numpy(arrays[at].GetArray(name)) for at, name in ((0, "u"), (0, "v"), (1, "s")))
    assert np.allclose(u, formula(points, t), rtol=0, atol=1e-12), f"{where}: u"
    assert np.array_equal(v, points + t), f"{where}: v"
    cells = 24 * (6 if corners == 4 else 1)
    assert data.GetNumberOfCells() == cells, f"{where}: {data.GetNumberOfCells()} cells"
    assert np.array_equal(s, np.outer(np.arange(cells), np.arange(6))), f"{where}: s"
    volume = 0
    for cell in range(cells):
        numbers = [data.GetCell(cell).GetPointId(n) for n in range(data.GetCell(cell).GetNumberOfPoints())]
        assert len(numbers) == corners, f"{where}: {len(numbers)} corners"
        a = points[numbers]
        edges = (a[1] - a[0], a[2] - a[0], a[3] - a[0]) if corners == 4 else (a[1] - a[0], a[3] - a[0], a[4] - a[0])
        size = np.linalg.det(edges) / (6 if corners == 4 else 1)
        assert size > 0, f"{where}: cell {cell} is inside out"
        volume += size
    assert abs(volume - 24) < 1e-12, f"{where}: volume {volume}"


def check_mesh_files(directory, name, corners):
    folder = os.path.join(directory, name)
    check_series(folder, name)
    for number, t in enumerate(TIMES, 1):
        reader = vtkHDFReader()
        reader.SetFileName(os.path.join(folder, f"fields_{number:04d}.vtkhdf"))
        reader.Update()
        check_mesh(reader.GetOutputDataObject(0), corners, t, f"{name}, HDF, step {number}")
    for kind in XDMF_READERS:
        reader = xdmf_reader(kind, os.path.join(folder, "fields.xdmf"))
        for t in TIMES:
            reader.UpdateTimeStep(t)
            check_mesh(leaves(reader.GetOutputDataObject(0))[0], corners, t, f"{name}, {kind}, time {t}")


def check_cells_of_image(folder, name, axes):
    """By the definition of the format, VTKHDF 1.0, in place of a reader that knows it."""
    for number, t in enumerate(TIMES, 1):
        with h5py.File(os.path.join(folder, f"fields_{number:04d}.vtkhdf")) as file:
            image = file["VTKHDF"]
            assert bytes(image.attrs["Type"]) == b"ImageData" and list(image.attrs["Version"]) == [1, 0], name
            extent, direction = image.attrs["WholeExtent"], image.attrs["Direction"]
            assert list(extent) == [n for axis in axes for n in (0, len(axis) - 1)], f"{name}: extent {extent}"
            assert list(direction) == [1, 0, 0, 0, 1, 0, 0, 0, 1], f"{name}: direction {direction}"
            ends = zip(axes, image.attrs["Origin"], image.attrs["Spacing"])
            assert all(np.allclose(axis, origin + step * np.arange(len(axis))) for axis, origin, step in ends), name
            c = image["CellData/c"][()]
        assert c.shape == tuple(len(axis) - 1 for axis in reversed(axes)), f"{name}: shape {c.shape}"
        centers = mesh([middles(axis) for axis in axes])
        assert np.allclose(c.ravel(), formula(centers, t), rtol=0, atol=1e-12), f"{name}: c, step {number}"


def check_hdf(folder, name, axes, kind, fields):
    if kind == "image":
        axes = thickened(axes)
    if kind == "image" and "c" in fields and not KNOWS_CELLS_OF_IMAGES:
        return check_cells_of_image(folder, name, axes)
    for number, t in enumerate(TIMES, 1):
        reader = vtkHDFReader()
        path = os.path.join(folder, f"fields_{number:04d}.vtkhdf")
        assert reader.CanReadFile(path), f"{name}: no grid is found"
        reader.SetFileName(path)
        reader.Update()
        data = reader.GetOutputDataObject(0)
        assert data.IsA("vtkImageData" if kind == "image" else "vtkUnstructuredGrid"), f"{name}: {data.GetClassName()}"
        compare(data, axes, t, fields, f"{name}, HDF, step {number}")


def check_series(folder, name):
    with open(os.path.join(folder, "fields.vtkhdf.series"), encoding="utf-8") as text:
        files = json.load(text)["files"]
    wanted = [{"name": f"fields_{number:04d}.vtkhdf", "time": t} for number, t in enumerate(TIMES, 1)]
    assert files == wanted, f"{name}: series {files}"


def check_index_alone(folder, name):
    """A file whose geometry lies elsewhere is refused in order, and no series names it."""
    assert not vtkHDFReader().CanReadFile(os.path.join(folder, "fields_0001.vtkhdf")), f"{name}: a grid is found"
    assert not os.path.exists(os.path.join(folder, "fields.vtkhdf.series")), f"{name}: a series"


def check_xdmf(folder, name, axes, fields, kind):
    plane = any(len(axis) == 1 for axis in axes)
    if plane and fields == "c":
        axes = thickened(axes)
    elif plane and kind == "XDMF":
        fields = fields.replace("c", "")  # in cells of a plane that has values at points too; no family writes both
    reader = xdmf_reader(kind, os.path.join(folder, "fields.xdmf"))
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert list(times) == TIMES, f"{name}: times {times}"
    for array in ("u", "c"):
        if kind == "XDMF" and array not in fields:
            reader.SetCellArrayStatus(array, 0)
    for t in TIMES:
        reader.UpdateTimeStep(t)
        found = leaves(reader.GetOutputDataObject(0))
        assert len(found) == 1, f"{name}: {len(found)} grids"
        compare(found[0], axes, t, fields, f"{name}, {kind}, time {t}")


def main():
    directory, command = sys.argv[1], sys.argv[2:]
    shutil.rmtree(directory, ignore_errors=True)
    subprocess.run([*command, directory], check=True)
    for name, (axes, kind, fields) in SAMPLES.items():
        folder = os.path.join(directory, name)
        if kind == "none":
            check_index_alone(folder, name)
        else:
            check_hdf(folder, name, axes, kind, fields)
            check_series(folder, name)
        for reader in XDMF_READERS:
            check_xdmf(folder, name, axes, fields, reader)
        print(f"{name}: ok")
    check_mesh_files(directory, "tetrahedra", 4)
    check_mesh_files(directory, "hexahedra", 8)


if __name__ == "__main__":
    main()
