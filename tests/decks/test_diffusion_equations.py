"""Equations of family diffusion besides constant diffusion: variable D, sources, Allen-Cahn, Cahn-Hilliard."""

import math
import unittest

from diffusion_runs import DiffusionCase
from runs import INPUTS, PROGRAM

FRAME = """\
problem: diffusion
diffusion:
  grid: {{layout: fv, size: [{size}], cells: [{cells}]}}
  equation: {{{equation}}}
  walls: {{{walls}}}
  stencil: {{{stencil}}}
  time: {{end: {end}}}
output: {{directory: out, every: {end}, probes: {{every: {end}, points: [{points}]}}}}
"""
CLOSED = "rest: {kind: no_flux}"
# Two ends held at 0 and 1, insulated between.
BAR = "x_min: [{kind: dirichlet, value: 0}], x_max: [{kind: dirichlet, value: 1}], rest: {kind: no_flux}"


def deck(size="1, 1", cells="16, 12", equation="kind: diffusion, D: 1, initial: 0", walls=CLOSED, stencil="co: 0.4",
         end="0.01", points="[0.5, 0.5]"):
    return FRAME.format(size=size, cells=cells, equation=equation, walls=walls, stencil=stencil, end=end, points=points)


class VariableD(DiffusionCase):
    def test_two_materials_in_a_row(self):
        """The steady state of a bar of two materials is that of two resistances in a row, exactly with harmonic means."""
        text = deck(cells="16, 4", size="1, 0.25", equation="kind: diffusion, D: 'if(x < 0.5, 1, 0.1)', initial: x",
                    walls=BAR, end="20", points="[0.5, 0.1]")
        self.run_deck(text)
        flux = 1 / (0.5 / 1 + 0.5 / 0.1)
        values = self.field().reshape(4, 16)
        for i in range(16):
            x = (i + 0.5) / 16
            exact = flux * x if x < 0.5 else 1 - flux * (1 - x) / 0.1
            for row in values:
                self.assertAlmostEqual(row[i], exact, delta=1e-12)

    def test_diffusivity_that_changes_up_to_the_walls(self):
        """The steady state of resistances in a row: means of D between cells, and between a wall and its cell."""
        for mean, between in (("arithmetic", lambda a, b: (a + b) / 2), ("harmonic", lambda a, b: 2 * a * b / (a + b))):
            self.run_deck(deck(cells="8, 3", size="1, 0.375", walls=BAR, end="4", points="[0.5, 0.1]",
                               equation=f"kind: diffusion, D: (1 + x)^2, face_mean: {mean}, initial: x"))
            D = [(1 + (i + 0.5) / 8) ** 2 for i in range(8)]
            resistances = ([0.5 / between(1, D[0])] + [1 / between(a, b) for a, b in zip(D, D[1:])] +
                           [0.5 / between(D[-1], 4)])
            row = self.field().reshape(3, 8)[1]
            for i in range(8):
                self.assertAlmostEqual(row[i], sum(resistances[:i + 1]) / sum(resistances), delta=1e-12)

    def test_diffusivity_of_the_state(self):
        """Steady state with D = 1 + c: c + c^2/2 is linear inside, since arithmetic means make its differences exact."""
        text = deck(cells="32, 3", size="1, 0.1", walls=BAR, end="4", points="[0.5, 0.05]",
                    equation="kind: diffusion, D: 1 + c, face_mean: arithmetic, initial: x")
        self.run_deck(text)
        row = self.field().reshape(3, 32)[1]
        theta = [c + c * c / 2 for c in row]
        steps = [b - a for a, b in zip(theta, theta[1:])]
        self.assertLess(max(steps) - min(steps), 1e-12)
        self.assertAlmostEqual(theta[16] - theta[15], 1.5 / 32, delta=2e-4)

    def test_mass_is_kept(self):
        for mean in ("harmonic", "arithmetic"):
            text = deck(equation=f"kind: diffusion, D: '0.1 + x*y + c^2', face_mean: {mean}, initial: 'exp(-20*(x-y)^2)'",
                        end="0.05")
            self.run_deck(text + "verify: {mass_balance: 1e-13}\n")

    def test_what_walls_let_in_is_what_mass_grows_by(self):
        for cells, size in (("16, 12", "1, 1"), ("8, 6, 5", "1, 1, 1")):
            text = deck(cells=cells, size=size, equation="kind: diffusion, D: '0.1 + x^2 + c', initial: 0", walls=BAR, end="0.1",
                        points="[0.5, 0.5" + (", 0.5]" if size.count(",") == 2 else "]"))
            self.run_deck(text + "verify: {mass_balance: 1e-13}\n")
            self.assertGreater(self.findings()["uptake.x_max"], 0.1)

    def test_constant_formula_is_the_mask(self):
        """D as a formula that is constant in value gives the numbers of the mask but for rounding."""
        mode = "'cos(pi*x)*cos(2*pi*y)'"
        self.run_deck(deck(equation=f"kind: diffusion, D: 0.7, initial: {mode}"))
        mask = self.field()
        self.run_deck(deck(equation=f"kind: diffusion, D: '0.7 + 0*(x + t)', initial: {mode}"))
        self.assertLess(abs(self.field() - mask).max(), 1e-14)
        self.run_deck(deck(equation=f"kind: diffusion, D: '0.7*step(x + 1)', initial: {mode}"))
        self.assertLess(abs(self.field() - mask).max(), 1e-14)


