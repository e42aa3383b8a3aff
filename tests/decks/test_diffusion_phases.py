"""Phase fields of family diffusion with a free energy and a mobility by formulas: against what is built in, against Euler
steps written anew here with numpy, and against exact solutions."""

import math
import unittest

import numpy as np
from diffusion_runs import DiffusionCase
from runs import PROGRAM

FRAME = """\
problem: diffusion
diffusion:
  grid: {{layout: fv, size: [{size}], cells: [{cells}]}}
  equation: {{kind: {kind}, {terms}, initial: '{initial}'}}
  walls: {{{walls}}}
  stencil: {{{stencil}}}
  time: {{method: {method}, end: {end}}}
output: {{directory: out, every: {every}}}
"""
CLOSED = "rest: {kind: no_flux}"
ACROSS = "x_min: [{kind: periodic}], x_max: [{kind: periodic}], " + CLOSED
WELLS = "rho: 5, wells: [0.3, 0.7]"
THE_SAME = "f: '5*(c - 0.3)^2*(0.7 - c)^2'"
START = "0.5 + 0.1*cos(2*pi*x/14)*cos(0.4*y) + 0.02*sin(y)"
SOLUTION = "f: 'c*log(c) + (1 - c)*log(1 - c) + 2.5*c*(1 - c)'"  # a regular one


def deck(terms, size="14, 11", cells="14, 11", kind="cahn_hilliard", walls=ACROSS, stencil="dt: 0.002", method="euler",
         end="0.2", every=None, initial=START):
    return FRAME.format(terms=terms, size=size, cells=cells, kind=kind, walls=walls, stencil=stencil, method=method, end=end,
                        every=every or end, initial=initial)


class Plane:
    """Cells of size 1 on a rectangle, periodic along x, with walls that nothing passes across y."""

    def __init__(self, nx, ny):
        self.x, self.y = np.meshgrid(np.arange(nx) + 0.5, np.arange(ny) + 0.5)

    @staticmethod
    def divergence(coefficient, potential, mean):
        """Of coefficient grad potential, the coefficient on faces being a mean of those beside them."""
        def fluxes(k, u):
            low, high = k[:-1], k[1:]
            between = (low + high) / 2 if mean == "arithmetic" else 2 * low * high / (low + high)
            return between * np.diff(u, axis=0)
        wide = np.pad(fluxes(coefficient, potential), ((1, 1), (0, 0)))
        around = [np.concatenate([field.T, field.T[:1]]) for field in (coefficient, potential)]
        along = fluxes(*around)
        return np.diff(wide, axis=0) + (along - np.roll(along, 1, axis=0)).T

    def start(self):
        return 0.5 + 0.1 * np.cos(2 * np.pi * self.x / 14) * np.cos(0.4 * self.y) + 0.02 * np.sin(self.y)


class BuiltIn(DiffusionCase):
    """A formula that says what is built in gives the same but for rounding."""

    SPACE = {"cells": "8, 7, 9", "size": "8, 7, 9", "stencil": "dt: 0.001"}

    def same(self, one, other, tolerance):
        self.run_deck(one)
        first, known = self.field(), self.findings()
        self.run_deck(other)
        self.assertLess(abs(self.field() - first).max(), tolerance)
        self.assertGreater(abs(self.field() - self.field(1)).max(), 1e-3)
        if "energy" in known:
            self.assertAlmostEqual(self.findings()["energy"], known["energy"], delta=1e-12 * known["energy"])

    def test_double_well(self):
        for more, tolerance in ((dict(), 1e-13), (dict(stencil="mask: 9pt, dt: 0.002"), 1e-13),
                                (dict(method="rkc", stencil="dt: 0.05"), 1e-12),
                                (dict(method="rkl2, tolerance: 1e-6", stencil="dt: 0.01"), 1e-9)):  # steps by estimates
            self.same(*(deck(f"mobility: 5, kappa: 2, {f}", **more) for f in (WELLS, THE_SAME)), tolerance)

    def test_in_space(self):
        more = self.SPACE
        self.same(*(deck(f"mobility: 5, kappa: 2, {f}", **more) for f in (WELLS, THE_SAME)), 1e-13)

    def test_mobility_that_hardly_varies(self):
        for mean in ("arithmetic", "harmonic"):
            for more in (dict(), dict(method="rkc", stencil="dt: 0.05"), self.SPACE):
                self.same(*(deck(f"mobility: {M}, kappa: 2, {f}", **more)
                            for M, f in ((5, WELLS), (f"5 + 1e-99*c, face_mean: {mean}", THE_SAME))), 1e-12)

    def test_allen_cahn(self):
        for more in (dict(stencil="dt: 0.05"), dict(method="rkc", stencil="dt: 0.5")):
            self.same(*(deck(f"kappa: 0.2{f}, source: 1e-3*x", kind="allen_cahn", end="1", **more)
                        for f in ("", ", f: c^2*(1 - c)^2")), 1e-13)


