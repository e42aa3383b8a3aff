"""Several fields that react, of family diffusion: against closed solutions and the same scheme in numpy; equal bits."""

import math
import unittest

from diffusion_runs import DiffusionCase
from runs import INPUTS, PROGRAM

FRAME = """\
problem: diffusion
diffusion:
  fields: [{names}]
  grid: {{layout: fv, size: [{size}], cells: [{cells}]}}
  equations: {{{equations}}}
  walls: {{{walls}}}
  stencil: {{{stencil}}}
  time: {{end: {end}}}
verify: {{{verify}}}
output: {{directory: out, every: {end}}}
"""
CLOSED = "rest: {kind: no_flux}"
PERIODIC = "rest: {kind: periodic}"


def deck(equations, names="u, v", size="1, 1", cells="16, 12", walls=CLOSED, stencil="co: 0.4", end="0.01", verify=""):
    return FRAME.format(names=names, size=size, cells=cells, equations=equations, walls=walls, stencil=stencil, end=end,
                        verify=verify)


class Case(DiffusionCase):
    def field(self, name, number=2, directory="out"):
        import h5py

        with h5py.File(self.folder / directory / f"fields_{number:04d}.vtkhdf") as file:
            return file[f"VTKHDF/CellData/{name}"][()].squeeze()


def periodic(c, h):
    """The Laplacian of cells on a periodic square or box."""
    import numpy

    return sum(numpy.roll(c, way, axis) - c for axis in range(c.ndim) for way in (1, -1)) / h**2


def mirrored(c, h, beyond=None):
    """The same between walls: no flux, or the values of ghosts below and above the last axis given by beyond(c)."""
    import numpy

    padded = numpy.pad(c, 1, mode="symmetric")
    if beyond is not None:
        padded[..., 0], padded[..., -1] = (numpy.pad(side, 1, mode="symmetric") for side in beyond(c))
    inner = (slice(1, -1),) * c.ndim
    total = 0
    for axis in range(c.ndim):
        for way in (slice(0, -2), slice(2, None)):
            total = total + padded[tuple(way if a == axis else s for a, s in enumerate(inner))] - c
    return total / h**2


class Linear(Case):
    """u_t = D1 lap u - a u + b v, v_t = D2 lap v + c u - d v: a mode is multiplied by a 2 x 2 matrix."""

    D, J = (0.7, 0.2), ((-1, 2), (0.5, -3))
    EQUATIONS = "u: {{D: 0.7, source: -u + 2*v, initial: '{u}'}}, v: {{D: 0.2, source: u/2 - 3*v, initial: '{v}'}}"

    def matrix(self, eigenvalue):
        return [[self.J[i][j] - (self.D[i] * eigenvalue if i == j else 0) for j in range(2)] for i in range(2)]

    def mode(self, dimensions):
        return "cos(pi*x)*cos(2*pi*y)" + ("*cos(pi*z)" if dimensions == 3 else "")

    def box(self, dimensions, n):
        return {"size": ", ".join(["1"] * dimensions), "cells": ", ".join([str(n)] * dimensions)}

    def test_discrete_modes(self):
        """After n steps exactly the n-th power of 1 + dt (J - D symbol)."""
        import numpy

        for dimensions, walls in ((2, CLOSED), (3, CLOSED), (3, PERIODIC)):
            n, factor = 12, 2 if walls == PERIODIC else 1
            mode = self.mode(dimensions).replace("pi", f"{factor}*pi")
            self.run_deck(deck(self.EQUATIONS.format(u=f"1.5*{mode}", v=f"-0.4*{mode}"), walls=walls, stencil="dt: 1e-3",
                               end="0.05", **self.box(dimensions, n)))
            symbol = sum((2 * n * math.sin(factor * k * math.pi / (2 * n)))**2 for k in (1, 2, 1)[:dimensions])
            power = numpy.linalg.matrix_power(numpy.eye(2) + 1e-3 * numpy.array(self.matrix(symbol)), 50)
            x = (numpy.arange(n) + 0.5) / n * factor * math.pi
            shape = numpy.cos(2 * x)[:, None] * numpy.cos(x)[None, :]
            if dimensions == 3:
                shape = numpy.cos(x)[:, None, None] * shape[None]
            for name, value in zip("uv", power @ (1.5, -0.4)):
                self.assertLess(abs(self.field(name) - value * shape).max(), 1e-13)

    def error(self, dimensions, n, dt, eigenvalue):
        """Against exp(M t) of an eigenvalue of the Laplacian, by its eigenvectors."""
        import numpy

        end, start = 0.1, numpy.array((1.0, 0.5))
        values, vectors = numpy.linalg.eig(numpy.array(self.matrix(eigenvalue)))
        parts = vectors * numpy.linalg.solve(vectors, start)  # of u, v by eigenvalue
        exact = ["(" + " + ".join(f"({part:.17g})*exp({value:.17g}*t)" for part, value in zip(row, values)) + ")*"
                 + self.mode(dimensions) for row in parts]
        mode = self.mode(dimensions)
        self.run_deck(deck(self.EQUATIONS.format(u=mode, v=f"0.5*{mode}"), stencil=f"dt: {dt}", end=str(end),
                           verify=f"fields: {{u: {{exact: '{exact[0]}'}}, v: {{exact: '{exact[1]}'}}}}",
                           **self.box(dimensions, n)))
        found = self.findings()
        return max(found["max_error.u"], found["max_error.v"])

    def test_orders(self):
        """Two in space and one in time: a quarter of the error with half the spacing, where the step follows its square;
        half of it with half the step, against the mode of the grid."""
        for dimensions, (coarse, fine) in ((2, (16, 32)), (3, (12, 24))):
            exact = math.pi**2 * (5 if dimensions == 2 else 6)
            errors = [self.error(dimensions, n, 0.02 / n**2, exact) for n in (coarse, fine)]
            self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.1)
        symbol = sum((2 * 16 * math.sin(k * math.pi / 32))**2 for k in (1, 2))
        errors = [self.error(2, 16, dt, symbol) for dt in (4e-4, 2e-4)]
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 1, delta=0.02)


