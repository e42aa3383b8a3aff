"""The decks of inputs/collocation through the program: they verify themselves on any number of ranks, with the same
bits, and ParaView's own reader finds the solution in the result.
"""

import re
import unittest

import numpy as np
from runs import INPUTS, PROGRAM, RunCase

DECKS = INPUTS / "collocation"


def phi(t):
    return np.exp(-100 * (t - 0.1) ** 2) * (t * t - t)


class Collocation(RunCase):
    def solve(self, deck, directory, *arguments, ranks=1):
        return self.run_program("run", DECKS / deck, "--set", f"output.directory={directory}", *arguments, ranks=ranks,
                                program=PROGRAM)

    def findings(self, directory):
        return {finding["name"]: finding["value"] for finding in self.report(directory)["findings"]}

    def test_thesis_256_on_ranks(self):
        bits = {}
        for ranks in (1, 2, 3, 4):
            self.solve("thesis_256.yaml", f"ranks{ranks}", ranks=ranks)
            report = self.report(f"ranks{ranks}")
            self.assertEqual((report["converged"], report["finished"], report["ranks"]), (True, True, ranks))
            self.assertEqual(len(report["sent"]), ranks)
            self.assertEqual(sum(sent["bytes"] for sent in report["sent"]) > 0, ranks > 1)
            bits[ranks] = self.bits(f"ranks{ranks}")
        for ranks in (2, 3, 4):
            self.assertEqual(bits[ranks], bits[1])
        self.paraview_finds_the_solution("ranks3", 256)

    def paraview_finds_the_solution(self, directory, ns):
        try:
            from vtkmodules.util.numpy_support import vtk_to_numpy
            from vtkmodules.vtkIOXdmf3 import vtkXdmf3Reader
        except ImportError as missing:
            print(f"without ParaView: {missing}")
            return
        reader = vtkXdmf3Reader()
        reader.SetFileName(str((self.folder / directory / "fields.xdmf").resolve()))
        reader.Update()
        data = reader.GetOutputDataObject(0)
        while data.IsA("vtkMultiBlockDataSet"):
            data = data.GetBlock(0)
        self.assertEqual(data.GetNumberOfPoints(), (ns + 1) ** 2)
        points = np.array([data.GetPoint(i) for i in range(0, data.GetNumberOfPoints(), 37)])
        values = vtk_to_numpy(data.GetPointData().GetArray("u"))[::37]
        self.assertLess(np.abs(values - 10 * phi(points[:, 0]) * phi(points[:, 1])).max(), 8e-9)
        self.assertEqual({data.GetPointData().GetArrayName(i) for i in range(4)}, {"u", "u_x", "u_y", "u_xy"})

    def test_parts_and_devices(self):
        self.solve("manufactured.yaml", "one")
        for name, ranks, arguments in (("four", 1, ["run.per_rank=4"]), ("two", 2, ["run.per_rank=2"]),
                                       ("pretended", 2, ["run.devices=[emulated, omp:1]"]),
                                       ("uneven", 1, ["run.per_rank=3", "run.weights=[1, 5, 2]"])):
            settings = [word for setting in arguments for word in ("--set", setting)]
            self.solve("manufactured.yaml", name, *settings, ranks=ranks)
            self.assertEqual(self.bits(name), self.bits("one"), name)

    def test_the_other_decks(self):
        self.solve("default.yaml", "default", ranks=2)
        self.solve("thesis_512.yaml", "thesis_512", ranks=2)
        self.assertLess(self.findings("thesis_512")["max_error.u"], 5.4e-10)

    def test_mesh_by_nodes_alone(self):
        text = (DECKS / "manufactured.yaml").read_text(encoding="utf-8")
        axis = next(line for line in text.splitlines() if line.strip().startswith("x: {"))
        self.write("nodes.yaml", text.replace(axis, "    x: {nodes: [-1, -0.75, -0.5, 0, 0.5, 1]}"))
        self.run_program("check", "nodes.yaml", program=PROGRAM)

    def test_orders_of_a_study(self):
        done = self.run_program("study", DECKS / "manufactured.yaml", "--refine", "3", program=PROGRAM)
        rows = [line.split(",") for line in
                (self.folder / "out/manufactured_study/study.csv").read_text(encoding="utf-8").splitlines()]
        column = rows[0].index("order of max_error.u")
        for row in rows[2:]:
            self.assertAlmostEqual(float(row[column]), 4, delta=0.2, msg=done.stdout)

    def test_orders_without_an_exact_solution(self):
        deck = "problem: collocation\ncollocation:\n" \
               "  equation: {a: 1, b: 0, c: 1, d: 0, e: 0, eta: 0, f: -8*sin(3*x)*exp(y)}\n" \
               "  mesh: {x: {from: 0, to: 1, elements: 8}, y: {from: 0, to: 1, elements: 8}}\n" \
               "  sides: {rest: {kind: dirichlet, value: sin(3*x)*exp(y)}}\n"
        self.write("blind.yaml", deck)
        self.write("known.yaml", deck + "verify: {exact: sin(3*x)*exp(y)}\n")
        done = self.run_program("study", "blind.yaml", "--refine", "3", program=PROGRAM, ranks=2)
        self.run_program("study", "known.yaml", "--refine", "3", program=PROGRAM)
        blind, known = ([line.split(",") for line in (self.folder / f"out/{name}_study/study.csv")
                         .read_text(encoding="utf-8").splitlines()] for name in ("blind", "known"))
        for field in ("u", "u_x", "u_y"):
            orders = [row[blind[0].index(f"order of max_change.{field}")] for row in blind[1:]]
            self.assertEqual(orders[:2], ["", ""])
            self.assertAlmostEqual(float(orders[2]), 4, delta=0.3, msg=done.stdout)
        self.assertIn("self-convergence", done.stdout)
        told = float(re.search(r"estimated error of the finest grid, at most: u ([0-9.e-]+)", done.stdout).group(1))
        error = float(known[3][known[0].index("max_error.u")])
        self.assertTrue(error / 2 < told < 2 * error, f"{told} {error}")
        done = self.run_program("study", "blind.yaml", "--refine", "2", "--overwrite", program=PROGRAM)
        self.assertIn("an estimate takes three grids: --refine 3", done.stdout)

    def test_interrupted_by_the_wall_limit(self):
        self.solve("thesis_256.yaml", "whole")
        self.solve("thesis_256.yaml", "parts", "--set", "run.wall_limit=0.05")
        self.assertFalse(self.report("parts")["finished"])
        self.solve("thesis_256.yaml", "parts", "--restart", "auto", ranks=2)
        self.assertEqual(self.findings("parts"), self.findings("whole"))

    def test_another_problem_is_not_continued(self):
        self.solve("thesis_256.yaml", "run", "--set", "run.wall_limit=0.05")
        before = self.report("run")
        for change in ("collocation.equation.eta=-50", "collocation.mesh.x.to=2", "collocation.equation.f=1"):
            done = self.run_program("run", DECKS / "thesis_256.yaml", "--set", "output.directory=run", "--set", change,
                                    "--restart", "auto", program=PROGRAM, expect=2)
            self.assertIn("belongs to another problem", done.stderr)
        self.run_program("run", DECKS / "thesis_256.yaml", "--set", "output.directory=run", "--restart", "no.h5",
                         program=PROGRAM, expect=2)
        self.assertEqual(self.report("run"), before)
        self.solve("thesis_256.yaml", "run", "--set", "collocation.solver.tol=1e-10", "--set", "verify.iterations=[]",
                   "--restart", "auto")

    def test_files_of_others_stay(self):
        self.write("deck.yaml", (DECKS / "manufactured.yaml").read_text(encoding="utf-8"))
        for arguments in ((), ("--overwrite",)):
            self.run_program("run", "deck.yaml", "--set", "output.directory=.", *arguments, program=PROGRAM, expect=2)
        (self.folder / "deck.yaml").rename(self.folder / "deck_mine.yaml")
        mine = ("run_notes.log", "report_final.json", "fields_of_gold.vtkhdf", "checkpoint_x.h5", "study_of_mice.csv")
        for name in mine:
            self.write(name, "mine")
        for arguments in ((), ("--overwrite",)):
            self.run_program("run", "deck_mine.yaml", "--set", "output.directory=.", *arguments, program=PROGRAM)
            self.assertEqual([name for name in (*mine, "deck_mine.yaml") if not (self.folder / name).exists()], [])

    def test_more_memory_than_there_is(self):
        large = ("--set", "collocation.mesh.x.elements=300000", "--set", "collocation.mesh.y.elements=300000")
        done = self.run_program("run", DECKS / "default.yaml", *large, program=PROGRAM, expect=4)
        self.assertIn("the run needs about", done.stderr)
        done = self.run_program("check", DECKS / "default.yaml", *large, program=PROGRAM, ranks=2)
        self.assertIn("no faults", done.stdout)
        self.assertRegex(done.stderr, r"this machine has .* GB, and the run needs about .* TB there, .* TB more or \d+")
        self.assertEqual(done.stderr.count("this machine has"), 1)
        self.assertEqual(self.run_program("check", DECKS / "default.yaml", program=PROGRAM).stderr, "")
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
