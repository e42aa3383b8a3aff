"""Stabilized explicit steps of family diffusion (methods rkc and rkl2): orders and errors against integrations by scipy of
the same discrete equations, written anew here; bits on any layout; what check refuses."""

import math
import unittest

import numpy as np
from diffusion_runs import DiffusionCase
from runs import INPUTS, PROGRAM

FRAME = """\
problem: diffusion
diffusion:
  grid: {{layout: fv, size: [{size}], cells: [{cells}]}}
  equation: {{{equation}}}
  walls: {{{walls}}}
  stencil: {{{stencil}}}
  time: {{method: {method}, end: {end}}}
output: {{directory: out, every: {end}}}
"""
CLOSED = "rest: {kind: no_flux}"


def deck(size="1, 1", cells="14, 11", equation="kind: diffusion, D: 1, initial: 0", walls=CLOSED, stencil="dt: 0.001",
         end="0.1", method="rkc"):
    return FRAME.format(size=size, cells=cells, equation=equation, walls=walls, stencil=stencil, end=end, method=method)


class Grid:
    """Cells on a rectangle, and differences with ghosts: periodic along the axes named, even beyond other walls."""

    def __init__(self, nx, ny, size=(1, 1), periodic=""):
        self.shape, self.h, self.periodic = (ny, nx), (size[0] / nx, size[1] / ny), periodic
        self.x = (np.arange(nx) + 0.5) * self.h[0] + np.zeros(self.shape)
        self.y = (np.arange(ny)[:, None] + 0.5) * self.h[1] + np.zeros(self.shape)

    def neighbors(self, c, axis):
        """Values beside each cell, below and above along x (0) or y (1)."""
        along = 1 - axis
        mode = "wrap" if "xy"[axis] in self.periodic else "symmetric"
        wide = np.pad(c, [(1, 1) if a == along else (0, 0) for a in (0, 1)], mode=mode)
        n = c.shape[along]
        return wide.take(range(n), along), wide.take(range(2, n + 2), along)

    def laplacian(self, c):
        total = 0
        for axis in (0, 1):
            low, high = self.neighbors(c, axis)
            total = total + (low - 2 * c + high) / self.h[axis]**2
        return total


def integrate(rate, start, end):
    """By implicit steps of high order at a tolerance that no error below comes near to."""
    from scipy.integrate import solve_ivp

    done = solve_ivp(lambda t, c: rate(t, c.reshape(start.shape)).ravel(), (0, end), start.ravel(), method="Radau",
                     rtol=1e-9, atol=1e-11)
    assert done.success
    return done.y[:, -1]


def moving_wall(grid):
    """c_t = div(D grad c) + S, D = 1 + c^2 + x, S = sin(5 x) - c^3 + t; the wall x = 0 is held at 1 + t, the others are
    insulated; arithmetic means of D between cells, and between the wall and the cell beside it."""
    def rate(t, c):
        D = 1 + c * c + grid.x
        total = np.sin(5 * grid.x) - c**3 + t
        for axis in (0, 1):
            h = grid.h[axis]
            (c_low, c_high), (D_low, D_high) = grid.neighbors(c, axis), grid.neighbors(D, axis)
            D_low, D_high = (D + D_low) / 2, (D + D_high) / 2
            if axis == 0:
                c_low, D_low = c_low.copy(), D_low.copy()
                held = 1 + t
                c_low[:, 0] = 2 * held - c[:, 0]
                D_low[:, 0] = (D[:, 0] + 1 + held * held) / 2
            total = total + (D_low * (c_low - c) + D_high * (c_high - c)) / h**2
        return total
    return rate


