"""Family fractional through the program: its decks verify themselves, results have the same bits on any ranks and devices
and after a restart at any level, output between levels shows what lies there, and faults are told with their places.
"""

import unittest

import h5py
from runs import INPUTS, PROGRAM, RunCase

DECKS = INPUTS / "fractional"

SMALL = """\
problem: fractional
fractional:
  grid: {{size: [1, 0.5, 2], cells: [11, 8, 24]}}
  equation:
    D: 0.3*(1 + x/2)*(1 + z/3)
    initial: (1 + x)*cos(y) + z
    {equation}
  sides: {{x_min: {{kind: dirichlet, value: cos(y) + z + t}}, z_max: {{kind: robin, transfer: 2, value: x*t}},
          {sides}rest: {{kind: neumann, value: 0.1*y}}}}
  time: {{end: 1, steps: {steps}, mesh: {mesh}}}
  history: {{engine: {engine}, block: 4}}
output: {{every: 0.3, directory: out}}
"""


class Case(RunCase):
    def solve(self, deck, directory, *settings, ranks=1, expect=0, more=()):
        words = [word for setting in settings for word in ("--set", setting)]
        return self.run_program("run", deck, "--set", f"output.directory={directory}", *words, *more, ranks=ranks,
                                program=PROGRAM, expect=expect)

    def findings(self, directory):
        return {finding["name"]: finding["value"] for finding in self.report(directory)["findings"]}

    def series(self, directory):
        with h5py.File(self.folder / directory / "tables.h5") as file:
            return {name: list(values) for name, values in file["series"].items() if hasattr(values, "shape")}


