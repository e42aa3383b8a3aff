"""Sweeps: one deck with all combinations of values of some keys, on groups of ranks, with one table and restarts."""

import csv
import signal
import sys
import time
import unittest

import h5py

from runs import BOX, ENSEMBLE, INPUTS, PROGRAM, RunCase

SWEEP = ("--over", "stepper.cells=10,12,16", "--over", "stepper.end=0.01,0.02")


def text_of(place, name):
    return place.attrs[name].decode()


class Sweeps(RunCase):
    def sweep(self, *arguments, **more):
        return self.run_program("sweep", *arguments, **more)

    def rows(self, directory="box_sweep"):
        with (self.folder / directory / "sweep.csv").open(encoding="utf-8") as text:
            return list(csv.DictReader(text))

    def test_cases_are_the_runs_that_a_user_would_start(self):
        self.write("deck.yaml", BOX)
        done = self.sweep("deck.yaml", *SWEEP)
        rows = self.rows()
        self.assertEqual([(row["case"], row["cells"], row["end"]) for row in rows],
                         [("1", "10", "0.01"), ("2", "10", "0.02"), ("3", "12", "0.01"), ("4", "12", "0.02"),
                          ("5", "16", "0.01"), ("6", "16", "0.02")])
        self.assertTrue(all(row["result"] == "finished" for row in rows), done.stdout)
        self.run_program("run", "deck.yaml", "--set", "stepper.cells=12", "--set", "stepper.end=0.02")
        self.assertEqual(self.bits("box"), self.bits("box_sweep/case_0004"))
        alone = {finding["name"]: finding["value"] for finding in self.report("box")["findings"]}
        self.assertEqual(float(rows[3]["max_error.a"]), alone["max_error.a"])
        self.assertIn("max_error.a", done.stdout)

    def test_table_is_one_of_an_ensemble(self):
        self.write("deck.yaml", BOX)
        self.sweep("deck.yaml", *SWEEP)
        with h5py.File(self.folder / "box_sweep/sweep.h5") as table:
            self.assertEqual(list(table["sweep/cells"]), [10, 10, 12, 12, 16, 16])
            self.assertEqual(list(table["sweep/end"]), [0.01, 0.02] * 3)
            self.assertEqual(text_of(table["sweep/cells"], "key"), "stepper.cells")
            self.assertEqual(text_of(table["sweep"], "order"), "cells,end")
            self.assertEqual(list(table["status"]), [0] * 6)
            self.assertEqual([f"{value:.17g}" for value in table["result/max_error.b"]],
                             [row["max_error.b"] for row in self.rows()])
        # Findings of runs have nothing in common: one at a time.
        self.assertIn("box_sweep/case_0001", self.run_program("report", "box_sweep", expect=2).stderr)
        self.assertRegex(self.run_program("plot", "box_sweep").stdout,
                         r"max_error.a from .*, cells to the right, end upwards, 6 cases; --y draws max_error.b$")
        self.run_program("plot", "box_sweep/sweep.h5", "--y", "max_error.a")
        self.run_program("plot", "box_sweep/sweep.h5", "--map", "max_error.a", "--output", "map.png")
        self.assertTrue(list((self.folder / "box_sweep").glob("plot_*.png")))

    def test_figures_keep_the_order_of_keys(self):
        self.write("deck.yaml", BOX)
        self.sweep("deck.yaml", "--over", "stepper.end=0.02,0.00002", "--over", "stepper.cells=12,10")
        self.assertIn(", end to the right, cells upwards, 4 cases", self.run_program("plot", "box_sweep").stdout)
        with h5py.File(self.folder / "box_sweep/sweep.h5") as table:
            self.assertEqual([text_of(table[f"sweep/{name}"], "spacing") for name in ("end", "cells")], ["log", "linear"])

    def test_same_results_on_any_ranks_shared_out_in_any_way(self):
        self.write("deck.yaml", BOX)
        self.sweep("deck.yaml", *SWEEP)
        bits = [self.bits(f"box_sweep/case_000{number}") for number in range(1, 7)]
        findings = [row["max_error.a"] for row in self.rows()]
        for ranks, each in ((4, []), (3, ["--each", "all"]), (4, ["--each", "2"]), (2, ["--set", "run.per_rank=2"])):
            with self.subTest(ranks=ranks, each=each):
                self.sweep("deck.yaml", *SWEEP, *each, "--overwrite", ranks=ranks)
                self.assertEqual([self.bits(f"box_sweep/case_000{number}") for number in range(1, 7)], bits)
                self.assertEqual([row["max_error.a"] for row in self.rows()], findings)
                self.assertEqual({self.report(f"box_sweep/case_000{number}")["ranks"] for number in range(1, 7)},
                                 {len(each) and {"all": 3, "2": 2}.get(each[1], 1) or 1})

    def test_groups_take_cases_as_they_become_free(self):
        # One case sleeps 2 s, five sleep nearly not: a list dealt out beforehand would make one group wait.
        self.write("deck.yaml", BOX)
        self.sweep("deck.yaml", "--over", "stepper.end=0.002,1e-5,2e-5,3e-5,4e-5,5e-5", "--set", "stepper.pause=0.2",
                   "--set", "stepper.slice=1", "--set", "verify.max_error=1", ranks=2)
        rows = self.rows()
        self.assertTrue(all(row["result"] == "finished" for row in rows))
        started = [self.report(f"box_sweep/case_000{number}")["host"] for number in range(1, 7)]
        self.assertEqual(len(started), 6)
        slow = float(rows[0]["seconds"])
        self.assertLess(sum(float(row["seconds"]) for row in rows[1:]), slow + 2)

    def test_failures_stay_with_their_case(self):
        self.write("deck.yaml", BOX)
        done = self.sweep("deck.yaml", "--over", "stepper.fail_rank=-1,0", "--over", "stepper.cells=10,12", "--set",
                          "stepper.slice=1", expect=4)
        self.assertEqual([row["result"] for row in self.rows()], ["finished", "finished", "failed", "failed"])
        self.assertIn("case 3 (fail_rank=0, cells=10): ", done.stdout)
        with h5py.File(self.folder / "box_sweep/sweep.h5") as table:
            self.assertEqual(list(table["status"]), [0, 0, 4, 4])
        self.sweep("deck.yaml", "--over", "verify.max_error=1,1e-9", "--overwrite", expect=1)
        self.assertEqual([row["result"] for row in self.rows()], ["finished", "out of limits"])

    def test_goes_on_after_a_signal(self):
        self.write("deck.yaml", BOX)
        over = ("--over", "stepper.cells=10,12,16", "--set", "stepper.slice=1")
        self.sweep("deck.yaml", *over, "--set", "output.directory=whole")
        bits = [self.bits(f"whole/case_000{number}") for number in (1, 2, 3)]
        slow = (*over, "--set", "stepper.pause=0.02")
        process = self.start("sweep", "deck.yaml", *slow)
        self.wait_for(lambda: (self.folder / "box_sweep/case_0002/run.log").exists())
        process.send_signal(signal.SIGTERM)
        told, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual([row["result"] for row in self.rows()], ["finished", "stopped", "waiting"])
        self.assertIn("--restart auto", told)
        first = (self.folder / "box_sweep/case_0001/report.json").stat().st_mtime_ns
        # A case by itself, then the rest.
        self.run_program("run", "deck.yaml", "--set", "stepper.cells=12", "--set", "stepper.slice=1", "--set",
                         "stepper.pause=0.02", "--set", "output.directory=box_sweep/case_0002", "--restart", "auto")
        self.sweep("deck.yaml", *slow, "--restart", "auto", ranks=2)
        self.assertEqual([row["result"] for row in self.rows()], ["finished"] * 3)
        self.assertEqual((self.folder / "box_sweep/case_0001/report.json").stat().st_mtime_ns, first)
        self.assertEqual([self.bits(f"box_sweep/case_000{number}") for number in (1, 2, 3)], bits)

    def test_wall_limit_is_that_of_the_sweep(self):
        self.write("deck.yaml", BOX)
        begin = time.monotonic()
        self.sweep("deck.yaml", "--over", "stepper.cells=30,31,32,33", "--set", "stepper.slice=1", "--set",
                   "stepper.pause=0.1", "--set", "run.wall_limit=1.5")
        self.assertLess(time.monotonic() - begin, 8)
        self.assertEqual([row["result"] for row in self.rows()], ["stopped"] + ["waiting"] * 3)

    def test_faults_are_told_before_anything_is_done(self):
        self.write("deck.yaml", BOX)
        for arguments, words in (
                (["--over", "stepper.cells=8,1,12"], "case 2 (cells=1)"),
                (["--over", "stepper.cell=8,12"], "stepper.cell"),
                (["--over", "stepper.cells"], "expected a key and its values"),
                (["--over", "stepper.cells=8,,12"], "a value is empty"),
                (["--over", "stepper.cells=8,8"], "8 occurs twice"),
                (["--over", "stepper.cells=8", "--over", "stepper.cells=12"], "swept already"),
                (["--over", "output.directory=a,b"], "directory of its own"),
                (["--over", "stepper.cells=8", "--each", "2"], "there is 1 rank"),
                (["--over", "stepper.cells=8", "--each", "x"], "expected a number of ranks"),
                (["--over", "stepper.cells=8", "--restart", "file"], "--restart auto")):
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.sweep("deck.yaml", *arguments, expect=2).stderr)
        self.assertEqual(self.names("."), ["deck.yaml"])
        self.write("deck.yaml", BOX + "checkpoint: {at_end: false}\n")
        self.sweep("deck.yaml", "--over", "stepper.cells=10,11")
        self.assertIn("holds a run already", self.sweep("deck.yaml", "--over", "stepper.cells=8", expect=2).stderr)
        # Cases that cannot go on, and those of another sweep, are refused, and the table stays.
        before = (self.folder / "box_sweep/sweep.csv").read_bytes()
        for over, words in ((["stepper.cells=12,11"], "its case 1 has cells=10, not 12"),
                            (["stepper.cells=11,10"], "its case 1 has cells=10, not 11"),
                            (["stepper.cells=10"], "it has more cases"),
                            (["stepper.end=0.001,0.002"], "other keys"),
                            (["stepper.cells=10,11", "stepper.end=0.001,0.002"], "other keys")):
            with self.subTest(over=over):
                arguments = [word for one in over for word in ("--over", one)]
                done = self.sweep("deck.yaml", *arguments, "--restart", "auto", expect=2)
                self.assertIn("box_sweep holds another sweep: " + words, done.stderr)
                self.assertEqual((self.folder / "box_sweep/sweep.csv").read_bytes(), before)
        for ranks in (1, 2):
            done = self.sweep("deck.yaml", "--over", "stepper.cells=10,11", "--set", "stepper.diffusivity=[0.5, 0.5]",
                              "--restart", "auto", ranks=ranks, expect=2)
            self.assertRegex(done.stderr, "box_sweep holds another sweep: its case 1 .cells=10.: .*finished run of another deck")
            self.assertEqual((self.folder / "box_sweep/sweep.csv").read_bytes(), before)
        self.sweep("deck.yaml", "--over", "stepper.cells=10,11,12", "--restart", "auto")
        self.assertEqual([row["result"] for row in self.rows()], ["finished"] * 3)
        self.sweep("deck.yaml", "--over", "stepper.cells=10", "--overwrite")
        self.assertFalse((self.folder / "box_sweep/case_0002").exists())

    def test_cases_go_on_to_a_later_end_alone(self):
        self.write("deck.yaml", BOX)
        over = ("--over", "stepper.diffusivity=[1, 0.5],[0.5, 0.25]", "--restart", "auto")
        self.sweep("deck.yaml", *over)
        before = {path: path.read_bytes() for path in (self.folder / "box_sweep").rglob("*") if path.name != "run.lock"
                  and path.is_file()}
        done = self.sweep("deck.yaml", *over, "--set", "stepper.cells=13", expect=2)
        self.assertRegex(done.stderr, "holds another sweep: its case 1 .*the checkpoint belongs to another problem")
        self.assertEqual({path: path.read_bytes() for path in before}, before)
        self.sweep("deck.yaml", *over, "--set", "stepper.end=0.03")
        self.assertEqual([row["result"] for row in self.rows()], ["finished"] * 2)

    def test_values_may_be_words_lists_and_formulas(self):
        self.write("deck.yaml", BOX)
        self.sweep("deck.yaml", "--over", "run.devices=[omp:1],[emulated, omp:1]", "--over",
                   "stepper.diffusivity=[1, 0.5],[0.5, 1/4]")
        with h5py.File(self.folder / "box_sweep/sweep.h5") as table:
            self.assertEqual(list(table["sweep/devices"]), [0, 0, 1, 1])
            self.assertEqual(text_of(table["sweep/devices"], "words"), "[omp:1], [emulated, omp:1]")
        self.write("ensemble.yaml", ENSEMBLE)
        self.sweep("ensemble.yaml", "--over", "ensemble.systems=10,100,1000", expect=1)
        with h5py.File(self.folder / "ensemble_sweep/sweep.h5") as table:
            self.assertEqual(text_of(table["sweep/systems"], "spacing"), "log")

    def test_a_shipped_deck(self):
        deck = INPUTS / "collocation/manufactured.yaml"
        self.sweep(deck, "--over", "collocation.mesh.x.elements=24,48", "--set", "verify.max_error=1", program=PROGRAM,
                   ranks=2)
        rows = self.rows("out/manufactured_sweep")
        self.assertGreater(float(rows[0]["max_error.u"]), 8 * float(rows[1]["max_error.u"]))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