class NoDiffusivity(DiffusionCase):
    """D may be 0: the harmonic mean of 0 and anything is 0."""

    def test_insulating_layer(self):
        """What a layer without diffusivity keeps apart stays apart; the layer itself stays as it was."""
        for cells, size, points in (("16, 4", "1, 0.25", "[0.1, 0.1]"), ("16, 3, 4", "1, 0.25, 0.25", "[0.1, 0.1, 0.1]")):
            self.run_deck(deck(cells=cells, size=size, walls=BAR, end="8", points=points, equation="kind: diffusion, "
                               "D: 'if(abs(x - 0.5) < 0.125, 0, 2)', initial: 0.5 + 0*x"))
            for n, c in enumerate(self.field()):
                x = (n % 16 + 0.5) / 16
                self.assertAlmostEqual(c, 0.5 if abs(x - 0.5) < 0.125 else 0 if x < 0.5 else 1, delta=1e-13)

    def test_barenblatt(self):
        """The source-type solution of c_t = lap c^2, whose front moves with finite speed (G. I. Barenblatt, 1952)."""
        exact = "max(0, 1 - (x^2 + y^2)/(16*sqrt(1 + t)))/sqrt(1 + t)"
        errors = []
        for n in (16, 32, 64):
            text = deck(cells=f"{n}, {n}", size="6, 6", points="[1, 1]", end="1", stencil="co: 0.5",
                        equation=f"kind: diffusion, D: 2*c, face_mean: arithmetic, initial: '{exact.replace('1 + t', '1')}'")
            self.run_deck(text + f"verify: {{exact: '{exact}', mass_balance: 1e-14}}\n")
            errors.append(self.findings()["rms_error.c"])
            self.assertEqual(self.findings()["min"], 0)
        self.assertLess(errors[2], 6e-4)  # of 1; the front has a kink
        self.assertGreater(math.log2(errors[0] / errors[2]) / 2, 1.3)

    def test_medium_that_fills_from_a_wall(self):
        """D = c lets c in from a held wall with arithmetic means, though it is 0 in all cells."""
        wall = "x_min: [{kind: dirichlet, value: 1}], rest: {kind: no_flux}"
        self.run_deck(deck(cells="16, 3", size="1, 0.2", walls=wall, end="0.2", stencil="dt: 5e-4", points="[0.1, 0.1]",
                           equation="kind: diffusion, D: c, face_mean: arithmetic, initial: 0") +
                      "verify: {mass_balance: 1e-13}\n")
        self.assertGreater(self.findings()["uptake.x_min"], 0.05)

    def test_reaction_alone(self):
        self.run_deck(deck(equation="kind: diffusion, D: 0, source: -3*c, initial: 2", stencil="dt: 1e-3", end="0.1"))
        self.assertLess(abs(self.field() - 2 * (1 - 3e-3) ** 100).max(), 1e-14)