class Problems:
    """Decks, their discrete equations, and how they begin."""

    grid = Grid(14, 11)
    flux = (dict(equation="kind: diffusion, D: 1 + c^2 + x, face_mean: arithmetic, source: 'sin(5*x) - c^3 + t', "
                 "initial: '1 + 0.5*sin(pi*x)*cos(pi*y)'", walls="x_min: [{kind: dirichlet, value: 1 + t}], " + CLOSED),
            moving_wall(grid), 1 + 0.5 * np.sin(np.pi * grid.x) * np.cos(np.pi * grid.y), 0.1)
    allen_cahn = (dict(equation="kind: allen_cahn, kappa: 0.02, source: 0.2*t*x, initial: '0.5 + 0.3*cos(3*x)*cos(5*y)'",
                       end="2"),
                  lambda t, c, g=grid: 0.02 * g.laplacian(c) - 4 * c * (c - 1) * (c - 0.5) + 0.2 * t * g.x,
                  0.5 + 0.3 * np.cos(3 * grid.x) * np.cos(5 * grid.y), 2)
    wide = Grid(14, 11, (14, 11), "x")

    @staticmethod
    def _hilliard(t, c, g=wide):
        a, b = c - 0.3, 0.7 - c
        return 5 * g.laplacian(10 * a * b * (b - a) - 2 * g.laplacian(c))
    cahn_hilliard = (dict(size="14, 11", walls="x_min: [{kind: periodic}], x_max: [{kind: periodic}], " + CLOSED,
                          equation="kind: cahn_hilliard, mobility: 5, kappa: 2, rho: 5, wells: [0.3, 0.7], "
                          "initial: '0.5 + 0.1*cos(2*pi*x/14)*cos(0.4*y) + 0.02*sin(y)'", end="4"),
                     _hilliard.__func__,
                     0.5 + 0.1 * np.cos(2 * np.pi * wide.x / 14) * np.cos(0.4 * wide.y) + 0.02 * np.sin(wide.y), 4)


class Accuracy(DiffusionCase):
    """Steps of one size have order two; a tolerance is kept, on states that differ from scipy's."""

    # Where errors are not yet those of the last digits of scipy, and fast modes have decayed: rkc damps them less.
    STEPS = {"flux": {"rkc": (0.00625, 0.003125), "rkl2": (0.00625, 0.003125)},
             "allen_cahn": {"rkc": (0.4, 0.2), "rkl2": (0.4, 0.2)},
             "cahn_hilliard": {"rkc": (0.5, 0.25), "rkl2": (0.125, 0.0625)}}

    def test_against_scipy(self):
        for name, sizes in self.STEPS.items():
            keys, rate, start, end = getattr(Problems, name)
            exact = integrate(rate, start, end)
            for method in ("rkc", "rkl2"):
                with self.subTest(f"{name} {method}"):
                    errors = []
                    for dt in sizes[method]:
                        self.run_deck(deck(**keys, stencil=f"dt: {dt}", method=method))
                        self.assertEqual(self.findings()["steps"], end / dt)
                        self.assertGreaterEqual(self.findings()["stages"], 3 * self.findings()["steps"])
                        errors.append(abs(self.field() - exact).max())
                    self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.25, msg=errors)
                    self.assertLess(errors[1], 5e-3)
                    controlled = []
                    for tolerance in (1e-4, 1e-6):
                        self.run_deck(deck(**keys, stencil="mask: 5pt", method=f"{method}, tolerance: {tolerance}"))
                        controlled.append(abs(self.field() - exact).max() / (tolerance * abs(exact).max()))
                    self.assertLess(max(controlled), 60)
                    self.assertGreater(controlled[0] * 1e-4 / (controlled[1] * 1e-6), 8)  # the 2/3rd power of 100 is 21

    def test_published_energies(self):
        """Those of PFHub 1b, of Euler steps of 0.001; with steps of half the size 304.301 at t = 10, 304.298 here at 1e-8."""
        import h5py

        self.run_program("run", INPUTS / "diffusion/spinodal.yaml", "--set", "output.directory=out", "--set",
                         "diffusion.time={method: rkl2, end: 20, tolerance: 1e-7}", "--set", "diffusion.stencil={mask: 5pt}",
                         "--set", "verify={mass_balance: 1e-13}", program=PROGRAM)
        with h5py.File(self.folder / "out/tables.h5") as file:
            for value, known in zip(file["series/energy"], (319.038, 304.304, 205.904), strict=True):
                self.assertAlmostEqual(value, known, delta=0.01)
        self.assertLess(self.findings()["stages"], 6000)


    def test_the_beginning_of_the_long_deck(self):
        """Of spinodal.yaml's problem, to t = 20, with the published energy there."""
        self.run_program("run", INPUTS / "diffusion/cahn_hilliard_long.yaml", "--set", "output={directory: out}", "--set",
                         "diffusion.time.end=20", "--set", "verify={energy: [205.8, 206.0], mass_balance: 1e-13}",
                         program=PROGRAM)
        self.assertLess(self.findings()["steps"], 200)


