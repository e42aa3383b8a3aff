"""Walls of family diffusion where D varies: order 2 with every kind, and fluxes that are given. The balance of mass with
sources: closes to rounding on every way of stepping."""

import math
import unittest

from diffusion_runs import DiffusionCase
from runs import PROGRAM
from test_diffusion_equations import deck

CLOSED = "rest: {kind: no_flux}"


class Walls(DiffusionCase):
    """Order 2 with D that varies up to walls of every kind."""

    def order(self, cells, frame):
        errors = []
        for n in cells:
            self.run_deck(frame(n))
            errors.append(self.findings()["max_error.c"])
        return math.log2(errors[0] / errors[1])

    def test_given_flux(self):
        """D = 1 + x with flux 1 through it: c = log(1 + x), also where the flux leaves into something outside."""
        for wall in ("kind: neumann, value: 0.5", "kind: robin, transfer: 2, value: 'log(2) + 0.25'"):
            for mean in ("harmonic", "arithmetic"):
                self.assertAlmostEqual(self.order((16, 32), lambda n: deck(
                    cells=f"{n}, 3", size="1, 0.2", end="1", points="[0.5, 0.1]", stencil="co: 0.9",
                    equation=f"kind: diffusion, D: 1 + x, face_mean: {mean}, initial: log(1 + x)",
                    walls=f"x_min: [{{kind: dirichlet, value: 0}}], x_max: [{{{wall}}}], rest: {{kind: no_flux}}") +
                    "verify: {exact: log(1 + x)}\n"), 2, delta=0.15)

    # c = u solves c_t = div(A D grad c) + S, A the anisotropy; D depends on place, time and c.
    MANUFACTURED = """\
problem: diffusion
diffusion:
  definitions:
    w: exp(-t)*sin(x + 2*y + {deep}*z)
    v: exp(-t)*cos(x + 2*y + {deep}*z)
    u: 2 + w
    K: 1 + x + 0.5*y*t + 0.3*u
    s: -w + {ax}*(w*K - v*(1 + 0.3*v)) + {ay}*(4*w*K - 2*v*(0.5*t + 0.6*v)) + {deep}*(w*K - 0.3*v*v)
  grid: {{layout: fv, size: [{size}], cells: [{cells}]}}
  equation: {{kind: diffusion, D: 1 + x + 0.5*y*t + 0.3*c, anisotropy: {{x: {ax}, y: {ay}}}, face_mean: {mean}, source: s,
             initial: '2 + sin(x + 2*y + {deep}*z)'}}
  walls:
    x_min: [{{kind: neumann, value: -v}}]
    x_max: [{{kind: robin, transfer: 3, value: u + v/3}}]
    y_min: [{{kind: robin, transfer: 1, value: u - 2*v}}]
    y_max: [{{to: {{x: 0.5}}, kind: neumann, value: 2*v}}, {{from: {{x: 0.5}}, kind: dirichlet, value: u}}]
    {more}
  stencil: {{co: 0.5}}
  time: {{end: 0.1}}
output: {{directory: out}}
verify: {{exact: u}}
"""

    def test_manufactured(self):
        for mean in ("harmonic", "arithmetic"):
            self.assertAlmostEqual(self.order((16, 32), lambda n: self.MANUFACTURED.format(
                size="1, 1", cells=f"{n}, {n}", mean=mean, deep=0, ax=2, ay=0.5, more="")), 2, delta=0.2)
        more = "z_min: [{kind: neumann, value: -v}]\n    z_max: [{kind: robin, transfer: 2, value: u + v/2}]"
        self.assertAlmostEqual(self.order((8, 16), lambda n: self.MANUFACTURED.format(
            size="1, 1, 1", cells=f"{n}, {n}, {n}", mean="arithmetic", deep=1, ax=1.5, ay=1, more=more)), 2, delta=0.25)


