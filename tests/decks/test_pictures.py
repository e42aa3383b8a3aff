"""Pictures and probes of whole runs: which files there are, what faults say, what a restart keeps."""

import html.parser
import json
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

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

    def test_a_folder_that_cannot_be_made(self):
        self.write("deck.yaml", DECK)
        (self.folder / "box").mkdir()
        (self.folder / "box/images").write_text("in the way", encoding="utf-8")
        for ranks in (1, 2):
            done = self.run_program("run", "deck.yaml", "--overwrite", ranks=ranks, expect=4)
            self.assertEqual(done.stderr.count("box/images is in the way"), 1, done.stderr)
        self.assertEqual((self.folder / "box/images").read_text(encoding="utf-8"), "in the way")

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


class Page(html.parser.HTMLParser):
    """The headings, figures and texts of a page, and what it wants from outside."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.figures, self.ids, self.outside, self.words, self.open = [], 0, [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.open.append(tag)
        self.figures += tag == "svg"
        if "id" in values:
            self.ids.append(values["id"])
        for name, value in attrs:
            if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:")):
                self.outside.append(value)

    def handle_data(self, data):
        self.words.append(data)
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data.strip())

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass


class Reports(RunCase):
    def make_page(self, ranks):
        self.write("deck.yaml", DECK)
        self.run_program("run", "deck.yaml", "--profile", "--set", "output.probes.points=[[0.5, 0.25, 1]]", ranks=ranks)
        (self.folder / "box_study").mkdir()
        self.write("box_study/study.csv", "refined,unknowns,max_error.u,order of max_error.u\n1,262144,1e-3,\n2,1048576,2.5e-4,2\n")
        self.run_program("report", "box")

    def test_page_has_its_parts(self):
        self.make_page(ranks=2)
        text = (self.folder / "box/report.html").read_text(encoding="utf-8")
        page = Page(text)
        for part in ("Results", "Fields", "Series", "Conservation", "Orders observed on finer and finer grids", "Times",
                     "Profile of kernels", "Versions and layout", "To run it again", "Deck"):
            self.assertIn(part, page.headings)
        self.assertGreaterEqual(page.figures, 3)
        self.assertEqual(len(page.ids), len(set(page.ids)), "ids of figures clash")
        self.assertEqual(page.outside, [])
        words = "".join(page.words)
        self.assertIn((self.folder / "box/deck.yaml").read_text(encoding="utf-8"), words)
        self.assertIn("mpirun -n 2 halocline run box/deck.yaml", words)
        self.assertIn("<= 0.005ok", words)
        self.assertIn("10485760.000252.00", words)  # a row: whole numbers whole, orders with two decimals
        for svg in re.findall("<svg.*?</svg>", text, re.DOTALL):
            used = set(re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', svg))
            names = {item.get("id") for item in xml.etree.ElementTree.fromstring(svg).iter()}
            self.assertLessEqual({one or other for one, other in used}, names)
        # A new run takes the page with it.
        self.run_program("run", "deck.yaml", "--overwrite")
        self.assertFalse((self.folder / "box/report.html").exists())

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_browser_shows_it(self):
        self.make_page(ranks=1)
        shown = self.folder / "page.png"
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--screenshot={shown}",
                        "--window-size=900,3000", f"--user-data-dir={self.folder}/chromium",
                        (self.folder / "box/report.html").as_uri()], check=True, timeout=100, capture_output=True)
        self.assertGreater(shown.stat().st_size, 20000)

    def test_monitor(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml", "--monitor", "watch.json")
        lines = [json.loads(line) for line in (self.folder / "watch.json").read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line["finished"] for line in lines], [False] * (len(lines) - 1) + [True])
        self.assertEqual(lines[-1]["time"], 0.02)
        self.assertEqual(sorted(lines[0]), ["finished", "fraction", "left", "rate", "residual", "seconds", "status", "steps",
                                            "time"])
        fractions = [line["fraction"] for line in lines]
        self.assertEqual(fractions, sorted(fractions))
        said = self.run_program("run", "deck.yaml", "--overwrite", "--monitor", "none/watch.json", expect=4).stderr
        self.assertIn("--monitor none/watch.json: No such file or directory", said)
        self.assertTrue(json.loads((self.folder / "box/report.json").read_text(encoding="utf-8"))["finished"])
        self.run_program("run", "deck.yaml", "--set", "output.directory=new", "--monitor", "new/watch.json")
        self.assertTrue((self.folder / "new/watch.json").is_file())

    def test_faults(self):
        (self.folder / "none").mkdir()
        self.assertIn("none holds no report.json", self.run_program("report", "none", expect=2).stderr)
        self.write("none/report.json", "{")
        self.assertIn("none/report.json: no report of a run", self.run_program("report", "none", expect=2).stderr)

    def test_figures_of_fields(self):
        self.write("deck.yaml", BOX)
        self.run_program("run", "deck.yaml")
        for command, file, said in (("report", "box/checkpoint_0001.h5", "pages are .html"),
                                    ("plot", "deck.yaml", "figures are .png")):
            before = (self.folder / file).read_bytes()
            self.assertIn(f"{file}: {said}", self.run_program(command, "box", "--output", file, expect=2).stderr)
            self.assertEqual((self.folder / file).read_bytes(), before)
        self.run_program("plot", "box")
        self.run_program("plot", "box", "--field", "b", "--plane", "x=0.3", "--time", "first", "--size", "85x60",
                         "--output", "b.svg", "--contours", "5")
        points = float(re.search(r'width="([0-9.]+)', (self.folder / "b.svg").read_text(encoding="utf-8")).group(1))
        self.assertAlmostEqual(points / 72 * 25.4, 85, places=3)
        said = self.run_program("plot", "box", "--field", "bb", expect=2).stderr
        self.assertIn("there is no field bb", said)
        self.assertIn("the domain is from", self.run_program("plot", "box", "--plane", "z=99", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