class Decks(Case):
    def test_default(self):
        self.solve(DECKS / "default.yaml", "out", ranks=2)
        self.assertAlmostEqual(self.findings("out")["max_error.c"], 1.1228e-3, delta=5e-7)
        series = self.series("out")
        self.assertEqual(series["output_time"], [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(series["output_step"], [0, 16, 32, 48, 64])
        self.assertEqual(series["max_error"][-1], self.findings("out")["max_error.c"])

    def test_the_other_small_decks(self):
        for deck in ("psi_caputo.yaml", "psi_caputo_lod.yaml", "relaxation.yaml", "variable_order.yaml",
                     "two_media.yaml"):
            with self.subTest(deck):
                self.solve(DECKS / deck, deck)

    def test_seconds_of_kernels(self):
        small = ("fractional.grid.cells=[6, 6, 6]", "fractional.time.steps=100", "verify={exact: u}")
        self.solve(DECKS / "psi_caputo_lod.yaml", "plain", *small)
        self.assertNotIn("history_seconds", self.findings("plain"))
        self.solve(DECKS / "psi_caputo_lod.yaml", "profiled", *small, more=["--profile"], ranks=2)
        found = self.findings("profiled")
        self.assertEqual(found["max_error.c"], self.findings("plain")["max_error.c"])
        self.assertGreater(found["sweeps_seconds"], 0)
        self.assertGreater(found["history_seconds"], 48*found["history_seconds_per_step"])
        self.assertTrue(0 < found["history_share"] < 1, found)

    def test_reproduction(self):
        done = self.run_program("reproduce", "psi_caputo", "--match", "series, half", "--set", "fractional.time.steps=20",
                                "--set", "fractional.grid.cells=[6, 6, 6]", program=PROGRAM)
        row = next(line.split("|") for line in done.stdout.splitlines() if line.startswith("| series, half"))
        self.assertEqual(row[2].strip(), "0.0773")
        self.assertGreater(float(row[3]), 0)

    def test_reproduction_leaves_out_what_needs_a_gpu(self):
        done = self.run_program("reproduce", "psi_caputo", "--match", "U, series, 40^3", "--set", "fractional.time.steps=8",
                                program=PROGRAM, environment={"CUDA_VISIBLE_DEVICES": ""})
        rows = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines() if "40^3 |" in line]
        self.assertEqual([row[1] for row in rows], ["CPU, series, 40^3", "GPU, series, 40^3"])
        self.assertGreater(float(rows[0][3]), 0)
        self.assertEqual(rows[1][2:5], ["0.0353", "no GPU", "-"])
        self.assertRegex(done.stdout, r"\nno GPU: .")

    def test_rough_data_take_unsplit_steps(self):
        done = self.solve(DECKS / "rough.yaml", "out")
        self.assertIn("above solver.split_error 0.001: solved unsplit", done.stderr + done.stdout)
        found = self.findings("out")
        self.assertGreater(found["unsplit_steps"], 0)
        self.assertLess(found["unsplit_steps"], 16)
        self.assertLessEqual(found["split_error"], 1e-3)

    def test_sweeps_that_are_not_stable(self):
        done = self.solve(DECKS / "inclusion.yaml", "out")
        self.assertIn("sweeps are not stable, and every step is solved unsplit", done.stderr + done.stdout)
        self.assertEqual(self.findings("out")["unsplit_steps"], 64)
        self.assertAlmostEqual(self.findings("out")["max"], 3.703822e-1, delta=1e-7)  # at the center
        done = self.solve(DECKS / "inclusion.yaml", "adi", "fractional.solver.split=adi", expect=3)
        self.assertRegex(done.stderr, r"a probe before the first step found .*; with `auto` steps are")
        done = self.solve(DECKS / "inclusion.yaml", "few", "fractional.solver.maxit=3", expect=3)
        self.assertRegex(done.stderr, r"step 1 to t = 0.015625: CG did not converge after 3 iterations: .* x = ")

    def test_orders_of_a_study(self):
        self.run_program("study", DECKS / "default.yaml", "--refine", "3", "--set", "fractional.grid.cells=[8, 8, 8]",
                         "--set", "fractional.time.steps=16", "--set", "verify={exact: u}", program=PROGRAM)
        rows = [line.split(",") for line in
                (self.folder / "out/default_study/study.csv").read_text(encoding="utf-8").splitlines()]
        column = rows[0].index("order of max_error.c")
        for row in rows[2:]:
            self.assertAlmostEqual(float(row[column]), 2, delta=0.1)


class EqualBits(Case):
    DECKS = {
        "direct": SMALL.format(equation="order: 0.6", sides="", steps=20, mesh="uniform_t", engine="direct"),
        "exponentials": SMALL.format(equation="order: 0.3\n    source: x*t - c^3", sides="", steps=40, mesh="graded",
                                     engine="exponentials"),
        "terms": SMALL.format(equation="terms: [{order: 1, coefficient: 0.4}, {order: 0.5}]\n"
                              "    sigma: 1 + y\n    reaction: x\n    velocity: {z: 0.3}",
                              sides="y_min: {kind: periodic}, y_max: {kind: periodic}, ", steps=30, mesh="graded_start",
                              engine="exponentials"),
        "unsplit": SMALL.format(equation="order: 0.6\n    velocity: {y: 0.5}\n  solver: {split_error: 1e-7}",
                                sides="", steps=12, mesh="uniform_t", engine="direct"),
        "order": SMALL.format(equation="order: 0.4 + 0.4*t\n    psi: t^2", sides="", steps=30, mesh="uniform_psi",
                              engine="exponentials"),
        "mixed": SMALL.format(equation="order: 0.7\n  precision: mixed", sides="", steps=30, mesh="graded_start",
                              engine="exponentials"),
    }

    def test_on_any_layout_and_after_a_restart(self):
        for name, text in self.DECKS.items():
            with self.subTest(name):
                self.write("deck.yaml", text)
                self.solve("deck.yaml", name)
                alone = self.bits(name)
                for ranks, devices, per_rank in ((2, "omp", 1), (3, "omp", 1), (2, "emulated-lazy", 2)):
                    other = f"{name}_{ranks}_{per_rank}"
                    self.solve("deck.yaml", other, f"run.devices={devices}", f"run.per_rank={per_rank}", ranks=ranks)
                    self.assertEqual(self.bits(other), alone, f"{ranks} ranks, {per_rank} times {devices}")
                # Ends with its first slice, saved by four parts, level by level.
                parts = f"{name}_parts"
                self.solve("deck.yaml", parts, "run.wall_limit=1e-9", "run.per_rank=2", ranks=2)
                for _ in range(4):
                    self.solve("deck.yaml", parts, "run.wall_limit=1e-9", more=("--restart", "auto"))
                self.solve("deck.yaml", parts, ranks=3, more=("--restart", "auto"))
                self.assertEqual(self.bits(parts), alone)


class Memory(Case):
    """Fields of a few MB take what the forecast says, no whole huge pages."""

    def test_forecast(self):
        small = ("--set", "fractional.grid.cells=[8, 8, 8]")
        for precision, cells, nodes in (("fp64", "[80, 90, 90]", 81*91*91), ("mixed", "[110, 100, 110]", 111*101*111)):
            with self.subTest(precision):
                settings = [word for setting in (
                    f"fractional.grid.cells={cells}", f"fractional.precision={precision}", "fractional.time.steps=17",
                    "fractional.history={engine: exponentials, eps: 1e-6}", "fractional.solver.split=adi",
                    "output={directory: memory}", "verify={}", "run.devices=[omp]", "checkpoint={at_end: false}") for word in ("--set", setting)]
                forecast = self.forecast(DECKS / "default.yaml", *settings)
                fields = self.peak(DECKS / "default.yaml", *settings) - self.peak(DECKS / "default.yaml", *settings, *small)
                output = 2.2*8*nodes  # copies on their way to a file
                self.assertTrue(0.95*forecast < fields < forecast + output, f"{fields:.4g} used, {forecast:.4g} forecast")


class BetweenLevels(Case):
    """A solution linear in psi(t): what is shown between levels is exact up to the error of the scheme."""

    DECK = """\
problem: fractional
fractional:
  definitions: [u = 1 + x + t*(1 + y)]
  grid: {size: [1, 1, 1], cells: [6, 6, 6]}
  equation: {order: 1, D: 1, initial: 1 + x, source: 1 + y}
  sides: {rest: {kind: dirichlet, value: u}}
  time: {end: 1, steps: 10}
output: {every: 0.07, directory: out}
verify: {exact: u, max_error: 1e-13}
"""

    def test_shows_what_lies_between(self):
        self.write("deck.yaml", self.DECK)
        self.solve("deck.yaml", "out")
        series = self.series("out")
        self.assertEqual(len(series["output_time"]), 16)
        self.assertAlmostEqual(series["output_time"][2], 0.14, places=14)
        self.assertEqual(series["output_step"][2], 2)  # the later level
        self.assertLess(max(series["max_error"]), 1e-13)
        self.assertEqual(self.findings("out")["steps"], 10)

    def test_does_not_change_what_follows(self):
        self.write("deck.yaml", self.DECK)
        self.solve("deck.yaml", "often")
        self.solve("deck.yaml", "once", "output.every=1")
        self.assertEqual(self.findings("often"), self.findings("once"))
        self.assertEqual(self.last_field("often"), self.last_field("once"))

    def last_field(self, directory):
        bits = self.bits(directory)
        last = max(name for name in bits if name.startswith("fields_")).split(":")[0]
        return {name.split(":")[1]: value for name, value in bits.items() if name.startswith(last)}

    def test_steps_as_times_of_output(self):
        self.write("deck.yaml", self.DECK)
        self.solve("deck.yaml", "out", "output={every_steps: 4, directory: out}")
        self.assertEqual(self.series("out")["output_step"], [0, 4, 8, 10])


class Faults(Case):
    CASES = (  # what replaces what in the default deck, and the message with its place
        ("order: 0.6", "order: 1.6", r":11:12: fractional.equation.order: must be above 0 and at most 1, is 1.6"),
        ("D: 0.1", "D: 0.1 - z",
         r":12:8: fractional.equation.D: must be positive and finite, is -0.025 at x = 0, y = 0, z = 0.125"),
        ("end: 1, steps: 64", "end: 1, steps: 64, grading: 3", r":16:38: fractional.time.grading: belongs to meshes"),
        ("value: u}", "transfer: 3}", r":15:11: fractional.sides.rest: lacks `value`"),
        ("end: 1, steps: 64}", "end: 1, steps: 64}\n  solver: {split: adi, split_error: 1e-4, tol: 1e-6}",
         r":17:37: fractional.solver.split_error: belongs to split auto"),
        ("{every: 0.25, images", "{at: [0.5, 2], images", r":17:20: output.at\[1\]: 2 is after the end of the run, 1"),
        ("{every: 0.25, images", "{at: [-0.1, 0.5], images", r":17:15: output.at\[0\]: '-0.1' is out of bounds"),
        ("{every: 0.25, images", "{every: 1e-9, images",
         r":17:17: output.every: 1e-09 asks for 1e\+09 times up to the end of the run, 1, .*: give 1.1e-07 or more"),
        ("end: 1, steps", "end: 1e-300, steps", r":16:3: fractional.time: step 1 has length .*count time in a smaller unit"),
        ("cells: [32, 32, 32]", "cells: [32, 32]", r":9:27: fractional.grid.cells: has 2 numbers; expected three"),
    )

    def test_each(self):
        text = (DECKS / "default.yaml").read_text(encoding="utf-8")
        for old, new, message in self.CASES:
            with self.subTest(new):
                self.assertIn(old, text)
                self.write("deck.yaml", text.replace(old, new))
                done = self.run_program("check", "deck.yaml", program=PROGRAM, expect=2)
                self.assertRegex(done.stderr + done.stdout, message)

    def test_more_parts_than_strips(self):
        done = self.solve(DECKS / "default.yaml", "out", "run.per_rank=9", expect=2)
        self.assertIn("9 parts, but lines along z have 8 strips", done.stderr)

    def test_another_problem(self):
        self.solve(DECKS / "default.yaml", "out", "run.wall_limit=1e-9")
        done = self.solve(DECKS / "default.yaml", "out", "fractional.time.steps=65", more=("--restart", "auto"), expect=2)
        self.assertIn("belongs to another problem", done.stderr)

    def test_another_tolerance(self):
        self.solve(DECKS / "rough.yaml", "out", "run.wall_limit=1e-9")
        done = self.solve(DECKS / "rough.yaml", "out", "fractional.solver={tol: 1e-9, maxit: 1000, split_error: 2e-3}",
                          more=("--restart", "auto"))
        self.assertIn("continues from", done.stderr + done.stdout)

    def test_values_that_are_none(self):
        done = self.solve(DECKS / "default.yaml", "out", "fractional.sides.rest={kind: dirichlet, value: sqrt(0.5 - t)}",
                          expect=3)
        self.assertRegex(done.stderr, r"c is not finite after step \d+ .*first at x = ")

    def test_growth_that_no_step_resolves(self):
        done = self.solve(DECKS / "default.yaml", "out", "fractional.equation.reaction=-1000", expect=3)
        self.assertRegex(done.stderr, r"step \d+ to t = .*: reaction and source grow faster with c than a step resolves")


if __name__ == "__main__":
    unittest.main()
