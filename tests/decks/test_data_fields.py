"""Fields from files, `data` of a family: against scipy's interpolation and the functions that files hold; equal bits."""

import math
import shutil
import unittest

from diffusion_runs import DiffusionCase
from runs import INPUTS, PROGRAM

FRAME = """\
problem: diffusion
diffusion:
  data: {{{data}}}
  grid: {{layout: fv, size: [{size}], cells: [{cells}]}}
  equation: {{kind: diffusion, D: {D}, initial: "{initial}", source: "{source}"}}
  walls: {{rest: {{kind: no_flux}}}}
  stencil: {{dt: 1e-4}}
  time: {{end: 1e-4}}
verify: {{}}
output: {{directory: out, every: 1e-4}}
"""


def deck(data, initial="a", size="2, 1", cells="12, 8", D="0", source="0*x"):
    return FRAME.format(data=data, initial=initial, size=size, cells=cells, D=D, source=source)


class Case(DiffusionCase):
    def start(self, shape, directory="out"):
        return self.field(1, directory).reshape(shape)

    def save(self, name, values):
        import numpy

        numpy.save(self.folder / name, values)

    def refuse(self, text, *parts):
        self.write("deck.yaml", text)
        said = self.run_program("check", "deck.yaml", program=PROGRAM, expect=2)
        for part in parts:
            self.assertIn(part, said.stdout + said.stderr)


def centers(n, length):
    import numpy

    return (numpy.arange(n) + 0.5) * length / n