class Degenerate(DiffusionCase):
    """A regular solution whose mobility vanishes where one phase is pure."""

    TERMS = "mobility: c*(1 - c), kappa: 1, " + SOLUTION

    def test_steps_of_euler(self):
        plane = Plane(14, 11)
        for mean in ("arithmetic", "harmonic"):
            self.run_deck(deck(self.TERMS + f", face_mean: {mean}", stencil="dt: 0.02", end="4", every="1") +
                          "verify: {mass_balance: 1e-14}\n")
            c, energies = plane.start(), []
            for n in range(201):
                mu = (np.log(c / (1 - c)) + 2.5 * (1 - 2 * c) -
                      plane.divergence(np.ones_like(c), c, "arithmetic"))
                if n % 50 == 0:
                    wide = np.pad(np.pad(c, ((0, 0), (1, 1)), mode="wrap"), ((1, 1), (0, 0)), mode="edge")
                    gx, gy = (wide[1:-1, 2:] - wide[1:-1, :-2]) / 2, (wide[2:, 1:-1] - wide[:-2, 1:-1]) / 2
                    energies.append((c * np.log(c) + (1 - c) * np.log(1 - c) + 2.5 * c * (1 - c) +
                                     (gx**2 + gy**2) / 2).sum())
                if n < 200:
                    c = c + 0.02 * plane.divergence(c * (1 - c), mu, mean)
            self.assertLess(abs(self.field(5) - c.ravel()).max(), 1e-13)
            series = self.energies()
            for value, known in zip(series, energies, strict=True):
                self.assertAlmostEqual(value, known, delta=1e-12 * abs(known))
            self.assertTrue(all(np.diff(series) < 0), series)

    def energies(self):
        import h5py

        with h5py.File(self.folder / "out/tables.h5") as file:
            return file["series/energy"][()]

    def test_energy_falls_and_mass_is_kept(self):
        """Until both phases are nearly pure, by stabilized steps."""
        self.run_deck(deck(self.TERMS, method="rkc, tolerance: 1e-4", stencil="mask: 5pt", end="400", every="10") +
                      "verify: {mass_balance: 1e-12}\n")
        self.assertTrue(all(np.diff(self.energies()) < 1e-10), self.energies())
        self.assertGreater(np.ptp(self.field(41)), 0.5)


class Exact(DiffusionCase):
    """c = 1/2 + exp(-t) phi/4 with lap phi = -s phi, for a mobility 1/(s (f''(c) + s kappa)), whatever f is: M grad mu is
    then grad c / s."""

    def order(self, cells, s, phi, walls=CLOSED, method="rkc, tolerance: 1e-9"):
        errors = []
        for n in cells:
            dimensions = len(n)
            text = deck(f"mobility: '1/({s}*(1/c + 1/(1 - c) - 1 + {s}*0.01))', kappa: 0.01, "
                        "f: 'c*log(c) + (1 - c)*log(1 - c) + c*(1 - c)/2'", size=", ".join(["1"] * dimensions),
                        cells=", ".join(map(str, n)), walls=walls, stencil="dt: 1e-6", method=method, end="0.2",
                        initial=f"0.5 + {phi}/4")
            self.run_deck(text + f"verify: {{exact: '0.5 + exp(-t)*{phi}/4', max_error: 1, mass_balance: 1e-13}}\n")
            errors.append(self.findings()["max_error.c"])
        self.assertLess(errors[-1], 2e-3)
        return math.log(errors[0] / errors[1]) / math.log(cells[1][0] / cells[0][0])

    def test_order(self):
        self.assertAlmostEqual(self.order([(16, 12), (32, 24)], "(5*pi^2)", "cos(2*pi*x)*cos(pi*y)"), 2, delta=0.1)
        self.assertAlmostEqual(self.order([(12, 8, 8), (24, 16, 16)], "(6*pi^2)", "cos(2*pi*x)*cos(pi*y)*cos(pi*z)"), 2,
                               delta=0.1)