class Waves(Case):
    def test_fisher(self):
        """u_t = u_xx + u (1 - u), a wave in closed form with speed 5/sqrt(6) (Ablowitz and Zeppetella, 1979)."""
        exact = "1/(1 + exp((x - 5*t/sqrt(6))/sqrt(6)))^2"
        ends = ", ".join(f"x_{end}: [{{kind: dirichlet, value: '{exact}'}}]" for end in ("min", "max"))
        errors = []
        for n in (64, 128, 256):
            self.run_deck(deck(f"u: {{D: 1, source: u*(1 - u), initial: '{exact.replace('5*t', '0')}', "
                               f"walls: {{{ends}, rest: {{kind: no_flux}}}}}}", names="u", size=f"64, {3 * 64 / n}",
                               cells=f"{n}, 3", stencil="co: 0.3", end="8", verify=f"fields: {{u: {{exact: '{exact}'}}}}"))
            errors.append(self.findings()["max_error.u"])
        for coarse, fine in zip(errors, errors[1:]):
            self.assertAlmostEqual(math.log2(coarse / fine), 2, delta=0.15)
        row = self.field("u")[1]
        place = next(i + (row[i] - 0.25) / (row[i] - row[i + 1]) for i in range(255) if row[i + 1] < 0.25) + 0.5
        self.assertAlmostEqual(place * 64 / 256 / 8, 5 / math.sqrt(6), delta=6e-3)  # where it is 1/4, which began at 0


