"""The decks of inputs/diffusion through the program: they verify themselves, with the same bits on any ranks and devices,
ParaView's own reader finds times and cells, interrupted runs go on, and figures of the specification are met.
"""

import unittest

import h5py
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


if __name__ == "__main__":
    unittest.main()
