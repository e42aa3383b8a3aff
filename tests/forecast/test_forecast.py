"""`halocline check --devices`: forecasts beside the times that docs/performance has measured, and what is refused."""

import concurrent.futures
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "decks"))

from runs import INPUTS, PROGRAM, RunCase  # noqa: E402  pylint: disable=wrong-import-position

TABLE = pathlib.Path(__file__).parent / "measured.csv"
WITHIN = 0.2

PLANE = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [1, 1], cells: [64, 64]}
  equation: {kind: diffusion, D: 1, initial: cos(pi*x)}
  walls: {rest: {kind: no_flux}}
  stencil: {mask: 5pt, co: 0.1}
  time: {method: euler, end: 1e-6}
"""
SPINODAL = """\
problem: diffusion
diffusion:
  grid: {layout: fv, size: [1, 1], cells: [64, 64]}
  equation: {kind: cahn_hilliard, mobility: 1, kappa: 1e-6, rho: 1, wells: [0, 1], initial: 0.5}
  walls: {rest: {kind: no_flux}}
  stencil: {mask: 5pt, co: 0.1}
  time: {method: euler, end: 1e-12}
"""
ELLIPTIC = """\
problem: collocation
collocation:
  definitions: [k = 1 + x*y]
  equation: {a: k, b: 0, c: k, d: y, e: x, eta: -1, f: 1}
  mesh: {x: {from: 0, to: 1, elements: 64}, y: {from: 0, to: 1, elements: 64}}
  sides: {rest: {kind: dirichlet, value: 0}}
  solver: {method: fd, inner_maxit: 20}