class Against(Case):
    def interpolated(self, values, places, shape):
        """By scipy, on from the border where there are no values around."""
        import numpy
        from scipy.interpolate import RegularGridInterpolator

        points = numpy.stack(numpy.meshgrid(*shape, indexing="ij"), -1)
        return RegularGridInterpolator(places, values, bounds_error=False, fill_value=None)(points)

    def test_planes_of_every_file(self):
        """Values that differ along the axes, in both orders of NumPy, several types, text and HDF5."""
        import h5py
        import numpy

        random = numpy.random.default_rng(7)
        values = random.integers(-100, 100, (5, 7)).astype(float)  # [y][x]
        self.save("c.npy", values)
        self.save("f.npy", numpy.asfortranarray(values))
        self.save("f4.npy", values.astype(numpy.float32))
        self.save("i2.npy", values.astype(">i2"))
        numpy.savetxt(self.folder / "t.csv", values, delimiter=",")
        with h5py.File(self.folder / "h.h5", "w") as file:
            file["rock/kappa"] = values.astype(numpy.int32)
        for kind in ("cells", "nodes"):
            x, y = ((centers(7, 2), centers(5, 1)) if kind == "cells" else
                    (numpy.linspace(0, 2, 7), numpy.linspace(0, 1, 5)))
            expected = self.interpolated(values, (y, x), (centers(8, 1), centers(12, 2)))
            for file in ("c.npy", "f.npy", "f4.npy", "i2.npy", "t.csv", "h.h5, dataset: rock/kappa"):
                self.run_deck(deck(f"a: {{file: {file}, values: {kind}}}"))
                self.assertLess(abs(self.start((8, 12)) - expected).max(), 1e-12, file)

    def test_boxes(self):
        import numpy

        values = numpy.random.default_rng(8).random((4, 5, 6))  # [z][y][x]
        places = numpy.linspace(-1, 2, 4), numpy.linspace(0, 1, 5), numpy.linspace(3, 0, 6)  # x runs down
        self.save("a.npy", values)
        self.run_deck(deck("a: {file: a.npy, extent: [[3, 0], [0, 1], [-1, 2]], values: nodes}", size="2, 1, 1",
                           cells="8, 6, 5"))
        expected = self.interpolated(values[:, :, ::-1], (*places[:2], places[2][::-1]),
                                     (centers(5, 1), centers(6, 1), centers(8, 2)))
        self.assertLess(abs(self.start((5, 6, 8)) - expected).max(), 1e-14)

    def test_means_over_cells(self):
        """By the overlaps of cells, as a product of matrices; the integral stays."""
        import numpy

        def overlaps(fine, coarse):
            a, b = numpy.linspace(0, 1, fine + 1), numpy.linspace(0, 1, coarse + 1)
            low, high = numpy.maximum.outer(b[:-1], a[:-1]), numpy.minimum.outer(b[1:], a[1:])
            return numpy.maximum(high - low, 0) * coarse

        values = numpy.random.default_rng(9).random((9, 10))
        self.save("a.npy", values)
        for nx, ny in ((4, 3), (10, 9), (12, 8), (33, 27)):
            self.run_deck(deck("a: {file: a.npy, interpolation: conservative}", cells=f"{nx}, {ny}"))
            found = self.start((ny, nx))
            self.assertLess(abs(found - overlaps(9, ny) @ values @ overlaps(10, nx).T).max(), 1e-14)
            self.assertAlmostEqual(found.mean(), values.mean(), delta=1e-15)

    def test_order_of_linear_interpolation(self):
        import numpy

        exact = numpy.cos(3 * centers(12, 2))[None, :] * numpy.sin(2 * centers(8, 1))[:, None]
        errors = []
        for n in (20, 40, 80):
            x, y = numpy.linspace(0, 2, n + 1), numpy.linspace(0, 1, n + 1)
            self.save("a.npy", numpy.cos(3 * x)[None, :] * numpy.sin(2 * y)[:, None])
            self.run_deck(deck("a: {file: a.npy, values: nodes}", cells="37, 29"))
            exact = numpy.cos(3 * centers(37, 2))[None, :] * numpy.sin(2 * centers(29, 1))[:, None]
            errors.append(math.sqrt(((self.start((29, 37)) - exact)**2).mean()))
        self.assertAlmostEqual(math.log2(errors[1] / errors[2]), 2, delta=0.1)

    def test_every_formula(self):
        """D, source and walls from a file as from the formula it holds."""
        shutil.copy(INPUTS / "diffusion" / "kappa.csv", self.folder)
        data = "data: {k: {file: kappa.csv, extent: [[0, 3], [0, 1.5]], values: nodes}}"
        text = """\
problem: diffusion
diffusion:
  {names}
  {grid}
  equation: {{kind: diffusion, D: k*(1 + c^2/10), initial: k/4, source: -k*c*cos(t)}}
  walls: {{x_min: {{kind: dirichlet, value: k*(1 + t)}}, y_max: {{kind: robin, value: k, transfer: 2}}, rest: {{kind: no_flux}}}}
  stencil: {{co: 0.4}}
  time: {{end: 0.01{method}}}
output: {{directory: {directory}, every: 0.01}}
"""
        grid = "grid: {size: [2, 1], cells: [24, 16]}"
        for method in ("", ", method: rkc"):
            for names, directory in ((data, "file"), ("definitions: [k = 1 + x + 2*y]", "formula")):
                self.run_deck(text.format(names=names, grid=grid, directory=directory, method=method))
            self.assertLess(abs(self.field(2, "file") - self.field(2, "formula")).max(), 1e-13)

    def test_several_fields(self):
        shutil.copy(INPUTS / "diffusion" / "kappa.csv", self.folder)
        text = """\
problem: diffusion
diffusion:
  fields: [u, v]
  {names}
  grid: {{size: [2, 1], cells: [24, 16]}}
  equations:
    u: {{D: k, initial: k, source: k*(v - u)}}
    v: {{D: 1, initial: 0, source: u^2 - k^2*v}}
  walls: {{rest: {{kind: no_flux}}}}
  stencil: {{co: 0.4}}
  time: {{end: 0.01}}
output: {{directory: {directory}, every: 0.01}}
"""
        import h5py

        found = []
        for names, directory in (("data: {k: {file: kappa.csv, extent: [[0, 3], [0, 1.5]], values: nodes}}", "file"),
                                 ("definitions: [k = 1 + x + 2*y]", "formula")):
            self.run_deck(text.format(names=names, directory=directory))
            with h5py.File(self.folder / directory / "fields_0002.vtkhdf") as file:
                found.append(file["VTKHDF/CellData/v"][()])
        self.assertLess(abs(found[0] - found[1]).max(), 1e-13)


