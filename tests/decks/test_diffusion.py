"""The decks of inputs/diffusion through the program: they verify themselves, with the same bits on any ranks and devices,
ParaView's own reader finds times and cells, interrupted runs go on, and figures of the specification are met. Looking at
a run between steps changes none of its bits, restarts neither, and what is seen there is as accurate as the method.
"""

import json
import unittest

import h5py
import numpy
from diffusion_runs import DiffusionCase
from runs import INPUTS, PROGRAM, RunCase

DECKS = INPUTS / "diffusion"


class Diffusion(RunCase):
    def solve(self, deck, directory, *settings, ranks=1, expect=0, more=()):
        words = [word for setting in settings for word in ("--set", setting)]
        return self.run_program("run", DECKS / deck, "--set", f"output.directory={directory}", *words, *more, ranks=ranks,
                                program=PROGRAM, expect=expect)

    def findings(self, directory):
        return {finding["name"]: finding["value"] for finding in self.report(directory)["findings"]}

    def test_carburizing_on_ranks(self):
        done = self.solve("carburizing.yaml", "two", ranks=2)
        self.assertRegex(done.stdout, r"rms_error.c +0.0008376\d* +<= 0.0008385 +ok")
        self.assertRegex(done.stdout, r"mass_balance .* +<= 1e-12 +ok")
        self.assertAlmostEqual(self.findings("two")["mass"], 7829.86, places=2)
        self.solve("carburizing.yaml", "four", "run.per_rank=2", ranks=2)
        self.assertEqual(self.bits("four"), self.bits("two"))
        self.paraview_finds_times_and_cells("two")

    def paraview_finds_times_and_cells(self, directory):
        try:
            from vtkmodules.util.numpy_support import vtk_to_numpy
            from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
            from vtkmodules.vtkIOXdmf3 import vtkXdmf3Reader
        except ImportError as missing:
            print(f"without ParaView: {missing}")
            return
        reader = vtkXdmf3Reader()
        reader.SetFileName(str((self.folder / directory / "fields.xdmf").resolve()))
        reader.UpdateInformation()
        information = reader.GetOutputInformation(0)
        times = [information.Get(Pipeline.TIME_STEPS(), n) for n in range(information.Length(Pipeline.TIME_STEPS()))]
        self.assertEqual(times, [10000.0 * n for n in range(11)])
        information.Set(Pipeline.UPDATE_TIME_STEP(), 100000.0)
        reader.Update()
        data = reader.GetOutputDataObject(0)
        while data.IsA("vtkMultiBlockDataSet"):
            data = data.GetBlock(0)
        self.assertEqual(data.GetNumberOfCells(), 256 * 256)
        values = vtk_to_numpy(data.GetCellData().GetArray("c"))
        self.assertAlmostEqual(float(values.sum()), 7829.86, places=2)

    def test_the_other_decks(self):
        for deck in ("eigenmode.yaml", "order.yaml", "box_3d.yaml"):
            self.solve(deck, deck, ranks=2)
        self.solve("hiperc_256.yaml", "points", "diffusion.time.end=10000", "output.every=5000",
                   "verify.wrss=[2.9045e-4, 2.9055e-4]")
        with h5py.File(self.folder / "points" / "tables.h5") as file:
            self.assertEqual(list(file["series/wrss_time"]), [0, 5000, 10000])
            self.assertAlmostEqual(file["series/wrss"][2], 2.905e-4, delta=5e-8)
        self.solve("hiperc_512.yaml", "more", "diffusion.time.end=2000", "verify.wrss=[0, 1]")
        self.solve("hiperc_256.yaml", "cross", "diffusion.time.end=10000", "diffusion.stencil.mask=cross4",
                   "verify.wrss=[2.835e-4, 2.845e-4]")

    def test_orders_of_a_study(self):
        self.run_program("study", DECKS / "order.yaml", "--refine", "3", program=PROGRAM)
        rows = [line.split(",") for line in
                (self.folder / "out/order_study/study.csv").read_text(encoding="utf-8").splitlines()]
        column = rows[0].index("order of rms_error.c")
        for row in rows[2:]:
            self.assertAlmostEqual(float(row[column]), 4, delta=0.05)

    def test_orders_without_an_exact_solution(self):
        text = (DECKS / "order.yaml").read_text(encoding="utf-8")
        self.write("blind.yaml", text[:text.index("verify:")].replace("accurate: true", "co: 1/8"))
        done = self.run_program("study", "blind.yaml", "--refine", "4", program=PROGRAM)
        rows = [line.split(",") for line in
                (self.folder / "out/order_study/study.csv").read_text(encoding="utf-8").splitlines()]
        self.assertAlmostEqual(float(rows[4][rows[0].index("order of rms_change.c")]), 2, delta=0.1, msg=done.stdout)
        self.assertIn("orders beyond 2 do not show", done.stdout)

    def test_parts_devices_and_sweeps(self):
        small = ("diffusion.grid.cells=[64, 64]", "diffusion.time.end=20000", "verify.rms_error=1")
        self.solve("carburizing.yaml", "one", *small, "diffusion.time.kernel=fused")
        for number, (ranks, settings) in enumerate([(1, ("run.per_rank=4",)), (2, ("run.per_rank=2",)), (4, ()), (3, ()),
                                                    (2, ("run.devices=[emulated, omp:1]",)),
                                                    (1, ("run.devices=emulated-lazy", "run.per_rank=3",
                                                         "run.weights=[1, 4, 2]"))]):
            for steps in ("auto", "1", "7"):
                name = f"run{number}_{steps}"
                self.solve("carburizing.yaml", name, *small, *settings, f"diffusion.time.steps_per_sweep={steps}",
                           ranks=ranks)
                self.assertEqual(self.bits(name), self.bits("one"), name)

    def pictures(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).rglob("*.png")}

    def same_in_boxes(self, deck, small, layouts):
        """Bits and pictures of the run `one`, on (ranks, parts of each, devices, table of parts)."""
        for ranks, per_rank, devices, parts in layouts:
            with self.subTest(parts):
                name = f"on {ranks} ranks"
                self.solve(deck, name, *small, f"run.per_rank={per_rank}", f"run.devices={devices}",
                           f"diffusion.grid.parts={parts}", ranks=ranks, more=("--overwrite",))
                self.assertEqual(self.bits(name), self.bits("one"))
                self.assertEqual(self.pictures(name), self.pictures("one"))

    def turns_of_boxes(self, deck, small):
        """From boxes to slabs to other boxes; each run ends with its first slice."""
        at_once = ("run.wall_limit=1e-9",)
        for number, (ranks, per_rank, parts, limit) in enumerate(((2, 2, "[2, 2]", at_once), (3, 1, "[1, 3]", at_once),
                                                                  (2, 3, "[3, 2]", ()))):
            self.solve(deck, "turns", *small, *limit, f"run.per_rank={per_rank}", f"diffusion.grid.parts={parts}",
                       ranks=ranks, more=("--restart", "auto") if number else ())

    def test_boxes_of_a_plane_and_restarts_on_other_layouts(self):
        small = ("diffusion.grid.cells=[101, 101]", "diffusion.time.end=8000", "verify.rms_error=1",
                 "output.images={every: 4000}", "output.probes={every: 2000, points: [[0.3, 0.4], [0.32, 0.9]]}")
        self.solve("carburizing.yaml", "one", *small)
        self.assertTrue(self.pictures("one"))
        self.same_in_boxes("carburizing.yaml", small, ((2, 2, "omp", "[2, 2]"), (3, 2, "omp", "[3, 2]"),
                                                       (2, 2, "emulated-lazy", "[4, 1]")))
        self.turns_of_boxes("carburizing.yaml", (*small, "output.writers=2"))
        self.assertEqual(self.bits("turns"), self.bits("one"))
        done = self.solve("carburizing.yaml", "bad", *small, "run.per_rank=8", "diffusion.grid.parts=[8, 1]", expect=2)
        self.assertIn("at most 4 along x times 101 along y fit", done.stderr)

    def test_boxes_and_restarts_on_other_layouts(self):
        small = ("diffusion.grid.cells=[12, 20, 18]", "verify.rms_error=1", "output.images={every: 0.01, axis: x, at: [0.3]}",
                 "output.probes={every: 0.005, points: [[0.3, 0.4, 0.51], [0.9, 0.5, 0.2]]}")
        self.solve("box_3d.yaml", "one", *small)
        self.assertTrue(self.pictures("one"))
        self.same_in_boxes("box_3d.yaml", small, ((2, 2, "omp", "[2, 2]"), (3, 2, "omp", "[3, 2]"),
                                                  (2, 3, "emulated-lazy", "[6, 1]"), (4, 2, "omp", "[1, 8]"),
                                                  (1, 7, "emulated", "[7, 1]")))
        self.turns_of_boxes("box_3d.yaml", small)
        self.assertEqual(self.bits("turns"), self.bits("one"))
        # Boxes are of equal shares, whatever their devices can do.
        done = self.solve("box_3d.yaml", "measured", *small, "run.per_rank=4", "diffusion.grid.parts=[2, 2]",
                          "run.balance=measured")
        self.assertIn("shares by measured bandwidth do not do", done.stderr)
        self.assertEqual(self.bits("measured"), self.bits("one"))
        done = self.solve("box_3d.yaml", "bad", "diffusion.grid.parts=[2, 2]", expect=2)
        self.assertIn("diffusion.grid.parts: makes 4 parts; this run has 1", done.stderr)

    def test_interrupted_by_the_wall_limit(self):
        self.solve("carburizing.yaml", "whole")
        self.solve("carburizing.yaml", "parts", "run.wall_limit=0.05")
        self.assertFalse(self.report("parts")["finished"])
        self.solve("carburizing.yaml", "parts", ranks=2, more=("--restart", "auto"))
        self.assertEqual(self.findings("parts"), self.findings("whole"))
        done = self.solve("carburizing.yaml", "parts", "diffusion.equation.D=0.01", more=("--restart", "auto"), expect=2)
        self.assertIn("belongs to another problem", done.stderr)

    def test_numbers_that_are_none(self):
        done = self.solve("carburizing.yaml", "bad", "diffusion.walls.rest={kind: dirichlet, value: sqrt(500 - t)}",
                          "verify.mass_balance=1", expect=3)
        self.assertRegex(done.stderr, r"c is not finite after step \d+ .*first at x = [0-9.]+, y = [0-9.]+; it was finite")

    def test_times_of_output_after_the_end(self):
        done = self.solve("carburizing.yaml", "bad", "output={at: [5e4, 1.5e5]}", expect=2)
        self.assertIn("output.at[1]: 150000 is after the end of the run, 1e+05", done.stderr)

    def test_a_constant_with_the_name_of_the_field(self):
        done = self.solve("carburizing.yaml", "bad", "diffusion.constants={c: 2}", expect=2)
        self.assertIn("the name 'c' is already a variable", done.stderr)

    def test_step_above_the_limit(self):
        done = self.solve("carburizing.yaml", "bad", "diffusion.stencil.co=1.6", expect=2)
        self.assertIn("above the limit of stability 60", done.stderr)