class Limit(DiffusionCase):
    """The limit of stability is watched where it changes."""

    GROWING = deck(cells="16, 3", size="1, 0.2", points="[0.5, 0.1]", end="0.1", stencil="co: 0.9",
                   equation="kind: diffusion, D: 1 + 30*t, initial: cos(pi*x)")

    def test_steps_are_shortened(self):
        """The mode decays as the integral of D says, in steps below the limit."""
        text = self.GROWING + "verify: {exact: 'exp(-pi^2*(t + 15*t^2))*cos(pi*x)', max_error: 2e-3}\n"
        done = self.run_deck(text)
        self.assertRegex(done.stderr, r"at t = \S+ the limit of stability is \S+, below the step \S+: D is 1\.\d+ at x = 0.03125")
        self.assertEqual(done.stderr.count("the limit of stability is"), 1)
        # Steps of 0.9 of the limit 2/(D symbol), but for some at the beginning; D integrates to 1/4.
        self.assertLess(abs(self.findings()["steps"] * 0.9 * 2 / (4 * (16**2 + 15**2)) / 0.25 - 1), 0.05)

    def test_records_of_shortened_steps(self):
        """A step that is not taken, as D turns out to be too large in its pass, leaves nothing in the records of walls."""
        text = deck(equation="kind: diffusion, D: '1 + 30*t + c^2', initial: x", walls=BAR, stencil="co: 0.9", end="0.05")
        done = self.run_deck(text + "verify: {mass_balance: 1e-13}\n")
        self.assertIn("the limit of stability is", done.stderr)

    def test_or_the_run_ends(self):
        done = self.run_deck(self.GROWING, "--set", "diffusion.time.on_limit=stop", expect=3)
        self.assertRegex(done.stderr, r"at t = 0.00\d+ the limit of stability is \S+, below the step \S+: D is 1\.\d+ at x = 0.03")

    def test_place(self):
        done = self.run_deck(deck(equation="kind: diffusion, D: '1 + c^2', source: '500*exp(-99*((x-0.7)^2 + (y-0.2)^2))', "
                                  "initial: 0", stencil="co: 0.99"), "--set", "diffusion.time.on_limit=stop", expect=3, ranks=2)
        self.assertIn("at x = 0.71875, y = 0.208333", done.stderr)

    def test_walls_count(self):
        """A wall held at a value that lets D grow there."""
        wall = "x_min: [{kind: dirichlet, value: 100*t}], rest: {kind: no_flux}"
        done = self.run_deck(deck(equation="kind: diffusion, D: 1 + c, initial: 0", walls=wall, stencil="co: 0.99"), "--set",
                             "diffusion.time.on_limit=stop", expect=3)
        self.assertRegex(done.stderr, r"D is 1\.\d+ on wall x_min beside x = 0.03125, y = 0.0416667")

    def test_reactions(self):
        """Rates that grow with time and with c; too large steps would overshoot ever more."""
        frame = {"stencil": "dt: 0.05", "end": "4"}
        done = self.run_deck(deck(equation="kind: diffusion, D: 1e-4, source: 40*t*(1 - c), initial: 0", **frame))
        self.assertIn("-dS/dc 40", done.stderr)
        self.assertLess(abs(self.field() - 1).max(), 1e-12)
        done = self.run_deck(deck(equation="kind: diffusion, D: 1e-4, source: 2 - c^5, initial: 0", stencil="dt: 0.4", end="40"))
        self.assertIn("-dS/dc", done.stderr)
        self.assertLess(abs(self.field() - 2 ** 0.2).max(), 1e-9)
        done = self.run_deck(deck(equation="kind: allen_cahn, kappa: 1e-4, source: 40*step(t - 1)*(1.5 - c), initial: 0.9",
                                  stencil="dt: 0.2", end="4"), "--set", "diffusion.time.on_limit=stop", expect=3)
        self.assertRegex(done.stderr, r"at t = 1 the limit .* D is 0.0001, -dS/dc 4\d")

    def test_bad_diffusivity_on_a_wall(self):
        wall = "y_max: [{from: 0.5, kind: dirichlet, value: 0}], rest: {kind: no_flux}"
        for method in ("euler", "rkl2"):
            text = deck(equation="kind: diffusion, D: 'if(y < 1, 1, 1 - 20*t)', initial: 0", walls=wall, stencil="dt: 1e-4",
                        end="0.1")
            done = self.run_deck(text, "--set", f"diffusion.time.method={method}", expect=3, ranks=2)
            self.assertRegex(done.stderr, r"D is -0\.00\d+ on wall y_max beside x = 0.53125, y = 0.958333 at t = 0.050")

    def test_a_source_that_is_no_number_is_not_told_as_D(self):
        for method in ("euler", "rkl2"):
            text = deck(equation="kind: diffusion, D: 1 + c^2, initial: x, source: 'sqrt(0.05 - t*step(x - 0.5))'",
                        stencil="dt: 1e-4", end="0.1")
            done = self.run_deck(text, "--set", f"diffusion.time.method={method}", expect=3, ranks=2)
            self.assertIn("c is not finite", done.stderr)
            self.assertNotIn("D is", done.stderr)
            if method == "euler":
                self.assertRegex(done.stderr, r"first at x = 0.5.*; the source of the step before may be no number there")

    def test_bad_diffusivity(self):
        for D, words in (("'log(1.5 - 20*t)'", "D is -"), ("'sqrt(0.01 - t*x)'", "D is -?nan"), ("1/step(0.005 - t)", "D is inf")):
            done = self.run_deck(deck(equation=f"kind: diffusion, D: {D}, initial: x", stencil="dt: 1e-5", end="0.1"), expect=3)
            self.assertRegex(done.stderr, words + r"\S* at x = \S+, y = \S+ at t = 0\.\d+; it must be finite")

    def test_a_limit_that_falls_to_nothing(self):
        done = self.run_deck(deck(equation="kind: diffusion, D: '1 + 1e9*step(t - 0.005)', initial: x"), expect=3)
        self.assertIn("fallen below a millionth of the deck's step", done.stderr)

    def test_told_as_computed(self):
        done = self.run_deck(deck(equation="kind: diffusion, D: 1, source: -1e4*c, initial: 0", stencil="dt: 5e-4"), expect=2)
        symbol = 4 * (16**2 + 12**2)
        self.assertIn(f"limit of stability {2 / (symbol + 1e4):.6g} = 2/(D max|symbol| + max(-dS/dc)) with D max|symbol| = "
                      f"{symbol}, max(-dS/dc) = 10000", done.stderr)