class Earlier(Case):
    def test_result_of_a_run(self):
        """On the same grid the values themselves, on finer ones their interpolation, at any time of the run."""
        import numpy

        first = deck("", initial="sin(x)*y").replace("  data: {}\n", "").replace("out,", "first,")
        self.run_deck(first.replace("end: 1e-4", "end: 2e-4").replace("D: 0,", "D: 1,"))
        for time, number in (("", 3), (", time: first", 1), (", time: 1e-4", 2)):
            self.run_deck(deck(f"a: {{file: first, field: c{time}}}"))
            self.assertTrue((self.start((8, 12)) == self.field(number, "first").reshape(8, 12)).all())
        self.run_deck(deck("a: {file: first/fields_0002.vtkhdf, field: c, interpolation: conservative}", cells="24, 16"))
        coarse = self.field(2, "first").reshape(8, 12)
        self.assertLess(abs(self.start((16, 24)) - numpy.kron(coarse, numpy.ones((2, 2)))).max(), 1e-15)
        self.refuse(deck("a: {file: first, field: c, time: 3e-4}"),
                    "deck.yaml:3:", "diffusion.data.a", "no result at time 0.0003; the nearest one is at 0.0002")
        self.refuse(deck("a: {file: first, field: d}"), "there is no field d; there are c")
        self.refuse(deck("a: {file: first, field: c}", size="4, 1"), "covers x = 0 to 2; the domain has 0 to 4")

    def test_points_of_a_plane(self):
        """Of collocation, whose values follow each other along y."""
        self.write("first.yaml", """\
problem: collocation
collocation:
  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, f: manufactured}
  mesh: {x: {from: 0, to: 2, elements: 6}, y: {from: 0, to: 1, elements: 4}}
  sides: {rest: {kind: dirichlet}}
output: {directory: first}
verify: {exact: (1 + x)*(2 - y)}
""")
        self.run_program("run", "first.yaml", program=PROGRAM)
        self.run_deck(deck("a: {file: first, field: u}", D="a"))
        import numpy

        exact = (1 + centers(12, 2))[None, :] * (2 - centers(8, 1))[:, None]
        self.assertLess(abs(self.start((8, 12)) - exact).max(), 1e-8)


class Strict(Case):
    def test_refusals(self):
        import numpy

        self.save("a.npy", numpy.ones((4, 5)))
        self.save("box.npy", numpy.ones((4, 4, 5)))
        values = numpy.ones((4, 5))
        values[3, 1] = math.nan
        self.save("nan.npy", values)
        refuse = lambda data, *parts, **more: self.refuse(deck(data, **more), "deck.yaml:3:", *parts)
        refuse("a: {file: none.npy}", "diffusion.data.a", "none.npy: cannot be read: No such file")
        refuse("a: {file: box.npy}", "has 3 axes, the grid of this deck 2")
        refuse("a: {file: a.npy, extent: [[0, 1.9], [0, 1]]}", "covers x = 0 to 1.9; the domain has 0 to 2")
        refuse("a: {file: a.npy, extent: [[0, 2]]}", "extent has 1 axes")
        refuse("a: {file: nan.npy}", "is not finite at x = 0.6 (number 1), y = 0.875 (number 3)")
        refuse("a: {file: a.npy, values: nodes, interpolation: conservative}", "means values of cells")
        refuse("a: {file: a.npy, values: nods}", "did you mean 'nodes'")
        for file in ("", "[]", "[a.npy, b.npy]", "{a: a.npy}", '""'):
            refuse(f"a: {{file: {file}}}", "diffusion.data.a.file: ", "expected the name of a file")
        refuse("x: {file: a.npy}", "the name 'x' is already a variable", initial="1")
        self.refuse(deck("kappa: {file: a.npy}", initial="kapa"), "did you mean 'kappa'?")
        self.write("bad.csv", "1,2\n3,x\n")
        refuse("a: {file: bad.csv}", "bad.csv:2:3: expected a number")
        # What the domain does not use may be anything.
        self.run_deck(deck("a: {file: nan.npy, extent: [[0, 2], [-2, 2]]}", cells="6, 4", size="2, 0.5"))

    def test_restart_knows_what_was_read(self):
        import numpy

        self.save("a.npy", numpy.ones((4, 5)))
        text = deck("a: {file: a.npy}", D="a").replace("end: 1e-4", "end: 1e-3") + "checkpoint: {every: 5e-4}\n"
        self.run_deck(text)
        self.save("a.npy", 2 * numpy.ones((4, 5)))
        said = self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM, expect=2)
        self.assertIn("belongs to another problem", said.stdout + said.stderr)