# What moves with time: walls that record what they let in, D, sources, a free energy, several fields.
GRID = "grid: {layout: fv, size: [1, 1], cells: [24, 18]}"
WALLS = "walls: {x_min: {kind: dirichlet, value: 1 + sin(40*t)}, rest: {kind: no_flux}}"
WAVE = "initial: 1/2 + cos(pi*x)*cos(2*pi*y)/3"
MASK = f"{GRID}\n  equation: {{kind: diffusion, D: 1, {WAVE}}}\n  {WALLS}\n  stencil: {{dt: 3e-4}}"
FLUX = f"{GRID}\n  equation: {{kind: diffusion, D: 1 + c^2, source: x - c^3, {WAVE}}}\n  {WALLS}"
WELL = f"{GRID}\n  equation: {{kind: cahn_hilliard, mobility: 1, kappa: 2e-2, rho: 5, wells: [0, 1], {WAVE}}}\n" \
       "  walls: {rest: {kind: no_flux}}"
BODIES = {
    "mask": f"{MASK}\n  time: {{end: 0.01, steps_per_sweep: 4}}",
    "single": f"{MASK}\n  precision: fp32\n  time: {{end: 0.01}}",
    "flux": f"{FLUX}\n  stencil: {{dt: 1e-4}}\n  time: {{end: 0.01}}",
    "shortened": f"{FLUX}\n  stencil: {{dt: 2.5e-4}}\n  time: {{end: 0.01}}".replace("1 + c^2", "0.5 + c^2"),
    "wells": f"{WELL}\n  stencil: {{dt: 4.3e-6}}\n  time: {{end: 0.002}}",
    "stages": f"{FLUX}\n  stencil: {{dt: 4e-4}}\n  time: {{method: rkl2, end: 0.01}}",
    "tolerance": f"{FLUX}\n  stencil: {{mask: 5pt}}\n  time: {{method: rkc, tolerance: 1e-5, end: 0.01}}",
    "wells by tolerance": f"{WELL}\n  stencil: {{mask: 5pt}}\n  time: {{method: rkc, tolerance: 1e-4, end: 0.01}}",
    "fields": f"""fields: [u, v]
  {GRID}
  equations:
    u: {{D: 1, source: 1 - u*v^2, initial: 1/2 + cos(pi*x)/3}}
    v: {{D: 0.5 + x*t, source: u*v^2 - v, initial: 1/2 + cos(pi*y)/3, {WALLS}}}
  walls: {{rest: {{kind: no_flux}}}}
  stencil: {{dt: 3e-4}}
  time: {{end: 0.01}}"""}