class Anisotropic(DiffusionCase):
    def test_modes_decay_along_each_axis(self):
        for mask in ("5pt", "cross4"):
            text = deck(cells="16, 16", equation="kind: diffusion, D: 1, anisotropy: {x: 2, y: 0.3}, "
                        "initial: '3 + cos(pi*x) + 10*cos(pi*y)'", stencil=f"mask: {mask}, dt: 1e-4", end="0.02")
            done = self.run_deck(text + "verify: {mass_balance: 1e-13}\n")
            if mask == "5pt":
                self.assertIn(f"limit of stability {1 / (2 * 16**2 * 2.3):.6g}", done.stderr)
            k, h = math.pi / 16, 1 / 16
            symbol = (2 * math.cos(k) - 2 if mask == "5pt" else (32 * math.cos(k) - 30 - 2 * math.cos(2 * k)) / 12) / h**2
            values = self.field().reshape(16, 16)
            gx, gy = (1 + 1e-4 * D * symbol for D in (2, 0.3))
            for j in (0, 5, 15):
                for i in (0, 7, 15):
                    exact = 3 + math.cos(k * (i + 0.5)) * gx**200 + 10 * math.cos(k * (j + 0.5)) * gy**200
                    self.assertAlmostEqual(values[j, i], exact, delta=1e-12)


class Sources(DiffusionCase):
    def test_decay(self):
        """Without gradients each step multiplies by 1 - k dt."""
        self.run_deck(deck(equation="kind: diffusion, D: 1, source: -3*c, initial: 2", stencil="dt: 1e-3", end="0.1"))
        self.assertLess(abs(self.field() - 2 * (1 - 3e-3) ** 100).max(), 1e-14)

    def test_place_and_time(self):
        """c = x^2 + t y solves c_t = lap c + y - 2 but for walls, where its derivatives are given."""
        walls = ("x_min: [{kind: neumann, value: 0}], x_max: [{kind: neumann, value: 2}], "
                 "y_min: [{kind: neumann, value: -t}], y_max: [{kind: neumann, value: t}]")
        text = deck(equation="kind: diffusion, D: 1, source: y - 2, initial: x^2", walls=walls, stencil="dt: 1e-3", end="0.05")
        self.run_deck(text.replace("output:", "verify: {exact: x^2 + t*y, max_error: 1e-12}\noutput:"))

    def test_manufactured_in_three_dimensions(self):
        exact = "exp(-t)*cos(pi*x)*cos(pi*y)*cos(2*pi*z)"
        errors = []
        for n in (8, 16):
            text = deck(cells=f"{n}, {n}, {n}", size="1, 1, 1", points="[0, 0, 0]", end="0.02",
                        equation=f"kind: diffusion, D: 1, source: '(6*pi^2 - 1)*{exact}', "
                        "initial: cos(pi*x)*cos(pi*y)*cos(2*pi*z)")
            self.run_deck(text + f"verify: {{exact: '{exact}'}}\n")
            errors.append(self.findings()["rms_error.c"])
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.15)