class Reference(Case):
    """The same scheme in numpy."""

    def test_gray_scott(self):
        """The deck of inputs/, and its limits."""
        import numpy

        h, (x, y) = 0.01, numpy.meshgrid((numpy.arange(128) + 0.5) / 100, (numpy.arange(128) + 0.5) / 100)
        patch = numpy.exp(-((x - 0.5)**2 + (y - 0.6)**2) / 0.005) + numpy.exp(-((x - 0.8)**2 + (y - 0.7)**2) / 0.01)
        u, v = 1 - patch / 2, patch / 4
        for step in range(2000):
            if step == 200:
                early = u, v
            eaten = u * v * v
            u, v = (u + 2e-5 * periodic(u, h) + 0.037 * (1 - u) - eaten, v + 1e-5 * periodic(v, h) + eaten - 0.097 * v)
        done = [self.run_program("run", INPUTS / "diffusion/gray_scott.yaml", "--set", f"output.directory={name}", *more,
                                 program=PROGRAM, ranks=ranks)
                for name, ranks, more in (("early", 1, ("--set", "diffusion.time.end=200", "--set", "verify={}")),
                                          ("out", 2, ()))]
        self.assertIn("mass.v", done[1].stdout)
        for name, expected in zip("uv", early):
            self.assertLess(abs(self.field(name, 2, "early") - expected).max(), 1e-12)
        found = self.findings()
        for name, expected in (("u", u), ("v", v)):
            self.assertLess(abs(self.field(name, 5) - expected).max(), 1e-9)
            self.assertAlmostEqual(found[f"mass.{name}"], expected.sum() * h**2, delta=1e-10)
            self.assertAlmostEqual(found[f"min.{name}"], expected.min(), delta=1e-10)
            self.assertAlmostEqual(found[f"max.{name}"], expected.max(), delta=1e-10)

    def test_fitzhugh_nagumo(self):
        """In three dimensions, with walls of its own for each field, and a source of place and time."""
        import numpy

        h, dt, n = 0.5, 0.02, (6, 7, 9)
        z, y, x = ((numpy.arange(count) + 0.5) * h for count in n)
        z, y, x = z[:, None, None], y[None, :, None], x[None, None, :]
        u, v = 0 * x + 0 * y + 0 * z, -0.5 + 0.1 * x * y * z
        for step in range(100):
            drive = 0.3 * numpy.sin(3 * step * dt) * x
            of_u = mirrored(u, h, lambda c: (2 * 1.5 - c[..., 0], c[..., -1] + h * 0.3))
            u, v = (u + dt * (of_u + u - u**3 - v + drive), v + dt * (0.05 * mirrored(v, h) + 0.08 * (u + 0.7 - 0.8 * v)))
        self.run_deck(deck("u: {D: 1, source: 'u - u^3 - v + 0.3*sin(3*t)*x', initial: 0, walls: {x_min: "
                           "[{kind: dirichlet, value: 1.5}], x_max: [{kind: neumann, value: 0.3}], rest: {kind: no_flux}}}, "
                           "v: {D: 0.05, source: '0.08*(u + 0.7 - 0.8*v)', initial: '-0.5 + 0.1*x*y*z'}",
                           size="4.5, 3.5, 3", cells="9, 7, 6", stencil=f"dt: {dt}", end="2"))
        for name, expected in (("u", u), ("v", v)):
            self.assertLess(abs(self.field(name) - expected).max(), 1e-12)

    def test_one_field_is_that_field(self):
        """The bits of `equation`, with D a number and by formula, and walls of every kind."""
        walls = ("x_min: [{kind: dirichlet, value: 'y + t'}], x_max: [{kind: robin, value: 1, transfer: 2}], "
                 "y_min: [{kind: neumann, value: 'x'}], rest: {kind: no_flux}")
        for D, cells, size in (("0.7", "16, 12", "1, 1"), ("'0.5 + x*y + t'", "16, 12", "1, 1"),
                               ("'0.5 + x*y*z'", "9, 8, 7", "1, 1, 1")):
            mean = "face_mean: arithmetic, " if "x" in D else ""
            more = f"D: {D}, {mean}source: 'c*(1 - c) + x', initial: 'x*y'"
            self.run_deck(deck(f"c: {{{more}}}", names="c", walls=walls, cells=cells, size=size))
            several = self.field("c")
            text = deck("", names="", walls=walls, cells=cells, size=size).replace("  fields: []\n", "")
            self.run_deck(text.replace("equations: {}", f"equation: {{kind: diffusion, {more}}}"))
            self.assertTrue((several == self.field("c")).all())