COLLOCATION = """\
problem: collocation
collocation:
  {names}
  equation: {{{equation}}}
  mesh: {{x: {{from: 0, to: 2, elements: {nx}}}, y: {{from: 0, to: 1, elements: {ny}}}}}
  sides: {{{sides}}}
output: {{directory: {directory}}}
verify: {{{verify}}}
"""


class Collocation(Case):
    def deck(self, names, equation, sides="rest: {kind: dirichlet}", nx=8, ny=6, directory="out", verify=""):
        return COLLOCATION.format(names=names, equation=equation, sides=sides, nx=nx, ny=ny, directory=directory,
                                  verify=verify)

    def solved(self, text, directory="out"):
        self.write("deck.yaml", text)
        self.run_program("run", "deck.yaml", "--overwrite", program=PROGRAM)
        return self.findings(directory)

    def test_every_formula(self):
        """Coefficients, f and sides from a file as from the formula it holds, also where k is differentiated."""
        import h5py

        shutil.copy(INPUTS / "diffusion" / "kappa.csv", self.folder)
        data = "data: {k: {file: kappa.csv, extent: [[0, 3], [0, 1.5]], values: nodes}}"
        sides = ("x_min: {kind: dirichlet, value: k}, x_max: {kind: robin, alpha: 1, beta: 2, value: k*y}, "
                 "y_min: {kind: neumann, value: -k}, y_max: {kind: dirichlet, value: sin(k) - sin(3) + 3, slope: cos(k)}")
        for equation in ("a: k, b: k/9, c: k + 1, d: -k, e: x, eta: -k, f: k*x", "k: k^2, d: y, f: -k"):
            found = []
            for names, directory in ((data, "file"), ("definitions: [k = 1 + x + 2*y]", "formula")):
                self.solved(self.deck(names, equation, sides, directory=directory), directory)
                with h5py.File(self.folder / directory / "fields_0001.vtkhdf") as file:
                    found.append(file["VTKHDF/PointData/u"][()])
            self.assertLess(abs(found[0] - found[1]).max(), 1e-11)

    def test_orders_where_a_raster_has_kinks(self):
        """On lines of the mesh those of the method; in the middle of elements the jumps of u_xx leave less."""
        shutil.copytree(INPUTS / "collocation", self.folder / "decks")

        def errors(n):
            settings = [part for axis in "xy" for part in ("--set", f"collocation.mesh.{axis}.elements={n}")]
            self.run_program("run", "decks/from_file.yaml", "--overwrite", "--set", "output.directory=out",
                             "--set", "verify.max_error=1", *settings, program=PROGRAM)
            return [self.findings()[f"max_error.{name}"] for name in ("u", "u_x")]

        for coarse, fine, orders in ((16, 32, (4, 4)), (17, 33, (2, 1))):
            for a, b, order in zip(errors(coarse), errors(fine), orders):
                self.assertAlmostEqual(math.log(a / b) / math.log(fine / coarse), order, delta=0.15)

    def test_order_of_what_is_interpolated(self):
        """Samples of smooth functions: order 2 of the raster, on any mesh."""
        import numpy

        plain, values = "a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, ", "rest: {kind: dirichlet, value: u0}"
        data = "definitions: [u0 = sin(2*x)*exp(y)]\n  data: {a: {file: a.npy, values: nodes}}"
        wave = lambda x, y: numpy.sin(2 * x) * numpy.exp(y)
        for function, equation, sides, exact in (
                (wave, plain + "f: -3*a", values, "u0"),
                (wave, plain + "f: -3*u0", values.replace("u0", "a"), "u0"),
                (lambda x, y: 2 + numpy.sin(x + y), "k: a, f: 2*cos(x + y)", values.replace("u0", "x + y"), "x + y")):
            errors = []
            for n in (8, 16):
                self.save("a.npy", function(numpy.linspace(0, 2, n + 1)[None, :], numpy.linspace(0, 1, n + 1)[:, None]))
                found = self.solved(self.deck(data, equation, sides, 32, 32, verify=f"exact: {exact}"))
                errors.append(found["max_error.u"])
            self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.2)

    def test_refusals(self):
        import numpy

        self.save("a.npy", numpy.ones((4, 5)))
        data = "data: {{a: {{file: a.npy{}}}}}".format
        plain = "a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, "
        values = "rest: {kind: dirichlet, value: a}"
        refuse = lambda line, *given, parts, **more: self.refuse(self.deck(*given, **more), f"deck.yaml:{line}:", *parts)
        # What depends on u and more at once; what cannot be read has no further faults.
        self.refuse(self.deck(data(""), "k: 1 + u^2, f: 0", values, verify="iterations: [3, 1]"), "deck.yaml:3:",
                    "collocation.data: belongs to equations that are linear in u", "deck.yaml:8:", "2 faults")
        self.refuse(self.deck(data(", extent: [[0, 1], [0, 1]]"), plain + "f: a", values), "deck.yaml:3:",
                    "covers x = 0 to 1; the domain has 0 to 2", "1 fault in")
        refuse(4, data(", interpolation: nearest"), "k: a, f: 0", values,
               parts=("collocation.equation.k", "has no derivative by place"))
        refuse(3, data(", interpolation: conservative"), plain + "f: a", values, parts=("collocation.data.a", "take linear"))
        refuse(8, data(""), plain + "f: manufactured", verify="exact: a*x",
               parts=("verify.exact", "for f: manufactured"))
        refuse(3, data("").replace("{a:", "{u:"), "k: u, f: 0", "rest: {kind: dirichlet, value: 1}",
               parts=("collocation.data.u", "already a variable"))
        # With f as a jump it is.
        self.solved(self.deck(data(", interpolation: nearest"), plain + "f: a", values))