class Published(DiffusionCase):
    """Figures of the benchmarks of PFHub."""

    def test_allen_cahn(self):
        rms = []
        for cells, dt in (("[100, 50]", 0.004), ("[200, 100]", 0.001)):
            self.run_program("run", INPUTS / "diffusion/allen_cahn.yaml", "--overwrite", "--set", "output.directory=out",
                             "--set", f"diffusion.grid.cells={cells}", "--set", f"diffusion.stencil.dt={dt}", program=PROGRAM)
            rms.append(self.findings()["rms_error.c"])
        self.assertEqual([f"{error * math.sqrt(0.5):.2e}" for error in rms], ["6.75e-03", "1.39e-03"])

    def test_spinodal(self):
        import h5py

        self.run_program("run", INPUTS / "diffusion/spinodal.yaml", "--set", "output.directory=out", "--set",
                         "diffusion.time.end=10", "--set", "verify={mass_balance: 1e-15}", program=PROGRAM, ranks=2)
        with h5py.File(self.folder / "out/tables.h5") as file:
            self.assertEqual([f"{value:.3f}" for value in file["series/energy"]], ["319.038", "304.304"])
            for mass in file["series/probes/c_integral"]:
                self.assertAlmostEqual(mass, 20101.9047340, delta=1e-7)


class EqualBits(DiffusionCase):
    DECKS = {
        "flux": deck(cells="13, 17", equation="kind: diffusion, D: '0.1 + x + c*y + t', source: 'sin(5*x) - c', initial: x*y",
                     walls="x_min: [{from: 0, to: 0.4, kind: dirichlet, value: 1 + t}], rest: {kind: no_flux}"),
        "shortened": deck(cells="13, 17", equation="kind: diffusion, D: '0.1 + x + c*y + 90*t', source: 1 - c^3, initial: x*y",
                          walls="x_min: [{from: 0, to: 0.4, kind: neumann, value: 1 + t}], y_min: [{kind: robin, transfer: 2, "
                          "value: x}], rest: {kind: no_flux}", stencil="co: 0.9", end="0.02"),
        "given": deck(cells="13, 17", equation="kind: diffusion, D: '0.1 + x + c*y', initial: x*y", walls="x_min: [{from: 0, to: "
                      "0.4, kind: flux, value: 1 + t}], y_min: [{kind: flux, value: x}], rest: {kind: no_flux}"),
        "deep": deck(cells="9, 7, 11", size="1, 1, 1", points="[0, 0, 0]", walls="z_min: [{kind: periodic}], "
                     "z_max: [{kind: periodic}], rest: {kind: no_flux}",
                     equation="kind: diffusion, D: 'if(z < 0.5, 1, 0.1)', source: z*c, initial: x*y + z"),
        "spinodal": deck(cells="15, 21", size="15, 21", points="[1, 1]", stencil="mask: 9pt, co: 0.1", end="0.02",
                         equation="kind: cahn_hilliard, mobility: 5, kappa: 2, rho: 5, wells: [0.3, 0.7], "
                         "initial: '0.5 + 0.1*cos(x)*sin(y)'"),
        "periodic": deck(cells="12, 20", size="12, 20", points="[1, 1]", stencil="mask: cross4, co: 0.1", end="0.02",
                         equation="kind: cahn_hilliard, mobility: 5, kappa: 2, rho: 5, wells: [0.3, 0.7], "
                         "initial: '0.5 + 0.1*cos(x)*sin(y)'", walls="x_min: [{kind: no_flux}], x_max: [{kind: no_flux}], "
                         "y_min: [{kind: periodic}], y_max: [{kind: periodic}]"),
    }

    def test_on_any_layout_and_after_a_restart(self):
        for name, text in self.DECKS.items():
            with self.subTest(name):
                self.run_deck(text)
                alone = self.bits("out")
                for ranks, devices, per_rank in ((2, "omp", 1), (3, "omp", 1), (2, "emulated-lazy", 2)):
                    self.run_deck(text, "--set", f"run.devices={devices}", "--set", f"run.per_rank={per_rank}",
                                  ranks=ranks)
                    self.assertEqual(self.bits("out"), alone, f"{ranks} ranks, {per_rank} times {devices}")
                # Ends with its first slice, saved by four parts.
                self.run_deck(text, "--set", "run.wall_limit=1e-9", "--set", "run.per_rank=2", ranks=2)
                self.run_program("run", "deck.yaml", "--restart", "auto", program=PROGRAM)
                self.assertEqual(self.bits("out"), alone)


