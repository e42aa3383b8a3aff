"""Files of every family, opened as xarray objects and compared with what is known without them."""

import importlib.util
import shutil
import subprocess
import sys
import unittest

from needed import need

need("numpy", "h5py", "xarray")

# pylint: disable=wrong-import-position
import numpy as np  # noqa: E402

import halocline  # noqa: E402
from runs import INPUTS, PROGRAM, RunCase  # noqa: E402

COLLOCATION = """\
problem: collocation
collocation:
  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, f: manufactured}
  mesh: {x: {from: 0, to: 2, elements: 6}, y: {from: 0, to: 1, elements: 4}}
  sides: {rest: {kind: dirichlet}}
verify: {exact: x^3 + 2*y*x^2}
output: {directory: out}
"""
SPARSE = """\
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], cells: [3, 4, 5]}
      k: 1 + x
      source: 1
      sides: {rest: {kind: dirichlet, value: 0}}
  solver: {method: cg, tol: 1e-10}
output: {directory: out}
"""
ELASTIC = """\
problem: sparse
sparse:
  matrix: {elastic_box: {elements: [4, 2, 2], young: 1, poisson: 0.3}}
  solver: {method: cg, tol: 1.0e-8}
  preconditioner: none
output: {directory: out}
"""
FRACTIONAL = """\
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [8, 8, 8]}
  equation: {order: 0.6, D: 0.1, initial: x + 2*y + 3*z}
  sides: {rest: {kind: dirichlet, value: x + 2*y + 3*z}}
  time: {end: 1, steps: 16}
output: {every: 0.25, directory: out}
"""
DIFFUSION = """\
problem: diffusion
diffusion:
  grid: {size: [1, 2], cells: [10, 20]}
  equation: {kind: diffusion, D: 0.1, initial: 1 + cos(pi*x)}
  walls: {rest: {kind: no_flux}}
  stencil: {mask: 5pt, co: 1/2}
  time: {end: 0.1}
output:
  at: [0, 0.05]
  directory: out
  probes: {every: 0.05, points: [[0.5, 1]], lines: [[0.05, 1, 0.95, 1]], samples: 10}
"""
ENSEMBLE = """\
problem: ode_ensemble
ode_ensemble:
  equations: ["u' = -k*u"]
  initial: {u: c}
  sweep:
    - {name: k, values: [2, 1, 3]}
    - {name: c, values: [1, 4]}
  solver: {method: dopri5, rtol: 1e-10, atol: 1e-12}
  phase: {length: 1}
  evaluation: interpreted
  record:
    final: [u]
    at_times: {from: 0, to: 1, points: 3, values: [u]}
    trajectory: {systems: [0, 3], every: 0.5}
run: {devices: auto}
output: {directory: out}
"""