class GivenFluxes(DiffusionCase):
    """Walls of kind flux let in what they say, whatever D is there."""

    order = Walls.order
    PIECES = ("x_min: [{{to: 0.5, kind: {0}, value: '{1}'}}, {{from: 0.5, kind: robin, transfer: 2, value: y}}], "
              "y_max: [{{kind: {0}, value: '{2}'}}], x_max: [{{kind: dirichlet, value: 1}}], rest: {{kind: no_flux}}")

    def test_as_derivatives(self):
        """D times a derivative, by masks and in flux form, at once and in stages; with two fields, one of them slower."""
        start, x_min, y_max = "kind: diffusion, initial: x + y, ", "(1 + t)*cos(y)", "2*x - 1"
        for equation, D_x, D_y in ((start + "D: 0.7", "0.7", "0.7"),
                                   (start + "D: 0.7, anisotropy: {x: 2}", "1.4", "0.7"),
                                   (start + "D: 0.7, anisotropy: {x: 2}, source: 1 - c", "1.4", "0.7"),
                                   (start + "D: 1 + x + y, anisotropy: {y: 3}", "(1 + y)", "3*(2 + x)"),
                                   ("kind: allen_cahn, kappa: 0.3, initial: x + y", "0.3", "0.3")):
            for method in ("euler", "rkc"):
                found = []
                for walls in (self.PIECES.format("neumann", x_min, y_max),
                              self.PIECES.format("flux", f"{D_x}*{x_min}", f"{D_y}*({y_max})")):
                    self.run_deck(deck(equation=equation, walls=walls), "--set", f"diffusion.time.method={method}")
                    found.append(self.field())
                self.assertLess(abs(found[1] - found[0]).max(), 1e-13)
                self.assertGreater(abs(found[1] - self.field(1)).max(), 0.01)
        found = []
        for kind, factor in (("neumann", 1), ("flux", 0.5)):
            walls = self.PIECES.format(kind, f"{factor}*{x_min}", f"{factor}*({y_max})")
            two = "u: {D: 0.5, initial: x + y, source: u - v}, v: {D: 0.5*(1 + x), initial: x}"
            text = deck(walls=CLOSED).replace("equation: {kind: diffusion, D: 1, initial: 0}", "fields: [u, v]\n  equations: {" +
                                              two.replace("source: u - v", f"source: u - v, walls: {{{walls}}}") + "}")
            self.run_deck(text)
            found.append(self.findings()["mass.u"])
        self.assertAlmostEqual(*found, delta=1e-14)

    def test_what_comes_in(self):
        """The mass grows by the flux times the length of the wall and time, where D varies, is 0 or no number on the wall."""
        for D in ("0.1 + c^2 + t", "if(x < 0.2, 0, 1)", "0.1/sqrt(x) + y"):
            for mean in ("harmonic", "arithmetic"):
                for method in ("euler", "rkc"):
                    self.run_deck(deck(equation=f"kind: diffusion, D: '{D}', face_mean: {mean}, initial: 1", end="0.02",
                                       walls="x_min: [{to: 0.5, kind: flux, value: 3 + t}, {from: 0.5, kind: no_flux}], "
                                       "y_max: [{to: 0.5, kind: flux, value: -0.5}, {from: 0.5, kind: dirichlet, value: 1}], "
                                       "rest: {kind: no_flux}") + "verify: {mass_balance: 1e-14}\n", "--set",
                                  f"diffusion.time.method={method}")
                    steps, end = self.findings()["steps"], 0.02
                    at_starts = 3 + (1 - 1 / steps) * end / 2 if method == "euler" else 3 + end / 2  # mean of 3 + t
                    self.assertAlmostEqual(self.findings()["uptake.x_min"], 0.5 * end * at_starts, delta=1e-13)
        self.run_deck(deck(cells="9, 7, 5", size="1, 1, 1", points="[0, 0, 0]", equation="kind: diffusion, D: 1 + c*z, initial: 1",
                           walls="z_min: [{kind: flux, value: 2}], z_max: [{kind: flux, value: -1}], rest: {kind: no_flux}") +
                      "verify: {mass_balance: 1e-14, mass: [1.0099999999, 1.0100000001]}\n")

    def test_manufactured(self):
        frame = Walls.MANUFACTURED.replace("kind: neumann, value: -v", "kind: flux, value: '-v*{ax}*K'").replace(
            "kind: neumann, value: 2*v", "kind: flux, value: '2*v*{ay}*K'")
        self.assertAlmostEqual(self.order((16, 32), lambda n: frame.format(
            size="1, 1", cells=f"{n}, {n}", mean="harmonic", deep=0, ax=2, ay=0.5, more="")), 2, delta=0.2)

    def test_faults(self):
        wall = "x_min: [{kind: flux, value: 1}], rest: {kind: no_flux}"
        for keys, words in ((dict(equation="kind: diffusion, D: 0, source: 1, initial: 0", stencil="dt: 1"), "a D that is not 0"),
                            (dict(equation="kind: cahn_hilliard, initial: 0, mobility: 1, kappa: 1, rho: 1, wells: [0, 1]"),
                             "walls of kind no_flux and periodic only"),
                            (dict(walls="rest: {kind: flux}"), "lacks `value`")):
            self.assertIn(words, self.run_deck(deck(**{"walls": wall, **keys}), expect=2).stderr)