class EqualBits(Case):
    CASES = {
        "periodic": deck("u: {D: 1, source: '-u*v^2 + 0.1*(1 - u)', initial: 'cos(2*pi*x)', unit: mol/m^3}, "
                         "v: {D: 0.5, source: 'u*v^2 - 0.2*v', initial: 'sin(2*pi*(x + y))'}, "
                         "w: {D: 0, source: 'u + v*x', initial: 0}", names="u, v, w", cells="20, 17", walls=PERIODIC),
        "walls": deck("u: {D: '1 + x*y + t', source: 'exp(-v)*u', initial: 'cos(pi*x)'}, "
                      "v: {D: 0.5, source: 'u^2 - 3*v^3', initial: '5*x*y*z', walls: {x_min: "
                      "[{kind: dirichlet, value: 't*y'}], z_max: [{kind: robin, value: 1, transfer: 3}], "
                      "rest: {kind: no_flux}}}", cells="9, 8, 13", size="1, 1, 1", stencil="co: 0.5", end="0.02"),
        # Steps that are shortened on the way.
        "shortened": deck("u: {D: 1, source: '-40*v*u', initial: 1}, v: {D: 1, source: '30*v', initial: '1 + x'}",
                          stencil="co: 0.9", end="0.2"),
    }

    def test_on_any_layout_and_after_a_restart(self):
        for name, text in self.CASES.items():
            with self.subTest(name):
                self.run_deck(text, "--set", "run.devices=omp:1")
                expected = self.bits("out")
                for ranks, devices, per_rank in ((2, "omp:1", 1), (1, "omp:2", 1), (3, "omp:1", 1), (4, "omp:1", 1),
                                                 (1, "emulated", 3), (2, "emulated-lazy", 2)):
                    self.run_deck(text, "--set", f"run.devices={devices}", "--set", f"run.per_rank={per_rank}",
                                  ranks=ranks)
                    self.assertEqual(self.bits("out"), expected, f"{ranks} x {per_rank} {devices}")
                self.run_deck(text, "--set", "run.wall_limit=1e-9", "--set", "run.per_rank=2", ranks=2)
                self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM)
                self.assertEqual(self.bits("out"), expected, "restarted")

    def test_a_restart_is_of_the_same_fields(self):
        self.run_deck(self.CASES["periodic"], "--set", "run.wall_limit=1e-9")
        done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", "diffusion.equations.v.D=0.4",
                                program=PROGRAM, expect=2)
        self.assertIn("belongs to another problem", done.stderr)


class Limit(Case):
    def test_rate_of_two_fields(self):
        """The fastest decay of the coupled system sets the limit, whatever the units of the fields."""
        import numpy

        symbol = 4 * 16**2 + 4 * 12**2
        for scale in (1, 1e6):
            text = deck(f"u: {{D: 1, source: '-3*u + {2 * scale}*v', initial: 0}}, "
                        f"v: {{D: 0.5, source: '{5 / scale}*u - 400*v', initial: 0}}", stencil="dt: 1", end="1")
            told = self.run_deck(text, expect=2).stderr
            fastest = max(numpy.linalg.eigvals([[symbol + 3, 2], [5, symbol / 2 + 400]]).real)
            self.assertIn(f"limit of stability {2 / fastest:.5g}"[:-1], told)

    def test_steps_are_shortened_or_the_run_ends(self):
        text = EqualBits.CASES["shortened"]
        done = self.run_deck(text)
        self.assertIn("D of u is up to 1, D of v is up to 1", done.stderr)
        self.assertGreater(self.findings()["steps"], 0.2 / (0.9 / (4 * 16**2)))
        self.assertGreater(self.findings()["min.u"], -1e-9)
        done = self.run_deck(text, "--set", "diffusion.time.on_limit=stop", expect=3, ranks=2)
        self.assertIn("below the step", done.stderr)
        self.run_deck(deck("u: {D: '1 - t', initial: 1}, v: {D: 1, initial: 1}", stencil="co: 0.5", end="2"), expect=3)


class Output(Case):
    def test_fields_have_names_and_units(self):
        import h5py

        text = EqualBits.CASES["periodic"].replace("out, ", "out, probes: {points: [[0.5, 0.5]]}, images: {field: w}, ")
        self.run_deck(text)
        with h5py.File(self.folder / "out/fields_0002.vtkhdf") as file:
            self.assertEqual(sorted(file["VTKHDF/CellData"]), ["u", "v", "w"])
        with h5py.File(self.folder / "out/tables.h5") as file:
            names = []
            file.visit(names.append)
            for name in "uvw":
                self.assertTrue(any(f"probes/{name}" in one for one in names), names)
        self.assertTrue(list((self.folder / "out/images").glob("w_*.png")))
        units = {one["name"]: one["unit"] for one in self.report("out")["findings"]}
        self.assertEqual((units["max.u"], units["mass.u"], units["max.v"]), ("mol/m^3", "mol/m^3 length^2", "1"))
        done = self.run_deck(text, "--set", "output.fields=c", expect=2)
        self.assertIn("output.fields", done.stderr)