class Families(RunCase):
    def results(self, text, ranks=1):
        self.write("deck.yaml", text)
        self.run_program("run", "deck.yaml", ranks=ranks, program=PROGRAM)
        return halocline.open(self.folder / "out")

    def test_collocation(self):
        run = self.results(COLLOCATION, ranks=2)
        u = run.fields["u"]
        self.assertEqual(u.dims, ("time", "y", "x"))
        self.assertEqual(u.attrs["units"], "1")
        # Bicubic functions hold the solution.
        exact = u.x**3 + 2 * u.y * u.x**2
        self.assertLess(float(abs(u.isel(time=0) - exact).max()), 1e-10)
        slope = run.fields["u_y"].isel(time=-1).sel(x=2, y=0.25)
        self.assertAlmostEqual(float(slope), 8, delta=1e-9)
        self.assertEqual(run.problem, "collocation")
        self.assertLess(run.findings["max_error.u"], 1e-10)

    def test_sparse_on_a_box(self):
        run = self.results(SPARSE)
        u = run.fields["u"]
        self.assertEqual(u.dims, ("time", "z", "y", "x"))
        self.assertEqual(u.shape, (1, 5, 4, 3))
        np.testing.assert_allclose(u.x, [1 / 6, 1 / 2, 5 / 6])
        history = run.series["residual_history"]
        self.assertEqual(history.dims, ("iteration",))
        self.assertLess(float(history[-1]), 1e-9)

    def test_sparse_on_a_mesh(self):
        fields = self.results(ELASTIC).fields
        u = fields["u"].isel(time=0)
        self.assertEqual(u.dims, ("point", "component"))
        self.assertEqual(fields.sizes["corner"], 8)
        corners = fields["corners"].isel(cell=5).values
        for axis in "xyz":  # a cube of the mesh
            self.assertEqual(len(set(fields[axis].values[corners])), 2)
        clamped = u.where(u.x == float(u.x.min()), drop=True)
        self.assertEqual(float(abs(clamped).max()), 0)
        self.assertLess(float(u.sel(component="z").min()), 0)
        lengths = np.linalg.norm(u, axis=-1)
        self.assertAlmostEqual(float(u.x[int(np.argmax(lengths))]), float(u.x.max()))

    def test_fractional(self):
        run = self.results(FRACTIONAL)
        c = run.fields["c"]
        np.testing.assert_allclose(c.time, [0, 0.25, 0.5, 0.75, 1])
        # A linear state stays as it is.
        self.assertLess(float(abs(c - (c.x + 2 * c.y + 3 * c.z)).max()), 1e-12)
        np.testing.assert_allclose(run.series["output_time"], c.time)
        self.assertEqual(run.series["max"].dims, ("output_time",))

    def test_diffusion_and_probes(self):
        run = self.results(DIFFUSION, ranks=2)
        c = run.fields["c"]
        self.assertEqual(c.shape, (3, 20, 10))
        exact = 1 + np.cos(np.pi * c.x) * np.exp(-0.1 * np.pi**2 * c.time)
        self.assertLess(float(abs(c - exact).max()), 1e-2)
        self.assertLess(float(abs(c.isel(time=0) - (1 + np.cos(np.pi * c.x))).max()), 1e-14)
        probes = run.probes
        np.testing.assert_allclose(probes["c_integral"], 2, rtol=1e-13)
        self.assertEqual(probes["c_points"].dims, ("time", "point"))
        self.assertEqual((float(probes.point_x[0]), float(probes.point_y[0])), (0.5, 1))
        # Samples of the line lie in the middles of cells.
        line = c.isel(y=slice(9, 11)).mean("y").sel(time=probes.time, method="nearest")
        np.testing.assert_allclose(probes["c_line_1"], line, atol=1e-14)

    def test_ensemble(self):
        run = self.results(ENSEMBLE, ranks=2)
        sweep, times = run.sweep, run.times
        u = sweep["u"]
        self.assertEqual(dict(u.sizes), {"k": 3, "c": 2})
        np.testing.assert_allclose(u.transpose("k", "c"), np.exp(-u.k) * u.c, rtol=1e-8)
        self.assertAlmostEqual(float(u.sel(k=1, c=4)), 4 / np.e, delta=1e-8)
        self.assertEqual(int(abs(sweep["status"]).max()), 0)
        exact = np.exp(-times.k * times.time) * times.c
        np.testing.assert_allclose(times["u"].transpose(*exact.dims), exact, rtol=1e-8)
        np.testing.assert_array_equal(times["u"].sel(k=3).isel(c=0, time=slice(None, None, -2)),
                                      times["u"].values[list(times.k).index(3), 0, ::-2])
        first, other = run.trajectories
        np.testing.assert_allclose(first["u"], np.exp(-2 * first.time), rtol=1e-8)
        np.testing.assert_allclose(other["u"], 4 * np.exp(-other.time), rtol=1e-8)

    def test_swept_names_that_datasets_have(self):
        self.write("deck.yaml", ENSEMBLE.replace("k", "phase").replace("name: c", "name: time").replace("u: c", "u: time"))
        self.run_program("run", "deck.yaml", program=PROGRAM)
        run = halocline.open(self.folder / "out")
        self.assertEqual(dict(run.sweep["u"].sizes), {"phase_swept": 3, "time_swept": 2})
        np.testing.assert_allclose(run.times.time, [0, 0.5, 1])
        u = run.times["u"].sel(phase_swept=3, time_swept=4)
        np.testing.assert_allclose(u, 4 * np.exp(-3 * u.time), rtol=1e-8)

    def test_directory_of_a_sweep(self):
        self.write("deck.yaml", DIFFUSION)
        self.run_program("sweep", "deck.yaml", "--over", "diffusion.equation.D=0.1,0.2", "--over",
                         "diffusion.grid.cells=[10, 20],[5, 10],[5, 20]", program=PROGRAM)
        run = halocline.open(self.folder / "out_sweep")
        seconds = run.sweep["cost_seconds"]
        self.assertEqual(dict(seconds.sizes), {"D": 2, "cells": 3})
        self.assertEqual(list(seconds.cells.values), ["[10, 20]", "[5, 10]", "[5, 20]"])
        self.assertGreater(float(seconds.sel(D=0.2, cells="[5, 10]")), 0)
        self.assertEqual([case.fields["c"].shape[1:] for case in run.cases], 2 * [(20, 10), (10, 5), (20, 5)])
        self.assertIn("cost_seconds", repr(run))
        if importlib.util.find_spec("matplotlib"):
            axes = run.plot("mass")
            # As `halocline plot` has them.
            self.assertEqual([text.get_text() for text in axes.get_yticklabels()], list(seconds.cells.values))
            self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("D", "cells"))