output: {directory: out}
"""
UNITS = {"h": 3600, "s": 1, "ms": 1e-3, "us": 1e-6}


SIZES = {"B": 1, "kB": 1e3, "MB": 1e6}


def quantity_of_bytes(text):
    number, unit = re.search(r"([0-9.]+) (B|kB|MB) per", text).groups()
    return float(number) * SIZES[unit]


def seconds(text, name):
    """Of a row such as `time  1.23 ms per step: ...`."""
    found = re.search(rf"^    {name} +([0-9.e+-]+) (h|s|ms|us)\b", text, re.M)
    return float(found[1]) * UNITS[found[2]]


class Forecasts(RunCase):
    def forecast(self, line):
        page, deck, devices, ranks, what, measured, settings = line.split(";")
        name = deck if deck in ("blocked", "spinodal") else INPUTS / deck
        arguments = [word for setting in settings.split() for word in ("--set", setting)]
        done = self.run_program("check", name, "--devices", devices, "--ranks", ranks, *arguments, program=PROGRAM)
        found = seconds(done.stdout, "all" if what == "all" else "time")
        return float(measured), found, f"{page}: {deck} on {ranks} {devices} {settings}"

    def test_that_measured_times_are_met(self):
        self.write("blocked", PLANE)
        self.write("spinodal", SPINODAL)
        lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(self.forecast, lines))
        if "HALOCLINE_SHOW_FORECASTS" in os.environ:
            for measured, found, case in results:
                print(f"{measured:.4g} s measured, forecast {found:.4g} s, {found / measured - 1:+.0%}: {case}")
        wrong = [f"{found / measured - 1:+.0%}: {measured:.4g} s measured, {found:.4g} s forecast: {case}"
                 for measured, found, case in results if abs(found / measured - 1) > WITHIN]
        self.assertFalse(wrong, "\n" + "\n".join(wrong))


class Refusals(RunCase):
    def check(self, *arguments, ranks=1, expect=0):
        done = self.run_program("check", *arguments, ranks=ranks, program=PROGRAM, expect=expect)
        return done.stdout if expect == 0 else done.stderr

    def test_that_more_ranks_than_there_is_work_for_are_refused(self):
        """Lines in pairs, chunks of 1024 rows, systems one by one; and what is fastest of what can be used."""
        schur, rows, systems = INPUTS / "collocation/thesis_256.yaml", INPUTS / "sparse/default.yaml", \
            INPUTS / "ode_ensemble/riccati.yaml"
        self.assertIn("4096 ranks are more than this problem can use: 128 ranks at most; 1 would be the fastest",
                      self.check(schur, "--ranks", 4096, "--devices", "h200", expect=2))
        self.check(schur, "--ranks", 128)
        self.check(schur, "--ranks", 129, expect=2)
        self.assertIn("ranks at most", self.check(rows, "--ranks", 4096, expect=2))
        self.assertIn("10 ranks at most", self.check(systems, "--ranks", 11, expect=2))
        self.check(systems, "--ranks", 10)
        self.write("narrow.yaml", PLANE.replace("[64, 64]", "[24, 3]"))
        text = self.check("narrow.yaml", ranks=4, expect=2)
        self.assertIn("4 ranks are more than this problem can use: 3 ranks at most", text)

    def test_that_numbers_without_a_table_of_boxes_are_refused(self):
        """12 x 12 lines in columns and layers: 36 is 6 x 6, 37 is prime, 144 the last one; of 5 per rank every table is."""
        def advice(*arguments):
            return self.check(INPUTS / "diffusion/box_3d.yaml", "--set", "diffusion.grid.cells=[12, 12, 12]", *arguments,
                              expect=2)

        self.assertIn("37 ranks are no number that this problem can use: 36 ranks below it", advice("--ranks", 37))
        self.assertIn("this problem can use: 144 ranks below it", advice("--ranks", 1000))
        self.assertIn("this problem can use: 24 ranks below it", advice("--ranks", 30, "--set", "run.per_rank=5"))
        self.assertNotIn("ranks below it", advice("--ranks", 37, "--set", "diffusion.grid.parts=[6, 6]"))

    def test_that_a_deck_with_other_faults_gets_no_advice(self):
        self.write("wrong.yaml", PLANE.replace("end: 1e-6", "end: 1e-6, kernel: tiled").replace("mask: 5pt", "mask: 7pt"))
        self.assertNotIn("ranks", self.check("wrong.yaml", "--ranks", 2, expect=2))

    def test_the_table(self):
        """Hours are devices times time, efficiency the time of one part over all, and fewer parts do not fit."""
        self.write("plane.yaml", PLANE.replace("[64, 64]", "[16384, 16384]"))
        one, four = (self.check("plane.yaml", "--devices", "h200", "--ranks", n) for n in (1, 4))
        share = float(re.search(r"efficiency +([0-9.]+) %", four)[1]) / 100
        self.assertAlmostEqual(share, seconds(one, "time") / seconds(four, "time") / 4, 2)
        self.assertAlmostEqual(float(re.search(r"cost +(\S+) GPU hours", four)[1]) * 3600 / 4 / seconds(four, "all"), 1, 2)
        self.assertNotIn("efficiency", one)
        big = self.check(INPUTS / "sparse/poisson_300.yaml", "--devices", "h100", "--ranks", 4, "--set",
                         "sparse.matrix.box.grid.points=[900,900,900]", "--set", "sparse.matrix.box.grid.size=[901,901,901]")
        self.assertRegex(big, "MORE THAN ITS 80 GB: about [0-9]+ parts are needed")
        staged = self.check("plane.yaml", "--devices", "h200", "--ranks", 4, "--set", "run.transfer=staged")
        self.assertGreater(seconds(staged, "time"), seconds(four, "time"))

    def test_boxes_of_lines(self):
        """Sweeps of boxes reduce the strips of the next axis, but not with coefficients of place: those read them once more."""
        def share(*more):
            text = self.check(INPUTS / "fractional/production.yaml", "--devices", "h200", "--ranks", 64, "--set",
                              "fractional.grid.cells=[511,4095,4095]", "--set", "fractional.solver.split=adi", *more)
            return float(re.search(r"efficiency +([0-9.]+) %", text)[1])

        common = share()
        self.assertGreater(common, 88)
        self.assertLess(share("--set", "fractional.equation.D=0.03*(1+x/2)"), common)

    def test_boxes_of_a_plane(self):
        """1024 parts of 8192^2 cells exchange four sides of these in place of rows of 262144, and take no longer than 16."""
        self.write("plane.yaml", PLANE)

        def on(ranks, *more):
            side = 8192 * round(ranks ** 0.5)
            return self.check("plane.yaml", "--devices", "h200", "--ranks", ranks, "--set",
                              f"diffusion.grid.cells=[{side}, {side}]", *more)

        few, many, slabs = on(16), on(1024), on(1024, "--set", "diffusion.grid.parts=[1, 1024]")
        self.assertNotIn("boxes", few)
        self.assertIn("boxes of 8192 x 8192 cells, 32 along x and 32 along y: 262.4 kB a step to 8 neighbors", many)
        self.assertLess(seconds(many, "time"), 1.05 * seconds(few, "time"))
        self.assertGreater(seconds(slabs, "time"), 1.1 * seconds(few, "time"))

    def test_rows_by_bisection(self):
        """Of a cube of 2016^3 rows 1024 parts hold 252 x 252 x 126 rows, and exchange faces of these in place of planes."""
        cube = ["--ranks", 1024, "--devices", "h200", "--set", "sparse.matrix.box.grid.points=[2016,2016,2016]"]
        deck = INPUTS / "sparse/poisson_300.yaml"
        natural, bisected = (self.check(deck, *cube, "--set", f"sparse.order={order}") for order in ("natural", "bisection"))
        self.assertLess(seconds(bisected, "time"), 0.65 * seconds(natural, "time"))
        self.assertEqual(seconds(self.check(deck, *cube), "time"), seconds(bisected, "time"))  # large: auto chooses it

    def test_that_parts_send_what_a_run_counts(self):
        """Halos and gathers of two ranks; a run tells them without sums, of which its methods take four, or three an inner
        iteration and one."""
        self.write("plane.yaml", ELLIPTIC)
        for method, sums in (("fd", 4), ("schur-mixed", 61), ("schur", 3)):
            chosen = ("--set", f"collocation.solver.method={method}")
            told = self.check("plane.yaml", "--devices", "host", "--ranks", 2, *chosen)
            done = self.run_program("run", "plane.yaml", "--overwrite", *chosen, ranks=2, program=PROGRAM).stdout
            counted = quantity_of_bytes(re.search(r"^  sent .*", done, re.M)[0])
            iterations = int(re.search(r"^  iterations +([0-9]+)", done, re.M)[1])
            self.assertGreater(iterations, 3)
            sent = quantity_of_bytes(re.search(r"^    sent .*", told, re.M)[0]) - 1136 * sums
            self.assertAlmostEqual(sent / counted * iterations, 1, delta=0.15, msg=method)

    def test_dense_modes(self):
        """Of fd, where a / c changes along y; of many parts `check` says what to choose in their place."""
        def on(ranks, c, method, *more):
            self.write("plane.yaml", ELLIPTIC.replace("c: k", f"c: {c}").replace("fd", method))
            return self.check("plane.yaml", "--devices", "h200", "--ranks", ranks, "--set",
                              "collocation.mesh.x.elements=4096", "--set", "collocation.mesh.y.elements=4096", *more)

        self.assertGreater(seconds(on(1, "1 + y", "fd"), "time"), 3 * seconds(on(1, "k", "fd"), "time"))
        self.assertIn("hint                   dense modes along y", on(16, "1 + y", "fd"))
        self.assertIn("solver.method mg: no such growth", on(16, "1 + y", "fd"))
        self.assertNotIn("hint", on(16, "k", "fd") + on(1, "1 + y", "fd"))
        separable = ("--set", "collocation.equation={a: 1+x, b: 0, c: 1+y, d: 0, e: 0, eta: -1, f: 1}")
        self.assertIn("solver.method mg", on(16, "k", "separable", *separable))
        with_basis, without = (float(re.search(r"^    memory +([0-9.]+) GB", on(1, c, "fd"), re.M)[1]) for c in ("1 + y", "k"))
        self.assertAlmostEqual(with_basis - without, 8 * (8 * 4097**2 + 512 * 4 * 4097) / 1e9, delta=0.1)
        exact = on(1, "k", "fd", "--set", "collocation.equation={a: 2, b: 0, c: 1, d: 0, e: 0, eta: -1, f: 1}")
        self.assertIn("1 iteration, as these coefficients are fitted exactly", exact)

    def test_rates_of_ones_own(self):
        """A machine that copies twice as fast takes half of the time; what `info --rates` prints can be read."""
        self.write("plane.yaml", PLANE.replace("[64, 64]", "[4096, 4096]"))
        self.write("fast.yaml", "device: fast\nlike: host\ncopy: 29.8e9\n")
        times = [seconds(self.check("plane.yaml", "--devices", *words), "time")
                 for words in (("host",), ("fast", "--rates", "fast.yaml"), ("host:2",))]
        self.assertAlmostEqual(times[0] / times[1], 2, 1)
        self.assertAlmostEqual(times[0] / times[2], 2, 1)
        here = self.run_program("info", "--rates", program=PROGRAM).stdout
        self.write("here.yaml", here)
        self.assertGreater(seconds(self.check("plane.yaml", "--devices", "here", "--rates", "here.yaml"), "time"), 0)

    def test_words_that_are_wrong(self):
        deck = self.write("plane.yaml", PLANE)
        self.write("odd.yaml", "device: odd\nlike: h300\ncopy: -1\nspeed: 3\n")
        self.write("still.yaml", "device: still\nlike: h200\ncopy: 1e-300\n")
        for words, told in ((("--devices", "still", "--rates", "still.yaml"), "out of bounds"),
                            (("--devices", "h300"), "known are h200, h100, host"),
                            (("--devices", "h200:2"), "a number of threads is for hosts"),
                            (("--devices", "host:0"), "expected a number of threads from 1 to 16"),
                            (("--rates", "odd.yaml"), "--devices"),
                            (("--devices", "odd", "--rates", "none.yaml"), "none.yaml"),
                            (("--devices", "odd", "--rates", "odd.yaml"), "speed: unknown key"),
                            (("--ranks", "0"), "not in range")):
            self.assertIn(told, self.check(deck, *words, expect=2))


if __name__ == "__main__":
    unittest.main()