class Faults(Case):
    GOOD = "u: {D: 1, source: -v, initial: 0}, v: {D: 1, initial: 0}"

    def check(self, text, *words):
        self.write("deck.yaml", text)
        told = self.run_program("check", "deck.yaml", program=PROGRAM, expect=2).stderr
        for word in words:
            self.assertIn(word, told)

    def test_each(self):
        for text, words in (
                (deck(self.GOOD.replace("-v", "-u"), names="u, w"), ("has no block for 'w'", "equations.v", "is none of diffusion.fields")),
                (deck(self.GOOD, names="u, v, u"), ("'u' stands for something already",)),
                (deck(self.GOOD + ", t: {D: 1, initial: 0}", names="u, v, t"), ("'t' stands for something already",)),
                (deck(self.GOOD + ", pi: {D: 1, initial: 0}", names="u, v, pi"), ("diffusion.fields: 'pi'",)),
                (deck(self.GOOD.replace("-v", "-q")), ("equations.u.source", "q")),
                (deck(self.GOOD.replace("initial: 0}, v", "initial: v}, v")), ("equations.u.initial",)),
                (deck("u: {D: -1, initial: 0}, v: {D: 'x - 1', initial: 0}"), ("equations.u.D", "equations.v.D")),
                (deck("u: {initial: 0}, v: {D: 1}"), ("equations.u.D", "equations.v.initial")),
                (deck(self.GOOD.replace("v: {D: 1,", "v: {D: 1, face_mean: arithmetic,")),
                 ("equations.v.face_mean: means nothing here: D is a number",)),
                (deck(self.GOOD, verify="max_error: 1"), ("verify.max_error", "verify.fields")),
                (deck(self.GOOD, verify="fields: {w: {mass: [0, 1]}, u: {max_error: 1, min: [2, 1]}}"),
                 ("verify.fields.w", "verify.fields.u.max_error", "verify.fields.u.min")),
                (deck(self.GOOD, stencil="mask: 9pt, co: 0.1"), ("stencil.mask",)),
                (deck(self.GOOD, stencil="co: 0.1, dt: 1"), ("diffusion.stencil",)),
                (deck(self.GOOD.replace("v: {D: 1,", "v: {D: 1, walls: {rest: {kind: periodic}},")), ("is not periodic",)),
                (deck(self.GOOD.replace("v: {D: 1,", "v: {D: 1, walls: {rest: {kind: dirichlet}},")),
                 ("equations.v.walls.rest",)),
                (deck(self.GOOD).replace("equations", "equation: {kind: diffusion, D: 1, initial: 0}\n  equations"),
                 ("diffusion.equation",)),
                (deck(self.GOOD).replace("  fields: [u, v]\n", ""), ("diffusion.equations",)),
                (deck("").replace("  fields: [u, v]\n", "").replace("  equations: {}\n", ""),
                 ("diffusion.equation", "missing")),
                (deck(self.GOOD, end="1", stencil="dt: 1"), ("diffusion.stencil.dt", "limit of stability"))):
            self.check(text, *words)

    def test_walls_of_all_fields(self):
        """Common ones are needed only by fields that have none of their own."""
        own = "walls: {rest: {kind: no_flux}}"
        without = deck(f"u: {{D: 1, initial: x, {own}}}, v: {{D: 1, initial: y, {own}}}").replace(f"  walls: {{{CLOSED}}}\n", "")
        self.run_deck(without)
        self.check(without.replace(f"y, {own}", "y").replace("u: {D: 1", "u: {D: -1"), "equations.u.D: must not be negative",
                   "diffusion.equations.v.walls: missing; expected a block, or diffusion.walls")
        self.check(without.replace(own, "walls: {x_min: [{kind: no_flux}]}", 1), "diffusion.equations.u.walls: neither `rest`")

    def test_initial_values_and_growth(self):
        done = self.run_deck(deck("u: {D: 1, initial: log(x - 1)}, v: {D: 1, initial: 0}"), expect=2)
        self.assertIn("equations.u.initial", done.stderr)
        done = self.run_deck(deck("u: {D: 1, source: u^2, initial: 0}, v: {D: 1, source: v^2, initial: 1e3}", end="1"),
                             expect=3)
        self.assertIn("v is not finite after step", done.stderr)


if __name__ == "__main__":
    unittest.main()