class Files(RunCase):
    """What does not depend on a family, with the files of one run."""

    def setUp(self):
        super().setUp()
        self.write("deck.yaml", FRACTIONAL)
        self.run_program("run", "deck.yaml", program=PROGRAM)
        self.out = self.folder / "out"

    def test_values_are_read_when_needed(self):
        fields = halocline.open(self.out).fields
        place = halocline.open(self.out).outputs[2].fields["c"][0]
        place.file.unlink()
        self.assertAlmostEqual(float(fields["c"].isel(time=1, z=1, y=2, x=3)), (3 + 4 + 3) / 8, delta=1e-12)
        with self.assertRaises(OSError):
            fields["c"].isel(time=2).load()

    def test_other_names_of_files(self):
        first = halocline.open(self.out).fields.load()
        index = self.out / "fields.xdmf"
        text = index.read_text(encoding="utf-8")
        files = [file for file in self.out.glob("fields_0*") if file.name in text]
        self.assertEqual(len(files), 5)
        for number, file in enumerate(files):
            text = text.replace(file.name, f"other{number}")
            file.rename(self.out / f"other{number}")
        index.write_text(text, encoding="utf-8")
        self.assertTrue(halocline.open(self.out).fields.equals(first))

    def test_parts_of_fields(self):
        c = halocline.open(self.out).fields["c"]
        whole = c.values
        for key in (np.s_[1], np.s_[:, 3, ::2], np.s_[::-1, 2:5, 1, ::-3], np.s_[[4, 0], [1, 2], :, 5], np.s_[2, [7, 3, 3]],
                    np.s_[1:1], np.s_[:, 4:4]):
            # xarray takes lists for each axis by itself.
            axes = key if isinstance(key, tuple) else (key,)
            expected = whole
            for axis in range(len(axes) - 1, -1, -1):
                expected = expected[(slice(None),) * axis + (axes[axis],)]
            np.testing.assert_array_equal(halocline.open(self.out).fields["c"][key], expected, str(key))

    def test_no_run(self):
        with self.assertRaisesRegex(FileNotFoundError, "holds no run"):
            halocline.open(self.folder.parent)
        with self.assertRaisesRegex(KeyError, "it has c, "):
            halocline.open(self.out)["nothing"]

    def test_damaged_files_are_named(self):
        first = halocline.open(self.out).outputs[0].fields["c"][0].file.name
        for name in ("report.json", "tables.h5", "fields.xdmf", first):
            with self.subTest(name):
                whole = (self.out / name).read_bytes()
                (self.out / name).write_bytes(whole[:300])
                with self.assertRaisesRegex((OSError, ValueError), name):
                    repr(halocline.open(self.out))
                (self.out / name).write_bytes(whole)

    def test_pictures(self):
        need("matplotlib", "PIL")
        import matplotlib.pyplot as plt
        from PIL import Image

        run = halocline.open(self.out)
        ax = run.plot(plane={"z": 0.25}, time=0.5)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("x", "y"))
        self.assertEqual(run.fields["c"].x.attrs["units"], "1")
        np.testing.assert_allclose(np.ravel(ax.collections[0].get_array()),
                                   np.ravel(run.fields["c"].sel(z=0.25, time=0.5)))
        self.assertEqual(run.plot("max").get_xlabel(), "output_time [problem time]")
        plt.close("all")
        with Image.open(run.movie(self.folder / "c.gif")) as movie:
            # The state does not change, but the title does.
            self.assertEqual(movie.n_frames, 5)

    def test_commands_of_the_page(self):
        need("matplotlib", "PIL")
        page = (INPUTS.parent / "docs/python.md").read_text(encoding="utf-8").partition("## Movies")[2]
        commands = [line[4:] for line in page.splitlines() if line.startswith("    ")]
        self.assertEqual(len(commands), 3)
        self.out.rename(self.folder / "x")
        self.out.mkdir()
        (self.folder / "x").rename(self.out / "x")
        self.run_program("run", "deck.yaml", "--overwrite", "--set", "output.directory=out/x", "--set",
                         "output.images={every: 0.25}", program=PROGRAM)
        for command in commands:
            if shutil.which(command.split()[0]):  # ffmpeg may be missing
                line = command.replace("python3", sys.executable, 1)
                subprocess.run(line, shell=True, cwd=self.folder, check=True, capture_output=True)
        self.assertTrue((self.folder / "c.gif").is_file())
        self.assertTrue((self.folder / "c.png").is_file())


if __name__ == "__main__":
    unittest.main()