class Faults(DiffusionCase):
    def test_each(self):
        start = "kind: diffusion, initial: 0, "
        hilliard = "kind: cahn_hilliard, initial: 0, mobility: 1, kappa: 1, rho: 1, wells: [0, 1]"
        for equation, stencil, words in (
                (start, "co: 0.1", "diffusion.equation.D: missing"),
                (start + "D: 0.5 - x", "co: 0.1", "must not be negative, and finite, is -0.03125 at x = 0.53125"),
                (start + "D: c", "co: 0.1", "D is 0 everywhere at t = 0; give dt"),
                (start + "D: -1", "co: 0.1", "must be positive and finite, is -1"),
                (start + "D: 1 + x", "mask: 9pt, co: 0.1", "need the mask 5pt"),
                (start + "D: 1, source: c", "mask: cross4, co: 0.1", "need the mask 5pt"),
                (start + "D: 1, face_mean: arithmetic", "co: 0.1", "face_mean: means nothing here: D is a number"),
                (start + "D: 1, anisotropy: {x: 2}", "mask: 9pt, co: 0.1", "anisotropic D needs the mask"),
                (start + "D: 1, kappa: 2", "co: 0.1", "diffusion.equation.kappa: belongs to another kind"),
                (start + "D: 1 + x", "co: 1.1", "above the limit of stability"),
                (start + "D: 1, source: -1e4*c", "co: 0.9", "above the limit of stability"),
                ("kind: allen_cahn, initial: 0", "co: 0.1", "diffusion.equation.kappa: missing"),
                (hilliard + ", source: c", "co: 0.1", "diffusion.equation.source: belongs to another kind"),
                (hilliard.replace("[0, 1]", "[1, 0]"), "co: 0.1", "low < high"),
                (hilliard, "accurate: true, mask: 9pt", "diffusion.stencil.accurate")):
            done = self.run_deck(deck(cells="16, 16", equation=equation, stencil=stencil), expect=2)
            self.assertIn(words, done.stderr)
        done = self.run_deck(deck(equation=hilliard, walls=BAR), expect=2)
        self.assertIn("walls of kind no_flux and periodic only", done.stderr)
        for more, words in ((["--set", "diffusion.precision=fp32"], "in fp64 only"),
                            (["--set", "diffusion.time.kernel=blocked"], "has the kernel fused alone"),
                            (["--set", "diffusion.time.steps_per_sweep=4"], "one step per sweep")):
            done = self.run_deck(deck(equation="kind: diffusion, D: 1 + x, initial: 0"), *more, expect=2)
            self.assertIn(words, done.stderr)

    def test_a_run_that_grows_without_bound(self):
        """Growth has no limit of stability; the run stops, and says where the last checkpoint is."""
        text = deck(equation="kind: diffusion, D: 1, source: 1e3*c^3, initial: 1 + x", stencil="dt: 1e-4", end="1")
        done = self.run_deck(text + "checkpoint: {every: 1e-4}\n", expect=3)
        self.assertRegex(done.stderr, r"c is not finite after step \d+ .*, first at x = .*; it was finite after step \d+")
        self.assertRegex(done.stderr, r"the last checkpoint is out/checkpoint_\d+.h5")


if __name__ == "__main__":
    unittest.main()