BALANCE_FRAME = """\
problem: diffusion
diffusion:
  grid: {{layout: fv, size: [{size}], cells: [{cells}]}}
  {equation}
  walls: {{{walls}}}
  stencil: {{{stencil}}}
  time: {{end: {end}{time}}}
verify: {{{verify}}}
output: {{directory: out, every: {end}}}
"""
OPEN = ("x_min: [{kind: dirichlet, value: '1 + t*y'}], x_max: [{kind: neumann, value: 0.3}], "
        "y_min: [{kind: robin, transfer: 2, value: 0.5}], rest: {kind: no_flux}")
PLAIN = "kind: diffusion, D: 1, initial: 0, source: "
ASKED = "mass_balance: 1e-13"


def balance_deck(equation=PLAIN + "t", size="1, 1", cells="16, 12", walls=CLOSED, stencil="dt: 1e-3", end="0.1", time="",
         verify=ASKED, fields=None):
    block = f"fields: [u, v]\n  equations: {{{fields}}}" if fields else f"equation: {{{equation}}}"
    return BALANCE_FRAME.format(equation=block, size=size, cells=cells, walls=walls, stencil=stencil, end=end, time=time,
                        verify=verify)


class BalanceWithSource(DiffusionCase):
    def test_what_is_told_is_what_steps_add(self):
        """Sums of the source over steps in closed form, with lines longer than a record."""
        for cells, size in (("16, 12", "2, 0.5"), ("600, 3", "2, 0.5"), ("5, 4, 3", "2, 1, 0.5")):
            for source, mean in (("t", "t"), ("x", "x"), ("7", "7"), ("x*t", "x*t")):
                self.run_deck(balance_deck(PLAIN + source, size=size, cells=cells, stencil="dt: 1e-6", end="1e-4"))
                steps, dt = 100, 1e-6
                of_time = dt * dt * steps * (steps - 1) / 2 if "t" in mean else steps * dt
                factor = 7 if mean == "7" else 1  # the mean of x is 1
                self.assertAlmostEqual(self.findings()["source"] / (factor * of_time), 1, delta=1e-13, msg=f"{cells} {source}")

    def test_closes_on_every_way_of_stepping(self):
        nonlinear = "kind: diffusion, D: '0.2 + x + c^2', initial: 'x*y', source: '5*c*(1 - c) + sin(20*t)*x'"
        cases = {
            "place": dict(equation=PLAIN + "x - 0.3", walls=OPEN),
            "state": dict(equation=nonlinear, walls=OPEN, stencil="dt: 2e-4"),
            "closed": dict(equation=nonlinear, stencil="dt: 2e-4"),
            "deep": dict(equation=nonlinear, cells="9, 8, 7", size="1, 1, 1", walls=OPEN, stencil="dt: 2e-4"),
            # D turns out to be too large in the pass of a step, which is not taken.
            "not taken": dict(equation="kind: diffusion, D: '1 + 300*t + c^2', initial: x, source: '1 + c'", walls=OPEN,
                              stencil="co: 0.9"),
            "allen_cahn": dict(equation="kind: allen_cahn, kappa: 0.02, initial: '0.5 + 0.4*cos(3*x)', source: 0.2*t",
                               stencil="dt: 0.02", end="2"),
        }
        for method in ("rkc", "rkl2"):
            for walls in (CLOSED, OPEN):
                name = f"{method} {walls[:4]}"
                cases[name] = dict(equation=nonlinear, walls=walls, time=f", method: {method}", stencil="dt: 0.01")
                cases[name + " by errors"] = dict(equation=nonlinear, walls=walls, stencil="dt: 0.02",
                                                  time=f", method: {method}, tolerance: 1e-4")
        again = 0
        for name, keys in cases.items():
            with self.subTest(name):
                self.run_deck(balance_deck(**keys))
                found = self.findings()
                self.assertGreater(abs(found["source"]), 1e-4)
                again += found.get("steps_again", 0)
        self.assertGreater(again, 0)  # what steps that are made again had added is gone

    def test_same_on_any_layout_and_after_a_restart(self):
        for method in ("", ", method: rkl2"):
            found = self.same_on_any_layout_and_after_a_restart(
                balance_deck("kind: diffusion, D: '0.2 + x/9 + c^2', initial: 'cos(x)*y', source: '5*c*(1 - c) + t*x'", walls=OPEN,
                     cells="300, 13", size="30, 1.3", stencil="dt: 2e-5", end="2e-3", time=method))
            self.assertGreater(abs(found["source"]), 1e-4)

    def test_a_balance_that_is_not_kept_says_so(self):
        done = self.run_deck(balance_deck(walls=OPEN, verify=""))
        self.assertRegex(done.stdout, r"mass_balance +not kept with a source, .* unless verify.mass_balance asks for it")
        self.assertRegex(done.stdout, r"uptake\.x_min +0\.")
        self.run_deck(balance_deck(verify=""), "--set", "run.wall_limit=1e-9")
        done = self.run_program("run", "deck.yaml", "--restart", "auto", "--set", f"verify={{{ASKED}}}", program=PROGRAM,
                                expect=2)
        self.assertIn("the checkpoint has no `c_source`", done.stderr)


