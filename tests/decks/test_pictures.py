"""Pictures and probes of whole runs: which files there are, what faults say, what a restart keeps."""

import unittest

from runs import BOX, ENSEMBLE, PROGRAM, RunCase

DECK = BOX.replace("directory: box", "directory: box, images: {every: 0.005, field: b}, probes: {every_steps: 100}")


class Pictures(RunCase):
    def names_of_images(self, directory="box"):
        return sorted(path.name for path in (self.folder / directory / "images").iterdir())

    def test_files(self):
        self.write("deck.yaml", DECK)
        self.run_program("run", "deck.yaml", ranks=3)
        self.assertEqual(self.names_of_images(), ["b.csv"] + [f"b_000{n}.png" for n in range(1, 6)])
        lines = (self.folder / "box/images/b.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual([float(line.split(",")[1]) for line in lines[1:]], [0, 0.005, 0.01, 0.015, 0.02])
        self.run_program("run", "deck.yaml", "--overwrite", "--set", "output.images.every=0.01")
        self.assertEqual(self.names_of_images(), ["b.csv", "b_0001.png", "b_0002.png", "b_0003.png"])
        self.run_program("run", "deck.yaml", "--overwrite", "--set", "output.images={every_steps: 100}")
        self.assertEqual(self.names_of_images()[:2], ["a.csv", "a_0001.png"])

    def test_pictures_and_probes_change_nothing(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml", "--set", "output.directory=plain")
        self.run_program("run", "deck.yaml", "--set", "output.images={every: 0.01}", "--set", "output.probes={every: 0.01}",
                         ranks=2)
        plain = self.bits("plain")
        self.assertEqual({name: digest for name, digest in self.bits("box").items() if name in plain}, plain)

    def test_series(self):
        import h5py

        self.write("deck.yaml", DECK)
        self.run_program("run", "deck.yaml", "--set", "output.probes.points=[[0, 0, 0], [0.5, 0.25, 1]]", ranks=2)
        with h5py.File(self.folder / "box/tables.h5") as file:
            series = {name: item[()] for name, item in file["series/probes"].items()}
        self.assertEqual(series["time"][[0, -1]].tolist(), [0, 0.02])
        self.assertEqual(series["a_points"].shape, (len(series["time"]), 2))
        # The corner has the largest value, that of the first cell; the other point lies where the mode is zero.
        self.assertLess(abs(series["a_points"][:, 0] - series["a_max"]).max(), 1e-15)
        self.assertLess(abs(series["a_points"][:, 1]).max(), 1e-15)
        self.assertLess(abs(series["b_integral"]).max(), 1e-15)

    def test_a_picture_that_cannot_be_written(self):
        self.write("deck.yaml", DECK)
        (self.folder / "box").mkdir()
        (self.folder / "box/images").write_text("in the way", encoding="utf-8")
        for ranks in (1, 2):
            done = self.run_program("run", "deck.yaml", "--overwrite", ranks=ranks)
            self.assertEqual(done.stderr.count("no more pictures"), 1, done.stderr)
            self.assertTrue(self.report("box")["finished"])

    def test_faults(self):
        self.write("deck.yaml", BOX)
        for setting, words in (("output.images={every: 1, every_steps: 2}", "contradicts every"),
                               ("output.images={every: 1, range: [1, 0]}", "low < high"),
                               ("output.images={every: 1, field: c}", "'c'"),
                               ("output.probes={every: 1, points: [[1]]}", "output.probes.points[0]"),
                               ("output.probes={every: 1, lines: [[1, 2, 3, 4, 5]]}", "expected 4 or 6 numbers, found 5"),
                               ("output.probes={every: 1, points: [[1, 2, 3]]}", "lies outside the grid"),
                               ("output.probes={points: [[0.5, 0.5]]}", "no coordinate along z"),
                               ("output.probes={lines: [[0.5, 0.5, 1, 1]]}", "no coordinate along z"),
                               ("output.images={every: 1, axis: x, at: [7]}", "no plane there")):
            for command in ("check", "run"):
                done = self.run_program(command, "deck.yaml", "--set", setting, ranks=2, expect=2)
                self.assertEqual(done.stderr.count(words), 1, done.stderr)
                self.assertIn("nothing was computed", done.stderr)
        self.write("ensemble.yaml", ENSEMBLE)
        done = self.run_program("run", "ensemble.yaml", "--set", "output.images={every_steps: 50}", expect=2)
        self.assertRegex(done.stderr, r"output.images: means nothing for family ensemble, .* not fields on a grid")


# Values at x = 0, 1/8, ... of the first, in the middles of cells of the second.
PERIODIC = {
    "fractional": """\
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [8, 8, 8]}
  equation: {order: 0.6, D: 0.1, initial: sin(2*pi*x) + cos(2*pi*x)}
  sides: {x_min: {kind: periodic}, x_max: {kind: periodic}, rest: {kind: no_flux}}
  time: {end: 1, steps: 16}
output: {directory: out}
""",
    "diffusion": """\
problem: diffusion
diffusion:
  grid: {size: [1, 1, 1], cells: [8, 8, 8]}
  equation: {kind: diffusion, D: 0.1, initial: sin(2*pi*x) + cos(2*pi*x)}
  walls: {x_min: {kind: periodic}, x_max: {kind: periodic}, rest: {kind: no_flux}}
  stencil: {mask: 7pt, co: 1/2}
  time: {end: 0.1}
output: {directory: out}
"""}


class PeriodicAxes(RunCase):
    def points(self, family, places):
        import h5py

        self.write("deck.yaml", PERIODIC[family])
        settings = f"output.probes.points={[[x, 0.5, 0.5] for x in places]}"
        self.run_program("run", "deck.yaml", "--overwrite", "--set", settings, program=PROGRAM)
        with h5py.File(self.folder / "out/tables.h5") as file:
            return list(file["series/probes/c_points"][-1])

    def test_points_beyond_the_last_node(self):
        first, last, between, end = self.points("fractional", [0, 0.875, 0.95, 1])
        self.assertNotAlmostEqual(first, last)
        self.assertEqual(end, first)
        self.assertAlmostEqual(between, 0.4 * last + 0.6 * first, delta=1e-14)

    def test_points_beyond_the_middle_of_the_last_cell(self):
        first, last, low, high = self.points("diffusion", [0.0625, 0.9375, 0, 1])
        self.assertNotAlmostEqual(first, last)
        self.assertAlmostEqual(low, (first + last) / 2, delta=1e-14)
        self.assertAlmostEqual(high, (first + last) / 2, delta=1e-14)

    def test_plane_beyond_the_last_node(self):
        self.write("deck.yaml", PERIODIC["fractional"])
        pictures = []
        for at in (0, 0.95):
            self.run_program("run", "deck.yaml", "--overwrite", "--set", f"output.images={{axis: x, at: [{at}]}}",
                             program=PROGRAM)
            pictures.append((self.folder / "out/images/c_0001.png").read_bytes())
        self.assertEqual(*pictures)

    def test_faults(self):
        for family, text in PERIODIC.items():
            self.write("deck.yaml", text.replace("directory: out", "directory: out, probes: {points: [[1.01, 0, 0]]}"))
            for command in ("check", "run"):
                done = self.run_program(command, "deck.yaml", program=PROGRAM, expect=2)
                self.assertRegex(done.stderr, r"deck.yaml:\d+:44: output.probes.points\[0\]: 1.01 lies outside the grid")
                self.assertFalse((self.folder / "out").exists(), family)


if __name__ == "__main__":
    unittest.main()