class Limits(DiffusionCase):
    def test_mobility_that_grows(self):
        terms = "mobility: 1 + 50*t, kappa: 2, " + THE_SAME
        done = self.run_deck(deck(terms, stencil="co: 0.7"))
        self.assertRegex(done.stderr, r"at t = \S+ the limit of stability is \S+, below the step \S+: f''\(c\) is up to \S+, the "
                         r"mobility up to 1\.\d+; steps are shortened")
        low, high = self.findings()["min"], self.findings()["max"]
        self.assertTrue(0.3 < low < high < 0.7)
        self.run_deck(deck(terms, stencil="co: 0.7"), "--set", "diffusion.time.on_limit=stop", expect=3)

    def test_curvature(self):
        """c = 1/2 is between the wells, where f'' is below 0; they are where it comes to be."""
        terms = "mobility: 5, kappa: 0.2, " + THE_SAME
        done = self.run_deck(deck(terms, stencil="co: 0.74", initial="0.5 + 0.01*cos(2*pi*x/14)", end="40"))
        self.assertRegex(done.stderr, r"below the step \S+: f''\(c\) is up to \d\.\d+;")
        self.assertLess(self.findings()["max"], 0.75)

    def test_bad_mobility(self):
        for method, stencil in (("euler", "dt: 0.002"), ("rkc", "dt: 0.02")):
            done = self.run_deck(deck("mobility: 1 - 10*t, kappa: 2, " + THE_SAME, method=method, stencil=stencil), expect=3)
            self.assertRegex(done.stderr, r"the mobility is -\S+ at x = \S+, y = \S+ at t = 0\.1\d*; it must be finite and not")

    def test_faults(self):
        frame = "mobility: 1, kappa: 1, "
        for terms, more, words in (
                (frame + "f: c*x", {}, "diffusion.equation.f: "),
                (frame + "f: sqrt(c - 0.4)", dict(initial="0.4"), "diffusion.equation.f: has the derivative "),
                (frame + "f: c^2, rho: 1", {}, "diffusion.equation.rho: contradicts f"),
                (frame + "f: c^2, wells: [0, 1]", {}, "diffusion.equation.wells: contradicts f"),
                (frame + "rho: 1", {}, "diffusion.equation.wells: missing"),
                ("mobility: 0, kappa: 1, f: c^2", {}, "mobility: must be positive and finite, is 0"),
                ("mobility: c - 0.5, kappa: 1, f: c^2", {}, "diffusion.equation.mobility: must not be negative, and finite, is -"),
                ("mobility: c, kappa: 1, f: c^2", dict(stencil="mask: 9pt, dt: 1e-4"), "mobility that varies needs the mask 5pt"),
                ("mobility: c, kappa: 1, f: c^2", dict(stencil="co: 0.1", initial="0"), "the mobility is 0 everywhere at t = 0"),
                ("mobility: 1, kappa: 1, f: c^2", dict(stencil="dt: 1"), "= 2/(mobility s (kappa s + max f''(c)))"),
                (frame + "f: floor(c)", {}, "diffusion.equation.f: jumps at c = "),
                (frame + "f: c^2 + step(c - 1/3)", {}, "f: jumps at c = 0.333333: "),
                (frame + "f: 'random(c, 1)'", {}, "f: jumps at c = "),
                (frame + "f: 'if(c < 0.5, c^2, 0.3)'", {}, "f: jumps at c = 0.5: "),
                ("kappa: 1, f: sign(c)", dict(kind="allen_cahn"), "f: jumps at c = "),
                ("kappa: 1, face_mean: arithmetic", dict(kind="allen_cahn"), "face_mean: belongs to another kind"),
                (frame + "f: c^2, face_mean: harmonic", {}, "face_mean: means nothing here: the mobility is a number"),
                ("D: 1, f: c", dict(kind="diffusion"), "diffusion.equation.f: belongs to another kind"),
                ("kappa: 1, f: y*c", dict(kind="allen_cahn"), "diffusion.equation.f: ")):
            done = self.run_deck(deck(terms, **more), expect=2)
            self.assertIn(words, done.stderr)

    def test_functions_that_jump_in_sums_that_do_not(self):
        for f in ("(c - floor(c))^2*(ceil(c) - c)^2", "'if(c < 0.4, 1 - c, c + 0.2)'", "sign(c - 0.5)*(c - 0.5)^3", "abs(c)^1.5",
                  "cbrt(c)", "1/(c - 0.2)", "1e9*c^4 + 1"):
            self.run_deck(deck("mobility: 1, kappa: 1, f: " + f, stencil="dt: 1e-13", end="1e-13"))

    def test_resolved_decks_are_decks(self):
        self.run_deck(deck("mobility: 1, kappa: 1, f: c^2", stencil="dt: 0.001", end="0.001"))
        self.run_program("check", "out/deck.yaml", program=PROGRAM)


class EqualBits(DiffusionCase):
    DECKS = {
        "formula": deck("mobility: 5, kappa: 2, " + THE_SAME, cells="15, 21", size="15, 21", stencil="mask: 9pt, co: 0.1",
                        end="0.02"),
        "degenerate": deck(Degenerate.TERMS + ", face_mean: harmonic", cells="13, 17", size="13, 17", stencil="dt: 0.01",
                           walls="y_min: [{kind: periodic}], y_max: [{kind: periodic}], " + CLOSED, end="0.2"),
        "deep": deck("mobility: (1 + 0.1*x)*(1 + t)*c*(1 - c), kappa: 1, " + SOLUTION, cells="9, 7, 13", size="9, 7, 13",
                     end="0.3", method="rkl2", stencil="dt: 0.05"),
        "stages": deck(Degenerate.TERMS, cells="15, 25", size="15, 25", method="rkc, tolerance: 1e-4", stencil="mask: 5pt",
                       end="3"),
        "shortened": deck("mobility: 1 + c + 50*t, kappa: 2, " + THE_SAME, stencil="co: 0.7", end="0.1"),
    }

    def test_on_any_layout_and_after_a_restart(self):
        for name, text in self.DECKS.items():
            with self.subTest(name):
                self.same_on_any_layout_and_after_a_restart(text)


if __name__ == "__main__":
    unittest.main()