class Limits(DiffusionCase):
    """The spectral radius is judged again after every step, and stages are added; the deck says how many at most."""

    GROWING = deck(cells="16, 3", size="1, 0.2", end="0.1", stencil="dt: 0.002",
                   equation="kind: diffusion, D: 1 + 300*t, initial: cos(pi*x)")
    EXACT = "verify: {exact: 'exp(-pi^2*(t + 150*t^2))*cos(pi*x)', max_error: 5e-2}\n"

    def test_stages_are_added(self):
        done = self.run_deck(self.GROWING + self.EXACT)
        self.assertEqual(self.findings()["steps"], 50)
        self.assertGreater(self.findings()["steps_again"], 0)
        self.assertNotIn("limit of stability is", done.stderr)

    def test_steps_are_shortened(self):
        done = self.run_deck(self.GROWING + self.EXACT, "--set", "diffusion.time.most_stages=6")
        self.assertRegex(done.stderr, r"at t = \S+ the limit of stability is \S+, below the step 0.002: D is \S+ at x = 0.03125")
        self.assertGreater(self.findings()["steps"], 60)

    def test_or_the_run_ends(self):
        done = self.run_deck(self.GROWING, "--set", "diffusion.time.most_stages=6", "--set", "diffusion.time.on_limit=stop",
                             expect=3)
        self.assertRegex(done.stderr, r"at t = 0\.0\d+ the limit of stability is \S+, below the step 0.002: D is")

    def test_a_tolerance_keeps_below_the_limit(self):
        self.run_deck(self.GROWING + self.EXACT, "--set", "diffusion.time.most_stages=6", "--set", "diffusion.time.tolerance=1e-3",
                      "--set", "diffusion.stencil={mask: 5pt}")

    def test_curvature_of_the_wells(self):
        """c beyond the wells makes f'' larger than in them."""
        text = deck(size="14, 11", end="0.2", stencil="dt: 0.02", equation="kind: cahn_hilliard, mobility: 5, kappa: 0.01, "
                    "rho: 5, wells: [0.3, 0.7], initial: '0.5 + 0.6*cos(x)*cos(y)'")
        done = self.run_deck(text, "--set", "diffusion.time.most_stages=3", "--set", "diffusion.time.on_limit=stop", expect=3)
        self.assertRegex(done.stderr, r"below the step 0.02: f''\(c\) is up to 20\.")

    def test_bad_diffusivity(self):
        done = self.run_deck(deck(equation="kind: diffusion, D: 'log(1.5 - 20*t)', initial: x"), expect=3)
        self.assertRegex(done.stderr, r"D is -\S+ at x = \S+, y = \S+ at t = 0\.\d+; it must be finite")

    def test_bad_diffusivity_within_a_step(self):
        """Its modes grow beyond all numbers before the step is done; D is named, not c."""
        for method in ("rkc", "rkl2"):
            text = deck(cells="64, 64", equation="kind: diffusion, D: 1 - 30*t, initial: x + cos(20*x)", stencil="dt: 0.02",
                        method=method)
            for more in ((), ("--set", "run.per_rank=2")):
                done = self.run_deck(text, *more, expect=3)
                self.assertRegex(done.stderr, r"D is -\S+ at x = \S+, y = \S+ at t = 0\.03\d+; it must be finite")

    def test_squares_beyond_numbers(self):
        """Linear problems scale by powers of two, exactly: the same steps."""
        for method in ("rkc", "rkl2"):
            text = deck(equation="kind: diffusion, D: 1, initial: 'START*(x + y^2)'", stencil="mask: 5pt",
                        method=method + ", tolerance: 1e-4")
            self.run_deck(text.replace("START", "1"))
            state, findings = self.field(), self.findings()
            for power in (664, -664):
                self.run_deck(text.replace("START", f"2^{power}"))
                self.assertEqual(self.findings()["steps"], findings["steps"])
                self.assertEqual(self.findings()["stages"], findings["stages"])
                self.assertTrue((self.field() == 2.0**power * state).all())

    def test_bad_states(self):
        """Steps of one size run into the pole of c' = c^2, and end; those by a tolerance say what is wrong beyond them."""
        growing = deck(equation="kind: diffusion, D: 1, initial: 200, source: c^2", cells="3, 3")
        done = self.run_deck(growing, expect=3)
        self.assertRegex(done.stderr, r"c is not finite at t = 0\.0\d+, first at x = 0\.1666\d+, y")
        done = self.run_deck(deck(equation="kind: diffusion, D: 0.05 - t, initial: x", cells="3, 3"), "--set",
                             "diffusion.time.tolerance=1e-3", expect=3)
        self.assertIn("after any of them D is negative", done.stderr)