class BalanceOfSeveralFields(DiffusionCase):
    FIELDS = ("u: {D: '0.1 + x/9', source: '-u*v^2 + 0.1*(1 - u) + t', initial: 'cos(x)'}, v: {D: 0.05, source: "
              "'u*v^2 - 0.2*v', initial: 'cos(x)*y', walls: {" + OPEN + "}}")

    def text(self):
        return balance_deck(fields=self.FIELDS, cells="300, 13", size="30, 1.3", stencil="dt: 2e-5", end="2e-3",
                    verify="fields: {u: {mass_balance: 1e-13}, v: {mass_balance: 1e-13}}")

    def test_same_on_any_layout_and_after_a_restart(self):
        found = self.same_on_any_layout_and_after_a_restart(self.text())
        self.assertGreater(abs(found["source.u"]), 1e-5)
        self.assertGreater(abs(found["source.v"]), 1e-6)
        self.assertGreater(found["uptake.v.x_min"], 1e-4)
        self.assertNotIn("uptake.u.x_min", found)

    def test_one_field_has_what_that_field_has_alone(self):
        equation = "D: '0.2 + x/9 + t', initial: 'cos(x)*y', source: '5*c*(1 - c) + t*x'"
        keys = dict(walls=OPEN, cells="300, 13", size="30, 1.3", stencil="dt: 2e-5", end="2e-3")
        self.run_deck(balance_deck("kind: diffusion, " + equation, **keys))
        alone = self.findings()
        text = balance_deck(fields=f"c: {{{equation}}}", verify="fields: {c: {mass_balance: 1e-13}}", **keys)
        self.run_deck(text.replace("[u, v]", "[c]"))
        found = self.findings()
        for name in ("source", "mass_balance"):
            self.assertEqual(found[name + ".c"], alone[name])
        for side in ("x_min", "x_max", "y_min"):
            self.assertEqual(found["uptake.c." + side], alone["uptake." + side])

    def test_a_balance_that_is_not_kept_says_so(self):
        done = self.run_deck(self.text().replace("mass_balance: 1e-13", "min: [-9, 9]"))
        self.assertRegex(done.stdout, r"mass_balance +not kept of several fields, .*verify.fields.NAME.mass_balance")


if __name__ == "__main__":
    unittest.main()