LAYOUTS = ((2, "omp", 1), (3, "omp", 1), (1, "emulated-lazy", 3))


class Observed(DiffusionCase):
    def solve(self, body, directory, *settings, ranks=1, more=("--overwrite",)):
        self.write("deck.yaml", f"problem: diffusion\ndiffusion:\n  {body}\noutput: {{directory: {directory}}}\n")
        words = [word for setting in settings for word in ("--set", setting)]
        self.run_program("run", "deck.yaml", *words, *more, program=PROGRAM, ranks=ranks)

    def bits_of(self, directory, file):
        return {name.split(":")[1]: bits for name, bits in self.bits(directory).items() if name.startswith(file + ":")}

    def test_looking_changes_nothing(self):
        for number, (name, body) in enumerate(BODIES.items()):
            with self.subTest(name):
                end = 0.002 if name == "wells" else 0.01
                seen = (f"output.at={[end * part for part in (0.007, 0.122, 0.13, 0.77)]}",
                        f"output.probes={{every: {0.037 * end}, points: [[0.3, 0.4]]}}", f"output.images.every={0.21 * end}",
                        f"checkpoint={{every: {0.37 * end}, keep: 9}}")
                ranks, devices, per_rank = LAYOUTS[number % len(LAYOUTS)]
                layout = (f"run.devices={devices}", f"run.per_rank={per_rank}")
                self.solve(body, "plain")
                self.solve(body, "seen", *seen, *layout, ranks=ranks)
                self.assertEqual(self.bits_of("seen", "fields_0005.vtkhdf"), self.bits_of("plain", "fields_0001.vtkhdf"))
                self.assertEqual(self.findings("seen"), self.findings("plain"))
                # The second of the checkpoints between steps, which shows again what was seen there.
                self.solve(body, f"again {number}", *seen, more=("--restart", "seen/checkpoint_0002.h5"))
                self.assertEqual(self.bits_of(f"again {number}", "tables.h5"), self.bits_of("seen", "tables.h5"))
                self.assertEqual(self.findings(f"again {number}"), self.findings("plain"))

    def test_steps_end_at_times_when_asked_to(self):
        """The first of them is then seen in the same bits, and what follows is not."""
        for name in ("mask", "stages"):
            for directory, exact in (("seen", "false"), ("exact", "true")):
                self.solve(BODIES[name], directory, "output.at=[0.0001, 0.0077]", f"diffusion.time.exact_times={exact}")
            for number, same in ((1, True), (2, False), (3, False)):
                file = f"fields_{number:04d}.vtkhdf"
                self.assertEqual(self.bits_of("exact", file) == self.bits_of("seen", file), same, f"{name}, {file}")
            self.assertGreater(self.findings("exact")["steps"], self.findings("seen")["steps"])

    def test_counted_steps_are_whole(self):
        """Periods of steps beside times that lie between them."""
        for name in ("shortened", "tolerance"):
            self.solve(BODIES[name], "alone", "output.every_steps=4")
            self.solve(BODIES[name], "seen", "output.every_steps=4", "output.probes={every: 1.3e-4, points: [[0.3, 0.4]]}")
            fields = {key: bits for key, bits in self.bits("alone").items() if key.startswith("fields_")}
            self.assertGreater(len(fields), 8)
            self.assertEqual({key: self.bits("seen").get(key) for key in fields}, fields)

    def test_counted_steps_after_a_restart(self):
        """From a checkpoint that shows a state behind a step that counts: that one is not told again."""
        seen = ("output.every_steps=4", "output.probes={every_steps: 2, points: [[0.3, 0.4]]}", "checkpoint.every=0.00127")
        self.solve(BODIES["mask"], "seen", *seen, "checkpoint.keep=9")
        self.solve(BODIES["mask"], "again", *seen, more=("--restart", "seen/checkpoint_0001.h5"))
        series = [json.loads((self.folder / name / "fields.vtkhdf.series").read_text()) for name in ("seen", "again")]
        times = [[file["time"] for file in one["files"]] for one in series]
        self.assertEqual(times[1], [time for time in times[0] if time > 0.00127])
        self.assertEqual(self.bits_of("again", "tables.h5"), self.bits_of("seen", "tables.h5"))

    def test_orders_between_steps(self):
        """Of the error in time alone: the mode of the grid decays exactly as exp(-rate t)."""
        at, h = 0.01233, 1 / 24
        body = "grid: {layout: fv, size: [1, 1/6], cells: [24, 4]}\n  equation: {kind: diffusion, D: 1, initial: cos(pi*x)}\n" \
               "  walls: {rest: {kind: no_flux}}"
        rate = 4 / h**2 * numpy.sin(numpy.pi * h / 2)**2
        exact = numpy.exp(-rate * at) * numpy.cos(numpy.pi * h * (numpy.arange(24) + 0.5))
        for method, step, order in (("euler", 4e-4, 1), ("rkl2", 1e-3, 2), ("rkc", 1e-3, 2)):
            errors = []
            for dt in (step, step / 4):
                self.solve(f"{body}\n  stencil: {{dt: {dt}}}\n  time: {{method: {method}, end: 0.016}}", "out", f"output.at=[{at}]")
                errors.append(abs(self.field(1).reshape(4, 24) - exact).max())
            # Steps of other sizes have other stages, whose errors have the same order but other constants.
            self.assertAlmostEqual(numpy.log2(errors[0] / errors[1]) / 2, order, delta=0.5, msg=f"{method}: {errors}")


if __name__ == "__main__":
    unittest.main()