class EqualBits(DiffusionCase):
    DECKS = {
        "constant": deck(cells="23, 37", equation="kind: diffusion, D: 1, initial: x*y", stencil="mask: 9pt", method="rkc, tolerance: 1e-4",
                         walls="x_min: [{from: 0, to: 0.4, kind: dirichlet, value: 1 + t}], " + CLOSED),
        "flux": deck(cells="13, 17", equation="kind: diffusion, D: '0.1 + x + c*y + t', source: 'sin(5*x) - c^3', initial: x*y",
                     walls="x_min: [{from: 0, to: 0.4, kind: neumann, value: 1 + t}], " + CLOSED, stencil="mask: 5pt",
                     method="rkl2, tolerance: 1e-4", end="0.3"),
        "deep": deck(cells="9, 7, 11", size="1, 1, 1", walls="z_min: [{kind: periodic}], z_max: [{kind: periodic}], " + CLOSED,
                     equation="kind: diffusion, D: 'if(z < 0.5, 1, 0.1)', source: z*c, initial: x*y + z", stencil="dt: 0.02"),
        "spinodal": deck(cells="15, 21", size="15, 21", stencil="mask: 9pt", method="rkc, tolerance: 1e-4", end="3",
                         equation="kind: cahn_hilliard, mobility: 5, kappa: 2, rho: 5, wells: [0.3, 0.7], "
                         "initial: '0.5 + 0.1*cos(x)*sin(y)'"),
        "steps": deck(cells="15, 25", size="15, 25", stencil="mask: cross4, dt: 0.1", method="rkl2", end="1",
                      equation="kind: cahn_hilliard, mobility: 5, kappa: 2, rho: 5, wells: [0.3, 0.7], "
                      "initial: '0.5 + 0.1*cos(x)*sin(y)'"),
    }

    def test_on_any_layout_and_after_a_restart(self):
        for name, text in self.DECKS.items():
            with self.subTest(name):
                findings = self.same_on_any_layout_and_after_a_restart(text)
                self.assertGreater(findings["steps"], 4)


class Faults(DiffusionCase):
    def test_each(self):
        for keys, words in (
                (dict(method="euler, tolerance: 1e-3"), "diffusion.time.tolerance: belongs to the methods rkc and rkl2"),
                (dict(method="euler, most_stages: 9"), "diffusion.time.most_stages: belongs to the methods rkc and rkl2"),
                (dict(method="rkc, tolerance: 1e-14"), "diffusion.time.tolerance: "),
                (dict(method="rkc, most_stages: 2"), "diffusion.time.most_stages: "),
                (dict(method="rkc, kernel: blocked"), "diffusion.time.kernel: rkc has the kernel fused alone"),
                (dict(method="rkl2, steps_per_sweep: 4"), "diffusion.time.steps_per_sweep: rkl2 takes one stage per sweep"),
                (dict(stencil="co: 60", method="rkc, most_stages: 9"), "of 9 stages of rkc (time.most_stages); co may be up to"),
                (dict(stencil="mask: 5pt"), "diffusion.stencil: gives no time step: co, dt or accurate; or give time.tolerance"),
                (dict(stencil="mask: 9pt, accurate: true"), "diffusion.stencil.accurate: is for euler"),
                (dict(stencil="mask: {size: 3, weights: [0, 1, 0, 1, -5, 1, 0, 1, 0], laplacian: false}, dt: 1e-3"),
                 "needs a Laplacian")):
            done = self.run_deck(deck(**keys), expect=2)
            self.assertIn(words, done.stderr)
        done = self.run_deck(deck(), "--set", "diffusion.precision=fp32", expect=2)
        self.assertIn("rkc is computed in fp64 only", done.stderr)
        done = self.run_deck(deck(), "--set", "diffusion.grid={layout: hiperc, points: [9, 9], spacing: 0.1}", expect=2)
        self.assertIn("rkc needs layout fv", done.stderr)


if __name__ == "__main__":
    unittest.main()