class EqualBits(Case):
    def test_collocation(self):
        shutil.copytree(INPUTS / "collocation", self.folder / "decks")
        bits = []
        for ranks, more in ((1, ()), (2, ()), (3, ()), (1, ("run.per_rank=4", "run.devices=omp:2")),
                            (1, ("run.devices=emulated-lazy", "run.per_rank=2"))):
            settings = [part for one in ("output.directory=bits", *more) for part in ("--set", one)]
            self.run_program("run", "decks/from_file.yaml", "--overwrite", *settings, ranks=ranks, program=PROGRAM)
            bits.append(self.bits("bits"))
        self.assertEqual(bits, bits[:1] * len(bits))

    def test_on_any_layout(self):
        shutil.copytree(INPUTS / "diffusion", self.folder / "decks")
        bits = []
        for ranks, more in ((1, ()), (2, ()), (3, ()), (4, ()), (2, ("run.per_rank=2", "run.devices=omp:2")),
                            (1, ("run.devices=emulated",)), (2, ("run.devices=emulated-lazy", "run.per_rank=2"))):
            settings = [part for one in ("output.directory=bits", *more) for part in ("--set", one)]
            self.run_program("run", "decks/from_file.yaml", "--overwrite", *settings, ranks=ranks, program=PROGRAM)
            bits.append(self.bits("bits"))
        self.assertEqual(bits, bits[:1] * len(bits))


if __name__ == "__main__":
    unittest.main()
